#include "kern/fill.h"

#if HRY_KERN_X86

#include "base/bytes.h"
#include "kern/nf4.h"
#include "kern/x86/lanes_avx2.h"

/* Eight codes of four bits at the lowest bits of the lanes, other bits above them. */
INLINE __m256i spread_4(const uint8_t *q)
{
    return _mm256_srlv_epi32(_mm256_set1_epi32((int)hry_load32(q)), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
}

INLINE __m256 get_u4(const uint8_t *q)
{
    return _mm256_cvtepi32_ps(_mm256_and_si256(spread_4(q), _mm256_set1_epi32(15)));
}

INLINE __m256 get_i4(const uint8_t *q)
{
    return _mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(spread_4(q), 28), 28));
}

/* The permutation looks at three bits; the fourth chooses between the halves, as the sign of the selector. */
INLINE __m256 get_nf4(const uint8_t *q)
{
    __m256i codes = spread_4(q);
    __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(hry_nf4_levels), codes);
    __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(hry_nf4_levels + 8), codes);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(codes, 28)));
}

/* A bit of each lane as its sign. */
INLINE __m256 sign_from(__m256i codes, int bit)
{
    return _mm256_and_ps(_mm256_castsi256_ps(_mm256_slli_epi32(codes, 31 - bit)), _mm256_set1_ps(-0.0f));
}

INLINE __m256 get_e2m1(const uint8_t *q)
{
    __m256i codes = spread_4(q);
    __m256 magnitude = _mm256_permutevar8x32_ps(_mm256_setr_ps(0, 0.5f, 1, 1.5f, 2, 3, 4, 6), codes);
    return _mm256_or_ps(magnitude, sign_from(codes, 3));
}

/* The values are there twice, whatever the next code's bit in the index is. */
INLINE __m256 look_up_2(const uint8_t *q, __m256 values)
{
    const __m256i shifts = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
    return _mm256_permutevar8x32_ps(values, _mm256_srlv_epi32(_mm256_set1_epi32(hry_load16(q)), shifts));
}

INLINE __m256 get_i2(const uint8_t *q)
{
    return look_up_2(q, _mm256_setr_ps(0, 1, -2, -1, 0, 1, -2, -1));
}

INLINE __m256 get_u2(const uint8_t *q)
{
    return look_up_2(q, _mm256_setr_ps(0, 1, 2, 3, 0, 1, 2, 3));
}

/* Eight codes of six bits: a lane gets its group's three bytes, shifted. */
INLINE __m256i spread_6(const uint8_t *q)
{
    const __m256i bytes =
        _mm256_setr_epi32(0x020100, 0x020100, 0x020100, 0x020100, 0x050403, 0x050403, 0x050403, 0x050403);
    const __m256i shifts = _mm256_setr_epi32(0, 6, 12, 18, 0, 6, 12, 18);
    uint64_t packed = hry_load32(q) | (uint64_t)hry_load16(q + 4) << 32;
    return _mm256_srlv_epi32(_mm256_shuffle_epi8(_mm256_set1_epi64x((long long)packed), bytes), shifts);
}

/*
 * Six bits with a sign as float32. Exponent and mantissa need only be moved and the bias exchanged; subnormals, which
 * have no leading 1, get the smallest normal exponent and one with it, which is then taken away again.
 */
INLINE __m256 small_float(__m256i codes, int mantissa_bits, int bias, float smallest_normal)
{
    __m256i magnitude = _mm256_and_si256(codes, _mm256_set1_epi32(31));
    __m256i subnormal = _mm256_cmpgt_epi32(_mm256_set1_epi32(1 << mantissa_bits), magnitude);
    __m256i bits =
        _mm256_add_epi32(_mm256_slli_epi32(magnitude, 23 - mantissa_bits), _mm256_set1_epi32((127 - bias) << 23));
    __m256 x = _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(subnormal, 23)));
    x = _mm256_sub_ps(x, _mm256_and_ps(_mm256_castsi256_ps(subnormal), _mm256_set1_ps(smallest_normal)));
    return _mm256_or_ps(x, sign_from(codes, 5));
}

INLINE __m256 get_e2m3(const uint8_t *q)
{
    return small_float(spread_6(q), 3, 1, 1);
}

INLINE __m256 get_e3m2(const uint8_t *q)
{
    return small_float(spread_6(q), 2, 3, 0.25f);
}

/* e5m2 is the upper half of a float16. */
INLINE __m256 get_e5m2(const uint8_t *q)
{
    return _mm256_cvtph_ps(_mm_slli_epi16(_mm_cvtepu8_epi16(load_quarter(q)), 8));
}

/*
 * e4m3 with its exponent in that of a float16 is 2^8 times too small. Widening with sign puts copies of the sign above
 * the code; one stays. What is NaN has become 480.
 */
INLINE __m256 get_e4m3(const uint8_t *q)
{
    __m128i halves = _mm_slli_epi16(_mm_cvtepi8_epi16(load_quarter(q)), 7);
    halves = _mm_and_si128(halves, _mm_set1_epi16((short)0xBFFF));
    __m256 x = _mm256_mul_ps(_mm256_cvtph_ps(halves), _mm256_set1_ps(256));
    __m256 sign = _mm256_and_ps(x, _mm256_set1_ps(-0.0f));
    __m256 nan = _mm256_cmp_ps(_mm256_xor_ps(x, sign), _mm256_set1_ps(480), _CMP_EQ_OQ);
    return _mm256_blendv_ps(x, _mm256_or_ps(sign, _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000))), nan);
}

/* A code less its zero point is exact as float64, whatever the two are, and then rounded once. */
INLINE __m256 less_wide(__m256d low, __m256d high, const int32_t *zp)
{
    low = _mm256_sub_pd(low, _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)zp)));
    high = _mm256_sub_pd(high, _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(zp + 4))));
    return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
}

INLINE __m256 less_i32(const uint8_t *q, const int32_t *zp)
{
    return less_wide(_mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)q)),
                     _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(q + 16))), zp);
}

/* Without a sign there is no conversion: 2^31 is taken off before, by turning the highest bit, and put back after. */
INLINE __m256d from_u32(const uint8_t *q)
{
    __m128i codes = _mm_xor_si128(_mm_loadu_si128((const __m128i *)q), _mm_set1_epi32(INT32_MIN));
    return _mm256_add_pd(_mm256_cvtepi32_pd(codes), _mm256_set1_pd(0x1p31));
}

INLINE __m256 less_u32(const uint8_t *q, const int32_t *zp)
{
    return less_wide(from_u32(q), from_u32(q + 16), zp);
}

#include "kern/lanes/dequant_lanes.h"

void hry_fill_dequant_avx2(struct hry_kern *table)
{
    fill_dequant(table);
}

#endif
