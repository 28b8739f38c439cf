#include "kern/fill.h"

#if HRY_KERN_X86

#include <immintrin.h>

#define FEATURES "avx2,avx512f,avx512bw,avx512dq,avx512vl,popcnt"
#define TARGET __attribute__((target(FEATURES)))
#define INLINE static inline __attribute__((always_inline, target(FEATURES)))

enum { NOT_FINITE = 0x99, IS_NAN = 0x81 }; /* classes of vfpclass: quiet and signaling NaN, both infinities */

typedef struct sixteen {
    __m512d low, high;
} sixteen;

INLINE void fill(sixteen *x, double value)
{
    x->low = x->high = _mm512_set1_pd(value);
}

INLINE void to_lanes(const sixteen *x, double *lane)
{
    _mm512_storeu_pd(lane, x->low);
    _mm512_storeu_pd(lane + 8, x->high);
}

INLINE void add(sixteen *sum, const sixteen *x)
{
    sum->low = _mm512_add_pd(sum->low, x->low);
    sum->high = _mm512_add_pd(sum->high, x->high);
}

INLINE void multiply(sixteen *x, const sixteen *y)
{
    x->low = _mm512_mul_pd(x->low, y->low);
    x->high = _mm512_mul_pd(x->high, y->high);
}

INLINE void subtract(sixteen *x, double y)
{
    x->low = _mm512_sub_pd(x->low, _mm512_set1_pd(y));
    x->high = _mm512_sub_pd(x->high, _mm512_set1_pd(y));
}

INLINE void add_square(sixteen *sum, const sixteen *x)
{
    sum->low = _mm512_add_pd(sum->low, _mm512_mul_pd(x->low, x->low));
    sum->high = _mm512_add_pd(sum->high, _mm512_mul_pd(x->high, x->high));
}

INLINE void keep(sixteen *x, unsigned bits)
{
    x->low = _mm512_maskz_mov_pd((__mmask8)bits, x->low);
    x->high = _mm512_maskz_mov_pd((__mmask8)(bits >> 8), x->high);
}

typedef __m512 raw_f32;
typedef sixteen raw_f64;

INLINE void load_f32(const float *p, size_t n, raw_f32 *x)
{
    *x = n == 16 ? _mm512_loadu_ps(p) : _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
}

INLINE void widen_f32(const raw_f32 *x, sixteen *y)
{
    y->low = _mm512_cvtps_pd(_mm512_castps512_ps256(*x));
    y->high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(*x, 1));
}

INLINE void fill_f32(raw_f32 *x, double value)
{
    *x = _mm512_set1_ps((float)value);
}

INLINE unsigned nonzero_f32(const raw_f32 *x)
{
    return _mm512_cmp_ps_mask(*x, _mm512_setzero_ps(), _CMP_NEQ_UQ);
}

INLINE unsigned number_f32(const raw_f32 *x)
{
    return 0xFFFFu & ~(unsigned)_mm512_fpclass_ps_mask(*x, IS_NAN);
}

INLINE unsigned finite_f32(const raw_f32 *x)
{
    return 0xFFFFu & ~(unsigned)_mm512_fpclass_ps_mask(*x, NOT_FINITE);
}

INLINE void lower_f32(raw_f32 *min, const raw_f32 *x, unsigned bits)
{
    *min = _mm512_mask_min_ps(*min, (__mmask16)bits, *min, *x);
}

INLINE void raise_f32(raw_f32 *max, const raw_f32 *x, unsigned bits)
{
    *max = _mm512_mask_max_ps(*max, (__mmask16)bits, *max, *x);
}

INLINE void load_f64(const double *p, size_t n, raw_f64 *x)
{
    unsigned there = (1u << n) - 1;
    x->low = _mm512_maskz_loadu_pd((__mmask8)there, p);
    x->high = _mm512_maskz_loadu_pd((__mmask8)(there >> 8), n > 8 ? p + 8 : p);
}

INLINE void widen_f64(const raw_f64 *x, sixteen *y)
{
    *y = *x;
}

INLINE void fill_f64(raw_f64 *x, double value)
{
    fill(x, value);
}

INLINE unsigned both(__mmask8 low, __mmask8 high)
{
    return (unsigned)low | (unsigned)high << 8;
}

INLINE unsigned nonzero_f64(const raw_f64 *x)
{
    __m512d zero = _mm512_setzero_pd();
    return both(_mm512_cmp_pd_mask(x->low, zero, _CMP_NEQ_UQ), _mm512_cmp_pd_mask(x->high, zero, _CMP_NEQ_UQ));
}

INLINE unsigned number_f64(const raw_f64 *x)
{
    return 0xFFFFu & ~both(_mm512_fpclass_pd_mask(x->low, IS_NAN), _mm512_fpclass_pd_mask(x->high, IS_NAN));
}

INLINE unsigned finite_f64(const raw_f64 *x)
{
    return 0xFFFFu & ~both(_mm512_fpclass_pd_mask(x->low, NOT_FINITE), _mm512_fpclass_pd_mask(x->high, NOT_FINITE));
}

INLINE void lower_f64(raw_f64 *min, const raw_f64 *x, unsigned bits)
{
    min->low = _mm512_mask_min_pd(min->low, (__mmask8)bits, min->low, x->low);
    min->high = _mm512_mask_min_pd(min->high, (__mmask8)(bits >> 8), min->high, x->high);
}

INLINE void raise_f64(raw_f64 *max, const raw_f64 *x, unsigned bits)
{
    max->low = _mm512_mask_max_pd(max->low, (__mmask8)bits, max->low, x->low);
    max->high = _mm512_mask_max_pd(max->high, (__mmask8)(bits >> 8), max->high, x->high);
}

#include "kern/lanes/moments_lanes.h"

#define WORD_BYTES 64
#include "kern/lanes/ones_lanes.h"

void hry_fill_stats_avx512(struct hry_kern *table)
{
    table->moments_f32 = moments_f32;
    table->moments_f64 = moments_f64;
    table->most_ones = most_ones;
}

#endif
