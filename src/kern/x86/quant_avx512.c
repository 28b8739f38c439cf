#include "kern/fill.h"

#if HRY_KERN_X86

#include "base/bytes.h"
#include "kern/nf4.h"
#include "kern/x86/lanes_avx512.h"

#include "kern/lanes/spread_lanes.h"
#include "kern/x86/encode_avx512.h"

INLINE void put_16(uint8_t *q, __m512i codes)
{
    _mm256_storeu_si256((__m256i *)q, _mm512_cvtepi32_epi16(codes));
}

INLINE void put_8(uint8_t *q, __m512i codes)
{
    _mm_storeu_si128((__m128i *)q, _mm512_cvtepi32_epi8(codes));
}

/* Neighbours are joined by multiplying the second with what shifts it, and adding. */
INLINE void put_4(uint8_t *q, __m512i codes)
{
    __m128i bytes = _mm512_cvtepi32_epi8(lanes_int_and(codes, 15));
    __m128i pairs = _mm_maddubs_epi16(bytes, _mm_set1_epi16(1 | 16 << 8));
    _mm_storel_epi64((__m128i *)q, _mm_packus_epi16(pairs, pairs));
}

INLINE void put_2(uint8_t *q, __m512i codes)
{
    __m128i bytes = _mm512_cvtepi32_epi8(lanes_int_and(codes, 3));
    __m128i pairs = _mm_maddubs_epi16(bytes, _mm_set1_epi16(1 | 4 << 8));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 | 16 << 16));
    hry_store32(q, (uint32_t)_mm_cvtsi128_si32(_mm_cvtepi32_epi8(fours)));
}

INLINE void put_6(uint8_t *q, __m512i codes)
{
    __m128i bytes = _mm512_cvtepi32_epi8(lanes_int_and(codes, 63));
    __m128i pairs = _mm_maddubs_epi16(bytes, _mm_set1_epi16(1 | 64 << 8));
    __m128i groups = _mm_madd_epi16(pairs, _mm_set1_epi32(1 | 4096 << 16));
    __m128i packed = _mm_shuffle_epi8(groups, _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    _mm_storel_epi64((__m128i *)q, packed);
    hry_store32(q + 8, (uint32_t)_mm_extract_epi32(packed, 2));
}

/* How many thresholds lie below: a binary search whose steps look up all lanes' thresholds at once. */
INLINE __m512i level(__m512 x, __m512 scale)
{
    const __m512 thresholds = _mm512_loadu_ps(hry_nf4_thresholds);
    __mmask16 some = _mm512_cmp_ps_mask(scale, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    __m512 v = _mm512_maskz_div_ps(some, x, scale);
    __m512i found = _mm512_setzero_si512();
    for (int step = 8; step; step /= 2) {
        __m512i probe = _mm512_add_epi32(found, _mm512_set1_epi32(step - 1));
        __mmask16 above = _mm512_cmp_ps_mask(v, _mm512_permutexvar_ps(probe, thresholds), _CMP_GT_OQ);
        found = _mm512_mask_add_epi32(found, above, found, _mm512_set1_epi32(step));
    }
    return found;
}

#define SMALL(name)                                                       \
    INLINE __m512i small_##name(__m512 x, __m512 scale)                   \
    {                                                                     \
        return encode(&hry_narrow_##name, true, _mm512_div_ps(x, scale)); \
    }
SMALL(e2m1)
SMALL(e2m3)
SMALL(e3m2)
SMALL(e4m3)
SMALL(e5m2)

/* Eight codes as float64. */
INLINE __m512d wide(const float *x, const float *scale, const int32_t *zp, double lo, double hi)
{
    __m512d z = _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)zp));
    __m512d t = _mm512_div_pd(_mm512_cvtps_pd(_mm256_loadu_ps(x)), _mm512_cvtps_pd(_mm256_loadu_ps(scale)));
    t = _mm512_max_pd(t, _mm512_sub_pd(_mm512_set1_pd(lo), z));
    t = _mm512_min_pd(t, _mm512_sub_pd(_mm512_set1_pd(hi), z));
    /* Rounded where the last place of a float64 is 1: t has less than 34 bits before the point. */
    const __m512d magic = _mm512_set1_pd(0x1.8p52);
    return _mm512_add_pd(_mm512_sub_pd(_mm512_add_pd(t, magic), magic), z);
}

INLINE __m512i wide_i32(const float *x, const float *scale, const int32_t *zp, double lo, double hi)
{
    return _mm512_inserti32x8(_mm512_castsi256_si512(_mm512_cvtpd_epi32(wide(x, scale, zp, lo, hi))),
                              _mm512_cvtpd_epi32(wide(x + 8, scale + 8, zp + 8, lo, hi)), 1);
}

INLINE __m512i wide_u32(const float *x, const float *scale, const int32_t *zp, double lo, double hi)
{
    return _mm512_inserti32x8(_mm512_castsi256_si512(_mm512_cvtpd_epu32(wide(x, scale, zp, lo, hi))),
                              _mm512_cvtpd_epu32(wide(x + 8, scale + 8, zp + 8, lo, hi)), 1);
}

#include "kern/lanes/quant_lanes.h"

void hry_fill_quant_avx512(struct hry_kern *table)
{
    fill_quant(table);
}

#endif
