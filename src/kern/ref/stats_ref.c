#include "kern/groups.h"
#include "kern/kern.h"

#include <math.h>
#include <string.h>

enum { LANES = 16 };

static double add_lanes(double *lane)
{
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t j = 0; j < half; j++)
            lane[j] += lane[j + half];
    return lane[0];
}

/* Both widths are the same in double, which holds every float. */
#define MOMENTS(name, type)                                                                              \
    static double shift_##name(const type *x, size_t n)                                                  \
    {                                                                                                    \
        for (size_t i = 0; i < n; i += LANES) {                                                          \
            double lane[LANES] = { 0 };                                                                  \
            int finite = 0;                                                                              \
            for (size_t j = 0; j < LANES && i + j < n; j++)                                              \
                if (isfinite(x[i + j])) {                                                                \
                    lane[j] = (double)x[i + j] * 0.0625;                                                 \
                    finite++;                                                                            \
                }                                                                                        \
            if (finite > 0)                                                                              \
                return add_lanes(lane) / finite * LANES;                                                 \
        }                                                                                                \
        return 0.0;                                                                                      \
    }                                                                                                    \
                                                                                                         \
    void hry_ref_moments_##name(const type *x, size_t n, uint64_t *nonzero, struct hry_moments *moments) \
    {                                                                                                    \
        double sum[LANES] = { 0 }, squares[LANES] = { 0 };                                               \
        struct hry_moments m = { .shift = shift_##name(x, n), .min = INFINITY, .max = -INFINITY };       \
        memset(nonzero, 0, (n + 63) / 64 * sizeof *nonzero);                                             \
        for (size_t i = 0; i < n; i++) {                                                                 \
            double value = (double)x[i], away = value - m.shift;                                         \
            nonzero[i / 64] |= (uint64_t)(value != 0.0) << i % 64;                                       \
            if (isnan(value)) {                                                                          \
                m.has_nan = true;                                                                        \
                continue;                                                                                \
            }                                                                                            \
            m.min = value < m.min ? value : m.min;                                                       \
            m.max = value > m.max ? value : m.max;                                                       \
            if (isinf(value)) {                                                                          \
                m.has_inf = true;                                                                        \
                continue;                                                                                \
            }                                                                                            \
            m.finite++;                                                                                  \
            sum[i % LANES] += away;                                                                      \
            squares[i % LANES] += away * away;                                                           \
        }                                                                                                \
        m.sum = add_lanes(sum);                                                                          \
        m.squares = add_lanes(squares);                                                                  \
        *moments = m;                                                                                    \
    }

MOMENTS(f32, float)
MOMENTS(f64, double)

uint64_t hry_ref_most_ones(const uint64_t *words, size_t n, uint8_t *most)
{
    uint64_t excess[HRY_GROUP_SIZES], sums = 0, seen = 0;
    for (unsigned g = 0; g < HRY_GROUP_SIZES; g++)
        excess[g] = hry_group_excess(g, most[g]);
    for (size_t i = 0; i < n; i++) {
        uint64_t counts;
        HRY_GROUP_COUNT(words[i], counts, excess, seen);
        sums += counts;
    }
    if (seen)
        hry_group_raise_all(words, n, most);
    return (sums & UINT32_MAX) + (sums >> 32);
}
