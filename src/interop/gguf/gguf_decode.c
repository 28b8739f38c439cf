#include "interop/gguf/gguf_decode.h"

#include "base/bytes.h"

const int8_t hry_gguf_steps[16] = { -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113 };
const int8_t hry_gguf_e2m1[16] = { 0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12 };

float hry_gguf_ue4m3(uint8_t x)
{
    unsigned exponent = x >> 3 & 15, mantissa = x & 7;
    if (x == 0x7F)
        return 0;
    if (exponent == 0)
        return (float)mantissa * 0x1p-10f;
    return (float)(8 + mantissa) * hry_f32_from_bits((127 - 11 + exponent) << 23);
}

unsigned hry_gguf_q3_scale(const uint8_t *scales, unsigned k)
{
    unsigned low = k < 8 ? scales[k] & 15u : scales[k - 8] >> 4;
    return low | ((unsigned)scales[8 + k % 4] >> (2 * (k / 4)) & 3u) << 4;
}

unsigned hry_gguf_iq4_scale(const uint8_t *block, unsigned k)
{
    unsigned low = (unsigned)block[4 + k / 2] >> (4 * (k % 2)) & 15u;
    return low | ((unsigned)hry_load16(block + 2) >> (2 * k) & 3u) << 4;
}

/* A byte is a fraction of 256: each digit comes out as what three times the rest has in front of the point. */
static void take_trits(const uint8_t *bytes, size_t n, unsigned count, uint8_t *digits)
{
    uint8_t power = 1;
    for (unsigned t = 0; t < count; t++, power = (uint8_t)(power * 3))
        for (size_t l = 0; l < n; l++) {
            uint8_t rest = (uint8_t)(bytes[l] * power);
            *digits++ = (uint8_t)((rest > 85) + (rest > 170));
        }
}

void hry_gguf_trits(const uint8_t *block, uint8_t digits[256])
{
    take_trits(block, 32, 5, digits);
    take_trits(block + 32, 16, 5, digits + 160);
    take_trits(block + 48, 4, 4, digits + 240);
}

unsigned hry_gguf_trit_byte(unsigned i)
{
    return i < 160 ? i % 32 : i < 240 ? 32 + i % 16 : 48 + i % 4;
}

hry_gguf_decode_fn *hry_gguf_decoder(uint32_t id)
{
    static hry_gguf_decode_fn *const decoders[HRY_GGUF_TYPES] = {
        [HRY_GGUF_Q4_0] = hry_gguf_decode_q4_0,     [HRY_GGUF_Q4_1] = hry_gguf_decode_q4_1,
        [HRY_GGUF_Q5_0] = hry_gguf_decode_q5_0,     [HRY_GGUF_Q5_1] = hry_gguf_decode_q5_1,
        [HRY_GGUF_Q8_0] = hry_gguf_decode_q8_0,     [HRY_GGUF_Q8_1] = hry_gguf_decode_q8_1,
        [HRY_GGUF_Q2_K] = hry_gguf_decode_q2_k,     [HRY_GGUF_Q3_K] = hry_gguf_decode_q3_k,
        [HRY_GGUF_Q4_K] = hry_gguf_decode_q4_k,     [HRY_GGUF_Q5_K] = hry_gguf_decode_q5_k,
        [HRY_GGUF_Q6_K] = hry_gguf_decode_q6_k,     [HRY_GGUF_Q8_K] = hry_gguf_decode_q8_k,
        [HRY_GGUF_IQ4_NL] = hry_gguf_decode_iq4_nl, [HRY_GGUF_IQ4_XS] = hry_gguf_decode_iq4_xs,
        [HRY_GGUF_TQ1_0] = hry_gguf_decode_tq1_0,   [HRY_GGUF_TQ2_0] = hry_gguf_decode_tq2_0,
        [HRY_GGUF_MXFP4] = hry_gguf_decode_mxfp4,   [HRY_GGUF_NVFP4] = hry_gguf_decode_nvfp4,
        [HRY_GGUF_Q1_0] = hry_gguf_decode_q1_0,     [HRY_GGUF_Q2_0] = hry_gguf_decode_q2_0,
    };
    return id < HRY_GGUF_TYPES ? decoders[id] : NULL;
}
