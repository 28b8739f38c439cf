#include "tensor/convert.h"

#include "base/bytes.h"
#include "kern/kern.h"
#include "type/pack.h"
#include "type/quad.h"
#include "type/types.h"
#include "type/value.h"
#include "type/widen.h"

#include <math.h>

/* ---- To float32, exactly or rounded once ---- */

#define BY_KERNEL(name)                                                                \
    static bool name(const hry_convert *convert, const void *src, size_t n, void *dst) \
    {                                                                                  \
        (void)convert;                                                                 \
        hry_kern()->name(src, n, dst, false);                                          \
        return true;                                                                   \
    }

BY_KERNEL(f16_f32)
BY_KERNEL(bf16_f32)
BY_KERNEL(e8m0_f32)

/* Dequantized with a scale of 1. */
#define BY_DEQUANT(type)                                                                     \
    static bool type##_f32(const hry_convert *convert, const void *src, size_t n, void *dst) \
    {                                                                                        \
        static const float one = 1;                                                          \
        (void)convert;                                                                       \
        hry_kern()->dequant_##type(src, n, SIZE_MAX, &one, NULL, dst, false);                \
        return true;                                                                         \
    }

BY_DEQUANT(i8)
BY_DEQUANT(u8)
BY_DEQUANT(i16)
BY_DEQUANT(u16)
BY_DEQUANT(i32)
BY_DEQUANT(u32)
BY_DEQUANT(i4)
BY_DEQUANT(u4)
BY_DEQUANT(i2)
BY_DEQUANT(u2)
BY_DEQUANT(e2m1)
BY_DEQUANT(e2m3)
BY_DEQUANT(e3m2)
BY_DEQUANT(e4m3)
BY_DEQUANT(e5m2)

#define TO_F32(name, SIZE, VALUE)                                                      \
    static bool name(const hry_convert *convert, const void *src, size_t n, void *dst) \
    {                                                                                  \
        const uint8_t *p = src;                                                        \
        float *to = dst;                                                               \
        (void)convert;                                                                 \
        for (size_t i = 0; i < n; i++, p += (SIZE))                                    \
            to[i] = (VALUE);                                                           \
        return true;                                                                   \
    }

TO_F32(i64_f32, 8, (float)(int64_t)hry_load64(p))
TO_F32(u64_f32, 8, (float)hry_load64(p))

static bool f64_f32(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    const uint8_t *p = src;
    float *to = dst;
    (void)convert;
    for (size_t i = 0; i < n; i++, p += 8) {
        double value = hry_load_f64(p);
        uint64_t bits = 0, none = 0;
        to[i] = (float)value;
        if (isnan(value) && hry_value_to_bits(HRY_TYPE_FLOAT32, value, false, &bits, &none))
            to[i] = hry_f32_from_bits((uint32_t)bits);
    }
    return true;
}

static bool bool_f32(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    float *to = dst;
    (void)convert;
    for (size_t i = 0; i < n; i++)
        to[i] = (float)hry_packed_get(1, src, i);
    return true;
}

/* ---- To float64 ---- */

enum { STEP = 64 };

static bool any(const hry_convert *convert, const void *src, size_t n, void *dst);

/* Between types that convert. */
static hry_convert conversion(uint8_t from, uint8_t to)
{
    hry_convert convert = { any, from, to };
    hry_convert_init(&convert, from, to);
    return convert;
}

/* By way of float32 where that is exact. */
static bool small_f64(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    float small[STEP];
    double *to = dst;
    const uint8_t *p = src;
    hry_convert to_f32 = conversion(convert->from, HRY_TYPE_FLOAT32);
    size_t bits = hry_type_table[convert->from].bits;
    for (size_t done = 0, some; done < n; done += some, p += some * bits / 8) {
        some = n - done < STEP ? n - done : STEP;
        to_f32.run(&to_f32, p, some, small);
        for (size_t i = 0; i < some; i++)
            to[done + i] = hry_widen_float32(hry_f32_bits(small[i]));
    }
    return true;
}

#define TO_F64(name, SIZE, VALUE)                                                      \
    static bool name(const hry_convert *convert, const void *src, size_t n, void *dst) \
    {                                                                                  \
        const uint8_t *p = src;                                                        \
        double *to = dst;                                                              \
        (void)convert;                                                                 \
        for (size_t i = 0; i < n; i++, p += (SIZE))                                    \
            to[i] = (VALUE);                                                           \
        return true;                                                                   \
    }

TO_F64(f32_f64, 4, hry_widen_float32(hry_load32(p)))
TO_F64(i32_f64, 4, (double)(int32_t)hry_load32(p))
TO_F64(u32_f64, 4, (double)hry_load32(p))
TO_F64(i64_f64, 8, (double)(int64_t)hry_load64(p))
TO_F64(u64_f64, 8, (double)hry_load64(p))
TO_F64(f128_f64, 16, hry_quad_to_f64(hry_load64(p), hry_load64(p + 8)))

/* ---- Any type to any ---- */

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

static bool convert_one(uint8_t from, uint8_t to, uint64_t *lo, uint64_t *hi)
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

static bool any(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        uint64_t lo, hi;
        hry_element_bits(convert->from, src, i, &lo, &hi);
        all &= convert_one(convert->from, convert->to, &lo, &hi);
        hry_element_set_bits(convert->to, dst, i, lo, hi);
    }
    if (HRY_HOST_SWAPS)
        hry_swap_elements(convert->to, dst, n);
    return all;
}

static bool complex_parts(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    bool wide = convert->from == HRY_TYPE_COMPLEX128;
    hry_convert parts =
        conversion(wide ? HRY_TYPE_FLOAT64 : HRY_TYPE_FLOAT32, wide ? HRY_TYPE_FLOAT32 : HRY_TYPE_FLOAT64);
    return parts.run(&parts, src, 2 * n, dst);
}

static bool same(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    uint64_t nbytes = 0;
    hry_type_size(hry_type_table[convert->to].bits, n, &nbytes);
    if (n)
        memcpy(dst, src, (size_t)nbytes);
    if (HRY_HOST_SWAPS)
        hry_swap_elements(convert->to, dst, n);
    return true;
}

void hry_swap_elements(uint8_t type, void *elements, size_t n)
{
    const hry_type_info *info = &hry_type_table[type];
    bool complex = info->kind == HRY_KIND_COMPLEX;
    size_t size = (complex ? info->bits / 2u : info->bits) / 8u;
    uint8_t *p = elements;
    if (size < 2)
        return;
    for (size_t i = 0; i < (complex ? 2 * n : n); i++, p += size)
        for (size_t a = 0, b = size - 1; a < b; a++, b--) {
            uint8_t byte = p[a];
            p[a] = p[b];
            p[b] = byte;
        }
}

/* ---- Choosing ---- */

typedef bool run_fn(const hry_convert *convert, const void *src, size_t n, void *dst);

static run_fn *to_f32(uint8_t from)
{
    switch (from) {
    case HRY_TYPE_FLOAT16:
        return f16_f32;
    case HRY_TYPE_BFLOAT16:
        return bf16_f32;
    case HRY_TYPE_FLOAT64:
        return f64_f32;
    case HRY_TYPE_FLOAT8_E4M3:
        return e4m3_f32;
    case HRY_TYPE_FLOAT8_E5M2:
        return e5m2_f32;
    case HRY_TYPE_FLOAT8_E8M0:
        return e8m0_f32;
    case HRY_TYPE_INT8:
        return i8_f32;
    case HRY_TYPE_UINT8:
        return u8_f32;
    case HRY_TYPE_INT16:
        return i16_f32;
    case HRY_TYPE_UINT16:
        return u16_f32;
    case HRY_TYPE_INT32:
        return i32_f32;
    case HRY_TYPE_UINT32:
        return u32_f32;
    case HRY_TYPE_INT64:
        return i64_f32;
    case HRY_TYPE_UINT64:
        return u64_f32;
    case HRY_TYPE_BOOL:
        return bool_f32;
    case HRY_TYPE_INT4:
        return i4_f32;
    case HRY_TYPE_UINT4:
        return u4_f32;
    case HRY_TYPE_INT2:
        return i2_f32;
    case HRY_TYPE_UINT2:
        return u2_f32;
    case HRY_TYPE_FLOAT4_E2M1:
        return e2m1_f32;
    case HRY_TYPE_FLOAT6_E2M3:
        return e2m3_f32;
    case HRY_TYPE_FLOAT6_E3M2:
        return e3m2_f32;
    default:
        return any;
    }
}

/* From float32 as it is stored, which only a host of that byte order can compute with, and only from where a float may
 * lie. */
#define FROM_F32(name)                                                                 \
    static bool name(const hry_convert *convert, const void *src, size_t n, void *dst) \
    {                                                                                  \
        if (HRY_HOST_SWAPS || (uintptr_t)src % _Alignof(float) != 0)                   \
            return any(convert, src, n, dst);                                          \
        hry_kern()->name(src, n, dst, false);                                          \
        return true;                                                                   \
    }

FROM_F32(f32_f16)
FROM_F32(f32_bf16)
FROM_F32(f32_e4m3)
FROM_F32(f32_e5m2)

static run_fn *from_f32(uint8_t to)
{
    switch (to) {
    case HRY_TYPE_FLOAT16:
        return f32_f16;
    case HRY_TYPE_BFLOAT16:
        return f32_bf16;
    case HRY_TYPE_FLOAT8_E4M3:
        return f32_e4m3;
    case HRY_TYPE_FLOAT8_E5M2:
        return f32_e5m2;
    default:
        return any;
    }
}

static run_fn *to_f64(uint8_t from)
{
    switch (from) {
    case HRY_TYPE_FLOAT32:
        return f32_f64;
    case HRY_TYPE_INT32:
        return i32_f64;
    case HRY_TYPE_UINT32:
        return u32_f64;
    case HRY_TYPE_INT64:
        return i64_f64;
    case HRY_TYPE_UINT64:
        return u64_f64;
    case HRY_TYPE_FLOAT128:
        return f128_f64;
    default:
        return small_f64;
    }
}

bool hry_convert_init(hry_convert *convert, uint8_t from, uint8_t to)
{
    uint8_t from_kind = hry_type_table[from].kind, to_kind = hry_type_table[to].kind;
    if (from_kind == HRY_KIND_NONE || to_kind == HRY_KIND_NONE ||
        (from_kind == HRY_KIND_COMPLEX && to_kind != HRY_KIND_COMPLEX))
        return false;
    run_fn *run = any;
    if (from == to)
        run = same;
    else if (from_kind == HRY_KIND_COMPLEX)
        run = complex_parts;
    else if (to == HRY_TYPE_FLOAT32)
        run = to_f32(from);
    else if (to == HRY_TYPE_FLOAT64)
        run = to_f64(from);
    else if (from == HRY_TYPE_FLOAT32)
        run = from_f32(to);
    *convert = (hry_convert){ run, from, to };
    return true;
}

bool hry_convert_raw(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    hry_convert plain = conversion(convert->from, convert->to);
    bool all = plain.run(&plain, src, n, dst);
    hry_swap_elements(convert->to, dst, n);
    return all;
}

/* Values of the host to what is stored: the other way round where the orders differ. */
static bool store(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    hry_convert plain = conversion(convert->from, convert->to);
    bool all = true;
    size_t from = hry_type_table[convert->from].bits, to = hry_type_table[convert->to].bits;
    for (size_t done = 0, some; done < n; done += some) {
        _Alignas(16) uint8_t stored[STEP * 16];
        some = n - done < STEP ? n - done : STEP;
        memcpy(stored, (const uint8_t *)src + done * from / 8, (some * from + 7) / 8);
        hry_swap_elements(convert->from, stored, some);
        all &= plain.run(&plain, stored, some, (uint8_t *)dst + done * to / 8);
        hry_swap_elements(convert->to, (uint8_t *)dst + done * to / 8, some);
    }
    return all;
}

bool hry_convert_init_store(hry_convert *convert, uint8_t from, uint8_t to)
{
    if (!hry_convert_init(convert, from, to))
        return false;
    if (HRY_HOST_SWAPS)
        convert->run = store;
    return true;
}
