/*
 * Floats of 16 bits and fewer: encoding from float32 and float64 in integer arithmetic, so that the bits are the same
 * on every machine. Rounding happens once, to nearest even (element-types, section 5). All inline: with a constant
 * format the compiler folds its fields.
 */
#ifndef HRY_TYPE_NARROW_H
#define HRY_TYPE_NARROW_H

#include "base/bytes.h"

#include <stdbool.h>

typedef struct hry_narrow {
    uint8_t mantissa_bits;
    int8_t min_exponent; /* of normal numbers: 1 - bias */
    uint16_t sign;       /* the sign's bit */
    uint16_t max;        /* the code of the largest finite value */
    uint16_t beyond;     /* the code that larger ones become: infinity, or max where there is none */
    uint16_t nan;        /* the quiet NaN without payload; 0 where there is none */
} hry_narrow;

static const hry_narrow hry_narrow_float16 = { 10, -14, 0x8000, 0x7BFF, 0x7C00, 0x7E00 };
static const hry_narrow hry_narrow_bfloat16 = { 7, -126, 0x8000, 0x7F7F, 0x7F80, 0x7FC0 };
static const hry_narrow hry_narrow_e4m3 = { 3, -6, 0x80, 0x7E, 0x7E, 0x7F };
static const hry_narrow hry_narrow_e5m2 = { 2, -14, 0x80, 0x7B, 0x7C, 0x7E };
static const hry_narrow hry_narrow_e2m1 = { 1, 0, 0x8, 0x7, 0x7, 0 };
static const hry_narrow hry_narrow_e2m3 = { 3, 0, 0x20, 0x1F, 0x1F, 0 };
static const hry_narrow hry_narrow_e3m2 = { 2, -2, 0x20, 0x1F, 0x1F, 0 };

/* What formats without a NaN answer to one; no code of any format. */
#define HRY_NARROW_NONE UINT32_C(0xFFFFFFFF)

/* x / 2^shift to nearest even; shift from 1 to 63, and x below 2^62. */
static inline uint64_t hry_round_even(uint64_t x, unsigned shift)
{
    uint64_t below_half = (UINT64_C(1) << (shift - 1)) - 1;
    return (x + below_half + (x >> shift & 1)) >> shift;
}

/* The same in 32 bits, which compilers vectorize: shift from 1 to 31, x below 2^30. */
static inline uint32_t hry_round_even32(uint32_t x, unsigned shift)
{
    uint32_t below_half = (UINT32_C(1) << (shift - 1)) - 1;
    return (x + below_half + (x >> shift & 1)) >> shift;
}

/*
 * The code of a magnitude, as if exponents went on beyond the format's. A code is "exponent steps above the smallest,
 * times 2^mantissa_bits, plus the significand in units of the last place": with the leading bit left in, the carry of a
 * rounding and the step from subnormal to normal numbers come out right by themselves.
 */
static inline uint32_t hry_narrow_round32(const hry_narrow *format, uint32_t magnitude)
{
    int exponent = (int)(magnitude >> 23);
    uint32_t significand = magnitude & 0x7FFFFF;
    significand |= exponent != 0 ? 0x800000u : 0;
    exponent += exponent == 0;
    int steps = exponent - 127 - format->min_exponent;
    unsigned above = steps > 0 ? (unsigned)steps : 0, below = steps < 0 ? (unsigned)-steps : 0;
    unsigned shift = 23u - format->mantissa_bits + below;
    /* The significand has 24 bits: any shift above 24 gives 0. */
    return (above << format->mantissa_bits) + hry_round_even32(significand, shift < 31 ? shift : 31);
}

static inline uint64_t hry_narrow_round64(const hry_narrow *format, uint64_t magnitude)
{
    int exponent = (int)(magnitude >> 52);
    uint64_t significand = magnitude & UINT64_C(0xFFFFFFFFFFFFF);
    significand |= exponent != 0 ? UINT64_C(1) << 52 : 0;
    exponent += exponent == 0;
    int steps = exponent - 1023 - format->min_exponent;
    unsigned above = steps > 0 ? (unsigned)steps : 0, below = steps < 0 ? (unsigned)-steps : 0;
    unsigned shift = 52u - format->mantissa_bits + below;
    return ((uint64_t)above << format->mantissa_bits) + hry_round_even(significand, shift < 63 ? shift : 63);
}

/* The code of a float32 by its bits; NaN in a format without one gives HRY_NARROW_NONE. */
static inline uint32_t hry_narrow_from_f32_bits(const hry_narrow *format, uint32_t bits, bool saturate)
{
    uint32_t magnitude = bits & 0x7FFFFFFF, sign = bits >> 31 ? format->sign : 0;
    if (magnitude > 0x7F800000) {
        if (format->nan == 0)
            return HRY_NARROW_NONE;
        return sign | format->nan | (magnitude & 0x7FFFFF) >> (23 - format->mantissa_bits);
    }
    uint32_t code = hry_narrow_round32(format, magnitude);
    if (code > format->max)
        code = saturate ? format->max : format->beyond;
    return sign | code;
}

/* The code of a float64 by its bits, rounded once. */
static inline uint32_t hry_narrow_from_f64_bits(const hry_narrow *format, uint64_t bits, bool saturate)
{
    uint64_t magnitude = bits & (UINT64_MAX >> 1);
    uint32_t sign = bits >> 63 ? format->sign : 0;
    if (magnitude > UINT64_C(0x7FF) << 52) {
        if (format->nan == 0)
            return HRY_NARROW_NONE;
        uint64_t payload = (magnitude & UINT64_C(0xFFFFFFFFFFFFF)) >> (52 - format->mantissa_bits);
        return sign | format->nan | (uint32_t)payload;
    }
    uint64_t code = hry_narrow_round64(format, magnitude);
    if (code > format->max)
        code = saturate ? format->max : format->beyond;
    return sign | (uint32_t)code;
}

#endif
