/* Blocks of 32, 64 and 128 elements. Every product is exact, so that only a final sum rounds. */
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

void hry_gguf_decode_q4_0(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 18, v += 4 * 32) {
        float d = half_at(b);
        for (size_t j = 0; j < 16; j++) {
            put(v, j, (float)((b[2 + j] & 15) - 8) * d);
            put(v, j + 16, (float)((b[2 + j] >> 4) - 8) * d);
        }
    }
}

void hry_gguf_decode_q4_1(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 20, v += 4 * 32) {
        float d = half_at(b), m = half_at(b + 2);
        for (size_t j = 0; j < 16; j++) {
            put(v, j, (float)(b[4 + j] & 15) * d + m);
            put(v, j + 16, (float)(b[4 + j] >> 4) * d + m);
        }
    }
}

void hry_gguf_decode_q5_0(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 22, v += 4 * 32) {
        float d = half_at(b);
        uint32_t high = hry_load32(b + 2);
        for (size_t j = 0; j < 16; j++) {
            int low = (int)((b[6 + j] & 15u) | (high >> j & 1u) << 4);
            int top = (int)(b[6 + j] >> 4 | (high >> (j + 16) & 1u) << 4);
            put(v, j, (float)(low - 16) * d);
            put(v, j + 16, (float)(top - 16) * d);
        }
    }
}

void hry_gguf_decode_q5_1(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 24, v += 4 * 32) {
        float d = half_at(b), m = half_at(b + 2);
        uint32_t high = hry_load32(b + 4);
        for (size_t j = 0; j < 16; j++) {
            int low = (int)((b[8 + j] & 15u) | (high >> j & 1u) << 4);
            int top = (int)(b[8 + j] >> 4 | (high >> (j + 16) & 1u) << 4);
            put(v, j, (float)low * d + m);
            put(v, j + 16, (float)top * d + m);
        }
    }
}

/* Codes of a byte each, at some place in their block. */
static void decode_bytes(const uint8_t *b, size_t count, size_t nbytes, size_t codes, uint8_t *v)
{
    for (; count > 0; count--, b += nbytes, v += 4 * 32) {
        float d = half_at(b);
        for (size_t j = 0; j < 32; j++)
            put(v, j, (float)(int8_t)b[codes + j] * d);
    }
}

void hry_gguf_decode_q8_0(const uint8_t *b, size_t count, uint8_t *v)
{
    decode_bytes(b, count, 34, 2, v);
}

void hry_gguf_decode_q8_1(const uint8_t *b, size_t count, uint8_t *v)
{
    decode_bytes(b, count, 36, 4, v);
}

void hry_gguf_decode_iq4_nl(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 18, v += 4 * 32) {
        float d = half_at(b);
        for (size_t j = 0; j < 16; j++) {
            put(v, j, d * (float)hry_gguf_steps[b[2 + j] & 15]);
            put(v, j + 16, d * (float)hry_gguf_steps[b[2 + j] >> 4]);
        }
    }
}

/* Half of 2^(e - 127), down to the subnormals; 255 is a number like any other here. */
static inline float half_e8m0(uint8_t e)
{
    return hry_f32_from_bits(e < 2 ? UINT32_C(0x00200000) << e : (uint32_t)(e - 1) << 23);
}

void hry_gguf_decode_mxfp4(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 17, v += 4 * 32) {
        float d = half_e8m0(b[0]);
        for (size_t j = 0; j < 16; j++) {
            put(v, j, (float)hry_gguf_e2m1[b[1 + j] & 15] * d);
            put(v, j + 16, (float)hry_gguf_e2m1[b[1 + j] >> 4] * d);
        }
    }
}

void hry_gguf_decode_nvfp4(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 36, v += 4 * 64)
        for (size_t s = 0; s < 4; s++) {
            float d = hry_gguf_ue4m3(b[s]);
            for (size_t r = 0; r < 8; r++) {
                uint8_t pair = b[4 + 8 * s + r];
                put(v, 16 * s + r, (float)hry_gguf_e2m1[pair & 15] * d);
                put(v, 16 * s + 8 + r, (float)hry_gguf_e2m1[pair >> 4] * d);
            }
        }
}

void hry_gguf_decode_q1_0(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 18, v += 4 * 128) {
        /* A change of sign and nothing else, NaN included. */
        uint32_t d = hry_f32_bits(half_at(b));
        for (size_t j = 0; j < 128; j++)
            hry_store32(v + 4 * j, b[2 + j / 8] >> (j % 8) & 1 ? d : d ^ UINT32_C(0x80000000));
    }
}

void hry_gguf_decode_q2_0(const uint8_t *b, size_t count, uint8_t *v)
{
    for (; count > 0; count--, b += 18, v += 4 * 64) {
        float d = half_at(b);
        for (size_t j = 0; j < 64; j++)
            put(v, j, (float)((b[2 + j / 4] >> (2 * (j % 4)) & 3) - 1) * d);
    }
}
