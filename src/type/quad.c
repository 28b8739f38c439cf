#include "type/quad.h"

#include "base/bytes.h"
#include "type/narrow.h"

#define QUAD_BIAS 16383
#define F64_BIAS 1023
#define MANTISSA48 ((UINT64_C(1) << 48) - 1)
#define MANTISSA52 ((UINT64_C(1) << 52) - 1)
#define F64_INFINITY (UINT64_C(0x7FF) << 52)
#define F64_QUIET (UINT64_C(1) << 51)

static uint64_t magnitude_of(uint64_t lo, uint64_t hi)
{
    int exponent = (int)(hi >> 48 & 0x7FFF);
    uint64_t mantissa = hi & MANTISSA48;
    if (exponent == 0x7FFF) {
        uint64_t payload = mantissa << 4 | lo >> 60;
        return mantissa | lo ? F64_INFINITY | F64_QUIET | payload : F64_INFINITY;
    }
    exponent -= QUAD_BIAS;
    if (exponent > F64_BIAS)
        return F64_INFINITY;
    /* 61 fraction bits, the last of which also says whether any below was set. */
    uint64_t significand = (UINT64_C(1) << 48 | mantissa) << 13 | lo >> 51;
    significand |= (lo & ((UINT64_C(1) << 51) - 1)) != 0;
    int steps = exponent + F64_BIAS - 1;
    unsigned shift = 9 + (steps < 0 ? (unsigned)-steps : 0);
    /* Below half of the smallest subnormal; so are all subnormals of binary128. */
    if (shift > 62)
        return 0;
    return ((uint64_t)(steps > 0 ? steps : 0) << 52) + hry_round_even(significand, shift);
}

double hry_quad_to_f64(uint64_t lo, uint64_t hi)
{
    return hry_f64_from_bits((hi >> 63) << 63 | magnitude_of(lo, hi));
}

void hry_quad_from_f64(double value, uint64_t *lo, uint64_t *hi)
{
    uint64_t bits = hry_f64_bits(value);
    uint64_t exponent = bits >> 52 & 0x7FF, mantissa = bits & MANTISSA52;
    if (exponent == 0x7FF) {
        exponent = 0x7FFF;
        mantissa |= mantissa ? F64_QUIET : 0;
    } else if (exponent != 0) {
        exponent += QUAD_BIAS - F64_BIAS;
    } else if (mantissa != 0) {
        /* A subnormal float64 is a normal float128: bring its top bit to where the implied one is. */
        unsigned up = (unsigned)__builtin_clzll(mantissa) - 11;
        mantissa = mantissa << up & MANTISSA52;
        exponent = QUAD_BIAS - F64_BIAS + 1 - up;
    }
    *hi = (bits >> 63) << 63 | exponent << 48 | mantissa >> 4;
    *lo = mantissa << 60;
}
