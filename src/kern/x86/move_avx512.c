#include "kern/fill.h"

#if HRY_KERN_X86

#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define INLINE static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512dq,avx512vl")))
#define VEC 64

#include "kern/x86/pieces_x86.h"

typedef __m512i vec;

INLINE vec vec_load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

INLINE void vec_put(uint8_t *p, vec x, bool stream)
{
    if (stream)
        _mm512_stream_si512((void *)p, x);
    else
        _mm512_storeu_si512(p, x);
}

INLINE vec vec_rows(const uint8_t *p, int64_t step)
{
    vec x = _mm512_castsi128_si512(quad_load(p));
    x = _mm512_inserti32x4(x, quad_load(p + step), 1);
    x = _mm512_inserti32x4(x, quad_load(p + 2 * step), 2);
    return _mm512_inserti32x4(x, quad_load(p + 3 * step), 3);
}

INLINE vec vec_low(size_t size, vec a, vec b)
{
    return size == 1   ? _mm512_unpacklo_epi8(a, b)
           : size == 2 ? _mm512_unpacklo_epi16(a, b)
           : size == 4 ? _mm512_unpacklo_epi32(a, b)
                       : _mm512_unpacklo_epi64(a, b);
}

INLINE vec vec_high(size_t size, vec a, vec b)
{
    return size == 1   ? _mm512_unpackhi_epi8(a, b)
           : size == 2 ? _mm512_unpackhi_epi16(a, b)
           : size == 4 ? _mm512_unpackhi_epi32(a, b)
                       : _mm512_unpackhi_epi64(a, b);
}

#include "kern/lanes/move_lanes.h"

void hry_fill_move_avx512(struct hry_kern *table)
{
    fill_move(table);
}

#endif
