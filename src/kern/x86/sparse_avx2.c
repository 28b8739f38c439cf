#include "kern/fill.h"

#if HRY_KERN_X86

#include <immintrin.h>

#define FEATURES "popcnt,bmi,avx2"
#define TARGET __attribute__((target(FEATURES)))
#define INLINE static inline __attribute__((always_inline, target(FEATURES)))

enum { BYTES = 32 };
typedef __m256i vector;

INLINE vector vector_load(const char *p)
{
    return _mm256_loadu_si256((const void *)p);
}

INLINE void vector_store(char *p, vector x)
{
    _mm256_storeu_si256((void *)p, x);
}

INLINE void vector_stream(char *p, vector x)
{
    _mm256_stream_si256((void *)p, x);
}

INLINE vector vector_zero(void)
{
    return _mm256_setzero_si256();
}

INLINE uint32_t nonzero_8(vector x)
{
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256()));
}

/* Of the two equal bytes of each element, one. */
INLINE uint32_t nonzero_16(vector x)
{
    __m256i zero = _mm256_cmpeq_epi16(x, _mm256_setzero_si256());
    __m256i narrow = _mm256_permute4x64_epi64(_mm256_packs_epi16(zero, zero), 0x08);
    return ~(uint32_t)_mm256_movemask_epi8(narrow) & 0xFFFF;
}

INLINE uint32_t nonzero_32(vector x)
{
    __m256i zero = _mm256_cmpeq_epi32(x, _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(zero)) & 0xFF;
}

INLINE uint32_t nonzero_64(vector x)
{
    __m256i zero = _mm256_cmpeq_epi64(x, _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(zero)) & 0xF;
}

/* Without a branch, which would be guessed wrong at every other word's end. */
INLINE size_t lowest_one(uint64_t word)
{
    return (size_t)_tzcnt_u64(word) & 63;
}

#include "kern/lanes/sparse_lanes.h"

void hry_fill_sparse_avx2(struct hry_kern *table)
{
    table->nonzero_bits = nonzero_bits;
    table->pick_ones = pick_ones;
    table->move_out = move_out;
}

#endif
