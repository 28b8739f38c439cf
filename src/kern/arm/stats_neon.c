#include "kern/fill.h"

#if HRY_KERN_ARM

#include <arm_neon.h>

#define TARGET
#define INLINE static inline __attribute__((always_inline))

/* Written out for each k: compilers unroll loops too late to keep what these go through in registers. */
#define FOR(number, ...)       \
    do {                       \
        enum { k = (number) }; \
        __VA_ARGS__;           \
    } while (0)
#define EACH_FOUR(...)       \
    do {                     \
        FOR(0, __VA_ARGS__); \
        FOR(1, __VA_ARGS__); \
        FOR(2, __VA_ARGS__); \
        FOR(3, __VA_ARGS__); \
    } while (0)
#define EACH_PAIR(...)          \
    do {                        \
        EACH_FOUR(__VA_ARGS__); \
        FOR(4, __VA_ARGS__);    \
        FOR(5, __VA_ARGS__);    \
        FOR(6, __VA_ARGS__);    \
        FOR(7, __VA_ARGS__);    \
    } while (0)

typedef struct sixteen {
    float64x2_t pair[8];
} sixteen;

INLINE void fill(sixteen *x, double value)
{
    EACH_PAIR(x->pair[k] = vdupq_n_f64(value));
}

INLINE void to_lanes(const sixteen *x, double *lane)
{
    EACH_PAIR(vst1q_f64(lane + 2 * k, x->pair[k]));
}

INLINE void add(sixteen *sum, const sixteen *x)
{
    EACH_PAIR(sum->pair[k] = vaddq_f64(sum->pair[k], x->pair[k]));
}

INLINE void multiply(sixteen *x, const sixteen *y)
{
    EACH_PAIR(x->pair[k] = vmulq_f64(x->pair[k], y->pair[k]));
}

INLINE void subtract(sixteen *x, double y)
{
    EACH_PAIR(x->pair[k] = vsubq_f64(x->pair[k], vdupq_n_f64(y)));
}

INLINE void add_square(sixteen *sum, const sixteen *x)
{
    EACH_PAIR(sum->pair[k] = vaddq_f64(sum->pair[k], vmulq_f64(x->pair[k], x->pair[k])));
}

/* The values of bits first and first + 1 (4 values: + 3) as all ones or all zeros. */
INLINE uint64x2_t mask_f64(unsigned bits, int first)
{
    const uint64x2_t each = { 1, 2 };
    return vtstq_u64(vdupq_n_u64(bits >> first), each);
}

INLINE uint32x4_t mask_f32(unsigned bits, int first)
{
    const uint32x4_t each = { 1, 2, 4, 8 };
    return vtstq_u32(vdupq_n_u32(bits >> first), each);
}

INLINE void keep(sixteen *x, unsigned bits)
{
    EACH_PAIR(x->pair[k] = vbslq_f64(mask_f64(bits, 2 * k), x->pair[k], vdupq_n_f64(0)));
}

/* A bit for each of 16 bytes that are all ones or all zeros. */
INLINE unsigned bits_of(uint8x16_t masks)
{
    const uint8x16_t each = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    uint8x16_t sums = vandq_u8(masks, each);
    for (int i = 0; i < 3; i++)
        sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u16(vreinterpretq_u16_u8(sums), 0);
}

INLINE unsigned bits_of_32(const uint32x4_t *masks)
{
    uint16x8_t low = vuzp1q_u16(vreinterpretq_u16_u32(masks[0]), vreinterpretq_u16_u32(masks[1]));
    uint16x8_t high = vuzp1q_u16(vreinterpretq_u16_u32(masks[2]), vreinterpretq_u16_u32(masks[3]));
    return bits_of(vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high)));
}

INLINE unsigned bits_of_64(const uint64x2_t *masks)
{
    uint32x4_t narrow[4];
    EACH_FOUR(narrow[k] = vuzp1q_u32(vreinterpretq_u32_u64(masks[2 * k]), vreinterpretq_u32_u64(masks[2 * k + 1])));
    return bits_of_32(narrow);
}

typedef struct raw_f32 {
    float32x4_t four[4];
} raw_f32;

typedef sixteen raw_f64;

INLINE void load_f32(const float *p, size_t n, raw_f32 *x)
{
    float some[16] = { 0 };
    if (n < 16) {
        for (size_t i = 0; i < n; i++)
            some[i] = p[i];
        p = some;
    }
    EACH_FOUR(x->four[k] = vld1q_f32(p + 4 * k));
}

INLINE void widen_f32(const raw_f32 *x, sixteen *y)
{
    EACH_FOUR(y->pair[2 * k] = vcvt_f64_f32(vget_low_f32(x->four[k]));
              y->pair[2 * k + 1] = vcvt_high_f64_f32(x->four[k]));
}

INLINE void fill_f32(raw_f32 *x, double value)
{
    EACH_FOUR(x->four[k] = vdupq_n_f32((float)value));
}

INLINE unsigned nonzero_f32(const raw_f32 *x)
{
    uint32x4_t masks[4];
    EACH_FOUR(masks[k] = vceqzq_f32(x->four[k]));
    return 0xFFFF ^ bits_of_32(masks);
}

INLINE unsigned number_f32(const raw_f32 *x)
{
    uint32x4_t masks[4];
    EACH_FOUR(masks[k] = vceqq_f32(x->four[k], x->four[k]));
    return bits_of_32(masks);
}

INLINE unsigned finite_f32(const raw_f32 *x)
{
    uint32x4_t masks[4];
    EACH_FOUR(masks[k] = vcaltq_f32(x->four[k], vdupq_n_f32(__builtin_inff())));
    return bits_of_32(masks);
}

INLINE void lower_f32(raw_f32 *min, const raw_f32 *x, unsigned bits)
{
    EACH_FOUR(float32x4_t v = vminq_f32(x->four[k], min->four[k]);
              min->four[k] = bits == 0xFFFF ? v : vbslq_f32(mask_f32(bits, 4 * k), v, min->four[k]));
}

INLINE void raise_f32(raw_f32 *max, const raw_f32 *x, unsigned bits)
{
    EACH_FOUR(float32x4_t v = vmaxq_f32(x->four[k], max->four[k]);
              max->four[k] = bits == 0xFFFF ? v : vbslq_f32(mask_f32(bits, 4 * k), v, max->four[k]));
}

INLINE void load_f64(const double *p, size_t n, raw_f64 *x)
{
    double some[16] = { 0 };
    if (n < 16) {
        for (size_t i = 0; i < n; i++)
            some[i] = p[i];
        p = some;
    }
    EACH_PAIR(x->pair[k] = vld1q_f64(p + 2 * k));
}

INLINE void widen_f64(const raw_f64 *x, sixteen *y)
{
    *y = *x;
}

INLINE void fill_f64(raw_f64 *x, double value)
{
    fill(x, value);
}

INLINE unsigned nonzero_f64(const raw_f64 *x)
{
    uint64x2_t masks[8];
    EACH_PAIR(masks[k] = vceqzq_f64(x->pair[k]));
    return 0xFFFF ^ bits_of_64(masks);
}

INLINE unsigned number_f64(const raw_f64 *x)
{
    uint64x2_t masks[8];
    EACH_PAIR(masks[k] = vceqq_f64(x->pair[k], x->pair[k]));
    return bits_of_64(masks);
}

INLINE unsigned finite_f64(const raw_f64 *x)
{
    uint64x2_t masks[8];
    EACH_PAIR(masks[k] = vcaltq_f64(x->pair[k], vdupq_n_f64(__builtin_inf())));
    return bits_of_64(masks);
}

INLINE void lower_f64(raw_f64 *min, const raw_f64 *x, unsigned bits)
{
    EACH_PAIR(float64x2_t v = vminq_f64(x->pair[k], min->pair[k]);
              min->pair[k] = bits == 0xFFFF ? v : vbslq_f64(mask_f64(bits, 2 * k), v, min->pair[k]));
}

INLINE void raise_f64(raw_f64 *max, const raw_f64 *x, unsigned bits)
{
    EACH_PAIR(float64x2_t v = vmaxq_f64(x->pair[k], max->pair[k]);
              max->pair[k] = bits == 0xFFFF ? v : vbslq_f64(mask_f64(bits, 2 * k), v, max->pair[k]));
}

#include "kern/lanes/moments_lanes.h"

/* The largest of each byte and half of a byte, so that groups need no second look. */
static uint64_t most_ones(const uint64_t *words, size_t n, uint8_t *most)
{
    const uint8x16_t ones = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };
    uint8x16_t most_4 = vdupq_n_u8(0), most_8 = most_4;
    uint16x8_t most_16 = vdupq_n_u16(0);
    uint32x4_t most_32 = vdupq_n_u32(0);
    uint64x2_t sums = vdupq_n_u64(0);
    for (size_t i = 0; i < n; i += 2) {
        uint64x2_t word = i + 1 < n ? vld1q_u64(words + i) : vcombine_u64(vld1_u64(words + i), vdup_n_u64(0));
        uint8x16_t bytes = vreinterpretq_u8_u64(word);
        uint8x16_t low = vqtbl1q_u8(ones, vandq_u8(bytes, vdupq_n_u8(15)));
        uint8x16_t high = vqtbl1q_u8(ones, vshrq_n_u8(bytes, 4)), of_8 = vaddq_u8(low, high);
        uint16x8_t of_16 = vpaddlq_u8(of_8);
        uint32x4_t of_32 = vpaddlq_u16(of_16);
        most_4 = vmaxq_u8(most_4, vmaxq_u8(low, high));
        most_8 = vmaxq_u8(most_8, of_8);
        most_16 = vmaxq_u16(most_16, of_16);
        most_32 = vmaxq_u32(most_32, of_32);
        sums = vpadalq_u32(sums, of_32);
    }
    const uint8_t here[4] = { vmaxvq_u8(most_4), vmaxvq_u8(most_8), (uint8_t)vmaxvq_u16(most_16),
                              (uint8_t)vmaxvq_u32(most_32) };
    for (int g = 0; g < 4; g++)
        most[g] = here[g] > most[g] ? here[g] : most[g];
    return vaddvq_u64(sums);
}

void hry_fill_stats_neon(struct hry_kern *table)
{
    table->moments_f32 = moments_f32;
    table->moments_f64 = moments_f64;
    table->most_ones = most_ones;
}

#endif
