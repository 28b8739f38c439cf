#include "type/quad.h"

#include <stdbool.h>

/*
 * A finite number: the significand is a whole number of 116 bits, whose last three are there for rounding, and the
 * value is significand * 2^(exponent - some constant). Exponent 1 serves subnormal numbers too.
 */
typedef struct number {
    uint64_t lo, hi;
    int exponent;
} number;

enum { SPARE = 3, TOP = 48 + SPARE, MAX_EXPONENT = 0x7FFF };

#define MANTISSA48 ((UINT64_C(1) << 48) - 1)
#define SIGN (UINT64_C(1) << 63)
#define QUIET (UINT64_C(1) << 47)

static number shifted_left(number a, unsigned n)
{
    if (n >= 64)
        return (number){ 0, a.lo << (n - 64), a.exponent };
    return n ? (number){ a.lo << n, a.hi << n | a.lo >> (64 - n), a.exponent } : a;
}

/* What falls out is remembered in the last bit. */
static number shifted_right(number a, unsigned n)
{
    if (n > 127)
        return (number){ (a.lo | a.hi) != 0, 0, a.exponent };
    uint64_t lost = 0;
    if (n >= 64) {
        lost = a.lo;
        a.lo = a.hi;
        a.hi = 0;
        n -= 64;
    }
    if (n) {
        lost |= a.lo << (64 - n);
        a.lo = a.lo >> n | a.hi << (64 - n);
        a.hi >>= n;
    }
    a.lo |= lost != 0;
    return a;
}

static number unpack(uint64_t lo, uint64_t hi)
{
    int exponent = (int)(hi >> 48 & MAX_EXPONENT);
    number a = { lo, (hi & MANTISSA48) | (exponent ? UINT64_C(1) << 48 : 0), exponent ? exponent : 1 };
    return shifted_left(a, SPARE);
}

/* Rounds to nearest even and packs a magnitude of up to 117 bits. */
static void pack(number a, uint64_t *lo, uint64_t *hi)
{
    if (a.hi >> (TOP + 1)) {
        a = shifted_right(a, 1);
        a.exponent++;
    }
    while (!(a.hi >> TOP) && a.exponent > 1) {
        a = shifted_left(a, 1);
        a.exponent--;
    }
    uint64_t odd = a.lo >> SPARE & 1, sum = a.lo + 3 + odd;
    a.hi += sum < a.lo;
    a.lo = sum;
    a = (number){ a.lo >> SPARE | a.hi << (64 - SPARE), a.hi >> SPARE, a.exponent };
    /* The leading bit counts as one step of the exponent, and so does a carry out of rounding. */
    uint64_t packed = ((uint64_t)(a.exponent - 1) << 48) + a.hi;
    if (packed >> 48 >= MAX_EXPONENT) {
        packed = (uint64_t)MAX_EXPONENT << 48;
        a.lo = 0;
    }
    *lo = a.lo;
    *hi = packed;
}

static bool is_nan(uint64_t lo, uint64_t hi)
{
    return (hi >> 48 & MAX_EXPONENT) == MAX_EXPONENT && ((hi & MANTISSA48) | lo);
}

static bool is_infinite(uint64_t hi)
{
    return (hi >> 48 & MAX_EXPONENT) == MAX_EXPONENT;
}

static void add_finite(uint64_t a_lo, uint64_t a_hi, uint64_t b_lo, uint64_t b_hi, uint64_t *lo, uint64_t *hi)
{
    number a = unpack(a_lo, a_hi), b = unpack(b_lo, b_hi);
    b = shifted_right(b, (unsigned)(a.exponent - b.exponent));
    if ((a_hi ^ b_hi) & SIGN) {
        uint64_t difference = a.lo - b.lo;
        a.hi -= b.hi + (a.lo < b.lo);
        a.lo = difference;
    } else {
        uint64_t sum = a.lo + b.lo;
        a.hi += b.hi + (sum < a.lo);
        a.lo = sum;
    }
    if ((a.lo | a.hi) == 0) {
        *lo = 0;
        *hi = a_hi & b_hi & SIGN;
        return;
    }
    pack(a, lo, hi);
    *hi |= a_hi & SIGN;
}

void hry_quad_add(uint64_t a_lo, uint64_t a_hi, uint64_t b_lo, uint64_t b_hi, uint64_t *lo, uint64_t *hi)
{
    uint64_t a_magnitude = a_hi & ~SIGN, b_magnitude = b_hi & ~SIGN;
    if (is_nan(a_lo, a_hi) || is_nan(b_lo, b_hi)) {
        bool first = is_nan(a_lo, a_hi);
        *lo = first ? a_lo : b_lo;
        *hi = (first ? a_hi : b_hi) | QUIET;
    } else if (is_infinite(a_hi) || is_infinite(b_hi)) {
        bool against = is_infinite(a_hi) && is_infinite(b_hi) && ((a_hi ^ b_hi) & SIGN);
        *lo = 0;
        *hi = against ? (uint64_t)MAX_EXPONENT << 48 | QUIET : is_infinite(a_hi) ? a_hi : b_hi;
    } else if (a_magnitude > b_magnitude || (a_magnitude == b_magnitude && a_lo >= b_lo)) {
        add_finite(a_lo, a_hi, b_lo, b_hi, lo, hi);
    } else {
        add_finite(b_lo, b_hi, a_lo, a_hi, lo, hi);
    }
}
