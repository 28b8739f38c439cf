#include "kern/fill.h"

#if HRY_KERN_X86

#include "base/bytes.h"
#include "kern/nf4.h"
#include "kern/x86/lanes_avx512.h"

/*
 * Sixteen codes of four bits as indices: each lane takes the byte that begins with its code, and the permutation looks
 * at the lowest four bits only.
 */
INLINE __m512 look_up_4(const uint8_t *q, __m512 values)
{
    const __m512i places = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
    long long bits;
    memcpy(&bits, q, 8);
    return _mm512_permutexvar_ps(_mm512_multishift_epi64_epi8(places, _mm512_set1_epi64(bits)), values);
}

INLINE __m512 get_i4(const uint8_t *q)
{
    return look_up_4(q, _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1));
}

INLINE __m512 get_u4(const uint8_t *q)
{
    return look_up_4(q, _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

INLINE __m512 get_nf4(const uint8_t *q)
{
    return look_up_4(q, _mm512_loadu_ps(hry_nf4_levels));
}

INLINE __m512 get_e2m1(const uint8_t *q)
{
    return look_up_4(q, _mm512_setr_ps(0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6));
}

/* The values are there four times, whatever the next code's bits in the index are. */
INLINE __m512 look_up_2(const uint8_t *q, __m128 values)
{
    const __m512i shifts = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    int bits;
    memcpy(&bits, q, 4);
    return _mm512_permutexvar_ps(_mm512_srlv_epi32(_mm512_set1_epi32(bits), shifts), _mm512_broadcast_f32x4(values));
}

INLINE __m512 get_i2(const uint8_t *q)
{
    return look_up_2(q, _mm_setr_ps(0, 1, -2, -1));
}

INLINE __m512 get_u2(const uint8_t *q)
{
    return look_up_2(q, _mm_setr_ps(0, 1, 2, 3));
}

/* Sixteen codes of six bits at the lowest bits of the lanes, other bits above them: a lane gets its group's three
 * bytes, shifted. */
INLINE __m512i spread_6(const uint8_t *q)
{
    const __m512i bytes =
        _mm512_setr_epi32(0x020100, 0x020100, 0x020100, 0x020100, 0x050403, 0x050403, 0x050403, 0x050403, 0x080706,
                          0x080706, 0x080706, 0x080706, 0x0B0A09, 0x0B0A09, 0x0B0A09, 0x0B0A09);
    const __m512i shifts = _mm512_setr_epi32(0, 6, 12, 18, 0, 6, 12, 18, 0, 6, 12, 18, 0, 6, 12, 18);
    __m128i packed = _mm_insert_epi32(_mm_loadl_epi64((const __m128i *)q), (int)hry_load32(q + 8), 2);
    return _mm512_srlv_epi32(_mm512_permutexvar_epi8(bytes, _mm512_castsi128_si512(packed)), shifts);
}

/* The permutation of two tables looks at five bits; the sixth is the sign. */
INLINE __m512 look_up_6(const uint8_t *q, __m512 low, __m512 high)
{
    __m512i codes = spread_6(q);
    __m512i sign = _mm512_and_si512(_mm512_slli_epi32(codes, 26), _mm512_set1_epi32(INT32_MIN));
    return _mm512_or_ps(_mm512_permutex2var_ps(low, codes, high), _mm512_castsi512_ps(sign));
}

INLINE __m512 get_e2m3(const uint8_t *q)
{
    return look_up_6(q,
                     _mm512_setr_ps(0, 0.125f, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 0.875f, 1, 1.125f, 1.25f, 1.375f,
                                    1.5f, 1.625f, 1.75f, 1.875f),
                     _mm512_setr_ps(2, 2.25f, 2.5f, 2.75f, 3, 3.25f, 3.5f, 3.75f, 4, 4.5f, 5, 5.5f, 6, 6.5f, 7, 7.5f));
}

INLINE __m512 get_e3m2(const uint8_t *q)
{
    return look_up_6(q,
                     _mm512_setr_ps(0, 0.0625f, 0.125f, 0.1875f, 0.25f, 0.3125f, 0.375f, 0.4375f, 0.5f, 0.625f, 0.75f,
                                    0.875f, 1, 1.25f, 1.5f, 1.75f),
                     _mm512_setr_ps(2, 2.5f, 3, 3.5f, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28));
}

/* e5m2 is the upper half of a float16. */
INLINE __m512 get_e5m2(const uint8_t *q)
{
    __m256i halves = _mm256_slli_epi16(_mm256_cvtepu8_epi16(load_quarter(q)), 8);
    return _mm512_cvtph_ps(halves);
}

/*
 * e4m3 with its exponent in that of a float16 is 2^8 times too small. Widening with sign puts copies of the sign above
 * the code; one stays. What is NaN has become 480: there the sign is kept and NaN's bits put in.
 */
INLINE __m512 get_e4m3(const uint8_t *q)
{
    __m256i halves = _mm256_slli_epi16(_mm256_cvtepi8_epi16(load_quarter(q)), 7);
    halves = _mm256_and_si256(halves, _mm256_set1_epi16((short)0xBFFF));
    __m512 x = _mm512_mul_ps(_mm512_cvtph_ps(halves), _mm512_set1_ps(256));
    __mmask16 nan = _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(480), _CMP_EQ_OQ);
    return _mm512_castsi512_ps(_mm512_mask_ternarylogic_epi32(_mm512_castps_si512(x), nan, _mm512_set1_epi32(INT32_MIN),
                                                              _mm512_set1_epi32(0x7FC00000), 0xEA));
}

/* A code less its zero point is exact as float64, whatever the two are, and then rounded once. */
INLINE __m512 less_wide(__m512d low, __m512d high, const int32_t *zp)
{
    low = _mm512_sub_pd(low, _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)zp)));
    high = _mm512_sub_pd(high, _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(zp + 8))));
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
}

INLINE __m512 less_i32(const uint8_t *q, const int32_t *zp)
{
    return less_wide(_mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)q)),
                     _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(q + 32))), zp);
}

INLINE __m512 less_u32(const uint8_t *q, const int32_t *zp)
{
    return less_wide(_mm512_cvtepu32_pd(_mm256_loadu_si256((const __m256i *)q)),
                     _mm512_cvtepu32_pd(_mm256_loadu_si256((const __m256i *)(q + 32))), zp);
}

#include "kern/lanes/dequant_lanes.h"

void hry_fill_dequant_avx512(struct hry_kern *table)
{
    fill_dequant(table);
}

#endif
