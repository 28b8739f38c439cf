#include "kern/kern.h"
#include "type/narrow.h"
#include "type/widen.h"

#define UNUSED __attribute__((unused))

/* The references write through the caches as ever. */
void hry_ref_stream_end(void)
{
}

void hry_ref_f16_f32(const void *src, size_t n, float *dst, UNUSED bool stream)
{
    const unsigned char *p = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = hry_f32_from_bits(hry_widen_float16(hry_load16(p + 2 * i)));
}

void hry_ref_bf16_f32(const void *src, size_t n, float *dst, UNUSED bool stream)
{
    const unsigned char *p = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = hry_f32_from_bits(hry_widen_bfloat16(hry_load16(p + 2 * i)));
}

void hry_ref_e8m0_f32(const void *src, size_t n, float *dst, UNUSED bool stream)
{
    const unsigned char *p = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = hry_f32_from_bits(hry_widen_e8m0(p[i]));
}

void hry_ref_f32_f16(const float *src, size_t n, void *dst, UNUSED bool stream)
{
    unsigned char *p = dst;
    for (size_t i = 0; i < n; i++)
        hry_store16(p + 2 * i, (uint16_t)hry_narrow_from_f32_bits(&hry_narrow_float16, hry_f32_bits(src[i]), false));
}

void hry_ref_f32_bf16(const float *src, size_t n, void *dst, UNUSED bool stream)
{
    unsigned char *p = dst;
    for (size_t i = 0; i < n; i++)
        hry_store16(p + 2 * i, (uint16_t)hry_narrow_from_f32_bits(&hry_narrow_bfloat16, hry_f32_bits(src[i]), false));
}

void hry_ref_f32_e4m3(const float *src, size_t n, void *dst, UNUSED bool stream)
{
    unsigned char *p = dst;
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)hry_narrow_from_f32_bits(&hry_narrow_e4m3, hry_f32_bits(src[i]), true);
}

void hry_ref_f32_e5m2(const float *src, size_t n, void *dst, UNUSED bool stream)
{
    unsigned char *p = dst;
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)hry_narrow_from_f32_bits(&hry_narrow_e5m2, hry_f32_bits(src[i]), false);
}
