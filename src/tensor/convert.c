#include "tensor/convert.h"

#include "base/bytes.h"
#include "kern/kern.h"
#include "tensor/convert_element.h"
#include "type/quad.h"
#include "type/types.h"
#include "type/value.h"
#include "type/widen.h"

#include <math.h>

/* ---- To float32, exactly or rounded once ---- */

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
    const uint8_t *p = src;
    float *to = dst;
    (void)convert;
    for (size_t i = 0; i < n; i++)
        to[i] = (float)(p[i / 8] >> i % 8 & 1);
    return true;
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

static bool by_widening(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    convert->kernel.widen(src, n, dst, convert->stream);
    return true;
}

/* What dequantization does with a scale of 1 and no zero point. */
static bool by_scaling(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    const float one = 1;
    convert->kernel.scaled(src, n, n ? n : 1, &one, NULL, dst, convert->stream);
    return true;
}

/* ---- To float64 ---- */

enum { STEP = 256 };

static bool any(const hry_convert *convert, const void *src, size_t n, void *dst);

/* Between types that convert. */
static hry_convert conversion(uint8_t from, uint8_t to)
{
    hry_convert convert = { .run = any, .from = from, .to = to };
    hry_convert_init(&convert, from, to);
    return convert;
}

/* By way of float32 where that is exact. */
static bool small_f64(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    float small[STEP] = { 0 };
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

static bool any(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        uint64_t lo, hi;
        hry_element_bits(convert->from, src, i, &lo, &hi);
        all &= hry_convert_element(convert->from, convert->to, &lo, &hi);
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

#define WIDEN(name) return convert->kernel.widen = kern->name, by_widening
#define SCALE(name) return convert->kernel.scaled = kern->dequant_##name, by_scaling

static run_fn *to_f32(hry_convert *convert)
{
    const struct hry_kern *kern = hry_kern();
    switch (convert->from) {
    case HRY_TYPE_FLOAT16:
        WIDEN(f16_f32);
    case HRY_TYPE_BFLOAT16:
        WIDEN(bf16_f32);
    case HRY_TYPE_FLOAT8_E8M0:
        WIDEN(e8m0_f32);
    case HRY_TYPE_FLOAT8_E4M3:
        SCALE(e4m3);
    case HRY_TYPE_FLOAT8_E5M2:
        SCALE(e5m2);
    case HRY_TYPE_FLOAT6_E2M3:
        SCALE(e2m3);
    case HRY_TYPE_FLOAT6_E3M2:
        SCALE(e3m2);
    case HRY_TYPE_FLOAT4_E2M1:
        SCALE(e2m1);
    case HRY_TYPE_INT8:
        SCALE(i8);
    case HRY_TYPE_UINT8:
        SCALE(u8);
    case HRY_TYPE_INT16:
        SCALE(i16);
    case HRY_TYPE_UINT16:
        SCALE(u16);
    case HRY_TYPE_INT32:
        SCALE(i32);
    case HRY_TYPE_UINT32:
        SCALE(u32);
    case HRY_TYPE_INT4:
        SCALE(i4);
    case HRY_TYPE_UINT4:
        SCALE(u4);
    case HRY_TYPE_INT2:
        SCALE(i2);
    case HRY_TYPE_UINT2:
        SCALE(u2);
    case HRY_TYPE_BOOL:
        return bool_f32;
    case HRY_TYPE_FLOAT64:
        return f64_f32;
    case HRY_TYPE_INT64:
        return i64_f32;
    case HRY_TYPE_UINT64:
        return u64_f32;
    default:
        return any;
    }
}

/* From float32; sources that no kernel takes, by their alignment or byte order, go the long way. */
static bool by_narrowing(const hry_convert *convert, const void *src, size_t n, void *dst)
{
    if (HRY_HOST_SWAPS || (uintptr_t)src % _Alignof(float) != 0)
        return any(convert, src, n, dst);
    convert->kernel.narrow(src, n, dst, convert->stream);
    return true;
}

static run_fn *from_f32(hry_convert *convert)
{
    const struct hry_kern *kern = hry_kern();
    switch (convert->to) {
    case HRY_TYPE_FLOAT16:
        return convert->kernel.narrow = kern->f32_f16, by_narrowing;
    case HRY_TYPE_BFLOAT16:
        return convert->kernel.narrow = kern->f32_bf16, by_narrowing;
    case HRY_TYPE_FLOAT8_E4M3:
        return convert->kernel.narrow = kern->f32_e4m3, by_narrowing;
    case HRY_TYPE_FLOAT8_E5M2:
        return convert->kernel.narrow = kern->f32_e5m2, by_narrowing;
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
    *convert = (hry_convert){ .from = from, .to = to };
    if (from == to)
        convert->run = same;
    else if (from_kind == HRY_KIND_COMPLEX)
        convert->run = complex_parts;
    else if (to == HRY_TYPE_FLOAT32)
        convert->run = to_f32(convert);
    else if (to == HRY_TYPE_FLOAT64)
        convert->run = to_f64(from);
    else
        convert->run = from == HRY_TYPE_FLOAT32 ? from_f32(convert) : any;
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
