/* Arithmetic that says when it does not fit. Every size that comes from untrusted bytes goes through here. */
#ifndef HRY_BASE_CHECKED_H
#define HRY_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns true, with *r written, when the result fits. */
static inline bool hry_add(uint64_t a, uint64_t b, uint64_t *r)
{
    return !__builtin_add_overflow(a, b, r);
}

static inline bool hry_mul(uint64_t a, uint64_t b, uint64_t *r)
{
    return !__builtin_mul_overflow(a, b, r);
}

/* *r = a * b + c */
static inline bool hry_mul_add(uint64_t a, uint64_t b, uint64_t c, uint64_t *r)
{
    uint64_t product;
    return hry_mul(a, b, &product) && hry_add(product, c, r);
}

/* a * b + c in full: the low 64 bits, the others in *high. */
static inline uint64_t hry_mul_wide(uint64_t a, uint64_t b, uint64_t c, uint64_t *high)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 r = (unsigned __int128)a * b + c;
    *high = (uint64_t)(r >> 64);
    return (uint64_t)r;
#else
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t first = a0 * b0, cross = a1 * b0 + (first >> 32), low, carry;
    uint64_t other = a0 * b1 + (cross & UINT32_MAX);
    low = other << 32 | (first & UINT32_MAX);
    carry = __builtin_add_overflow(low, c, &low);
    *high = a1 * b1 + (cross >> 32) + (other >> 32) + carry;
    return low;
#endif
}

/* The product of n factors. Zero wins over overflow. */
static inline bool hry_product(const uint64_t *factors, size_t n, uint64_t *r)
{
    uint64_t total = 1;
    bool fits = true;
    for (size_t i = 0; i < n; i++) {
        if (factors[i] == 0) {
            *r = 0;
            return true;
        }
        fits = fits && hry_mul(total, factors[i], &total);
    }
    *r = total;
    return fits;
}

static inline bool hry_to_size(uint64_t a, size_t *r)
{
    *r = (size_t)a;
    return *r == a;
}

static inline bool hry_is_pow2(uint64_t a)
{
    return a != 0 && (a & (a - 1)) == 0;
}

/* a rounded up to a multiple of align, a power of two. */
static inline bool hry_align_up(uint64_t a, uint64_t align, uint64_t *r)
{
    uint64_t sum;
    if (!hry_add(a, align - 1, &sum))
        return false;
    *r = sum & ~(align - 1);
    return true;
}

static inline uint64_t hry_ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

#endif
