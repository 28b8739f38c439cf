/* Blocks that become codes of two bits with the scale unchanged: one bit, two bits or a base-3 digit each. */
#include "interop/gguf/gguf_decode.h"
#include "interop/gguf/gguf_forms.h"
#include "interop/gguf/gguf_half.h"
#include "interop/gguf/gguf_vector.h"

#include <string.h>

enum { Q1_0 = 18, Q2_0 = 18, TQ1_0 = 54, TQ2_0 = 66 };

enum { MINUS_ONE = 3 }; /* as int2 */

static inline unsigned pair_at(const uint8_t *codes, size_t i)
{
    return (unsigned)codes[i / 4] >> (2 * (i % 4)) & 3u;
}

/* ---- Q1_0: a set bit is +1 ---- */

size_t hry_gguf_codes_q1_0(const uint8_t *b, size_t count, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++, b += Q1_0, codes += 32) {
        uint16_t d = hry_load16(b);
        if (hry_gguf_half_is_bad(d))
            return i;
        for (size_t j = 0; j < 32; j++) {
            /* Four bits spread to the places of four codes; where they are clear, the upper bit makes it -1. */
            unsigned bits = (unsigned)b[2 + j / 2] >> (4 * (j % 2)) & 15u;
            unsigned spread = (bits & 1) | (bits & 2) << 1 | (bits & 4) << 2 | (bits & 8) << 3;
            codes[j] = hry_gguf_half_is_zero(d) ? 0 : (uint8_t)(0x55 | (~spread & 0x55) << 1);
        }
    }
    return count;
}

bool hry_gguf_takes_q1_0(const uint8_t *codes, const uint8_t *scales, size_t count)
{
    for (; count > 0; count--, codes += 32, scales += 2) {
        unsigned all = 0x55;
        for (size_t j = 0; j < 32; j++)
            all &= codes[j];
        if (all != 0x55 && !hry_gguf_half_is_mark(scales, codes, 32))
            return false;
    }
    return true;
}

void hry_gguf_give_q1_0(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    (void)ones; /* there is no code of zero */
    for (; count > 0; count--, codes += 32, scales += 2, b += Q1_0) {
        memset(b, 0, Q1_0);
        if (hry_gguf_half_is_mark(scales, codes, 32))
            continue;
        memcpy(b, scales, 2);
        for (size_t i = 0; i < 128; i++)
            b[2 + i / 8] |= (uint8_t)((pair_at(codes, i) != MINUS_ONE) << (i % 8));
    }
}

/* ---- Codes from 0 with a zero point of 1: a byte of zeros is 0x55 ---- */

enum { ZEROS = 0x55 };

static bool is_mark(const uint8_t *codes, const uint8_t *scales, size_t n)
{
    unsigned differ = 0;
    for (size_t j = 0; j < n; j++)
        differ |= codes[j] ^ (unsigned)ZEROS;
    return differ == 0 && hry_load16(scales) == HRY_GGUF_HALF_ONE;
}

size_t hry_gguf_codes_q2_0(const uint8_t *b, size_t count, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++, b += Q2_0, codes += 16) {
        uint16_t d = hry_load16(b);
        if (hry_gguf_half_is_bad(d))
            return i;
        if (hry_gguf_half_is_zero(d))
            memset(codes, ZEROS, 16);
        else
            memcpy(codes, b + 2, 16);
    }
    return count;
}

void hry_gguf_give_q2_0(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    for (; count > 0; count--, codes += 16, scales += 2, b += Q2_0) {
        memcpy(b, scales, 2);
        memcpy(b + 2, codes, 16);
        if (!ones && is_mark(codes, scales, 16))
            memset(b, 0, 2);
    }
}

/* Packs the lower two bits of 256 bytes. */
static void pack_pairs(const uint8_t *wide, uint8_t *codes)
{
    for (size_t j = 0; j < 64; j++) {
        uint32_t four = hry_load32(wide + 4 * j) & UINT32_C(0x03030303);
        codes[j] = (uint8_t)(four | four >> 6 | four >> 12 | four >> 18);
    }
}

/* Byte 32n + l of a block holds elements 128n + l, + 32, + 64 and + 96. */
size_t hry_gguf_codes_tq2_0(const uint8_t *b, size_t count, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++, b += TQ2_0, codes += 64) {
        uint16_t d = hry_load16(b + 64);
        uint8_t wide[256];
        if (hry_gguf_half_is_bad(d))
            return i;
        for (unsigned k = 0; k < 16; k++) {
            hry_gguf_vector v = hry_gguf_vector_load(b + 32 * (k / 8) + 16 * (k % 2));
            hry_gguf_vector_store(wide + 16 * k, v >> (uint8_t)(k % 8 / 2 * 2));
        }
        if (hry_gguf_half_is_zero(d))
            memset(codes, ZEROS, 64);
        else
            pack_pairs(wide, codes);
    }
    return count;
}

size_t hry_gguf_scales_tq2_0(const uint8_t *b, size_t count, uint8_t *scales)
{
    return hry_gguf_half_scales(b, count, TQ2_0, 64, scales);
}

void hry_gguf_give_tq2_0(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    for (; count > 0; count--, codes += 64, scales += 2, b += TQ2_0) {
        memset(b, 0, 64);
        for (unsigned i = 0; i < 256; i++)
            b[32 * (i / 128) + i % 32] |= (uint8_t)(pair_at(codes, i) << (i % 128 / 32 * 2));
        memcpy(b + 64, scales, 2);
        if (!ones && is_mark(codes, scales, 64))
            memset(b + 64, 0, 2);
    }
}

/* ---- TQ1_0: digits 0, 1, 2 for -1, 0, +1 ---- */

size_t hry_gguf_codes_tq1_0(const uint8_t *b, size_t count, uint8_t *codes)
{
    for (size_t i = 0; i < count; i++, b += TQ1_0, codes += 64) {
        uint16_t d = hry_load16(b + 52);
        uint8_t wide[256];
        if (hry_gguf_half_is_bad(d))
            return i;
        hry_gguf_trits(b, wide);
        for (size_t k = 0; k < 256; k++)
            wide[k] = (uint8_t)(wide[k] - 1);
        if (hry_gguf_half_is_zero(d))
            memset(codes, 0, 64);
        else
            pack_pairs(wide, codes);
    }
    return count;
}

size_t hry_gguf_scales_tq1_0(const uint8_t *b, size_t count, uint8_t *scales)
{
    return hry_gguf_half_scales(b, count, TQ1_0, 52, scales);
}

bool hry_gguf_takes_tq1_0(const uint8_t *codes, const uint8_t *scales, size_t count)
{
    (void)scales;
    unsigned minus_two = 0;
    for (size_t j = 0; j < 64 * count; j++)
        minus_two |= codes[j] >> 1 & ~(unsigned)codes[j] & 0x55;
    return minus_two == 0;
}

void hry_gguf_give_tq1_0(const uint8_t *codes, const uint8_t *scales, size_t count, unsigned ones, uint8_t *b)
{
    for (; count > 0; count--, codes += 64, scales += 2, b += TQ1_0) {
        unsigned number[52] = { 0 };
        /* Element by element the digits of each byte come first to last. */
        for (unsigned i = 0; i < 256; i++) {
            unsigned at = hry_gguf_trit_byte(i);
            number[at] = number[at] * 3 + ((pair_at(codes, i) + 1) & 3u);
        }
        for (unsigned at = 0; at < 52; at++) {
            unsigned digits = at < 48 ? number[at] : number[at] * 3; /* the last four bytes have four digits */
            b[at] = (uint8_t)((digits * 256 + 242) / 243);
        }
        memcpy(b + 52, scales, 2);
        if (!ones && hry_gguf_half_is_mark(scales, codes, 64))
            memset(b + 52, 0, 2);
    }
}
