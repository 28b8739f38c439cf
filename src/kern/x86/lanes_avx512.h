/* Vectors of 16 floats for the loops that are written once for all widths. Included by one kind of C file only. */
#ifndef HRY_KERN_X86_LANES_AVX512_H
#define HRY_KERN_X86_LANES_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 16
#define FEATURES "avx2,f16c,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi"
#define TARGET __attribute__((target(FEATURES)))
#define INLINE static inline __attribute__((always_inline, target(FEATURES)))

typedef __m512 lanes;
typedef __m512i lanes_int; /* 32 bits in each lane */
typedef __mmask16 lanes_mask;

INLINE __mmask16 lanes_first(size_t n)
{
    return (__mmask16)((1u << n) - 1);
}

INLINE lanes lanes_load_part(const float *p, size_t n)
{
    return _mm512_maskz_loadu_ps(lanes_first(n), p);
}

INLINE void lanes_put_part(float *p, lanes x, size_t n)
{
    _mm512_mask_storeu_ps(p, lanes_first(n), x);
}

/* p[i >> shift] in lane i. */
INLINE lanes lanes_spread(const float *p, unsigned shift)
{
    __m512i i = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutexvar_ps(_mm512_srl_epi32(i, _mm_cvtsi32_si128((int)shift)),
                                 lanes_load_part(p, LANES >> shift));
}

/* The first n lanes, 0 in the others. */
INLINE lanes_int lanes_int_keep(lanes_int x, size_t n)
{
    return _mm512_maskz_mov_epi32(lanes_first(n), x);
}

/* n is constant wherever these are used. */
INLINE lanes_int lanes_int_left(lanes_int x, unsigned n)
{
    return _mm512_slli_epi32(x, n);
}

/* Zeros come in. */
INLINE lanes_int lanes_int_right(lanes_int x, unsigned n)
{
    return _mm512_srli_epi32(x, n);
}

INLINE lanes_mask lanes_int_above(lanes_int a, lanes_int b)
{
    return _mm512_cmpgt_epi32_mask(a, b);
}

INLINE lanes_mask lanes_is_number(lanes x)
{
    return _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
}

INLINE lanes_int lanes_int_choose(lanes_mask mask, lanes_int yes, lanes_int no)
{
    return _mm512_mask_mov_epi32(no, mask, yes);
}

/* Whether any lane is above the bound. */
INLINE bool lanes_beyond(lanes x, float bound)
{
    return _mm512_cmp_ps_mask(x, _mm512_set1_ps(bound), _CMP_GT_OQ) != 0;
}

INLINE int32_t lanes_int_largest(lanes_int x)
{
    return _mm512_reduce_max_epi32(x);
}

INLINE float lanes_smallest(lanes x)
{
    return _mm512_reduce_min_ps(x);
}

INLINE float lanes_largest(lanes x)
{
    return _mm512_reduce_max_ps(x);
}

/* 16 bits for each lane. */
INLINE __m256i load_half(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

INLINE void put_half(uint8_t *p, __m256i x, bool stream)
{
    if (stream)
        _mm256_stream_si256((__m256i *)p, x);
    else
        _mm256_storeu_si256((__m256i *)p, x);
}

/* With a mask: without one, the header of GCC converts a sign where nothing is optimized. */
INLINE void lanes_put_f16(uint8_t *p, lanes x, bool stream)
{
    put_half(p, _mm512_maskz_cvtps_ph(0xFFFF, x, _MM_FROUND_TO_NEAREST_INT), stream);
}

/* 8 bits for each lane. */
INLINE __m128i load_quarter(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE void put_quarter(uint8_t *p, __m128i x, bool stream)
{
    if (stream)
        _mm_stream_si128((__m128i *)p, x);
    else
        _mm_storeu_si128((__m128i *)p, x);
}

/* The lowest 16 bits of each lane. */
INLINE __m256i to_words(lanes_int x)
{
    return _mm512_cvtepi32_epi16(x);
}

/* The lowest 8. */
INLINE __m128i to_bytes(lanes_int x)
{
    return _mm512_cvtepi32_epi8(x);
}

#define VECTOR(operation) _mm512_##operation
#define VECTOR_BITS(operation) _mm512_##operation##_si512
#include "kern/x86/lanes_x86.h"

#endif
