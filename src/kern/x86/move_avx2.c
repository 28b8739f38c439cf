#include "kern/fill.h"

#if HRY_KERN_X86

#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline, target("avx2")))
#define VEC 32

#include "kern/x86/pieces_x86.h"

typedef __m256i vec;

INLINE vec vec_load(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

INLINE void vec_put(uint8_t *p, vec x, bool stream)
{
    if (stream)
        _mm256_stream_si256((__m256i *)p, x);
    else
        _mm256_storeu_si256((__m256i *)p, x);
}

INLINE vec vec_rows(const uint8_t *p, int64_t step)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(quad_load(p)), quad_load(p + step), 1);
}

INLINE vec vec_low(size_t size, vec a, vec b)
{
    return size == 1   ? _mm256_unpacklo_epi8(a, b)
           : size == 2 ? _mm256_unpacklo_epi16(a, b)
           : size == 4 ? _mm256_unpacklo_epi32(a, b)
                       : _mm256_unpacklo_epi64(a, b);
}

INLINE vec vec_high(size_t size, vec a, vec b)
{
    return size == 1   ? _mm256_unpackhi_epi8(a, b)
           : size == 2 ? _mm256_unpackhi_epi16(a, b)
           : size == 4 ? _mm256_unpackhi_epi32(a, b)
                       : _mm256_unpackhi_epi64(a, b);
}

#include "kern/lanes/move_lanes.h"

void hry_fill_move_avx2(struct hry_kern *table)
{
    fill_move(table);
}

#endif
