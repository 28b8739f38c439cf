#include "kern/fill.h"

#if HRY_KERN_X86

#include <immintrin.h>

#define FEATURES "avx2,popcnt"
#define TARGET __attribute__((target(FEATURES)))
#define INLINE static inline __attribute__((always_inline, target(FEATURES)))

#define EACH_QUARTER for (int q = 0; q < 4; q++)
#define EACH_HALF for (int h = 0; h < 2; h++)

typedef struct sixteen {
    __m256d quarter[4];
} sixteen;

INLINE void fill(sixteen *x, double value)
{
    EACH_QUARTER x->quarter[q] = _mm256_set1_pd(value);
}

INLINE void to_lanes(const sixteen *x, double *lane)
{
    EACH_QUARTER _mm256_storeu_pd(lane + 4 * q, x->quarter[q]);
}

INLINE void add(sixteen *sum, const sixteen *x)
{
    EACH_QUARTER sum->quarter[q] = _mm256_add_pd(sum->quarter[q], x->quarter[q]);
}

INLINE void multiply(sixteen *x, const sixteen *y)
{
    EACH_QUARTER x->quarter[q] = _mm256_mul_pd(x->quarter[q], y->quarter[q]);
}

INLINE void subtract(sixteen *x, double y)
{
    EACH_QUARTER x->quarter[q] = _mm256_sub_pd(x->quarter[q], _mm256_set1_pd(y));
}

INLINE void add_square(sixteen *sum, const sixteen *x)
{
    EACH_QUARTER sum->quarter[q] = _mm256_add_pd(sum->quarter[q], _mm256_mul_pd(x->quarter[q], x->quarter[q]));
}

/* The values of bits first .. first + 3 (8 values: + 7) as all ones or all zeros. */
INLINE __m256d mask_f64(unsigned bits, int first)
{
    __m256i each = _mm256_set_epi64x(8, 4, 2, 1);
    __m256i wide = _mm256_and_si256(_mm256_set1_epi64x((long long)(bits >> first)), each);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(wide, each));
}

INLINE __m256 mask_f32(unsigned bits, int first)
{
    __m256i each = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    __m256i wide = _mm256_and_si256(_mm256_set1_epi32((int)(bits >> first)), each);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(wide, each));
}

INLINE void keep(sixteen *x, unsigned bits)
{
    EACH_QUARTER x->quarter[q] = _mm256_and_pd(x->quarter[q], mask_f64(bits, 4 * q));
}

typedef struct raw_f32 {
    __m256 half[2];
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
    EACH_HALF x->half[h] = _mm256_loadu_ps(p + 8 * h);
}

INLINE void widen_f32(const raw_f32 *x, sixteen *y)
{
    EACH_HALF
    {
        y->quarter[2 * h] = _mm256_cvtps_pd(_mm256_castps256_ps128(x->half[h]));
        y->quarter[2 * h + 1] = _mm256_cvtps_pd(_mm256_extractf128_ps(x->half[h], 1));
    }
}

INLINE void fill_f32(raw_f32 *x, double value)
{
    EACH_HALF x->half[h] = _mm256_set1_ps((float)value);
}

INLINE unsigned nonzero_f32(const raw_f32 *x)
{
    unsigned bits = 0;
    EACH_HALF bits |= (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(x->half[h], _mm256_setzero_ps(), _CMP_NEQ_UQ))
                      << 8 * h;
    return bits;
}

INLINE unsigned number_f32(const raw_f32 *x)
{
    unsigned bits = 0;
    EACH_HALF bits |= (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(x->half[h], x->half[h], _CMP_ORD_Q)) << 8 * h;
    return bits;
}

INLINE unsigned finite_f32(const raw_f32 *x)
{
    unsigned bits = 0;
    __m256 infinity = _mm256_set1_ps(__builtin_inff()), sign = _mm256_set1_ps(-0.0f);
    EACH_HALF bits |=
        (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_andnot_ps(sign, x->half[h]), infinity, _CMP_LT_OQ)) << 8 * h;
    return bits;
}

INLINE void lower_f32(raw_f32 *min, const raw_f32 *x, unsigned bits)
{
    EACH_HALF
    {
        __m256 v = _mm256_min_ps(x->half[h], min->half[h]);
        min->half[h] = bits == 0xFFFF ? v : _mm256_blendv_ps(min->half[h], v, mask_f32(bits, 8 * h));
    }
}

INLINE void raise_f32(raw_f32 *max, const raw_f32 *x, unsigned bits)
{
    EACH_HALF
    {
        __m256 v = _mm256_max_ps(x->half[h], max->half[h]);
        max->half[h] = bits == 0xFFFF ? v : _mm256_blendv_ps(max->half[h], v, mask_f32(bits, 8 * h));
    }
}

INLINE void load_f64(const double *p, size_t n, raw_f64 *x)
{
    double some[16] = { 0 };
    if (n < 16) {
        for (size_t i = 0; i < n; i++)
            some[i] = p[i];
        p = some;
    }
    EACH_QUARTER x->quarter[q] = _mm256_loadu_pd(p + 4 * q);
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
    unsigned bits = 0;
    EACH_QUARTER bits |= (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(x->quarter[q], _mm256_setzero_pd(), _CMP_NEQ_UQ))
                         << 4 * q;
    return bits;
}

INLINE unsigned number_f64(const raw_f64 *x)
{
    unsigned bits = 0;
    EACH_QUARTER bits |= (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(x->quarter[q], x->quarter[q], _CMP_ORD_Q)) << 4 * q;
    return bits;
}

INLINE unsigned finite_f64(const raw_f64 *x)
{
    unsigned bits = 0;
    __m256d infinity = _mm256_set1_pd(__builtin_inf()), sign = _mm256_set1_pd(-0.0);
    EACH_QUARTER bits |=
        (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(_mm256_andnot_pd(sign, x->quarter[q]), infinity, _CMP_LT_OQ))
        << 4 * q;
    return bits;
}

INLINE void lower_f64(raw_f64 *min, const raw_f64 *x, unsigned bits)
{
    EACH_QUARTER
    {
        __m256d v = _mm256_min_pd(x->quarter[q], min->quarter[q]);
        min->quarter[q] = bits == 0xFFFF ? v : _mm256_blendv_pd(min->quarter[q], v, mask_f64(bits, 4 * q));
    }
}

INLINE void raise_f64(raw_f64 *max, const raw_f64 *x, unsigned bits)
{
    EACH_QUARTER
    {
        __m256d v = _mm256_max_pd(x->quarter[q], max->quarter[q]);
        max->quarter[q] = bits == 0xFFFF ? v : _mm256_blendv_pd(max->quarter[q], v, mask_f64(bits, 4 * q));
    }
}

#include "kern/lanes/moments_lanes.h"

#define WORD_BYTES 32
#include "kern/lanes/ones_lanes.h"

void hry_fill_stats_avx2(struct hry_kern *table)
{
    table->moments_f32 = moments_f32;
    table->moments_f64 = moments_f64;
    table->most_ones = most_ones;
}

#endif
