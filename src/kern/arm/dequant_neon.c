#include "kern/fill.h"

#if HRY_KERN_ARM

#include "base/bytes.h"
#include "kern/arm/lanes_neon.h"
#include "kern/nf4.h"
#include "type/widen.h"

#include "kern/arm/table_neon.h"

/* Sixteen codes of four bits. */
INLINE uint8x16_t spread_4(const uint8_t *q)
{
    uint8x8_t packed = vld1_u8(q);
    uint8x16_t twice = vcombine_u8(packed, packed);
    return vzip1q_u8(vandq_u8(twice, vdupq_n_u8(15)), vshrq_n_u8(twice, 4));
}

INLINE lanes get_i4(const uint8_t *q)
{
    static const float values[16] = { 0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1 };
    return look_up_short(spread_4(q), values);
}

INLINE lanes get_u4(const uint8_t *q)
{
    static const float values[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    return look_up_short(spread_4(q), values);
}

INLINE lanes get_nf4(const uint8_t *q)
{
    return look_up(spread_4(q), hry_nf4_levels);
}

INLINE lanes get_e2m1(const uint8_t *q)
{
    return look_up_short(spread_4(q), hry_widen_e2m1);
}

/* Sixteen codes of two bits: each byte four times, shifted. */
INLINE uint8x16_t spread_2(const uint8_t *q)
{
    const uint8x16_t places = { 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3 };
    const int8x16_t shifts = { 0, -2, -4, -6, 0, -2, -4, -6, 0, -2, -4, -6, 0, -2, -4, -6 };
    uint8x16_t packed = vreinterpretq_u8_u32(vdupq_n_u32(hry_load32(q)));
    return vandq_u8(vshlq_u8(vqtbl1q_u8(packed, places), shifts), vdupq_n_u8(3));
}

INLINE lanes get_i2(const uint8_t *q)
{
    static const float values[16] = { 0, 1, -2, -1 };
    return look_up_short(spread_2(q), values);
}

INLINE lanes get_u2(const uint8_t *q)
{
    static const float values[16] = { 0, 1, 2, 3 };
    return look_up_short(spread_2(q), values);
}

/* Sixteen codes of six bits, other bits above them: a code lies in at most two bytes, and place 16 gives 0. */
INLINE uint8x16_t spread_6(const uint8_t *q)
{
    const uint8x16_t first = { 0, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11 };
    const uint8x16_t second = { 16, 1, 2, 16, 16, 4, 5, 16, 16, 7, 8, 16, 16, 10, 11, 16 };
    const int8x16_t down = { 0, -6, -4, -2, 0, -6, -4, -2, 0, -6, -4, -2, 0, -6, -4, -2 };
    const int8x16_t up = { 0, 2, 4, 0, 0, 2, 4, 0, 0, 2, 4, 0, 0, 2, 4, 0 };
    uint8x16_t packed = vcombine_u8(vld1_u8(q), vcreate_u8(hry_load32(q + 8)));
    return vorrq_u8(vshlq_u8(vqtbl1q_u8(packed, first), down), vshlq_u8(vqtbl1q_u8(packed, second), up));
}

/* Of the table's first 32 values, which have no sign. */
INLINE lanes look_up_6(const uint8_t *q, const uint32_t *values)
{
    const uint8x16_t zero = vdupq_n_u8(0);
    uint8x16x4_t low = bytes_apart(values), high = bytes_apart(values + 16);
    uint8x16x2_t third = { { low.val[2], high.val[2] } }, fourth = { { low.val[3], high.val[3] } };
    uint8x16_t codes = spread_6(q), magnitude = vandq_u8(codes, vdupq_n_u8(31));
    uint8x16_t sign = vandq_u8(vshlq_n_u8(codes, 2), vdupq_n_u8(0x80));
    return join_bytes(zero, zero, vqtbl2q_u8(third, magnitude), vorrq_u8(vqtbl2q_u8(fourth, magnitude), sign));
}

INLINE lanes get_e2m3(const uint8_t *q)
{
    return look_up_6(q, hry_widen_e2m3);
}

INLINE lanes get_e3m2(const uint8_t *q)
{
    return look_up_6(q, hry_widen_e3m2);
}

/* e5m2 is the upper half of a float16. */
INLINE lanes get_e5m2(const uint8_t *q)
{
    const uint8x16_t zero = vdupq_n_u8(0);
    uint8x16_t codes = vld1q_u8(q);
    return widen_f16(vzip1q_u8(zero, codes), vzip2q_u8(zero, codes));
}

/*
 * e4m3 with its exponent in that of a float16 is 2^8 times too small. Widening with sign puts copies of the sign above
 * the code; one stays. What is NaN becomes a NaN there.
 */
INLINE uint8x16_t half_e4m3(int16x8_t codes)
{
    uint16x8_t half = vandq_u16(vreinterpretq_u16_s16(vshlq_n_s16(codes, 7)), vdupq_n_u16(0xBFFF));
    uint16x8_t nan = vceqq_u16(vandq_u16(half, vdupq_n_u16(0x7FFF)), vdupq_n_u16(0x3F80));
    return vreinterpretq_u8_u16(veorq_u16(half, vandq_u16(nan, vdupq_n_u16(0x3F80 ^ 0x7E00))));
}

INLINE lanes get_e4m3(const uint8_t *q)
{
    int8x16_t codes = vreinterpretq_s8_u8(vld1q_u8(q));
    lanes x = widen_f16(half_e4m3(vmovl_s8(vget_low_s8(codes))), half_e4m3(vmovl_high_s8(codes)));
    return lanes_mul(x, lanes_set(256));
}

/* A code less its zero point has 33 bits, which float64 holds: one rounding. */
INLINE float32x4_t round_wide(int64x2_t low, int64x2_t high)
{
    return vcvt_high_f32_f64(vcvt_f32_f64(vcvtq_f64_s64(low)), vcvtq_f64_s64(high));
}

INLINE float32x4_t less_i32_4(const uint8_t *q, const int32_t *zp)
{
    int32x4_t codes = vreinterpretq_s32_u8(vld1q_u8(q)), z = vld1q_s32(zp);
    return round_wide(vsubl_s32(vget_low_s32(codes), vget_low_s32(z)), vsubl_high_s32(codes, z));
}

INLINE lanes less_i32(const uint8_t *q, const int32_t *zp)
{
    return (lanes){ { less_i32_4(q, zp), less_i32_4(q + 16, zp + 4), less_i32_4(q + 32, zp + 8),
                      less_i32_4(q + 48, zp + 12) } };
}

INLINE float32x4_t less_u32_4(const uint8_t *q, const int32_t *zp)
{
    uint32x4_t codes = vreinterpretq_u32_u8(vld1q_u8(q));
    int32x4_t z = vld1q_s32(zp);
    int64x2_t low = vreinterpretq_s64_u64(vmovl_u32(vget_low_u32(codes)));
    int64x2_t high = vreinterpretq_s64_u64(vmovl_high_u32(codes));
    return round_wide(vsubw_s32(low, vget_low_s32(z)), vsubw_high_s32(high, z));
}

INLINE lanes less_u32(const uint8_t *q, const int32_t *zp)
{
    return (lanes){ { less_u32_4(q, zp), less_u32_4(q + 16, zp + 4), less_u32_4(q + 32, zp + 8),
                      less_u32_4(q + 48, zp + 12) } };
}

#include "kern/lanes/dequant_lanes.h"

void hry_fill_dequant_neon(struct hry_kern *table)
{
    fill_dequant(table);
}

#endif
