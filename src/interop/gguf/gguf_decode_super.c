/* Blocks of 256 elements. Products of scales and codes are exact, but for Q8_K's, whose scale is a whole float. */
#include "base/bytes.h"
#include "interop/gguf/gguf_decode.h"

#include <hurray/type.h>

static inline float half_at(const uint8_t *p)
{
    return hry_f16_to_f32(hry_load16(p));
}

static inline void put(uint8_t *values, size_t i, float x)
{
    hry_store_f32(values + 4 * i, x);
}

void hry_gguf_decode_q2_k(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 84, v += 4 * 256) {
        float d = half_at(b + 80), dmin = half_at(b + 82);
        for (unsigned s = 0; s < 16; s++) {
            float scale = d * (float)(b[s] & 15), min = dmin * (float)(b[s] >> 4);
            const uint8_t *codes = b + 16 + 32 * (s / 8) + 16 * (s % 2);
            unsigned shift = s % 8 / 2 * 2;
            for (unsigned l = 0; l < 16; l++)
                put(v, 16 * s + l, scale * (float)(codes[l] >> shift & 3) - min);
        }
    }
}

void hry_gguf_decode_q3_k(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 110, v += 4 * 256) {
        float d = half_at(b + 108);
        for (unsigned s = 0; s < 16; s++) {
            float scale = d * (float)((int)hry_gguf_q3_scale(b + 96, s) - 32);
            const uint8_t *codes = b + 32 + 32 * (s / 8) + 16 * (s % 2), *mask = b + 16 * (s % 2);
            unsigned shift = s % 8 / 2 * 2;
            for (unsigned l = 0; l < 16; l++) {
                int q = (codes[l] >> shift & 3) - (mask[l] >> (s / 2) & 1 ? 0 : 4);
                put(v, 16 * s + l, scale * (float)q);
            }
        }
    }
}

/* Scale and minimum of sub-block k, six bits each in 12 bytes. */
static void scale_and_min(const uint8_t *p, unsigned k, float *scale, float *min)
{
    unsigned sc = k < 4 ? p[k] & 63u : (p[k + 4] & 15u) | (unsigned)(p[k - 4] >> 6) << 4;
    unsigned mn = k < 4 ? p[k + 4] & 63u : (unsigned)(p[k + 4] >> 4) | (unsigned)(p[k] >> 6) << 4;
    *scale = (float)sc;
    *min = (float)mn;
}

void hry_gguf_decode_q4_k(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 144, v += 4 * 256) {
        float d = half_at(b), dmin = half_at(b + 2);
        for (unsigned k = 0; k < 8; k++) {
            float scale, min;
            scale_and_min(b + 4, k, &scale, &min);
            scale *= d;
            min *= dmin;
            const uint8_t *codes = b + 16 + 32 * (k / 2);
            unsigned shift = 4 * (k % 2);
            for (unsigned l = 0; l < 32; l++)
                put(v, 32 * k + l, scale * (float)(codes[l] >> shift & 15) - min);
        }
    }
}

void hry_gguf_decode_q5_k(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 176, v += 4 * 256) {
        float d = half_at(b), dmin = half_at(b + 2);
        for (unsigned k = 0; k < 8; k++) {
            float scale, min;
            scale_and_min(b + 4, k, &scale, &min);
            scale *= d;
            min *= dmin;
            const uint8_t *codes = b + 48 + 32 * (k / 2), *high = b + 16;
            unsigned shift = 4 * (k % 2);
            for (unsigned l = 0; l < 32; l++) {
                unsigned q = (codes[l] >> shift & 15u) | (high[l] >> k & 1u) << 4;
                put(v, 32 * k + l, scale * (float)q - min);
            }
        }
    }
}

void hry_gguf_decode_q6_k(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 210, v += 4 * 256) {
        float d = half_at(b + 208);
        for (unsigned s = 0; s < 16; s++) {
            float scale = d * (float)(int8_t)b[192 + s];
            unsigned g = s % 8 / 2, first = 16 * (s % 2);
            const uint8_t *low = b + 64 * (s / 8) + 32 * (g % 2) + first, *high = b + 128 + 32 * (s / 8) + first;
            for (unsigned l = 0; l < 16; l++) {
                unsigned q = (low[l] >> (4 * (g / 2)) & 15u) | (high[l] >> (2 * g) & 3u) << 4;
                put(v, 16 * s + l, scale * (float)((int)q - 32));
            }
        }
    }
}

void hry_gguf_decode_iq4_xs(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 136, v += 4 * 256) {
        float d = half_at(b);
        for (unsigned k = 0; k < 8; k++) {
            float scale = d * (float)((int)hry_gguf_iq4_scale(b, k) - 32);
            const uint8_t *codes = b + 8 + 16 * k;
            for (unsigned l = 0; l < 16; l++) {
                put(v, 32 * k + l, scale * (float)hry_gguf_steps[codes[l] & 15]);
                put(v, 32 * k + 16 + l, scale * (float)hry_gguf_steps[codes[l] >> 4]);
            }
        }
    }
}

void hry_gguf_decode_q8_k(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 292, v += 4 * 256) {
        float d = hry_load_f32(b);
        for (size_t i = 0; i < 256; i++)
            put(v, i, d * (float)(int8_t)b[4 + i]);
    }
}

void hry_gguf_decode_tq1_0(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 54, v += 4 * 256) {
        float d = half_at(b + 52);
        uint8_t digits[256];
        hry_gguf_trits(b, digits);
        for (size_t i = 0; i < 256; i++)
            put(v, i, (float)(digits[i] - 1) * d);
    }
}

void hry_gguf_decode_tq2_0(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 66, v += 4 * 256) {
        float d = half_at(b + 64);
        for (unsigned k = 0; k < 8; k++)
            for (unsigned l = 0; l < 32; l++)
                put(v, 32 * k + l, (float)((b[32 * (k / 4) + l] >> (k % 4 * 2) & 3) - 1) * d);
    }
}
