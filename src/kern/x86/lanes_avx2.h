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
typedef __m256i lanes_int; /* 32 bits in each lane */

/* All ones in the first n lanes. */
INLINE __m256i lanes_first(size_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

INLINE lanes lanes_set(float x)
{
    return _mm256_set1_ps(x);
}

INLINE lanes lanes_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

INLINE lanes lanes_load_part(const float *p, size_t n)
{
    return _mm256_maskload_ps(p, lanes_first(n));
}

INLINE lanes lanes_sub(lanes a, lanes b)
{
    return _mm256_sub_ps(a, b);
}

INLINE lanes lanes_mul(lanes a, lanes b)
{
    return _mm256_mul_ps(a, b);
}

INLINE lanes lanes_div(lanes a, lanes b)
{
    return _mm256_div_ps(a, b);
}

/* b where a is NaN. */
INLINE lanes lanes_max(lanes a, lanes b)
{
    return _mm256_max_ps(a, b);
}

INLINE lanes lanes_min(lanes a, lanes b)
{
    return _mm256_min_ps(a, b);
}

/* To nearest even. */
INLINE lanes_int lanes_round(lanes x)
{
    return _mm256_cvtps_epi32(x);
}

INLINE lanes lanes_from_int(lanes_int x)
{
    return _mm256_cvtepi32_ps(x);
}

INLINE lanes_int lanes_int_set(int32_t x)
{
    return _mm256_set1_epi32(x);
}

INLINE lanes_int lanes_int_load(const int32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

INLINE void lanes_int_store(uint8_t *p, lanes_int x)
{
    _mm256_storeu_si256((__m256i *)p, x);
}

INLINE lanes_int lanes_int_add(lanes_int a, lanes_int b)
{
    return _mm256_add_epi32(a, b);
}

INLINE lanes_int lanes_int_and(lanes_int a, int32_t b)
{
    return _mm256_and_si256(a, _mm256_set1_epi32(b));
}

/* The first n lanes, 0 in the others. */
INLINE lanes_int lanes_int_keep(lanes_int x, size_t n)
{
    return _mm256_and_si256(x, lanes_first(n));
}

INLINE lanes_int lanes_int_max(lanes_int a, lanes_int b)
{
    return _mm256_max_epi32(a, b);
}

INLINE int32_t lanes_int_largest(lanes_int x)
{
    __m128i half = _mm_max_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 0x4E));
    return _mm_cvtsi128_si32(_mm_max_epi32(half, _mm_shuffle_epi32(half, 0xB1)));
}

INLINE float lanes_smallest(lanes x)
{
    __m128 half = _mm_min_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_min_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_min_ss(half, _mm_movehdup_ps(half)));
}

INLINE float lanes_largest(lanes x)
{
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

INLINE lanes_int lanes_bits(lanes x)
{
    return _mm256_castps_si256(x);
}

INLINE lanes lanes_of_bits(lanes_int x)
{
    return _mm256_castsi256_ps(x);
}

INLINE lanes lanes_abs(lanes x)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
}

/* Whether any lane is above the bound. */
INLINE bool lanes_beyond(lanes x, float bound)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(x, _mm256_set1_ps(bound), _CMP_GT_OQ)) != 0;
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
