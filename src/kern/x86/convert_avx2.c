#include "kern/fill.h"

#if HRY_KERN_X86

#include "kern/x86/lanes_avx2.h"

#include "kern/x86/encode_avx2.h"

INLINE __m256 get_f16_f32(const uint8_t *src)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)src));
}

/* bfloat16 is the upper half; NaN is made quiet. */
INLINE __m256 get_bf16_f32(const uint8_t *src)
{
    __m256 x = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)src)), 16));
    __m256 nan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
    return _mm256_or_ps(x, _mm256_and_ps(nan, _mm256_castsi256_ps(_mm256_set1_epi32(0x00400000))));
}

/* The exponent alone, and NaN for the two codes that stand for nothing. */
INLINE __m256 get_e8m0_f32(const uint8_t *src)
{
    __m256i code = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)src));
    __m256i none = _mm256_or_si256(_mm256_cmpeq_epi32(code, _mm256_setzero_si256()),
                                   _mm256_cmpeq_epi32(code, _mm256_set1_epi32(255)));
    return _mm256_castsi256_ps(_mm256_blendv_epi8(_mm256_slli_epi32(code, 23), _mm256_set1_epi32(0x7FC00000), none));
}

INLINE void put_128(uint8_t *dst, __m128i x, bool stream)
{
    if (stream)
        _mm_stream_si128((__m128i *)dst, x);
    else
        _mm_storeu_si128((__m128i *)dst, x);
}

INLINE void put_64(uint8_t *dst, __m128i x, bool stream)
{
    if (stream)
        _mm_stream_si64((long long *)(void *)dst, _mm_cvtsi128_si64(x));
    else
        _mm_storel_epi64((__m128i *)dst, x);
}

INLINE void put_f32_f16(uint8_t *dst, __m256 x, bool stream)
{
    put_128(dst, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT), stream);
}

/* Lanes of at most 16 bits, without their upper halves. */
INLINE __m128i halve(__m256i x)
{
    return _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

/* The upper half, to nearest even; NaN is cut off and made quiet. */
INLINE void put_f32_bf16(uint8_t *dst, __m256 x, bool stream)
{
    __m256i bits = _mm256_castps_si256(x), top = _mm256_srli_epi32(bits, 16);
    __m256i odd = _mm256_and_si256(top, _mm256_set1_epi32(1));
    __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
    __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    rounded = _mm256_blendv_epi8(_mm256_srli_epi32(rounded, 16), _mm256_or_si256(top, _mm256_set1_epi32(0x0040)), nan);
    put_128(dst, halve(rounded), stream);
}

INLINE void put_codes(uint8_t *dst, __m256i codes, bool stream)
{
    __m128i words = halve(codes);
    put_64(dst, _mm_packus_epi16(words, words), stream);
}

INLINE void put_f32_e4m3(uint8_t *dst, __m256 x, bool stream)
{
    put_codes(dst, encode(&hry_narrow_e4m3, true, x), stream);
}

INLINE void put_f32_e5m2(uint8_t *dst, __m256 x, bool stream)
{
    put_codes(dst, encode(&hry_narrow_e5m2, false, x), stream);
}

#include "kern/lanes/convert_lanes.h"

WIDEN(f16_f32, 2)
WIDEN(bf16_f32, 2)
WIDEN(e8m0_f32, 1)
NARROW(f32_f16, 2)
NARROW(f32_bf16, 2)
NARROW(f32_e4m3, 1)
NARROW(f32_e5m2, 1)

static void stream_end(void)
{
    _mm_sfence();
}

void hry_fill_convert_avx2(struct hry_kern *table)
{
    table->stream_end = stream_end;
    table->f16_f32 = f16_f32;
    table->bf16_f32 = bf16_f32;
    table->e8m0_f32 = e8m0_f32;
    table->f32_f16 = f32_f16;
    table->f32_bf16 = f32_bf16;
    table->f32_e4m3 = f32_e4m3;
    table->f32_e5m2 = f32_e5m2;
}

#endif
