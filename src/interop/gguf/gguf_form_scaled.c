/* Blocks with scales of their parts: the product with the block's own scale, a float32, becomes the scale of a part. */
#include "base/bytes.h"
#include "interop/gguf/gguf_decode.h"
#include "interop/gguf/gguf_forms.h"
#include "interop/gguf/gguf_half.h"
#include "interop/gguf/gguf_vector.h"

#include <hurray/type.h>
#include <math.h>
#include <string.h>

enum { Q3_K = 110, Q6_K = 210, Q8_K = 292, IQ4_XS = 136, NVFP4 = 36 };

/* What is to be known of a type: the scale of part s (not finite for a block that cannot be held), and its codes. */
typedef struct parted {
    size_t nbytes, parts, size; /* of a block; parts of size elements */
    float (*scale)(const uint8_t *block, unsigned s);
    void (*codes)(const uint8_t *block, unsigned s, int8_t *codes);
} parted;

static inline __attribute__((always_inline)) size_t take_scales(parted t, const uint8_t *b, size_t count, uint8_t *dst)
{
    for (size_t i = 0; i < count; i++, b += t.nbytes)
        for (unsigned s = 0; s < t.parts; s++, dst += 4) {
            float scale = t.scale(b, s);
            if (!isfinite(scale))
                return i;
            hry_store_f32(dst, scale == 0 ? 1.0f : scale);
        }
    return count;
}

static inline __attribute__((always_inline)) size_t take_codes(parted t, const uint8_t *b, size_t count, int8_t *dst)
{
    for (size_t i = 0; i < count; i++, b += t.nbytes)
        for (unsigned s = 0; s < t.parts; s++, dst += t.size) {
            float scale = t.scale(b, s);
            if (!isfinite(scale))
                return i;
            if (scale == 0)
                memset(dst, 0, t.size);
            else
                t.codes(b, s, dst);
        }
    return count;
}

/* ---- Q3_K ---- */

static inline float scale_q3_k(const uint8_t *b, unsigned s)
{
    return hry_f16_to_f32(hry_load16(b + 108)) * (float)((int)hry_gguf_q3_scale(b + 96, s) - 32);
}

static inline void codes_q3_k(const uint8_t *b, unsigned s, int8_t *codes)
{
    hry_gguf_vector low = hry_gguf_vector_load(b + 32 + 32 * (s / 8) + 16 * (s % 2));
    hry_gguf_vector high = hry_gguf_vector_load(b + 16 * (s % 2));
    low = low >> (uint8_t)(s % 8 / 2 * 2) & 3;
    high = high >> (uint8_t)(s / 2) & 1;
    hry_gguf_vector_store(codes, (low | high << 2) - 4);
}

static const parted q3_k = { Q3_K, 16, 16, scale_q3_k, codes_q3_k };

size_t hry_gguf_codes_q3_k(const uint8_t *b, size_t count, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++, b += Q3_K, codes += 128) {
        int8_t wide[256];
        if (take_codes(q3_k, b, 1, wide) == 0)
            return i;
        for (size_t j = 0; j < 128; j++) {
            unsigned two = hry_load16(wide + 2 * j);
            codes[j] = (uint8_t)((two & 0x0F) | (two >> 4 & 0xF0));
        }
    }
    return count;
}

size_t hry_gguf_scales_q3_k(const uint8_t *b, size_t count, uint8_t *scales)
{
    return take_scales(q3_k, b, count, scales);
}

/* ---- Q6_K ---- */

static inline float scale_q6_k(const uint8_t *b, unsigned s)
{
    return hry_f16_to_f32(hry_load16(b + 208)) * (float)(int8_t)b[192 + s];
}

static inline void codes_q6_k(const uint8_t *b, unsigned s, int8_t *codes)
{
    unsigned g = s % 8 / 2, first = 16 * (s % 2);
    hry_gguf_vector low = hry_gguf_vector_load(b + 64 * (s / 8) + 32 * (g % 2) + first);
    hry_gguf_vector high = hry_gguf_vector_load(b + 128 + 32 * (s / 8) + first);
    low = low >> (uint8_t)(4 * (g / 2)) & 15;
    high = high >> (uint8_t)(2 * g) & 3;
    hry_gguf_vector_store(codes, (low | high << 4) - 32);
}

static const parted q6_k = { Q6_K, 16, 16, scale_q6_k, codes_q6_k };

size_t hry_gguf_codes_q6_k(const uint8_t *b, size_t count, uint8_t *codes)
{
    return take_codes(q6_k, b, count, (int8_t *)codes);
}

size_t hry_gguf_scales_q6_k(const uint8_t *b, size_t count, uint8_t *scales)
{
    return take_scales(q6_k, b, count, scales);
}

/* ---- IQ4_XS ---- */

static inline float scale_iq4_xs(const uint8_t *b, unsigned s)
{
    return hry_f16_to_f32(hry_load16(b)) * (float)((int)hry_gguf_iq4_scale(b, s) - 32);
}

static inline void codes_iq4_xs(const uint8_t *b, unsigned s, int8_t *codes)
{
    for (unsigned l = 0; l < 16; l++) {
        codes[l] = hry_gguf_steps[b[8 + 16 * s + l] & 15];
        codes[16 + l] = hry_gguf_steps[b[8 + 16 * s + l] >> 4];
    }
}

static const parted iq4_xs = { IQ4_XS, 8, 32, scale_iq4_xs, codes_iq4_xs };

size_t hry_gguf_codes_iq4_xs(const uint8_t *b, size_t count, uint8_t *codes)
{
    return take_codes(iq4_xs, b, count, (int8_t *)codes);
}

size_t hry_gguf_scales_iq4_xs(const uint8_t *b, size_t count, uint8_t *scales)
{
    return take_scales(iq4_xs, b, count, scales);
}

/* ---- Q8_K ---- */

static inline float scale_q8_k(const uint8_t *b, unsigned s)
{
    (void)s;
    return hry_load_f32(b);
}

static inline void codes_q8_k(const uint8_t *b, unsigned s, int8_t *codes)
{
    (void)s;
    memcpy(codes, b + 4, 256);
}

static const parted q8_k = { Q8_K, 1, 256, scale_q8_k, codes_q8_k };

size_t hry_gguf_codes_q8_k(const uint8_t *b, size_t count, uint8_t *codes)
{
    return take_codes(q8_k, b, count, (int8_t *)codes);
}

size_t hry_gguf_scales_q8_k(const uint8_t *b, size_t count, uint8_t *scales)
{
    return take_scales(q8_k, b, count, scales);
}

void hry_gguf_give_q8_k(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    for (; count > 0; count--, codes += 256, scales += 4, b += Q8_K) {
        memcpy(b, scales, 4);
        memcpy(b + 4, codes, 256);
        for (size_t k = 0; k < 16; k++) {
            int sum = 0;
            for (size_t l = 0; l < 16; l++)
                sum += (int8_t)codes[16 * k + l];
            hry_store16(b + 260 + 2 * k, (uint16_t)sum);
        }
        if (!ones && hry_load_f32(scales) == 1.0f && hry_gguf_all_zero(codes, 256))
            memset(b, 0, 4);
    }
}

/* ---- NVFP4 ---- */

static inline float scale_nvfp4(const uint8_t *b, unsigned s)
{
    return hry_gguf_ue4m3(b[s]);
}

static inline void codes_nvfp4(const uint8_t *b, unsigned s, int8_t *codes)
{
    for (unsigned r = 0; r < 8; r++) {
        codes[r] = hry_gguf_e2m1[b[4 + 8 * s + r] & 15];
        codes[8 + r] = hry_gguf_e2m1[b[4 + 8 * s + r] >> 4];
    }
}

static const parted nvfp4 = { NVFP4, 4, 16, scale_nvfp4, codes_nvfp4 };

size_t hry_gguf_codes_nvfp4(const uint8_t *b, size_t count, uint8_t *codes)
{
    return take_codes(nvfp4, b, count, (int8_t *)codes);
}

size_t hry_gguf_scales_nvfp4(const uint8_t *b, size_t count, uint8_t *scales)
{
    return take_scales(nvfp4, b, count, scales);
}

/* The byte whose value is scale, 0 when there is none. */
static uint8_t ue4m3_of(float scale)
{
    uint32_t bits = hry_f32_bits(scale);
    unsigned exponent = bits >> 23;
    if (scale > 0 && scale < 0x1p-7f)
        return (uint8_t)(scale * 0x1p10f);
    if (exponent < 120 || exponent > 134)
        return 0;
    unsigned x = (exponent - 119) << 3 | (bits >> 20 & 7);
    return (uint8_t)(x == 0x7F ? 0xFF : x); /* 0x7f would be 0, with the unused bit it is not */
}

/* The nibble of a doubled e2m1, 16 for what is none. */
static unsigned e2m1_of(uint8_t code)
{
    for (unsigned k = 0; k < 16; k++)
        if ((uint8_t)hry_gguf_e2m1[k] == code)
            return k;
    return 16;
}

static bool is_part_mark(const uint8_t *codes, const uint8_t *scale)
{
    return hry_load_f32(scale) == 1.0f && hry_gguf_all_zero(codes, 16);
}

bool hry_gguf_takes_nvfp4(const uint8_t *codes, const uint8_t *scales, size_t count)
{
    uint8_t nibbles[256];
    for (unsigned code = 0; code < 256; code++)
        nibbles[code] = (uint8_t)e2m1_of((uint8_t)code);
    for (size_t part = 0; part < 4 * count; part++, codes += 16, scales += 4) {
        unsigned none = 0;
        for (size_t j = 0; j < 16; j++)
            none |= nibbles[codes[j]] & 16u;
        float scale = hry_load_f32(scales);
        if (none || hry_gguf_ue4m3(ue4m3_of(scale)) != scale)
            return false;
    }
    return true;
}

void hry_gguf_give_nvfp4(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    uint8_t nibbles[256];
    for (unsigned code = 0; code < 256; code++)
        nibbles[code] = (uint8_t)(e2m1_of((uint8_t)code) & 15);
    for (; count > 0; count--, b += NVFP4)
        for (size_t s = 0; s < 4; s++, codes += 16, scales += 4) {
            b[s] = !(ones >> s & 1) && is_part_mark(codes, scales) ? 0 : ue4m3_of(hry_load_f32(scales));
            for (size_t r = 0; r < 8; r++)
                b[4 + 8 * s + r] = (uint8_t)(nibbles[codes[r]] | nibbles[codes[8 + r]] << 4);
        }
}
