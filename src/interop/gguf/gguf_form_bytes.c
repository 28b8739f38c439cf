/* Blocks of 32 that become codes of a byte or a nibble with the scale unchanged. */
#include "interop/gguf/gguf_decode.h"
#include "interop/gguf/gguf_forms.h"
#include "interop/gguf/gguf_half.h"
#include "interop/gguf/gguf_vector.h"

#include <string.h>

enum { Q8_0 = 34, Q4_0 = 18, Q5_0 = 22, MXFP4 = 17 };

/* ---- Q8_0 ---- */

size_t hry_gguf_codes_q8_0(const uint8_t *b, size_t count, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++, b += Q8_0, codes += 32) {
        uint16_t d = hry_load16(b);
        if (hry_gguf_half_is_bad(d))
            return i;
        if (hry_gguf_half_is_zero(d))
            memset(codes, 0, 32);
        else
            memcpy(codes, b + 2, 32);
    }
    return count;
}

size_t hry_gguf_scales_q8_0(const uint8_t *b, size_t count, uint8_t *scales)
{
    return hry_gguf_half_scales(b, count, Q8_0, 0, scales);
}

void hry_gguf_give_q8_0(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    for (; count > 0; count--, codes += 32, scales += 2, b += Q8_0) {
        memcpy(b, scales, 2);
        memcpy(b + 2, codes, 32);
        if (!ones && hry_gguf_half_is_mark(scales, codes, 32))
            memset(b, 0, 2);
    }
}

/* ---- Nibbles: j and j + 16 in a byte there, 2j and 2j + 1 here ---- */

static inline void pair_nibbles(const uint8_t *in, uint8_t *out, uint8_t flip)
{
    hry_gguf_vector v = hry_gguf_vector_load(in), a = v & 15, b = v >> 4;
    hry_gguf_vector even = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    hry_gguf_vector odd = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    hry_gguf_vector_store(out, (even | odd << 4) ^ flip);
}

static inline void part_nibbles(const uint8_t *in, uint8_t *out, uint8_t flip)
{
    hry_gguf_vector v = hry_gguf_vector_load(in) ^ flip, a = v & 15, b = v >> 4;
    hry_gguf_vector low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    hry_gguf_vector high = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    hry_gguf_vector_store(out, low | high << 4);
}

size_t hry_gguf_codes_q4_0(const uint8_t *b, size_t count, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++, b += Q4_0, codes += 16) {
        uint16_t d = hry_load16(b);
        if (hry_gguf_half_is_bad(d))
            return i;
        if (hry_gguf_half_is_zero(d))
            memset(codes, 0, 16);
        else
            pair_nibbles(b + 2, codes, 0x88);
    }
    return count;
}

size_t hry_gguf_scales_q4_0(const uint8_t *b, size_t count, uint8_t *scales)
{
    return hry_gguf_half_scales(b, count, Q4_0, 0, scales);
}

void hry_gguf_give_q4_0(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    for (; count > 0; count--, codes += 16, scales += 2, b += Q4_0) {
        memcpy(b, scales, 2);
        part_nibbles(codes, b + 2, 0x88);
        if (!ones && hry_gguf_half_is_mark(scales, codes, 16))
            memset(b, 0, Q4_0);
    }
}

/* The scale that a block of MXFP4 gets; 0 when it cannot be held. */
static inline uint8_t e8m0_scale(const uint8_t *b)
{
    uint8_t any = 0;
    if (b[0] != 0)
        return b[0] == 0xFF ? 0 : b[0];
    for (size_t j = 0; j < 16; j++)
        any |= b[1 + j];
    return any & 0x77 ? 0 : 0x7F;
}

size_t hry_gguf_codes_mxfp4(const uint8_t *b, size_t count, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++, b += MXFP4, codes += 16) {
        if (e8m0_scale(b) == 0)
            return i;
        if (b[0] == 0)
            memset(codes, 0, 16);
        else
            pair_nibbles(b + 1, codes, 0);
    }
    return count;
}

size_t hry_gguf_scales_mxfp4(const uint8_t *b, size_t count, uint8_t *scales)
{
    for (size_t i = 0; i < count; i++, b += MXFP4) {
        scales[i] = e8m0_scale(b);
        if (scales[i] == 0)
            return i;
    }
    return count;
}

void hry_gguf_give_mxfp4(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    for (; count > 0; count--, codes += 16, scales++, b += MXFP4) {
        b[0] = !ones && scales[0] == 0x7F && hry_gguf_all_zero(codes, 16) ? 0 : scales[0];
        part_nibbles(codes, b + 1, 0);
    }
}

/* ---- Q5_0 ---- */

/* 16 for each set bit of the lower 16. */
static inline hry_gguf_vector fifth_bits(uint32_t bits)
{
    const hry_gguf_vector each = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    const hry_gguf_vector zero = { 0 };
    hry_gguf_vector v = hry_gguf_vector_of((uint8_t)bits, (uint8_t)(bits >> 8));
    return (hry_gguf_vector)((v & each) != zero) & 16;
}

size_t hry_gguf_codes_q5_0(const uint8_t *b, size_t count, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++, b += Q5_0, codes += 32) {
        uint16_t d = hry_load16(b);
        uint32_t high = hry_load32(b + 2);
        if (hry_gguf_half_is_bad(d))
            return i;
        if (hry_gguf_half_is_zero(d)) {
            memset(codes, 0, 32);
            continue;
        }
        hry_gguf_vector nibbles = hry_gguf_vector_load(b + 6);
        hry_gguf_vector_store(codes, (nibbles & 15) + fifth_bits(high) - 16);
        hry_gguf_vector_store(codes + 16, (nibbles >> 4) + fifth_bits(high >> 16) - 16);
    }
    return count;
}

size_t hry_gguf_scales_q5_0(const uint8_t *b, size_t count, uint8_t *scales)
{
    return hry_gguf_half_scales(b, count, Q5_0, 0, scales);
}

bool hry_gguf_takes_q5_0(const uint8_t *codes, const uint8_t *scales, size_t count)
{
    (void)scales;
    unsigned outside = 0;
    for (size_t i = 0; i < 32 * count; i++)
        outside |= (codes[i] + 16u) & 0xE0u;
    return outside == 0;
}

void hry_gguf_give_q5_0(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    for (; count > 0; count--, codes += 32, scales += 2, b += Q5_0) {
        if (!ones && hry_gguf_half_is_mark(scales, codes, 32)) {
            memset(b, 0, Q5_0);
            continue;
        }
        uint32_t high = 0;
        memcpy(b, scales, 2);
        for (unsigned j = 0; j < 16; j++) {
            unsigned low = codes[j] + 16u, top = codes[16 + j] + 16u;
            b[6 + j] = (uint8_t)((low & 15) | (top & 15) << 4);
            high |= (low >> 4 & 1) << j | (top >> 4 & 1) << (j + 16);
        }
        hry_store32(b + 2, high);
    }
}

/* ---- IQ4_NL ---- */

size_t hry_gguf_codes_iq4_nl(const uint8_t *b, size_t count, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++, b += Q4_0, codes += 32) {
        uint16_t d = hry_load16(b);
        if (hry_gguf_half_is_bad(d))
            return i;
        if (hry_gguf_half_is_zero(d)) {
            memset(codes, 0, 32);
            continue;
        }
        for (size_t j = 0; j < 16; j++) {
            codes[j] = (uint8_t)hry_gguf_steps[b[2 + j] & 15];
            codes[16 + j] = (uint8_t)hry_gguf_steps[b[2 + j] >> 4];
        }
    }
    return count;
}

/* Which step a code is, plus 1; 0 for none. */
static unsigned step_of(uint8_t code)
{
    for (unsigned k = 0; k < 16; k++)
        if ((uint8_t)hry_gguf_steps[k] == code)
            return k + 1;
    return 0;
}

static void fill_step_places(uint8_t places[256])
{
    for (unsigned code = 0; code < 256; code++)
        places[code] = (uint8_t)step_of((uint8_t)code);
}

bool hry_gguf_takes_iq4_nl(const uint8_t *codes, const uint8_t *scales, size_t count)
{
    uint8_t places[256];
    fill_step_places(places);
    for (; count > 0; count--, codes += 32, scales += 2) {
        bool all = true;
        for (size_t j = 0; j < 32; j++)
            all &= places[codes[j]] != 0;
        if (!all && !hry_gguf_half_is_mark(scales, codes, 32))
            return false;
    }
    return true;
}

void hry_gguf_give_iq4_nl(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    uint8_t places[256];
    (void)ones; /* there is no step of zero */
    fill_step_places(places);
    for (; count > 0; count--, codes += 32, scales += 2, b += Q4_0) {
        memset(b, 0, Q4_0);
        if (hry_gguf_half_is_mark(scales, codes, 32))
            continue;
        memcpy(b, scales, 2);
        for (size_t j = 0; j < 16; j++)
            b[2 + j] = (uint8_t)((places[codes[j]] - 1) | (places[codes[16 + j]] - 1) << 4);
    }
}
