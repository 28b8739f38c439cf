#include "kern/fill.h"

#if HRY_KERN_X86

#include "base/bytes.h"
#include "kern/nf4.h"
#include "kern/x86/lanes_avx2.h"

#include "kern/lanes/spread_lanes.h"
#include "kern/x86/encode_avx2.h"

/* Lanes that hold 16 bits at most, packed. */
INLINE __m128i to_words(__m256i x)
{
    return _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

/* The lowest bits of the lanes as bytes, in the lower half. */
INLINE __m128i to_bytes(__m256i codes, int mask)
{
    __m128i words = to_words(lanes_int_and(codes, mask));
    return _mm_packus_epi16(words, words);
}

INLINE void put_16(uint8_t *q, __m256i codes)
{
    _mm_storeu_si128((__m128i *)q, to_words(lanes_int_and(codes, 0xFFFF)));
}

INLINE void put_8(uint8_t *q, __m256i codes)
{
    _mm_storel_epi64((__m128i *)q, to_bytes(codes, 0xFF));
}

/* Neighbours are joined by multiplying the second with what shifts it, and adding. */
INLINE void put_4(uint8_t *q, __m256i codes)
{
    __m128i pairs = _mm_maddubs_epi16(to_bytes(codes, 15), _mm_set1_epi16(1 | 16 << 8));
    hry_store32(q, (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(pairs, pairs)));
}

INLINE void put_2(uint8_t *q, __m256i codes)
{
    __m128i pairs = _mm_maddubs_epi16(to_bytes(codes, 3), _mm_set1_epi16(1 | 4 << 8));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 | 16 << 16));
    hry_store16(q, (uint16_t)(_mm_extract_epi16(fours, 0) | _mm_extract_epi16(fours, 2) << 8));
}

INLINE void put_6(uint8_t *q, __m256i codes)
{
    __m128i pairs = _mm_maddubs_epi16(to_bytes(codes, 63), _mm_set1_epi16(1 | 64 << 8));
    __m128i groups = _mm_madd_epi16(pairs, _mm_set1_epi32(1 | 4096 << 16));
    __m128i packed = _mm_shuffle_epi8(groups, _mm_setr_epi8(0, 1, 2, 4, 5, 6, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
    hry_store32(q, (uint32_t)_mm_cvtsi128_si32(packed));
    hry_store16(q + 4, (uint16_t)_mm_extract_epi16(packed, 2));
}

/*
 * How many thresholds lie below: a binary search. Its first step compares with one threshold; each further one looks
 * its thresholds up among the one, two, four or eight that the steps before leave.
 */
INLINE __m256i level(__m256 x, __m256 scale)
{
    const float *t = hry_nf4_thresholds;
    const __m256 second = _mm256_setr_ps(t[3], t[11], 0, 0, 0, 0, 0, 0);
    const __m256 third = _mm256_setr_ps(t[1], t[5], t[9], t[13], 0, 0, 0, 0);
    const __m256 fourth = _mm256_setr_ps(t[0], t[2], t[4], t[6], t[8], t[10], t[12], t[14]);
    __m256 some = _mm256_cmp_ps(scale, _mm256_setzero_ps(), _CMP_NEQ_UQ);
    __m256 v = _mm256_and_ps(_mm256_div_ps(x, scale), some);
    /* A comparison gives -1 for true: found = 2 * found + 1 then is twice found less the comparison. */
    __m256i found = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cmp_ps(v, _mm256_set1_ps(t[7]), _CMP_GT_OQ)), 31);
    __m256 probe = _mm256_permutevar8x32_ps(second, found);
    found = _mm256_sub_epi32(_mm256_add_epi32(found, found), _mm256_castps_si256(_mm256_cmp_ps(v, probe, _CMP_GT_OQ)));
    probe = _mm256_permutevar8x32_ps(third, found);
    found = _mm256_sub_epi32(_mm256_add_epi32(found, found), _mm256_castps_si256(_mm256_cmp_ps(v, probe, _CMP_GT_OQ)));
    probe = _mm256_permutevar8x32_ps(fourth, found);
    return _mm256_sub_epi32(_mm256_add_epi32(found, found), _mm256_castps_si256(_mm256_cmp_ps(v, probe, _CMP_GT_OQ)));
}

#define SMALL(name)                                                       \
    INLINE __m256i small_##name(__m256 x, __m256 scale)                   \
    {                                                                     \
        return encode(&hry_narrow_##name, true, _mm256_div_ps(x, scale)); \
    }
SMALL(e2m1)
SMALL(e2m3)
SMALL(e3m2)
SMALL(e4m3)
SMALL(e5m2)

/* Four codes as float64. */
INLINE __m256d wide(const float *x, const float *scale, const int32_t *zp, double lo, double hi)
{
    __m256d z = _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)zp));
    __m256d t = _mm256_div_pd(_mm256_cvtps_pd(_mm_loadu_ps(x)), _mm256_cvtps_pd(_mm_loadu_ps(scale)));
    t = _mm256_max_pd(t, _mm256_sub_pd(_mm256_set1_pd(lo), z));
    t = _mm256_min_pd(t, _mm256_sub_pd(_mm256_set1_pd(hi), z));
    return _mm256_add_pd(_mm256_round_pd(t, _MM_FROUND_TO_NEAREST_INT), z);
}

INLINE __m256i wide_i32(const float *x, const float *scale, const int32_t *zp, double lo, double hi)
{
    return _mm256_set_m128i(_mm256_cvtpd_epi32(wide(x + 4, scale + 4, zp + 4, lo, hi)),
                            _mm256_cvtpd_epi32(wide(x, scale, zp, lo, hi)));
}

/* Without a sign there is no conversion: 2^31 is taken off before, and put back by turning the highest bit. */
INLINE __m256i wide_u32(const float *x, const float *scale, const int32_t *zp, double lo, double hi)
{
    __m256d low = _mm256_sub_pd(wide(x, scale, zp, lo, hi), _mm256_set1_pd(0x1p31));
    __m256d high = _mm256_sub_pd(wide(x + 4, scale + 4, zp + 4, lo, hi), _mm256_set1_pd(0x1p31));
    return _mm256_xor_si256(_mm256_set_m128i(_mm256_cvtpd_epi32(high), _mm256_cvtpd_epi32(low)),
                            _mm256_set1_epi32(INT32_MIN));
}

#include "kern/lanes/quant_lanes.h"

void hry_fill_quant_avx2(struct hry_kern *table)
{
    fill_quant(table);
}

#endif
