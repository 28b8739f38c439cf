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

#include "base/bytes.h"

#define BITS __attribute__((target("bmi2")))

static uint64_t lowest_of_bytes(unsigned width)
{
    return ((UINT64_C(1) << width) - 1) * UINT64_C(0x0101010101010101);
}

/* Eight elements are as many bytes as their width: read as eight bytes while there are so many, then those left. */
BITS static void bits_unpack(unsigned width, const void *src, size_t n, uint8_t *dst)
{
    const uint64_t mask = lowest_of_bytes(width);
    const uint8_t *p = src, *end = p + (n * width + 7) / 8;
    for (; n * width >= 64; n -= 8, p += width, dst += 8)
        hry_store64(dst, _pdep_u64(hry_load64(p), mask));
    uint8_t last[8] = { 0 };
    memcpy(last, p, (size_t)(end - p));
    for (uint64_t word = hry_load64(last); n > 0; word >>= 8 * width) {
        size_t some = n < 8 ? n : 8;
        hry_store64(last, _pdep_u64(word, mask));
        if (some == 8)
            memcpy(dst, last, 8);
        else
            memcpy(dst, last, some);
        dst += some;
        n -= some;
    }
}

BITS static void bits_pack(unsigned width, const uint8_t *src, size_t n, void *dst)
{
    const uint64_t mask = lowest_of_bytes(width);
    uint8_t *p = dst;
    for (; n * width >= 64; n -= 8, p += width, src += 8)
        hry_store64(p, _pext_u64(hry_load64(src), mask));
    uint64_t word = 0;
    size_t nbytes = (n * width + 7) / 8;
    for (unsigned at = 0; n > 0; at += 8 * width) {
        uint8_t last[8] = { 0 };
        size_t some = n < 8 ? n : 8;
        if (some == 8)
            memcpy(last, src, 8);
        else
            memcpy(last, src, some);
        word |= _pext_u64(hry_load64(last), mask) << at;
        src += some;
        n -= some;
    }
    uint8_t last[8];
    hry_store64(last, word);
    memcpy(p, last, nbytes);
}

void hry_fill_move_avx2(struct hry_kern *table)
{
    fill_move(table);
    table->bits_unpack = bits_unpack;
    table->bits_pack = bits_pack;
}

#endif
