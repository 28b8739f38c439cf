#include "interop/gguf_formulas.h"

#include "base/bytes.h"

#include <math.h>

static unsigned bits(unsigned x, unsigned from, unsigned count)
{
    return x >> from & ((1u << count) - 1);
}

static double f16(const uint8_t *p)
{
    unsigned h = p[0] | (unsigned)p[1] << 8, e = bits(h, 10, 5), m = bits(h, 0, 10);
    double v = e == 0 ? ldexp(m, -24) : e == 31 ? (m ? NAN : INFINITY) : ldexp(1024 + m, (int)e - 25);
    return h >> 15 ? -v : v;
}

static unsigned nibble(const uint8_t *q, unsigned j)
{
    return j < 16 ? q[j] & 15u : q[j - 16] >> 4;
}

static unsigned fifth(const uint8_t *qh, unsigned j)
{
    return 16 * bits(qh[j / 8], j % 8, 1);
}

static const int steps[] = { -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113 };
static const int doubled[] = { 0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12 };

/* The sum rounds once; the products before it do not. */
static float sum(double product, double other)
{
    return (float)product + (float)other;
}

static float q4_0(const uint8_t *b, unsigned j)
{
    return (float)(((int)nibble(b + 2, j) - 8) * f16(b));
}

static float q4_1(const uint8_t *b, unsigned j)
{
    return sum(nibble(b + 4, j) * f16(b), f16(b + 2));
}

static float q5_0(const uint8_t *b, unsigned j)
{
    return (float)(((int)(nibble(b + 6, j) + fifth(b + 2, j)) - 16) * f16(b));
}

static float q5_1(const uint8_t *b, unsigned j)
{
    return sum((nibble(b + 8, j) + fifth(b + 4, j)) * f16(b), f16(b + 2));
}

static float q8_0(const uint8_t *b, unsigned j)
{
    return (float)((int8_t)b[2 + j] * f16(b));
}

static float q8_1(const uint8_t *b, unsigned j)
{
    return (float)((int8_t)b[4 + j] * f16(b));
}

static float iq4_nl(const uint8_t *b, unsigned j)
{
    return (float)(f16(b) * steps[nibble(b + 2, j)]);
}

static float mxfp4(const uint8_t *b, unsigned j)
{
    /* Infinite where float32 ends. */
    return (float)ldexp(doubled[nibble(b + 1, j)], b[0] - 128);
}

static float nvfp4(const uint8_t *b, unsigned j)
{
    unsigned s = j / 16, r = j % 16, x = b[s], e = bits(x, 3, 4), m = bits(x, 0, 3);
    unsigned code = r < 8 ? b[4 + 8 * s + r] & 15u : b[4 + 8 * s + r % 8] >> 4;
    double scale = x == 0 || x == 0x7F ? 0 : e == 0 ? ldexp(m, -10) : ldexp(1 + m / 8.0, (int)e - 8);
    return (float)(doubled[code] * scale);
}

static float q1_0(const uint8_t *b, unsigned j)
{
    return (float)(bits(b[2 + j / 8], j % 8, 1) ? f16(b) : -f16(b));
}

static float q2_0(const uint8_t *b, unsigned j)
{
    return (float)(((int)bits(b[2 + j / 4], 2 * (j % 4), 2) - 1) * f16(b));
}

/* Places of element i in a block of 256. */
#define N (i / 128)
#define G (i % 128 / 32)
#define L (i % 32)

static float q2_k(const uint8_t *b, unsigned i)
{
    unsigned sc = b[i / 16];
    return (float)((sc & 15) * f16(b + 80) * bits(b[16 + 32 * N + L], 2 * G, 2)) - (float)(f16(b + 82) * (sc >> 4));
}

static float q3_k(const uint8_t *b, unsigned i)
{
    const uint8_t *scales = b + 96;
    unsigned k = i / 16, low = k < 8 ? scales[k] & 15u : scales[k - 8] >> 4,
             high = bits(scales[8 + k % 4], 2 * (k / 4), 2);
    int q = (int)bits(b[32 + 32 * N + L], 2 * G, 2) - (bits(b[L], i / 32, 1) ? 0 : 4);
    return (float)(f16(b + 108) * ((int)(low | high << 4) - 32) * q);
}

static void k_scales(const uint8_t *s, unsigned k, unsigned *sc, unsigned *mn)
{
    *sc = k < 4 ? s[k] & 63u : (s[k + 4] & 15u) | (unsigned)(s[k - 4] >> 6) << 4;
    *mn = k < 4 ? s[k + 4] & 63u : (unsigned)(s[k + 4] >> 4) | (unsigned)(s[k] >> 6) << 4;
}

static float q4_k(const uint8_t *b, unsigned i)
{
    unsigned k = i / 32, sc, mn, byte = b[16 + 32 * (k / 2) + L];
    k_scales(b + 4, k, &sc, &mn);
    return (float)(f16(b) * sc * (k % 2 ? byte >> 4 : byte & 15)) - (float)(f16(b + 2) * mn);
}

static float q5_k(const uint8_t *b, unsigned i)
{
    unsigned k = i / 32, sc, mn, byte = b[48 + 32 * (k / 2) + L];
    k_scales(b + 4, k, &sc, &mn);
    unsigned q = (k % 2 ? byte >> 4 : byte & 15) + 16 * bits(b[16 + L], k, 1);
    return (float)(f16(b) * sc * q) - (float)(f16(b + 2) * mn);
}

static float q6_k(const uint8_t *b, unsigned i)
{
    unsigned byte = b[64 * N + 32 * (G % 2) + L], low = G < 2 ? byte & 15 : byte >> 4;
    int q = (int)(low | bits(b[128 + 32 * N + L], 2 * G, 2) << 4) - 32;
    return (float)(f16(b + 208) * (int8_t)b[192 + i / 16] * q);
}

static float iq4_xs(const uint8_t *b, unsigned i)
{
    unsigned k = i / 32, high = b[2] | (unsigned)b[3] << 8;
    unsigned u = bits(b[4 + k / 2], 4 * (k % 2), 4) | bits(high, 2 * k, 2) << 4;
    unsigned byte = b[8 + 16 * k + L % 16];
    return (float)(f16(b) * ((int)u - 32) * steps[L < 16 ? byte & 15 : byte >> 4]);
}

static float q8_k(const uint8_t *b, unsigned i)
{
    return hry_load_f32(b) * (float)(int8_t)b[4 + i];
}

static float tq1_0(const uint8_t *b, unsigned i)
{
    static const unsigned powers[] = { 1, 3, 9, 27, 81 };
    unsigned v, byte, t;
    if (i < 160) {
        byte = b[i % 32];
        t = i / 32;
    } else if (i < 240) {
        v = i - 160;
        byte = b[32 + v % 16];
        t = v / 16;
    } else {
        v = i - 240;
        byte = b[48 + v % 4];
        t = v / 4;
    }
    unsigned q = byte * powers[t] % 256 * 3 / 256;
    return (float)(((int)q - 1) * f16(b + 52));
}

static float tq2_0(const uint8_t *b, unsigned i)
{
    return (float)(((int)bits(b[32 * N + L], 2 * G, 2) - 1) * f16(b + 64));
}

const gguf_formula gguf_formulas[] = {
    { "Q4_0", 2, 32, 18, q4_0, { 0, 18 } },       { "Q4_1", 3, 32, 20, q4_1, { 0, 2 } },
    { "Q5_0", 6, 32, 22, q5_0, { 0, 22 } },       { "Q5_1", 7, 32, 24, q5_1, { 0, 2 } },
    { "Q8_0", 8, 32, 34, q8_0, { 0, 34 } },       { "Q8_1", 9, 32, 36, q8_1, { 0, 36 } },
    { "Q2_K", 10, 256, 84, q2_k, { 80, 82 } },    { "Q3_K", 11, 256, 110, q3_k, { 108, 110 } },
    { "Q4_K", 12, 256, 144, q4_k, { 0, 2 } },     { "Q5_K", 13, 256, 176, q5_k, { 0, 2 } },
    { "Q6_K", 14, 256, 210, q6_k, { 208, 210 } }, { "Q8_K", 15, 256, 292, q8_k, { 292, 292 } },
    { "IQ4_NL", 20, 32, 18, iq4_nl, { 0, 18 } },  { "IQ4_XS", 23, 256, 136, iq4_xs, { 0, 136 } },
    { "TQ1_0", 34, 256, 54, tq1_0, { 52, 54 } },  { "TQ2_0", 35, 256, 66, tq2_0, { 64, 66 } },
    { "MXFP4", 39, 32, 17, mxfp4, { 17, 17 } },   { "NVFP4", 40, 64, 36, nvfp4, { 36, 36 } },
    { "Q1_0", 41, 128, 18, q1_0, { 0, 18 } },     { "Q2_0", 42, 64, 18, q2_0, { 0, 18 } },
};
const size_t gguf_formula_count = sizeof gguf_formulas / sizeof *gguf_formulas;
