#include "kern/fill.h"

#if HRY_KERN_X86

#include <immintrin.h>

#define FEATURES "popcnt,bmi,avx512f,avx512bw,avx512vl"
#define TARGET __attribute__((target(FEATURES)))
#define INLINE static inline __attribute__((always_inline, target(FEATURES)))

enum { BYTES = 64 };
typedef __m512i vector;

INLINE vector vector_load(const char *p)
{
    return _mm512_loadu_si512(p);
}

INLINE void vector_store(char *p, vector x)
{
    _mm512_storeu_si512(p, x);
}

INLINE void vector_stream(char *p, vector x)
{
    _mm512_stream_si512((void *)p, x);
}

INLINE vector vector_zero(void)
{
    return _mm512_setzero_si512();
}

INLINE uint64_t nonzero_8(vector x)
{
    return _mm512_test_epi8_mask(x, x);
}

INLINE uint32_t nonzero_16(vector x)
{
    return _mm512_test_epi16_mask(x, x);
}

INLINE uint32_t nonzero_32(vector x)
{
    return _mm512_test_epi32_mask(x, x);
}

INLINE uint32_t nonzero_64(vector x)
{
    return _mm512_test_epi64_mask(x, x);
}

/* Without a branch, which would be guessed wrong at every other word's end. */
INLINE size_t lowest_one(uint64_t word)
{
    return (size_t)_tzcnt_u64(word) & 63;
}

#include "kern/lanes/sparse_lanes.h"

void hry_fill_sparse_avx512(struct hry_kern *table)
{
    table->nonzero_bits = nonzero_bits;
    table->pick_ones = pick_ones;
    table->move_out = move_out;
}

#endif
