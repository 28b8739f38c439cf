#include "base/bytes.h"
#include "kern/kern.h"

/* Without their sign, floats are ordered as their bits are, and everything that is not finite lies above. */
#define INFINITE UINT32_C(0x7F800000)

static inline uint32_t magnitude_of(float x)
{
    return hry_f32_bits(x) & 0x7FFFFFFF;
}

static inline uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* One more block, which ends at n or before; block may be as large as there are numbers. */
static inline size_t block_end(size_t start, size_t block, size_t n)
{
    return n - start < block ? n : start + block;
}

bool hry_ref_absmax(const float *x, size_t n, size_t block, float *absmax)
{
    uint32_t all = 0;
    for (size_t i = 0, b = 0; i < n; b++) {
        uint32_t most = 0;
        for (size_t end = block_end(i, block, n); i < end; i++)
            most = larger(most, magnitude_of(x[i]));
        absmax[b] = hry_f32_from_bits(most);
        all = larger(all, most);
    }
    return all < INFINITE;
}

bool hry_ref_range(const float *x, size_t n, size_t block, float *lo, float *hi)
{
    uint32_t all = 0;
    for (size_t i = 0, b = 0; i < n; b++) {
        float least = 0, most = 0;
        for (size_t end = block_end(i, block, n); i < end; i++) {
            least = x[i] < least ? x[i] : least;
            most = x[i] > most ? x[i] : most;
            all = larger(all, magnitude_of(x[i]));
        }
        lo[b] = least;
        hi[b] = most;
    }
    return all < INFINITE;
}

bool hry_ref_absmax_each(const float *x, size_t n, float *absmax)
{
    uint32_t all = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t magnitude = magnitude_of(x[i]);
        absmax[i] = hry_f32_from_bits(larger(hry_f32_bits(absmax[i]), magnitude));
        all = larger(all, magnitude);
    }
    return all < INFINITE;
}

bool hry_ref_range_each(const float *x, size_t n, float *lo, float *hi)
{
    uint32_t all = 0;
    for (size_t i = 0; i < n; i++) {
        lo[i] = x[i] < lo[i] ? x[i] : lo[i];
        hi[i] = x[i] > hi[i] ? x[i] : hi[i];
        all = larger(all, magnitude_of(x[i]));
    }
    return all < INFINITE;
}
