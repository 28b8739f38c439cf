#include "kern/fill.h"

#if HRY_KERN_X86

#include "kern/x86/lanes_avx512.h"

#include "kern/x86/encode_avx512.h"

INLINE __m512 get_f16_f32(const uint8_t *src)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)src));
}

/* bfloat16 is the upper half; NaN is made quiet. */
INLINE __m512 get_bf16_f32(const uint8_t *src)
{
    __m512i bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)src)), 16);
    __mmask16 nan = _mm512_fpclass_ps_mask(_mm512_castsi512_ps(bits), 0x81); /* either kind of NaN */
    return _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, nan, bits, _mm512_set1_epi32(0x00400000)));
}

/* The exponent alone, and NaN for the two codes that stand for nothing. */
INLINE __m512 get_e8m0_f32(const uint8_t *src)
{
    __m512i code = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)src));
    __mmask16 value = _mm512_cmplt_epu32_mask(_mm512_sub_epi32(code, _mm512_set1_epi32(1)), _mm512_set1_epi32(254));
    return _mm512_castsi512_ps(_mm512_mask_slli_epi32(_mm512_set1_epi32(0x7FC00000), value, code, 23));
}

INLINE void put_256(uint8_t *dst, __m256i x, bool stream)
{
    if (stream)
        _mm256_stream_si256((__m256i *)dst, x);
    else
        _mm256_storeu_si256((__m256i *)dst, x);
}

INLINE void put_128(uint8_t *dst, __m128i x, bool stream)
{
    if (stream)
        _mm_stream_si128((__m128i *)dst, x);
    else
        _mm_storeu_si128((__m128i *)dst, x);
}

INLINE void put_f32_f16(uint8_t *dst, __m512 x, bool stream)
{
    put_256(dst, _mm512_maskz_cvtps_ph(0xFFFF, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), stream);
}

/* The upper half, to nearest even; NaN is cut off and made quiet. */
INLINE void put_f32_bf16(uint8_t *dst, __m512 x, bool stream)
{
    __m512i bits = _mm512_castps_si512(x), top = _mm512_srli_epi32(bits, 16);
    __m512i odd = _mm512_and_si512(top, _mm512_set1_epi32(1));
    __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), odd);
    __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    rounded = _mm512_srli_epi32(rounded, 16);
    rounded = _mm512_mask_or_epi32(rounded, nan, top, _mm512_set1_epi32(0x0040));
    put_256(dst, _mm512_cvtepi32_epi16(rounded), stream);
}

INLINE void put_f32_e4m3(uint8_t *dst, __m512 x, bool stream)
{
    put_128(dst, _mm512_cvtepi32_epi8(encode(&hry_narrow_e4m3, true, x)), stream);
}

INLINE void put_f32_e5m2(uint8_t *dst, __m512 x, bool stream)
{
    put_128(dst, _mm512_cvtepi32_epi8(encode(&hry_narrow_e5m2, false, x)), stream);
}

#include "kern/lanes/convert_lanes.h"

WIDEN(f16_f32, 2)
WIDEN(bf16_f32, 2)
WIDEN(e8m0_f32, 1)
NARROW(f32_f16, 2)
NARROW(f32_bf16, 2)
NARROW(f32_e4m3, 1)
NARROW(f32_e5m2, 1)

void hry_fill_convert_avx512(struct hry_kern *table)
{
    table->f16_f32 = f16_f32;
    table->bf16_f32 = bf16_f32;
    table->e8m0_f32 = e8m0_f32;
    table->f32_f16 = f32_f16;
    table->f32_bf16 = f32_bf16;
    table->f32_e4m3 = f32_e4m3;
    table->f32_e5m2 = f32_e5m2;
}

#endif
