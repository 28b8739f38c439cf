#include "kern/kern.h"
#include "kern/nf4.h"
#include "type/pack.h"
#include "type/widen.h"

#define UNUSED __attribute__((unused))

static inline int64_t code_i8(const uint8_t *q, size_t i)
{
    return (int8_t)q[i];
}

static inline int64_t code_u8(const uint8_t *q, size_t i)
{
    return q[i];
}

static inline int64_t code_i16(const uint8_t *q, size_t i)
{
    return (int16_t)hry_load16(q + 2 * i);
}

static inline int64_t code_u16(const uint8_t *q, size_t i)
{
    return hry_load16(q + 2 * i);
}

static inline int64_t code_i32(const uint8_t *q, size_t i)
{
    return (int32_t)hry_load32(q + 4 * i);
}

static inline int64_t code_u32(const uint8_t *q, size_t i)
{
    return hry_load32(q + 4 * i);
}

static inline int64_t code_u4(const uint8_t *q, size_t i)
{
    return hry_packed_get(4, q, i);
}

static inline int64_t code_i4(const uint8_t *q, size_t i)
{
    return (code_u4(q, i) ^ 8) - 8;
}

static inline int64_t code_u2(const uint8_t *q, size_t i)
{
    return hry_packed_get(2, q, i);
}

static inline int64_t code_i2(const uint8_t *q, size_t i)
{
    return (code_u2(q, i) ^ 2) - 2;
}

/* One rounding to float32, which matters above 2^24 only, and one of the product. */
#define AFFINE(name)                                                                                          \
    void hry_ref_dequant_##name(const void *q, size_t n, size_t block, const float *scale, const int32_t *zp, \
                                float *dst, UNUSED bool stream)                                               \
    {                                                                                                         \
        size_t b = 0, left = block;                                                                           \
        for (size_t i = 0; i < n; i++, left--) {                                                              \
            if (left == 0) {                                                                                  \
                b++;                                                                                          \
                left = block;                                                                                 \
            }                                                                                                 \
            dst[i] = scale[b] * (float)(code_##name(q, i) - (zp ? zp[b] : 0));                                \
        }                                                                                                     \
    }

AFFINE(i8)
AFFINE(u8)
AFFINE(i16)
AFFINE(u16)
AFFINE(i32)
AFFINE(u32)
AFFINE(i4)
AFFINE(u4)
AFFINE(i2)
AFFINE(u2)

static inline float value_nf4(const uint8_t *q, size_t i)
{
    return hry_nf4_levels[hry_packed_get(4, q, i)];
}

static inline float value_e2m1(const uint8_t *q, size_t i)
{
    return hry_f32_from_bits(hry_widen_e2m1[hry_packed_get(4, q, i)]);
}

static inline float value_e2m3(const uint8_t *q, size_t i)
{
    return hry_f32_from_bits(hry_widen_e2m3[hry_packed_get(6, q, i)]);
}

static inline float value_e3m2(const uint8_t *q, size_t i)
{
    return hry_f32_from_bits(hry_widen_e3m2[hry_packed_get(6, q, i)]);
}

static inline float value_e4m3(const uint8_t *q, size_t i)
{
    return hry_f32_from_bits(hry_widen_e4m3[q[i]]);
}

static inline float value_e5m2(const uint8_t *q, size_t i)
{
    return hry_f32_from_bits(hry_widen_e5m2[q[i]]);
}

#define FLOATS(name)                                                                                                 \
    void hry_ref_dequant_##name(const void *q, size_t n, size_t block, const float *scale, UNUSED const int32_t *zp, \
                                float *dst, UNUSED bool stream)                                                      \
    {                                                                                                                \
        size_t b = 0, left = block;                                                                                  \
        for (size_t i = 0; i < n; i++, left--) {                                                                     \
            if (left == 0) {                                                                                         \
                b++;                                                                                                 \
                left = block;                                                                                        \
            }                                                                                                        \
            dst[i] = scale[b] * value_##name(q, i);                                                                  \
        }                                                                                                            \
    }

FLOATS(nf4)
FLOATS(e2m1)
FLOATS(e2m3)
FLOATS(e3m2)
FLOATS(e4m3)
FLOATS(e5m2)
