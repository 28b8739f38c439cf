#include "tensor/convert_element.h"

#include "type/quad.h"
#include "type/types.h"
#include "type/value.h"

#include <math.h>

static bool is_integer(uint8_t type)
{
    uint8_t kind = hry_type_table[type].kind;
    return kind == HRY_KIND_INT || kind == HRY_KIND_UINT || kind == HRY_KIND_BOOL;
}

/* An integer as sign and magnitude. */
static bool negative(uint8_t type, uint64_t *bits)
{
    unsigned width = hry_type_table[type].bits;
    if (hry_type_table[type].kind != HRY_KIND_INT || !(*bits >> (width - 1) & 1))
        return false;
    *bits = (0 - *bits) & (UINT64_MAX >> (64 - width));
    return true;
}

/* The nearest value that the type has. */
static uint64_t integer_of(uint8_t type, bool minus, uint64_t magnitude)
{
    const hry_type_info *info = &hry_type_table[type];
    uint64_t mask = UINT64_MAX >> (64 - info->bits), most = mask;
    if (info->kind == HRY_KIND_BOOL)
        return magnitude != 0;
    if (info->kind == HRY_KIND_INT)
        most = (mask >> 1) + minus;
    else if (minus)
        most = 0;
    magnitude = magnitude < most ? magnitude : most;
    return (minus ? 0 - magnitude : magnitude) & mask;
}

/*
 * top * 2^exponent as a float64 that says by its last bit when it is not exact. What is then rounded to fewer than 52
 * bits is rounded as if from the value itself.
 */
static double round_to_odd(uint64_t top, bool more, int exponent)
{
    unsigned length = 64u - (unsigned)__builtin_clzll(top);
    if (length > 53) {
        unsigned cut = length - 53;
        more |= (top & (((uint64_t)1 << cut) - 1)) != 0;
        top >>= cut;
        exponent += (int)cut;
    }
    return ldexp((double)(top | more), exponent);
}

static double odd_from_quad(uint64_t lo, uint64_t hi)
{
    int exponent = (int)(hi >> 48 & 0x7FFF) - 16383;
    if (exponent > 1022 || exponent < -1000) /* all narrower types do with these as with the rounded value */
        return hry_quad_to_f64(lo, hi);
    uint64_t top = (UINT64_C(1) << 48 | (hi & ((UINT64_C(1) << 48) - 1))) << 15 | lo >> 49;
    double magnitude = round_to_odd(top, (lo & ((UINT64_C(1) << 49) - 1)) != 0, exponent - 63);
    return hi >> 63 ? -magnitude : magnitude;
}

/* The value of an element, for a type that may be narrower than float64. */
static double value_for(uint8_t from, uint8_t to, uint64_t lo, uint64_t hi)
{
    if (to == HRY_TYPE_FLOAT64 || to == HRY_TYPE_COMPLEX128 || hry_type_table[from].bits < 64)
        return hry_value_from_bits(from, lo, hi);
    if (from == HRY_TYPE_FLOAT128)
        return odd_from_quad(lo, hi);
    if (!is_integer(from))
        return hry_value_from_bits(from, lo, hi);
    bool minus = negative(from, &lo);
    double magnitude = lo ? round_to_odd(lo, false, 0) : 0;
    return minus ? -magnitude : magnitude;
}

static void quad_from_integer(bool minus, uint64_t magnitude, uint64_t *lo, uint64_t *hi)
{
    *lo = *hi = 0;
    if (magnitude) {
        unsigned length = 64u - (unsigned)__builtin_clzll(magnitude);
        uint64_t fraction = length > 1 ? magnitude << (65 - length) : 0; /* the leading bit shifted out */
        *hi = (uint64_t)(16383 + length - 1) << 48 | fraction >> 16;
        *lo = fraction << 48;
    }
    *hi |= (uint64_t)minus << 63;
}

bool hry_convert_element(uint8_t from, uint8_t to, uint64_t *lo, uint64_t *hi)
{
    if (!is_integer(from) || (!is_integer(to) && to != HRY_TYPE_FLOAT128))
        return hry_value_to_bits(to, value_for(from, to, *lo, *hi), false, lo, hi);
    bool minus = negative(from, lo);
    if (to == HRY_TYPE_FLOAT128)
        quad_from_integer(minus, *lo, lo, hi);
    else
        *lo = integer_of(to, minus, *lo);
    return true;
}
