#include "tensor/add.h"

#include "base/bytes.h"
#include "type/quad.h"
#include "type/widen.h"

#include <hurray/type.h>

#define ADD(name, SIZE, STATEMENT)                                                          \
    static void add_##name(uint8_t *sum, int64_t stride, const uint8_t *values, uint64_t n) \
    {                                                                                       \
        for (uint64_t i = 0; i < n; i++, sum += stride, values += (SIZE)) {                 \
            STATEMENT;                                                                      \
        }                                                                                   \
    }

static float f16(const uint8_t *p)
{
    return hry_f32_from_bits(hry_widen_float16(hry_load16(p)));
}

static float bf16(const uint8_t *p)
{
    return hry_f32_from_bits(hry_widen_bfloat16(hry_load16(p)));
}

/* A sum of two 16-bit floats, rounded to float32 and again, is the sum rounded once: float32 has more than twice the
 * digits. */
ADD(f16, 2, hry_store16(sum, hry_f32_to_f16(f16(sum) + f16(values))))
ADD(bf16, 2, hry_store16(sum, hry_f32_to_bf16(bf16(sum) + bf16(values))))
ADD(f32, 4, hry_store_f32(sum, hry_load_f32(sum) + hry_load_f32(values)))
ADD(f64, 8, hry_store_f64(sum, hry_load_f64(sum) + hry_load_f64(values)))
ADD(i8, 1, *sum = (uint8_t)(*sum + *values))
ADD(i16, 2, hry_store16(sum, (uint16_t)(hry_load16(sum) + hry_load16(values))))
ADD(i32, 4, hry_store32(sum, hry_load32(sum) + hry_load32(values)))
ADD(i64, 8, hry_store64(sum, hry_load64(sum) + hry_load64(values)))
ADD(c64, 8, add_f32(sum, 4, values, 2))
ADD(c128, 16, add_f64(sum, 8, values, 2))

static void quad(uint8_t *sum, const uint8_t *value)
{
    uint64_t lo, hi;
    hry_quad_add(hry_load64(sum), hry_load64(sum + 8), hry_load64(value), hry_load64(value + 8), &lo, &hi);
    hry_store64(sum, lo);
    hry_store64(sum + 8, hi);
}

ADD(f128, 16, quad(sum, values))

hry_add_fn *hry_add_of(uint8_t type)
{
    switch (type) {
    case HRY_TYPE_FLOAT16:
        return add_f16;
    case HRY_TYPE_BFLOAT16:
        return add_bf16;
    case HRY_TYPE_FLOAT32:
        return add_f32;
    case HRY_TYPE_FLOAT64:
        return add_f64;
    case HRY_TYPE_FLOAT128:
        return add_f128;
    case HRY_TYPE_INT8:
    case HRY_TYPE_UINT8:
        return add_i8;
    case HRY_TYPE_INT16:
    case HRY_TYPE_UINT16:
        return add_i16;
    case HRY_TYPE_INT32:
    case HRY_TYPE_UINT32:
        return add_i32;
    case HRY_TYPE_INT64:
    case HRY_TYPE_UINT64:
        return add_i64;
    case HRY_TYPE_COMPLEX64:
        return add_c64;
    case HRY_TYPE_COMPLEX128:
        return add_c128;
    default:
        return NULL;
    }
}
