#include "kern/fill.h"

#if HRY_KERN_X86

#include "kern/nf4.h"
#include "kern/x86/lanes_avx2.h"

#include "kern/x86/quant_x86.h"

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
