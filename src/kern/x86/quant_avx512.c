#include "kern/fill.h"

#if HRY_KERN_X86

#include "kern/nf4.h"
#include "kern/x86/lanes_avx512.h"

#include "kern/x86/quant_x86.h"

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
