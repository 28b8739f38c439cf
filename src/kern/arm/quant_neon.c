#include "kern/fill.h"

#if HRY_KERN_ARM

#include "base/bytes.h"
#include "kern/arm/lanes_neon.h"
#include "kern/nf4.h"

#include "kern/arm/table_neon.h"

/* Neighbours of `bits` bits joined to 16 bits for each pair, and those to 32 bits for each four. */
INLINE uint16x8_t pairs_of(lanes_int codes, int bits)
{
    const uint16_t mask = (uint16_t)((1 << bits) - 1);
    uint16x8_t bytes = vreinterpretq_u16_u8(to_bytes(codes));
    return vorrq_u16(vandq_u16(bytes, vdupq_n_u16(mask)),
                     vandq_u16(bytes >> (8 - bits), vdupq_n_u16((uint16_t)(mask << bits))));
}

INLINE uint8x16_t fours_of(lanes_int codes, int bits)
{
    const uint32_t mask = (1u << 2 * bits) - 1;
    uint32x4_t pairs = vreinterpretq_u32_u16(pairs_of(codes, bits));
    return vreinterpretq_u8_u32(vorrq_u32(vandq_u32(pairs, vdupq_n_u32(mask)),
                                          vandq_u32(pairs >> (16 - 2 * bits), vdupq_n_u32(mask << 2 * bits))));
}

INLINE void put_4(uint8_t *q, lanes_int codes)
{
    vst1_u8(q, vmovn_u16(pairs_of(codes, 4)));
}

INLINE void put_2(uint8_t *q, lanes_int codes)
{
    const uint8x16_t lowest = { 0, 4, 8, 12 };
    uint8x16_t packed = vqtbl1q_u8(fours_of(codes, 2), lowest);
    hry_store32(q, vgetq_lane_u32(vreinterpretq_u32_u8(packed), 0));
}

INLINE void put_6(uint8_t *q, lanes_int codes)
{
    const uint8x16_t lowest = { 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14 };
    uint8x16_t packed = vqtbl1q_u8(fours_of(codes, 6), lowest);
    vst1_u8(q, vget_low_u8(packed));
    hry_store32(q + 8, vgetq_lane_u32(vreinterpretq_u32_u8(packed), 2));
}

/* How many thresholds lie below: a binary search whose steps look up all lanes' thresholds at once. */
INLINE lanes_int level(lanes x, lanes scale)
{
    lanes ratio = lanes_div(x, scale);
    uint8x16_t found = vdupq_n_u8(0);
    for (int k = 0; k < 4; k++)
        ratio.v[k] = vbslq_f32(vceqzq_f32(scale.v[k]), vdupq_n_f32(0), ratio.v[k]);
    for (uint8_t step = 8; step; step /= 2) {
        lanes probe = look_up(vaddq_u8(found, vdupq_n_u8(step - 1)), hry_nf4_thresholds);
        lanes_mask above = EACH_2(lanes_mask, vcgtq_f32, ratio, probe);
        lanes_int all = EACH(lanes_int, vreinterpretq_s32_u32, above);
        found = vaddq_u8(found, vandq_u8(to_bytes(all), vdupq_n_u8(step)));
    }
    return widen_u8(found);
}

/* Two codes as 64 bits. The comparisons put NaN at the lower bound. */
INLINE int64x2_t wide_2(float64x2_t x, float64x2_t scale, int64x2_t zp, double lo, double hi)
{
    float64x2_t z = vcvtq_f64_s64(zp), low = vsubq_f64(vdupq_n_f64(lo), z), high = vsubq_f64(vdupq_n_f64(hi), z);
    float64x2_t t = vdivq_f64(x, scale);
    t = vbslq_f64(vcgtq_f64(t, low), t, low);
    t = vbslq_f64(vcltq_f64(t, high), t, high);
    return vaddq_s64(vcvtnq_s64_f64(t), zp);
}

/* Four, whose lowest 32 bits are the code with a sign and without. */
INLINE int32x4_t wide_4(const float *x, const float *scale, const int32_t *zp, double lo, double hi)
{
    float32x4_t v = vld1q_f32(x), s = vld1q_f32(scale);
    int32x4_t z = vld1q_s32(zp);
    int64x2_t low =
        wide_2(vcvt_f64_f32(vget_low_f32(v)), vcvt_f64_f32(vget_low_f32(s)), vmovl_s32(vget_low_s32(z)), lo, hi);
    int64x2_t high = wide_2(vcvt_high_f64_f32(v), vcvt_high_f64_f32(s), vmovl_high_s32(z), lo, hi);
    return vcombine_s32(vmovn_s64(low), vmovn_s64(high));
}

INLINE lanes_int wide_i32(const float *x, const float *scale, const int32_t *zp, double lo, double hi)
{
    return (lanes_int){ { wide_4(x, scale, zp, lo, hi), wide_4(x + 4, scale + 4, zp + 4, lo, hi),
                          wide_4(x + 8, scale + 8, zp + 8, lo, hi), wide_4(x + 12, scale + 12, zp + 12, lo, hi) } };
}

#define wide_u32 wide_i32

#include "kern/lanes/quant_lanes.h"

void hry_fill_quant_neon(struct hry_kern *table)
{
    fill_quant(table);
}

#endif
