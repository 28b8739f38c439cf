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
typedef __m256i lanes_int;  /* 32 bits in each lane */
typedef __m256i lanes_mask; /* all ones or all zeros in each lane */

/* All ones in the first n lanes. */
INLINE __m256i lanes_first(size_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

INLINE lanes lanes_load_part(const float *p, size_t n)
{
    return _mm256_maskload_ps(p, lanes_first(n));
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

/* The first n lanes, 0 in the others. */
INLINE lanes_int lanes_int_keep(lanes_int x, size_t n)
{
    return _mm256_and_si256(x, lanes_first(n));
}

/* n is constant wherever these are used. */
INLINE lanes_int lanes_int_left(lanes_int x, unsigned n)
{
    return _mm256_slli_epi32(x, (int)n);
}

/* Zeros come in. */
INLINE lanes_int lanes_int_right(lanes_int x, unsigned n)
{
    return _mm256_srli_epi32(x, (int)n);
}

INLINE lanes_mask lanes_int_above(lanes_int a, lanes_int b)
{
    return _mm256_cmpgt_epi32(a, b);
}

INLINE lanes_mask lanes_is_number(lanes x)
{
    return _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_ORD_Q));
}

INLINE lanes_int lanes_int_choose(lanes_mask mask, lanes_int yes, lanes_int no)
{
    return _mm256_blendv_epi8(no, yes, mask);
}

/* Whether any lane is above the bound. */
INLINE bool lanes_beyond(lanes x, float bound)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(x, _mm256_set1_ps(bound), _CMP_GT_OQ)) != 0;
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

/* 16 bits for each lane. */
INLINE __m128i load_half(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE void put_half(uint8_t *p, __m128i x, bool stream)
{
    if (stream)
        _mm_stream_si128((__m128i *)p, x);
    else
        _mm_storeu_si128((__m128i *)p, x);
}

INLINE void lanes_put_f16(uint8_t *p, lanes x, bool stream)
{
    put_half(p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT), stream);
}

/* 8 bits for each lane. */
INLINE __m128i load_quarter(const uint8_t *p)
{
    return _mm_loadl_epi64((const __m128i *)p);
}

INLINE void put_quarter(uint8_t *p, __m128i x, bool stream)
{
    if (stream)
        _mm_stream_si64((long long *)(void *)p, _mm_cvtsi128_si64(x));
    else
        _mm_storel_epi64((__m128i *)p, x);
}

/* The lowest 16 bits of each lane. The instruction that packs limits what it takes for signed. */
INLINE __m128i to_words(lanes_int x)
{
    x = _mm256_and_si256(x, _mm256_set1_epi32(0xFFFF));
    return _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

/* The lowest 8. */
INLINE __m128i to_bytes(lanes_int x)
{
    __m128i words = to_words(_mm256_and_si256(x, _mm256_set1_epi32(0xFF)));
    return _mm_packus_epi16(words, words);
}

#define VECTOR(operation) _mm256_##operation
#define VECTOR_BITS(operation) _mm256_##operation##_si256
#include "kern/x86/lanes_x86.h"

#endif
