/* Vectors of 8 floats for the loops that are written once for all widths. Included by one kind of C file only. */
#ifndef HRY_KERN_X86_LANES_AVX2_H
#define HRY_KERN_X86_LANES_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 8
#define FEATURES "avx2,f16c,bmi,bmi2"
#define TARGET __attribute__((target(FEATURES)))
#define INLINE static inline __attribute__((always_inline, target(FEATURES)))

typedef __m256 lanes;

INLINE lanes lanes_set(float x)
{
    return _mm256_set1_ps(x);
}

INLINE lanes lanes_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

/* All ones in the first n lanes. */
INLINE __m256i lanes_first(size_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

INLINE lanes lanes_load_part(const float *p, size_t n)
{
    return _mm256_maskload_ps(p, lanes_first(n));
}

INLINE lanes lanes_from_i32(const int32_t *p)
{
    return _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)p));
}

INLINE lanes lanes_sub(lanes a, lanes b)
{
    return _mm256_sub_ps(a, b);
}

INLINE lanes lanes_mul(lanes a, lanes b)
{
    return _mm256_mul_ps(a, b);
}

/* Whether an absolute value is above the bound. */
INLINE bool lanes_beyond(lanes x, float bound)
{
    __m256 magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
    return _mm256_movemask_ps(_mm256_cmp_ps(magnitude, _mm256_set1_ps(bound), _CMP_GT_OQ)) != 0;
}

/* p at a multiple of the vector's size where stream is set. */
INLINE void lanes_put(float *p, lanes x, bool stream)
{
    if (stream)
        _mm256_stream_ps(p, x);
    else
        _mm256_storeu_ps(p, x);
}

INLINE void lanes_put_part(float *p, lanes x, size_t n)
{
    _mm256_maskstore_ps(p, lanes_first(n), x);
}

/* p[i >> shift] in lane i. */
INLINE lanes lanes_spread(const float *p, unsigned shift)
{
    __m256i i = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_permutevar8x32_ps(lanes_load_part(p, LANES >> shift),
                                    _mm256_srl_epi32(i, _mm_cvtsi32_si128((int)shift)));
}

#endif
