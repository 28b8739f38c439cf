#include "type/value.h"

#include "base/bytes.h"
#include "type/narrow.h"
#include "type/quad.h"
#include "type/types.h"
#include "type/widen.h"

#include <math.h>

static int64_t sign_extend(uint64_t bits, unsigned width)
{
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

double hry_value_from_bits(uint8_t type, uint64_t lo, uint64_t hi)
{
    switch (type) {
    case HRY_TYPE_FLOAT16:
        return hry_widen_float32(hry_widen_float16((uint16_t)lo));
    case HRY_TYPE_BFLOAT16:
        return hry_widen_float32(hry_widen_bfloat16((uint16_t)lo));
    case HRY_TYPE_FLOAT32:
    case HRY_TYPE_COMPLEX64:
        return hry_widen_float32((uint32_t)lo);
    case HRY_TYPE_FLOAT64:
    case HRY_TYPE_COMPLEX128:
        return hry_f64_from_bits(lo);
    case HRY_TYPE_FLOAT128:
        return hry_quad_to_f64(lo, hi);
    case HRY_TYPE_FLOAT8_E4M3:
        return hry_widen_float32(hry_widen_e4m3[lo & 0xFF]);
    case HRY_TYPE_FLOAT8_E5M2:
        return hry_widen_float32(hry_widen_e5m2[lo & 0xFF]);
    case HRY_TYPE_FLOAT8_E8M0:
        return hry_widen_float32(hry_widen_e8m0((uint8_t)lo));
    case HRY_TYPE_FLOAT6_E2M3:
        return hry_widen_float32(hry_widen_e2m3[lo & 0x3F]);
    case HRY_TYPE_FLOAT6_E3M2:
        return hry_widen_float32(hry_widen_e3m2[lo & 0x3F]);
    case HRY_TYPE_FLOAT4_E2M1:
        return hry_widen_float32(hry_widen_e2m1[lo & 0xF]);
    default:
        break;
    }
    const hry_type_info *row = &hry_type_table[type];
    if (row->kind == HRY_KIND_NONE)
        return 0;
    return row->kind == HRY_KIND_INT ? (double)sign_extend(lo, row->bits) : (double)lo;
}

/* The format of a narrow float type, NULL for other types. */
static const hry_narrow *narrow_of(uint8_t type)
{
    switch (type) {
    case HRY_TYPE_FLOAT16:
        return &hry_narrow_float16;
    case HRY_TYPE_BFLOAT16:
        return &hry_narrow_bfloat16;
    case HRY_TYPE_FLOAT8_E4M3:
        return &hry_narrow_e4m3;
    case HRY_TYPE_FLOAT8_E5M2:
        return &hry_narrow_e5m2;
    case HRY_TYPE_FLOAT6_E2M3:
        return &hry_narrow_e2m3;
    case HRY_TYPE_FLOAT6_E3M2:
        return &hry_narrow_e3m2;
    case HRY_TYPE_FLOAT4_E2M1:
        return &hry_narrow_e2m1;
    default:
        return NULL;
    }
}

static uint32_t f32_bits_of(double value)
{
    if (!isnan(value))
        return hry_f32_bits((float)value);
    uint64_t bits = hry_f64_bits(value);
    return (uint32_t)(bits >> 63) << 31 | HRY_F32_NAN | ((uint32_t)(bits >> 29) & 0x7FFFFF);
}

/* Rounded down to a power of two from 2^-126 to 2^127, the values that e8m0 has. */
static bool e8m0_of(double value, uint64_t *code)
{
    if (!(value >= 0x1p-126 && value < 0x1p128))
        return false;
    *code = (hry_f64_bits(value) >> 52) - 1023 + 127;
    return true;
}

/* Rounded to nearest even, then brought into the range of the type. */
static uint64_t integer_of(double value, unsigned width, bool is_signed)
{
    uint64_t mask = UINT64_MAX >> (64 - width), max = is_signed ? mask >> 1 : mask;
    /* 64-bit maxima are no float64 and become the power of two behind them, which no value below reaches either. */
    double rounded = rint(value), top = (double)max;
    if (rounded >= top)
        return max;
    if (!is_signed)
        return rounded > 0 ? (uint64_t)rounded : 0;
    return rounded < -top ? max + 1 : (uint64_t)(int64_t)rounded & mask;
}

bool hry_value_to_bits(uint8_t type, double value, bool saturate, uint64_t *lo, uint64_t *hi)
{
    const hry_type_info *row = &hry_type_table[type];
    uint64_t low = 0, high = 0;
    const hry_narrow *narrow = narrow_of(type);
    if (narrow) {
        uint32_t code = hry_narrow_from_f64_bits(narrow, hry_f64_bits(value), saturate);
        if (code == HRY_NARROW_NONE)
            return false;
        low = code;
    } else if (type == HRY_TYPE_FLOAT32 || type == HRY_TYPE_COMPLEX64) {
        low = f32_bits_of(value);
    } else if (type == HRY_TYPE_FLOAT64 || type == HRY_TYPE_COMPLEX128) {
        low = hry_f64_bits(value);
    } else if (type == HRY_TYPE_FLOAT128) {
        hry_quad_from_f64(value, &low, &high);
    } else if (type == HRY_TYPE_FLOAT8_E8M0) {
        if (!e8m0_of(value, &low))
            return false;
    } else if (row->kind == HRY_KIND_NONE || isnan(value)) {
        return false;
    } else if (row->kind == HRY_KIND_BOOL) {
        low = value != 0;
    } else {
        low = integer_of(value, row->bits, row->kind == HRY_KIND_INT);
    }
    *lo = low;
    *hi = high;
    return true;
}
