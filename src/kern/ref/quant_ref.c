#include "kern/kern.h"
#include "kern/nf4.h"
#include "type/narrow.h"
#include "type/pack.h"

#include <math.h>
#include <string.h>

#define UNUSED __attribute__((unused))

/* clamp(rint(x / scale) + zp, lo, hi). Clamped before it is rounded, since the bounds are whole, and before zp is
 * added, so that no step leaves float32; comparisons so that NaN ends at the lower bound. */
static inline int64_t code_of(float x, float scale, int32_t zp, int64_t lo, int64_t hi)
{
    float low = (float)(lo - zp), high = (float)(hi - zp), t = x / scale;
    t = t > low ? t : low;
    t = t < high ? t : high;
    return (int64_t)rintf(t) + zp;
}

static inline int64_t wide_code_of(float x, float scale, int32_t zp, int64_t lo, int64_t hi)
{
    double low = (double)(lo - zp), high = (double)(hi - zp), t = (double)x / (double)scale;
    t = t > low ? t : low;
    t = t < high ? t : high;
    return (int64_t)rint(t) + zp;
}

static inline void store_8(uint8_t *q, size_t i, int64_t code)
{
    q[i] = (uint8_t)code;
}

static inline void store_16(uint8_t *q, size_t i, int64_t code)
{
    hry_store16(q + 2 * i, (uint16_t)code);
}

static inline void store_32(uint8_t *q, size_t i, int64_t code)
{
    hry_store32(q + 4 * i, (uint32_t)code);
}

static inline void store_4(uint8_t *q, size_t i, int64_t code)
{
    hry_packed_set(4, q, i, (uint32_t)code);
}

static inline void store_2(uint8_t *q, size_t i, int64_t code)
{
    hry_packed_set(2, q, i, (uint32_t)code);
}

static inline void store_6(uint8_t *q, size_t i, int64_t code)
{
    hry_packed_set(6, q, i, (uint32_t)code);
}

/* Bytes of n codes; storing packed ones leaves the bits beside them, which therefore start as 0. */
static inline size_t bytes_of(unsigned bits, size_t n)
{
    return bits == 6 ? n / 4 * 3 + (n % 4 ? 3 : 0) : n / 8 * bits + (n % 8 * bits + 7) / 8;
}

#define QUANT(name, bits, code)                                                                                     \
    void hry_ref_quant_##name(const float *x, size_t n, size_t block, const float *scale, UNUSED const int32_t *zp, \
                              UNUSED int64_t lo, UNUSED int64_t hi, void *q)                                        \
    {                                                                                                               \
        size_t b = 0, left = block;                                                                                 \
        if (bits < 8 && n > 0)                                                                                      \
            memset(q, 0, bytes_of(bits, n));                                                                        \
        for (size_t i = 0; i < n; i++, left--) {                                                                    \
            if (left == 0) {                                                                                        \
                b++;                                                                                                \
                left = block;                                                                                       \
            }                                                                                                       \
            store_##bits(q, i, code);                                                                               \
        }                                                                                                           \
    }

#define AFFINE(name, bits) QUANT(name, bits, code_of(x[i], scale[b], zp ? zp[b] : 0, lo, hi))
#define WIDE(name) QUANT(name, 32, wide_code_of(x[i], scale[b], zp ? zp[b] : 0, lo, hi))

AFFINE(i8, 8)
AFFINE(u8, 8)
AFFINE(i16, 16)
AFFINE(u16, 16)
WIDE(i32)
WIDE(u32)
AFFINE(i4, 4)
AFFINE(u4, 4)
AFFINE(i2, 2)
AFFINE(u2, 2)

static inline int64_t level_of(float x, float scale)
{
    float v = scale == 0 ? 0 : x / scale;
    int64_t level = 0;
    for (int k = 0; k < 15; k++)
        level += v > hry_nf4_thresholds[k];
    return level;
}

/* Dividing by a power of two is exact but for subnormal results, which no grid tells from 0. */
static inline int64_t small_of(const hry_narrow *format, float x, float scale)
{
    return hry_narrow_from_f32_bits(format, hry_f32_bits(x / scale), true);
}

QUANT(nf4, 4, level_of(x[i], scale[b]))
QUANT(e2m1, 4, small_of(&hry_narrow_e2m1, x[i], scale[b]))
QUANT(e2m3, 6, small_of(&hry_narrow_e2m3, x[i], scale[b]))
QUANT(e3m2, 6, small_of(&hry_narrow_e3m2, x[i], scale[b]))
QUANT(e4m3, 8, small_of(&hry_narrow_e4m3, x[i], scale[b]))
QUANT(e5m2, 8, small_of(&hry_narrow_e5m2, x[i], scale[b]))
