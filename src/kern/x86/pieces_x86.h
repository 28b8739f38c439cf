/* Vectors of 16 bytes, which every processor of the kind has, and what all of them share when bytes are moved. */
#ifndef HRY_KERN_X86_PIECES_X86_H
#define HRY_KERN_X86_PIECES_X86_H

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

typedef __m128i quad;

INLINE quad quad_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE void quad_put(uint8_t *p, quad x)
{
    _mm_storeu_si128((__m128i *)p, x);
}

INLINE void quad_stream(uint8_t *p, quad x)
{
    _mm_stream_si128((__m128i *)p, x);
}

INLINE quad quad_or(quad a, quad b)
{
    return _mm_or_si128(a, b);
}

INLINE quad quad_pick(quad x, quad mask)
{
    return _mm_shuffle_epi8(x, mask);
}

INLINE void fetch(const uint8_t *p)
{
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

#endif
