/* Sixteen floats to codes of a small format, one in each 32-bit lane. After lanes_avx512.h. */
#ifndef HRY_KERN_X86_ENCODE_AVX512_H
#define HRY_KERN_X86_ENCODE_AVX512_H

#include "kern/lanes/encode_lanes.h"
#include "type/narrow.h"

/* f is constant wherever this is used. NaN in a format without one gives a code that says nothing. */
INLINE __m512i encode(const hry_narrow *f, bool saturate, __m512 x)
{
    const __m512i infinity = _mm512_set1_epi32(0x7F800000);
    __m512i bits = _mm512_castps_si512(x);
    __m512i magnitude = _mm512_andnot_si512(_mm512_set1_epi32(INT32_MIN), bits);
    /* To nearest even: half of the last place less one is added, and one more where the last place is odd. */
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(magnitude, (unsigned)ENCODE_SHIFT(f)), _mm512_set1_epi32(1));
    __m512i rounded = _mm512_add_epi32(magnitude, _mm512_set1_epi32((1 << (ENCODE_SHIFT(f) - 1)) - 1));
    rounded = _mm512_srli_epi32(_mm512_add_epi32(rounded, odd), (unsigned)ENCODE_SHIFT(f));
    __m512i code = _mm512_sub_epi32(rounded, _mm512_set1_epi32(ENCODE_BIAS(f)));
    const __m512i magic = _mm512_set1_epi32(ENCODE_MAGIC(f));
    __m512 sum = _mm512_add_ps(_mm512_castsi512_ps(magnitude), _mm512_castsi512_ps(magic));
    __mmask16 small = _mm512_cmplt_epi32_mask(magnitude, _mm512_set1_epi32(ENCODE_SMALLEST_NORMAL(f)));
    code = _mm512_mask_sub_epi32(code, small, _mm512_castps_si512(sum), magic);
    if (saturate || f->beyond == f->max)
        code = _mm512_min_epi32(code, _mm512_set1_epi32(f->max));
    else
        code = _mm512_min_epi32(code, _mm512_set1_epi32(f->beyond));
    if (f->nan) {
        __mmask16 nan = _mm512_cmpgt_epi32_mask(magnitude, infinity);
        __m512i payload = _mm512_and_si512(_mm512_set1_epi32(0x7FFFFF), magnitude);
        payload = _mm512_srli_epi32(payload, (unsigned)ENCODE_SHIFT(f));
        code = _mm512_mask_or_epi32(code, nan, payload, _mm512_set1_epi32(f->nan));
    }
    __m512i sign = _mm512_srli_epi32(bits, (unsigned)ENCODE_SIGN_SHIFT(f));
    return _mm512_or_si512(code, _mm512_and_si512(sign, _mm512_set1_epi32(f->sign)));
}

#endif
