#include "kern/fill.h"

#if HRY_KERN_X86

#include <immintrin.h>

#define FEATURES "avx2,avx512f,avx512bw,avx512dq,avx512vl"
#define TARGET __attribute__((target(FEATURES)))
#define INLINE static inline __attribute__((always_inline, target(FEATURES)))

INLINE bool aligned(const void *p)
{
    return (uintptr_t)p % 64 == 0;
}

INLINE void put_line(void *p, __m512i x, bool stream)
{
    if (stream)
        _mm512_stream_si512(p, x);
    else
        _mm512_storeu_si512(p, x);
}

/* ---- 2 bytes: 4 x 4 in half a vector ---- */

INLINE __m256i permute_2(__m256i x, const uint8_t *from)
{
    return _mm256_permutexvar_epi16(_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)from)), x);
}

/* Lane i of 64 bits of vector j becomes lane j of vector i. */
INLINE void turn_2(__m256i v[4])
{
    __m256i a = _mm256_unpacklo_epi64(v[0], v[1]), b = _mm256_unpackhi_epi64(v[0], v[1]);
    __m256i c = _mm256_unpacklo_epi64(v[2], v[3]), d = _mm256_unpackhi_epi64(v[2], v[3]);
    v[0] = _mm256_permute2x128_si256(a, c, 0x20);
    v[1] = _mm256_permute2x128_si256(b, d, 0x20);
    v[2] = _mm256_permute2x128_si256(a, c, 0x31);
    v[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

TARGET static void square_put_2(const void *rows, ptrdiff_t pitch, const struct hry_square *square, void *run,
                                bool stream)
{
    (void)stream;
    const char *row = rows;
    for (int i = 0; i < 16; i += 4, row += 4 * pitch) {
        __m256i v[4];
        for (int k = 0; k < 4; k++)
            v[k] = _mm256_loadu_si256((const void *)(row + k * pitch));
        turn_2(v);
        for (int k = 0; k < 4; k++)
            _mm256_storeu_si256((void *)((char *)run + square->place[i + k] * 32),
                                permute_2(v[k], square->from[i + k]));
    }
}

TARGET static void square_get_2(const void *run, const struct hry_square *square, void *rows, ptrdiff_t pitch,
                                bool stream)
{
    (void)stream;
    char *row = rows;
    for (int i = 0; i < 16; i += 4, row += 4 * pitch) {
        __m256i v[4];
        for (int k = 0; k < 4; k++)
            v[k] = permute_2(_mm256_loadu_si256((const void *)((const char *)run + square->place[i + k] * 32)),
                             square->from[i + k]);
        turn_2(v);
        for (int k = 0; k < 4; k++)
            _mm256_storeu_si256((void *)(row + k * pitch), v[k]);
    }
}

/* ---- 4 bytes: 4 x 4 in a vector ---- */

INLINE __m512i permute_4(__m512i x, const uint8_t *from)
{
    return _mm512_permutexvar_epi32(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)from)), x);
}

/* Lane i of 128 bits of vector j becomes lane j of vector i. */
INLINE void turn_4(__m512i v[4])
{
    __m512i a = _mm512_shuffle_i32x4(v[0], v[1], 0x44), b = _mm512_shuffle_i32x4(v[0], v[1], 0xEE);
    __m512i c = _mm512_shuffle_i32x4(v[2], v[3], 0x44), d = _mm512_shuffle_i32x4(v[2], v[3], 0xEE);
    v[0] = _mm512_shuffle_i32x4(a, c, 0x88);
    v[1] = _mm512_shuffle_i32x4(a, c, 0xDD);
    v[2] = _mm512_shuffle_i32x4(b, d, 0x88);
    v[3] = _mm512_shuffle_i32x4(b, d, 0xDD);
}

INLINE void put_4(const char *row, ptrdiff_t pitch, const struct hry_square *square, char *run, bool stream)
{
    for (int i = 0; i < 16; i += 4, row += 4 * pitch) {
        __m512i v[4];
        for (int k = 0; k < 4; k++)
            v[k] = _mm512_loadu_si512(row + k * pitch);
        turn_4(v);
        for (int k = 0; k < 4; k++)
            put_line(run + square->place[i + k] * 64, permute_4(v[k], square->from[i + k]), stream);
    }
}

TARGET static void square_put_4(const void *rows, ptrdiff_t pitch, const struct hry_square *square, void *run,
                                bool stream)
{
    if (stream && aligned(run))
        put_4(rows, pitch, square, run, true);
    else
        put_4(rows, pitch, square, run, false);
}

INLINE void get_4(const char *run, const struct hry_square *square, char *row, ptrdiff_t pitch, bool stream)
{
    for (int i = 0; i < 16; i += 4, row += 4 * pitch) {
        __m512i v[4];
        for (int k = 0; k < 4; k++)
            v[k] = permute_4(_mm512_loadu_si512(run + square->place[i + k] * 64), square->from[i + k]);
        turn_4(v);
        for (int k = 0; k < 4; k++)
            put_line(row + k * pitch, v[k], stream);
    }
}

TARGET static void square_get_4(const void *run, const struct hry_square *square, void *rows, ptrdiff_t pitch,
                                bool stream)
{
    if (stream && aligned(rows) && pitch % 64 == 0)
        get_4(run, square, rows, pitch, true);
    else
        get_4(run, square, rows, pitch, false);
}

/* ---- 8 bytes: 4 x 4 in two vectors ---- */

INLINE __m512i permute_8(__m512i low, __m512i high, const uint8_t *from)
{
    return _mm512_permutex2var_epi64(low, _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)from)), high);
}

/* Two rows of 4. */
INLINE __m512i two_rows(const char *row, ptrdiff_t pitch)
{
    __m512i first = _mm512_castsi256_si512(_mm256_loadu_si256((const void *)row));
    return _mm512_inserti64x4(first, _mm256_loadu_si256((const void *)(row + pitch)), 1);
}

INLINE void put_8(const char *rows, ptrdiff_t pitch, const struct hry_square *square, char *run, bool stream)
{
    for (int i = 0; i < 16; i++) {
        const char *row = rows + i / 4 * 4 * pitch + i % 4 * 32;
        __m512i low = two_rows(row, pitch), high = two_rows(row + 2 * pitch, pitch);
        put_line(run + square->place[i] * 128, permute_8(low, high, square->from[i]), stream);
        put_line(run + square->place[i] * 128 + 64, permute_8(low, high, square->from[i] + 8), stream);
    }
}

TARGET static void square_put_8(const void *rows, ptrdiff_t pitch, const struct hry_square *square, void *run,
                                bool stream)
{
    if (stream && aligned(run))
        put_8(rows, pitch, square, run, true);
    else
        put_8(rows, pitch, square, run, false);
}

/* Two squares of 4 x 4 make whole lines of rows. */
INLINE void get_8(const char *run, const struct hry_square *square, char *rows, ptrdiff_t pitch, bool stream)
{
    for (int i = 0; i < 16; i += 2) {
        char *row = rows + i / 4 * 4 * pitch + i % 4 * 32;
        __m512i v[2][2];
        for (int k = 0; k < 2; k++) {
            const char *from = run + square->place[i + k] * 128;
            __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 64);
            v[k][0] = permute_8(low, high, square->from[i + k]);
            v[k][1] = permute_8(low, high, square->from[i + k] + 8);
        }
        for (int k = 0; k < 2; k++) {
            put_line(row + 2 * k * pitch, _mm512_shuffle_i64x2(v[0][k], v[1][k], 0x44), stream);
            put_line(row + (2 * k + 1) * pitch, _mm512_shuffle_i64x2(v[0][k], v[1][k], 0xEE), stream);
        }
    }
}

TARGET static void square_get_8(const void *run, const struct hry_square *square, void *rows, ptrdiff_t pitch,
                                bool stream)
{
    if (stream && aligned(rows) && pitch % 64 == 0)
        get_8(run, square, rows, pitch, true);
    else
        get_8(run, square, rows, pitch, false);
}

void hry_fill_square_avx512(struct hry_kern *table)
{
    table->square_put_2 = square_put_2;
    table->square_get_2 = square_get_2;
    table->square_put_4 = square_put_4;
    table->square_get_4 = square_get_4;
    table->square_put_8 = square_put_8;
    table->square_get_8 = square_get_8;
}

#endif
