/* Eight floats to codes of a small format, one in each 32-bit lane. After lanes_avx2.h. */
#ifndef HRY_KERN_X86_ENCODE_AVX2_H
#define HRY_KERN_X86_ENCODE_AVX2_H

#include "kern/lanes/encode_lanes.h"
#include "type/narrow.h"

/* f is constant wherever this is used. NaN in a format without one gives a code that says nothing. */
INLINE __m256i encode(const hry_narrow *f, bool saturate, __m256 x)
{
    const __m256i infinity = _mm256_set1_epi32(0x7F800000);
    __m256i bits = _mm256_castps_si256(x);
    __m256i magnitude = _mm256_andnot_si256(_mm256_set1_epi32(INT32_MIN), bits);
    /* To nearest even: half of the last place less one is added, and one more where the last place is odd. */
    __m256i odd = _mm256_and_si256(_mm256_srli_epi32(magnitude, ENCODE_SHIFT(f)), _mm256_set1_epi32(1));
    __m256i rounded = _mm256_add_epi32(magnitude, _mm256_set1_epi32((1 << (ENCODE_SHIFT(f) - 1)) - 1));
    rounded = _mm256_srli_epi32(_mm256_add_epi32(rounded, odd), ENCODE_SHIFT(f));
    __m256i code = _mm256_sub_epi32(rounded, _mm256_set1_epi32(ENCODE_BIAS(f)));
    const __m256i magic = _mm256_set1_epi32(ENCODE_MAGIC(f));
    __m256 sum = _mm256_add_ps(_mm256_castsi256_ps(magnitude), _mm256_castsi256_ps(magic));
    __m256i small = _mm256_cmpgt_epi32(_mm256_set1_epi32(ENCODE_SMALLEST_NORMAL(f)), magnitude);
    code = _mm256_blendv_epi8(code, _mm256_sub_epi32(_mm256_castps_si256(sum), magic), small);
    if (saturate || f->beyond == f->max)
        code = _mm256_min_epi32(code, _mm256_set1_epi32(f->max));
    else
        code = _mm256_min_epi32(code, _mm256_set1_epi32(f->beyond));
    if (f->nan) {
        __m256i nan = _mm256_cmpgt_epi32(magnitude, infinity);
        __m256i payload = _mm256_and_si256(_mm256_set1_epi32(0x7FFFFF), magnitude);
        payload = _mm256_or_si256(_mm256_srli_epi32(payload, ENCODE_SHIFT(f)), _mm256_set1_epi32(f->nan));
        code = _mm256_blendv_epi8(code, payload, nan);
    }
    __m256i sign = _mm256_srli_epi32(bits, ENCODE_SIGN_SHIFT(f));
    return _mm256_or_si256(code, _mm256_and_si256(sign, _mm256_set1_epi32(f->sign)));
}

#endif
