#include "kern/fill.h"

#if HRY_KERN_X86

#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline, target("avx2")))

/* ---- 1 byte: 4 x 4 in 128 bits ---- */

/* Lane i of 32 bits of vector j becomes lane j of vector i. */
INLINE void turn_1(__m128i v[4])
{
    __m128i a = _mm_unpacklo_epi32(v[0], v[1]), b = _mm_unpackhi_epi32(v[0], v[1]);
    __m128i c = _mm_unpacklo_epi32(v[2], v[3]), d = _mm_unpackhi_epi32(v[2], v[3]);
    v[0] = _mm_unpacklo_epi64(a, c);
    v[1] = _mm_unpackhi_epi64(a, c);
    v[2] = _mm_unpacklo_epi64(b, d);
    v[3] = _mm_unpackhi_epi64(b, d);
}

INLINE __m128i permute_1(__m128i x, const uint8_t *from)
{
    return _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)from));
}

TARGET static void square_put_1(const void *rows, ptrdiff_t pitch, const struct hry_square *square, void *run,
                                bool stream)
{
    (void)stream;
    const char *row = rows;
    for (int i = 0; i < 16; i += 4, row += 4 * pitch) {
        __m128i v[4];
        for (int k = 0; k < 4; k++)
            v[k] = _mm_loadu_si128((const void *)(row + k * pitch));
        turn_1(v);
        for (int k = 0; k < 4; k++)
            _mm_storeu_si128((void *)((char *)run + square->place[i + k] * 16), permute_1(v[k], square->from[i + k]));
    }
}

TARGET static void square_get_1(const void *run, const struct hry_square *square, void *rows, ptrdiff_t pitch,
                                bool stream)
{
    (void)stream;
    char *row = rows;
    for (int i = 0; i < 16; i += 4, row += 4 * pitch) {
        __m128i v[4];
        for (int k = 0; k < 4; k++)
            v[k] = permute_1(_mm_loadu_si128((const void *)((const char *)run + square->place[i + k] * 16)),
                             square->from[i + k]);
        turn_1(v);
        for (int k = 0; k < 4; k++)
            _mm_storeu_si128((void *)(row + k * pitch), v[k]);
    }
}

/* ---- 4 bytes: 4 x 4 in two vectors ---- */

/* 8 of the 16 elements of two vectors. */
INLINE __m256i permute_4(__m256i low, __m256i high, const uint8_t *from)
{
    __m256i at = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)from));
    __m256 a = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, at));
    __m256 b = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, at));
    __m256 which = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)); /* the sign says from 8 on */
    return _mm256_castps_si256(_mm256_blendv_ps(a, b, which));
}

INLINE void put_half_line(void *p, __m256i x, bool stream)
{
    if (stream)
        _mm256_stream_si256(p, x);
    else
        _mm256_storeu_si256(p, x);
}

/* Two rows of 4. */
INLINE __m256i two_rows(const char *row, ptrdiff_t pitch)
{
    return _mm256_loadu2_m128i((const void *)(row + pitch), (const void *)row);
}

INLINE void put_4(const char *rows, ptrdiff_t pitch, const struct hry_square *square, char *run, bool stream)
{
    for (int i = 0; i < 16; i++) {
        const char *row = rows + i / 4 * 4 * pitch + i % 4 * 16;
        __m256i low = two_rows(row, pitch), high = two_rows(row + 2 * pitch, pitch);
        put_half_line(run + square->place[i] * 64, permute_4(low, high, square->from[i]), stream);
        put_half_line(run + square->place[i] * 64 + 32, permute_4(low, high, square->from[i] + 8), stream);
    }
}

TARGET static void square_put_4(const void *rows, ptrdiff_t pitch, const struct hry_square *square, void *run,
                                bool stream)
{
    if (stream && (uintptr_t)run % 64 == 0)
        put_4(rows, pitch, square, run, true);
    else
        put_4(rows, pitch, square, run, false);
}

/* Two squares of 4 x 4 make half lines of rows, and four whole ones. */
INLINE void get_4(const char *run, const struct hry_square *square, char *rows, ptrdiff_t pitch, bool stream)
{
    for (int i = 0; i < 16; i += 2) {
        char *row = rows + i / 4 * 4 * pitch + i % 4 * 16;
        __m256i v[2][2];
        for (int k = 0; k < 2; k++) {
            const char *from = run + square->place[i + k] * 64;
            __m256i low = _mm256_loadu_si256((const void *)from), high = _mm256_loadu_si256((const void *)(from + 32));
            v[k][0] = permute_4(low, high, square->from[i + k]);
            v[k][1] = permute_4(low, high, square->from[i + k] + 8);
        }
        for (int k = 0; k < 2; k++) {
            put_half_line(row + 2 * k * pitch, _mm256_permute2x128_si256(v[0][k], v[1][k], 0x20), stream);
            put_half_line(row + (2 * k + 1) * pitch, _mm256_permute2x128_si256(v[0][k], v[1][k], 0x31), stream);
        }
    }
}

TARGET static void square_get_4(const void *run, const struct hry_square *square, void *rows, ptrdiff_t pitch,
                                bool stream)
{
    if (stream && ((uintptr_t)rows | (uintptr_t)pitch) % 64 == 0)
        get_4(run, square, rows, pitch, true);
    else
        get_4(run, square, rows, pitch, false);
}

void hry_fill_square_avx2(struct hry_kern *table)
{
    table->square_put_1 = square_put_1;
    table->square_get_1 = square_get_1;
    table->square_put_4 = square_put_4;
    table->square_get_4 = square_get_4;
}

#endif
