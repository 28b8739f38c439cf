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

INLINE lanes lanes_set(float x)
{
    return _mm512_set1_ps(x);
}

INLINE lanes lanes_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

INLINE lanes lanes_load_part(const float *p, size_t n)
{
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
}

INLINE lanes lanes_sub(lanes a, lanes b)
{
    return _mm512_sub_ps(a, b);
}

INLINE lanes lanes_mul(lanes a, lanes b)
{
    return _mm512_mul_ps(a, b);
}

INLINE lanes lanes_div(lanes a, lanes b)
{
    return _mm512_div_ps(a, b);
}

/* b where a is NaN. */
INLINE lanes lanes_max(lanes a, lanes b)
{
    return _mm512_max_ps(a, b);
}

INLINE lanes lanes_min(lanes a, lanes b)
{
    return _mm512_min_ps(a, b);
}

/* To nearest even. */
INLINE lanes_int lanes_round(lanes x)
{
    return _mm512_cvtps_epi32(x);
}

INLINE lanes lanes_from_int(lanes_int x)
{
    return _mm512_cvtepi32_ps(x);
}

INLINE lanes_int lanes_int_set(int32_t x)
{
    return _mm512_set1_epi32(x);
}

INLINE lanes_int lanes_int_load(const int32_t *p)
{
    return _mm512_loadu_si512(p);
}

INLINE void lanes_int_store(uint8_t *p, lanes_int x)
{
    _mm512_storeu_si512(p, x);
}

INLINE lanes_int lanes_int_add(lanes_int a, lanes_int b)
{
    return _mm512_add_epi32(a, b);
}

INLINE lanes_int lanes_int_and(lanes_int a, int32_t b)
{
    return _mm512_and_si512(a, _mm512_set1_epi32(b));
}

/* The first n lanes, 0 in the others. */
INLINE lanes_int lanes_int_keep(lanes_int x, size_t n)
{
    return _mm512_maskz_mov_epi32((__mmask16)((1u << n) - 1), x);
}

INLINE lanes_int lanes_int_max(lanes_int a, lanes_int b)
{
    return _mm512_max_epi32(a, b);
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

INLINE lanes_int lanes_bits(lanes x)
{
    return _mm512_castps_si512(x);
}

INLINE lanes lanes_of_bits(lanes_int x)
{
    return _mm512_castsi512_ps(x);
}

INLINE lanes lanes_abs(lanes x)
{
    return _mm512_abs_ps(x);
}

/* Whether any lane is above the bound. */
INLINE bool lanes_beyond(lanes x, float bound)
{
    return _mm512_cmp_ps_mask(x, _mm512_set1_ps(bound), _CMP_GT_OQ) != 0;
}

/* p at a multiple of the vector's size where stream is set. */
INLINE void lanes_put(float *p, lanes x, bool stream)
{
    if (stream)
        _mm512_stream_ps(p, x);
    else
        _mm512_storeu_ps(p, x);
}

INLINE void lanes_put_part(float *p, lanes x, size_t n)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), x);
}

/* p[i >> shift] in lane i. */
INLINE lanes lanes_spread(const float *p, unsigned shift)
{
    __m512i i = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutexvar_ps(_mm512_srl_epi32(i, _mm_cvtsi32_si128((int)shift)),
                                 lanes_load_part(p, LANES >> shift));
}

#endif
