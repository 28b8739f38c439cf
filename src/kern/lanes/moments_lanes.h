/*
 * Moments, written once for vectors of 16 values. Before it is included, a file defines TARGET and INLINE (the
 * instruction set) and a type of 16 doubles, sixteen:
 * - void fill(sixteen *x, double value), to_lanes(const sixteen *x, double *lane);
 * - void add, multiply(sixteen *x, const sixteen *y), subtract(sixteen *x, double y): into x;
 * - void add_square(sixteen *sum, const sixteen *x);
 * - void keep(sixteen *x, unsigned bits): 0 for the values whose bit is not set.
 * For each of f32 and f64, raw_NAME is a type of 16 of those:
 * - void load_NAME(const type *p, size_t n, raw_NAME *x): n of them, the rest 0;
 * - void widen_NAME(const raw_NAME *x, sixteen *y), fill_NAME(raw_NAME *x, double value);
 * - unsigned nonzero_NAME, number_NAME, finite_NAME(const raw_NAME *x): bit i for value i; NaN is nonzero;
 * - void lower_NAME(raw_NAME *min, const raw_NAME *x, unsigned bits), raise_NAME: the values whose bit is set.
 */
#ifndef HRY_KERN_LANES_MOMENTS_LANES_H
#define HRY_KERN_LANES_MOMENTS_LANES_H

#include "kern/fill.h"

#include <math.h>
#include <string.h>

enum { LANES = 16, ALL = 0xFFFF };

/* Chunks follow one another in memory, at a speed at which it is worth asking for the next: bytes ahead. */
enum { AHEAD = 8192 };

INLINE double add_lanes(const sixteen *x)
{
    double lane[LANES];
    to_lanes(x, lane);
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t j = 0; j < half; j++)
            lane[j] += lane[j + half];
    return lane[0];
}

#define MOMENTS(name, type)                                                                                    \
    TARGET static double shift_##name(const type *x, size_t n)                                                 \
    {                                                                                                          \
        for (size_t i = 0; i < n; i += LANES) {                                                                \
            raw_##name raw;                                                                                    \
            sixteen v, some;                                                                                   \
            size_t part = n - i < LANES ? n - i : LANES;                                                       \
            load_##name(x + i, part, &raw);                                                                    \
            unsigned finite = finite_##name(&raw) & ((1u << part) - 1);                                        \
            widen_##name(&raw, &v);                                                                            \
            keep(&v, finite);                                                                                  \
            fill(&some, 0.0625);                                                                               \
            multiply(&v, &some);                                                                               \
            if (finite)                                                                                        \
                return add_lanes(&v) / __builtin_popcount(finite) * LANES;                                     \
        }                                                                                                      \
        return 0.0;                                                                                            \
    }                                                                                                          \
                                                                                                               \
    struct state_##name {                                                                                      \
        sixteen sum, squares;                                                                                  \
        raw_##name min, max;                                                                                   \
        double shift;                                                                                          \
        size_t finite;                                                                                         \
        unsigned nan, inf;                                                                                     \
    };                                                                                                         \
                                                                                                               \
    /* Sixteen values, of which those whose bit is set in there exist; their nonzero bits. */                  \
    INLINE unsigned step_##name(struct state_##name *s, const raw_##name *raw, unsigned there)                 \
    {                                                                                                          \
        sixteen v;                                                                                             \
        unsigned finite = finite_##name(raw) & there, number = there;                                          \
        if (__builtin_expect(finite != there, 0)) {                                                            \
            number = number_##name(raw) & there;                                                               \
            s->nan |= there & ~number;                                                                         \
            s->inf |= number & ~finite;                                                                        \
        }                                                                                                      \
        lower_##name(&s->min, raw, number);                                                                    \
        raise_##name(&s->max, raw, number);                                                                    \
        s->finite += (size_t)__builtin_popcount(finite);                                                       \
        widen_##name(raw, &v);                                                                                 \
        subtract(&v, s->shift);                                                                                \
        if (__builtin_expect(finite != ALL, 0))                                                                \
            keep(&v, finite);                                                                                  \
        add(&s->sum, &v);                                                                                      \
        add_square(&s->squares, &v);                                                                           \
        return nonzero_##name(raw);                                                                            \
    }                                                                                                          \
                                                                                                               \
    TARGET static void moments_##name(const type *x, size_t n, uint64_t *nonzero, struct hry_moments *moments) \
    {                                                                                                          \
        struct state_##name s = { .shift = shift_##name(x, n) };                                               \
        double lane[LANES];                                                                                    \
        raw_##name raw;                                                                                        \
        sixteen v;                                                                                             \
        size_t i = 0;                                                                                          \
        fill(&s.sum, 0.0);                                                                                     \
        fill(&s.squares, 0.0);                                                                                 \
        fill_##name(&s.min, INFINITY);                                                                         \
        fill_##name(&s.max, -INFINITY);                                                                        \
        for (; n - i >= 64; i += 64) {                                                                         \
            uint64_t bits = 0;                                                                                 \
            for (size_t j = 0; j < 64; j += LANES) {                                                           \
                for (size_t line = 0; line < LANES * sizeof *x; line += 64)                                    \
                    __builtin_prefetch((const char *)(x + i + j) + line + AHEAD);                              \
                load_##name(x + i + j, LANES, &raw);                                                           \
                bits |= (uint64_t)step_##name(&s, &raw, ALL) << j;                                             \
            }                                                                                                  \
            nonzero[i / 64] = bits;                                                                            \
        }                                                                                                      \
        for (; i < n; i += LANES) {                                                                            \
            size_t part = n - i < LANES ? n - i : LANES;                                                       \
            load_##name(x + i, part, &raw);                                                                    \
            uint64_t bits = (uint64_t)step_##name(&s, &raw, (1u << part) - 1) << i % 64;                       \
            nonzero[i / 64] = i % 64 ? nonzero[i / 64] | bits : bits;                                          \
        }                                                                                                      \
        struct hry_moments m = { .shift = s.shift, .finite = s.finite, .has_nan = s.nan, .has_inf = s.inf };   \
        m.sum = add_lanes(&s.sum);                                                                             \
        m.squares = add_lanes(&s.squares);                                                                     \
        m.min = INFINITY;                                                                                      \
        m.max = -INFINITY;                                                                                     \
        widen_##name(&s.min, &v);                                                                              \
        to_lanes(&v, lane);                                                                                    \
        for (size_t j = 0; j < LANES; j++)                                                                     \
            m.min = lane[j] < m.min ? lane[j] : m.min;                                                         \
        widen_##name(&s.max, &v);                                                                              \
        to_lanes(&v, lane);                                                                                    \
        for (size_t j = 0; j < LANES; j++)                                                                     \
            m.max = lane[j] > m.max ? lane[j] : m.max;                                                         \
        *moments = m;                                                                                          \
    }

MOMENTS(f32, float)
MOMENTS(f64, double)

#endif
