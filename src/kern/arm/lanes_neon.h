/*
 * Vectors of 16 floats for the loops that are written once for all widths: four registers each, so that codes come in
 * whole registers of bytes. Included by one kind of C file only.
 */
#ifndef HRY_KERN_ARM_LANES_NEON_H
#define HRY_KERN_ARM_LANES_NEON_H

#include <arm_neon.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 16
/* Processors see by themselves when writing goes on and on, and there is no instruction for more. */
#define LANES_STREAM false
#define TARGET
#define INLINE static inline __attribute__((always_inline))

typedef struct lanes {
    float32x4_t v[4];
} lanes;

typedef struct lanes_int {
    int32x4_t v[4];
} lanes_int;

/* All ones or all zeros in each lane. */
typedef struct lanes_mask {
    uint32x4_t v[4];
} lanes_mask;

/* A function of each register; a and b are variables. */
#define EACH(type, f, a) ((type){ { f((a).v[0]), f((a).v[1]), f((a).v[2]), f((a).v[3]) } })
#define EACH_2(type, f, a, b) \
    ((type){ { f((a).v[0], (b).v[0]), f((a).v[1], (b).v[1]), f((a).v[2], (b).v[2]), f((a).v[3], (b).v[3]) } })

INLINE lanes lanes_set(float x)
{
    float32x4_t all = vdupq_n_f32(x);
    return (lanes){ { all, all, all, all } };
}

INLINE lanes lanes_load(const float *p)
{
    return (lanes){ { vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12) } };
}

INLINE lanes lanes_load_part(const float *p, size_t n)
{
    float part[LANES] = { 0 };
    memcpy(part, p, n * sizeof *p);
    return lanes_load(part);
}

INLINE void lanes_put(float *p, lanes x, bool stream)
{
    (void)stream;
    vst1q_f32(p, x.v[0]);
    vst1q_f32(p + 4, x.v[1]);
    vst1q_f32(p + 8, x.v[2]);
    vst1q_f32(p + 12, x.v[3]);
}

INLINE void lanes_put_part(float *p, lanes x, size_t n)
{
    float part[LANES];
    lanes_put(part, x, false);
    memcpy(p, part, n * sizeof *p);
}

/* p[i >> shift] in lane i; shift is 1, 2 or 3. */
INLINE lanes lanes_spread(const float *p, unsigned shift)
{
    if (shift == 3) {
        float32x4_t first = vdupq_n_f32(p[0]), second = vdupq_n_f32(p[1]);
        return (lanes){ { first, first, second, second } };
    }
    if (shift == 2)
        return (lanes){ { vdupq_n_f32(p[0]), vdupq_n_f32(p[1]), vdupq_n_f32(p[2]), vdupq_n_f32(p[3]) } };
    float32x4_t low = vld1q_f32(p), high = vld1q_f32(p + 4);
    return (lanes){ { vzip1q_f32(low, low), vzip2q_f32(low, low), vzip1q_f32(high, high), vzip2q_f32(high, high) } };
}

INLINE lanes lanes_add(lanes a, lanes b)
{
    return EACH_2(lanes, vaddq_f32, a, b);
}

INLINE lanes lanes_sub(lanes a, lanes b)
{
    return EACH_2(lanes, vsubq_f32, a, b);
}

INLINE lanes lanes_mul(lanes a, lanes b)
{
    return EACH_2(lanes, vmulq_f32, a, b);
}

INLINE lanes lanes_div(lanes a, lanes b)
{
    return EACH_2(lanes, vdivq_f32, a, b);
}

/* b where neither is larger, as with NaN or two zeros: the instructions that do it at once answer otherwise. */
INLINE float32x4_t larger(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

INLINE float32x4_t smaller(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

INLINE lanes lanes_max(lanes a, lanes b)
{
    return EACH_2(lanes, larger, a, b);
}

INLINE lanes lanes_min(lanes a, lanes b)
{
    return EACH_2(lanes, smaller, a, b);
}

/* Of numbers. */
INLINE float lanes_smallest(lanes x)
{
    return vminvq_f32(vminq_f32(vminq_f32(x.v[0], x.v[1]), vminq_f32(x.v[2], x.v[3])));
}

INLINE float lanes_largest(lanes x)
{
    return vmaxvq_f32(vmaxq_f32(vmaxq_f32(x.v[0], x.v[1]), vmaxq_f32(x.v[2], x.v[3])));
}

INLINE lanes lanes_abs(lanes x)
{
    return EACH(lanes, vabsq_f32, x);
}

/* Whether any lane is above the bound. */
INLINE bool lanes_beyond(lanes x, float bound)
{
    return lanes_largest(x) > bound;
}

INLINE lanes_mask lanes_is_number(lanes x)
{
    return EACH_2(lanes_mask, vceqq_f32, x, x);
}

/* To nearest even. */
INLINE lanes_int lanes_round(lanes x)
{
    return EACH(lanes_int, vcvtnq_s32_f32, x);
}

INLINE lanes lanes_from_int(lanes_int x)
{
    return EACH(lanes, vcvtq_f32_s32, x);
}

INLINE lanes_int lanes_bits(lanes x)
{
    return EACH(lanes_int, vreinterpretq_s32_f32, x);
}

INLINE lanes lanes_of_bits(lanes_int x)
{
    return EACH(lanes, vreinterpretq_f32_s32, x);
}

INLINE lanes_int lanes_int_set(int32_t x)
{
    int32x4_t all = vdupq_n_s32(x);
    return (lanes_int){ { all, all, all, all } };
}

INLINE lanes_int lanes_int_load(const int32_t *p)
{
    return (lanes_int){ { vld1q_s32(p), vld1q_s32(p + 4), vld1q_s32(p + 8), vld1q_s32(p + 12) } };
}

INLINE void lanes_int_store(uint8_t *p, lanes_int x)
{
    for (int k = 0; k < 4; k++)
        vst1q_u8(p + 16 * k, vreinterpretq_u8_s32(x.v[k]));
}

INLINE lanes_int lanes_int_add(lanes_int a, lanes_int b)
{
    return EACH_2(lanes_int, vaddq_s32, a, b);
}

INLINE lanes_int lanes_int_sub(lanes_int a, lanes_int b)
{
    return EACH_2(lanes_int, vsubq_s32, a, b);
}

INLINE lanes_int lanes_int_max(lanes_int a, lanes_int b)
{
    return EACH_2(lanes_int, vmaxq_s32, a, b);
}

INLINE lanes_int lanes_int_min(lanes_int a, lanes_int b)
{
    return EACH_2(lanes_int, vminq_s32, a, b);
}

INLINE lanes_int lanes_int_or(lanes_int a, lanes_int b)
{
    return EACH_2(lanes_int, vorrq_s32, a, b);
}

INLINE lanes_int lanes_int_and(lanes_int a, int32_t b)
{
    lanes_int all = lanes_int_set(b);
    return EACH_2(lanes_int, vandq_s32, a, all);
}

/* n is constant wherever these are used, which the compilers' vectors need not be told. */
#define LEFT(x) vreinterpretq_s32_u32(vreinterpretq_u32_s32(x) << n)
#define RIGHT(x) vreinterpretq_s32_u32(vreinterpretq_u32_s32(x) >> n)

INLINE lanes_int lanes_int_left(lanes_int x, unsigned n)
{
    return EACH(lanes_int, LEFT, x);
}

/* Zeros come in. */
INLINE lanes_int lanes_int_right(lanes_int x, unsigned n)
{
    return EACH(lanes_int, RIGHT, x);
}

INLINE lanes_mask lanes_int_above(lanes_int a, lanes_int b)
{
    return EACH_2(lanes_mask, vcgtq_s32, a, b);
}

INLINE lanes_int lanes_int_choose(lanes_mask mask, lanes_int yes, lanes_int no)
{
    return (lanes_int){ { vbslq_s32(mask.v[0], yes.v[0], no.v[0]), vbslq_s32(mask.v[1], yes.v[1], no.v[1]),
                          vbslq_s32(mask.v[2], yes.v[2], no.v[2]), vbslq_s32(mask.v[3], yes.v[3], no.v[3]) } };
}

/* The first n lanes, 0 in the others. */
INLINE lanes_int lanes_int_keep(lanes_int x, size_t n)
{
    static const int32_t places[LANES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    lanes_mask first = lanes_int_above(lanes_int_set((int32_t)n), lanes_int_load(places));
    return lanes_int_choose(first, x, lanes_int_set(0));
}

INLINE int32_t lanes_int_largest(lanes_int x)
{
    return vmaxvq_s32(vmaxq_s32(vmaxq_s32(x.v[0], x.v[1]), vmaxq_s32(x.v[2], x.v[3])));
}

INLINE lanes_int widen_s16(int16x8_t low, int16x8_t high)
{
    return (lanes_int){ { vmovl_s16(vget_low_s16(low)), vmovl_high_s16(low), vmovl_s16(vget_low_s16(high)),
                          vmovl_high_s16(high) } };
}

INLINE lanes_int widen_u16(uint16x8_t low, uint16x8_t high)
{
    return (lanes_int){
        { vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(low))), vreinterpretq_s32_u32(vmovl_high_u16(low)),
          vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(high))), vreinterpretq_s32_u32(vmovl_high_u16(high)) }
    };
}

INLINE lanes_int widen_u8(uint8x16_t x)
{
    return widen_u16(vmovl_u8(vget_low_u8(x)), vmovl_high_u8(x));
}

/* From LANES integers of 8 and 16 bits. */
INLINE lanes_int lanes_int_i8(const uint8_t *p)
{
    int8x16_t x = vreinterpretq_s8_u8(vld1q_u8(p));
    return widen_s16(vmovl_s8(vget_low_s8(x)), vmovl_high_s8(x));
}

INLINE lanes_int lanes_int_u8(const uint8_t *p)
{
    return widen_u8(vld1q_u8(p));
}

INLINE lanes_int lanes_int_i16(const uint8_t *p)
{
    return widen_s16(vreinterpretq_s16_u8(vld1q_u8(p)), vreinterpretq_s16_u8(vld1q_u8(p + 16)));
}

INLINE lanes_int lanes_int_u16(const uint8_t *p)
{
    return widen_u16(vreinterpretq_u16_u8(vld1q_u8(p)), vreinterpretq_u16_u8(vld1q_u8(p + 16)));
}

/* The lowest halves of a's lanes, then of b's. */
INLINE uint8x16_t to_words(int32x4_t a, int32x4_t b)
{
    return vreinterpretq_u8_s16(vuzp1q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)));
}

INLINE uint8x16_t to_bytes(lanes_int x)
{
    return vuzp1q_u8(to_words(x.v[0], x.v[1]), to_words(x.v[2], x.v[3]));
}

/* The lowest bits of each lane as such. */
INLINE void lanes_int_put_8(uint8_t *p, lanes_int x, bool stream)
{
    (void)stream;
    vst1q_u8(p, to_bytes(x));
}

INLINE void lanes_int_put_16(uint8_t *p, lanes_int x, bool stream)
{
    (void)stream;
    vst1q_u8(p, to_words(x.v[0], x.v[1]));
    vst1q_u8(p + 16, to_words(x.v[2], x.v[3]));
}

/* float16 */
INLINE lanes widen_f16(uint8x16_t low, uint8x16_t high)
{
    float16x8_t a = vreinterpretq_f16_u8(low), b = vreinterpretq_f16_u8(high);
    return (lanes){ { vcvt_f32_f16(vget_low_f16(a)), vcvt_high_f32_f16(a), vcvt_f32_f16(vget_low_f16(b)),
                      vcvt_high_f32_f16(b) } };
}

INLINE lanes lanes_from_f16(const uint8_t *p)
{
    return widen_f16(vld1q_u8(p), vld1q_u8(p + 16));
}

INLINE void lanes_put_f16(uint8_t *p, lanes x, bool stream)
{
    (void)stream;
    vst1q_u8(p, vreinterpretq_u8_f16(vcvt_high_f16_f32(vcvt_f16_f32(x.v[0]), x.v[1])));
    vst1q_u8(p + 16, vreinterpretq_u8_f16(vcvt_high_f16_f32(vcvt_f16_f32(x.v[2]), x.v[3])));
}

#endif
