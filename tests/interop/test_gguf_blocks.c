/* Blocks: their values by the formulas, and their parts as the schemes of this format have them, there and back. */
#include "base/bytes.h"
#include "interop/gguf/gguf_decode.h"
#include "interop/gguf/gguf_forms.h"
#include "interop/gguf_formulas.h"

#include <hurray/quant.h>
#include <hurray/type.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { BLOCKS = 300, MOST_BYTES = 292, MOST_ELEMENTS = 256 };

static uint64_t seed = 0x9E3779B97F4A7C15u;

static uint32_t chance(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void put16(uint8_t *p, unsigned x)
{
    p[0] = (uint8_t)x;
    p[1] = (uint8_t)(x >> 8);
}

/* Zero of both signs, subnormals, the largest, infinite, NaN. */
static const uint16_t odd_halves[] = { 0x0000, 0x8000, 0x0001, 0x83FF, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E01, 0xFD00 };
enum { ODD = sizeof odd_halves / sizeof *odd_halves };

static unsigned plain_half(void)
{
    unsigned h;
    do
        h = chance(65536);
    while ((h & 0x7C00) == 0x7C00 || (h & 0x7FFF) == 0);
    return h;
}

/* Random blocks; plain: with scales that are finite and not zero. */
static void fill(const gguf_formula *f, uint8_t *blocks, size_t count, bool plain)
{
    for (size_t b = 0; b < count; b++, blocks += f->bytes) {
        for (unsigned k = 0; k < f->bytes; k++)
            blocks[k] = (uint8_t)chance(256);
        for (int s = 0; s < 2; s++)
            if (f->scale_at[s] < f->bytes)
                put16(blocks + f->scale_at[s], plain || chance(3) ? plain_half() : odd_halves[chance(ODD)]);
        if (plain && f->id == HRY_GGUF_MXFP4)
            blocks[0] = (uint8_t)(1 + chance(254));
        if (f->id == HRY_GGUF_Q8_K) {
            float d = (float)((int)chance(1 << 20) - (1 << 19)) + 0.375f;
            hry_store_f32(blocks, d);
        }
    }
}

static bool same(float a, float b)
{
    return memcmp(&a, &b, 4) == 0 || (isnan(a) && isnan(b));
}

static void check_values(const gguf_formula *f, const uint8_t *blocks, size_t count)
{
    uint8_t *values = malloc(count * f->elements * 4);
    assert_non_null(values);
    hry_gguf_decoder(f->id)(blocks, count, values);
    for (size_t b = 0; b < count; b++)
        for (unsigned i = 0; i < f->elements; i++) {
            float wanted = f->value(blocks + b * f->bytes, i), got = hry_load_f32(values + 4 * (b * f->elements + i));
            if (!same(got, wanted))
                fail_msg("%s: element %u is %a, not %a", f->name, i, (double)got, (double)wanted);
        }
    free(values);
}

static void values(void **state)
{
    (void)state;
    uint8_t *blocks = malloc(BLOCKS * MOST_BYTES);
    assert_non_null(blocks);
    for (size_t k = 0; k < gguf_formula_count; k++) {
        const gguf_formula *f = &gguf_formulas[k];
        fill(f, blocks, BLOCKS, false);
        check_values(f, blocks, BLOCKS);
    }
    free(blocks);
}

/* Every byte that can be a scale of its own. */
static void byte_scales(void **state)
{
    (void)state;
    static uint8_t blocks[256 * 36];
    for (size_t k = 0; k < gguf_formula_count; k++) {
        const gguf_formula *f = &gguf_formulas[k];
        if (f->id != HRY_GGUF_MXFP4 && f->id != HRY_GGUF_NVFP4)
            continue;
        fill(f, blocks, 256, false);
        for (unsigned b = 0; b < 256; b++)
            for (unsigned s = 0; s < (f->id == HRY_GGUF_MXFP4 ? 1 : 4); s++)
                blocks[b * f->bytes + s] = (uint8_t)b;
        check_values(f, blocks, 256);
    }
}

/* Sizes as the table of types has them, and nothing for what was removed or hides its numbers. */
static void types(void **state)
{
    (void)state;
    static const uint8_t plain[][2] = { { 0, 4 },  { 1, 2 },  { 24, 1 }, { 25, 2 },
                                        { 26, 4 }, { 27, 8 }, { 28, 8 }, { 30, 2 } };
    static const uint8_t grids[][2] = { { 16, 66 },  { 17, 74 }, { 18, 98 }, { 19, 50 },
                                        { 21, 110 }, { 22, 82 }, { 29, 56 } };
    static const uint8_t gone[] = { 4, 5, 31, 32, 33, 36, 37, 38, 43, 255 };
    size_t known = 0;
    for (size_t k = 0; k < gguf_formula_count; k++) {
        const hry_gguf_type *t = hry_gguf_type_of(gguf_formulas[k].id);
        assert_string_equal(t->name, gguf_formulas[k].name);
        assert_int_equal(t->elements, gguf_formulas[k].elements);
        assert_int_equal(t->bytes, gguf_formulas[k].bytes);
        assert_int_equal(t->element, 0);
        known++;
    }
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++, known++) {
        const hry_gguf_type *t = hry_gguf_type_of(plain[k][0]);
        assert_int_equal(t->elements, 1);
        assert_int_equal(t->bytes, plain[k][1]);
        assert_int_equal(hry_type_find(t->element)->bits, 8 * plain[k][1]);
        assert_null(hry_gguf_decoder(plain[k][0]));
        assert_null(hry_gguf_form_of(plain[k][0]));
    }
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++, known++) {
        const hry_gguf_type *t = hry_gguf_type_of(grids[k][0]);
        assert_int_equal(t->elements, 256);
        assert_int_equal(t->bytes, grids[k][1]);
        assert_true(t->grid);
        assert_null(hry_gguf_decoder(grids[k][0]));
        assert_null(hry_gguf_form_of(grids[k][0]));
    }
    for (size_t k = 0; k < sizeof gone; k++)
        assert_null(hry_gguf_type_of(gone[k]));
    assert_int_equal(known, HRY_GGUF_TYPES - 8);
}

/* ---- Forms ---- */

/* scale * (code - zero point), as this format has it. */
static float by_scheme(const hry_gguf_form *form, const uint8_t *codes, const uint8_t *scales, size_t i)
{
    size_t b = i / form->block;
    double scale =
        form->scheme == HRY_SCHEME_MXFP ? ldexp(1, scales[b] - 127) : hry_element_f64(form->scale_type, scales, b);
    double code = hry_element_f64(form->storage, codes, i) - form->zero_point;
    return (float)scale * (float)code;
}

/* How many bytes come out, and what they stand for. */
static void check_form(const gguf_formula *f, const hry_gguf_form *form, const uint8_t *blocks)
{
    static uint8_t codes[BLOCKS * 256 + 1], scales[BLOCKS * 64 + 1];
    codes[(size_t)BLOCKS * form->codes] = scales[(size_t)BLOCKS * form->scales] = 0xA5;
    assert_int_equal(form->take_codes(blocks, BLOCKS, codes), BLOCKS);
    assert_int_equal(form->take_scales(blocks, BLOCKS, scales), BLOCKS);
    assert_int_equal(codes[(size_t)BLOCKS * form->codes], 0xA5);
    assert_int_equal(scales[(size_t)BLOCKS * form->scales], 0xA5);
    for (size_t i = 0; i < (size_t)BLOCKS * f->elements; i++) {
        float wanted = f->value(blocks + i / f->elements * f->bytes, (unsigned)(i % f->elements));
        float got = by_scheme(form, codes, scales, i);
        /* Zeros differ in their sign where a scale was zero, and for the negative zero of e2m1. */
        if (!same(got, wanted) && !(got == 0 && wanted == 0))
            fail_msg("%s: element %zu is %a, not %a", f->name, i, (double)got, (double)wanted);
    }
}

/* Blocks of any codes, but scales that they may have and come back by. */
static void check_back(const gguf_formula *f, const hry_gguf_form *form, const uint8_t *blocks)
{
    static uint8_t codes[BLOCKS * 256], scales[BLOCKS * 64], back[BLOCKS * MOST_BYTES];
    form->take_codes(blocks, BLOCKS, codes);
    form->take_scales(blocks, BLOCKS, scales);
    assert_true(!form->takes || form->takes(codes, scales, BLOCKS));
    memset(back, 0xA5, sizeof back);
    form->give(codes, scales, BLOCKS, false, back);
    for (size_t b = 0; b < BLOCKS; b++)
        if (memcmp(back + b * f->bytes, blocks + b * f->bytes, f->bytes) != 0)
            fail_msg("%s: block %zu does not come back", f->name, b);
}

/* What cannot come back is left out of the blocks: codes that two nibbles or digits stand for, sums that do not add. */
static void make_canonical(const gguf_formula *f, uint8_t *blocks)
{
    for (size_t b = 0; b < BLOCKS; b++, blocks += f->bytes) {
        if (f->id == HRY_GGUF_TQ1_0)
            for (unsigned k = 0; k < 52; k++) /* bytes that encode five digits, or four */
                blocks[k] = (uint8_t)((chance(k < 48 ? 243 : 81) * (k < 48 ? 1 : 3) * 256 + 242) / 243);
        if (f->id == HRY_GGUF_NVFP4) {
            for (unsigned k = 0; k < 4; k++)
                blocks[k] = (uint8_t)(1 + chance(0x7E));
            for (unsigned k = 4; k < 36; k++) {
                blocks[k] = (blocks[k] & 15) == 8 ? blocks[k] & 0xF7 : blocks[k];
                blocks[k] = blocks[k] >> 4 == 8 ? blocks[k] & 0x7F : blocks[k];
            }
        }
        for (unsigned k = 0; k < 16 && f->id == HRY_GGUF_Q8_K; k++) {
            int total = 0;
            for (unsigned l = 0; l < 16; l++)
                total += (int8_t)blocks[4 + 16 * k + l];
            put16(blocks + 260 + 2 * k, (unsigned)total & 0xFFFF);
        }
    }
}

static void forms(void **state)
{
    (void)state;
    static uint8_t blocks[BLOCKS * MOST_BYTES];
    size_t exact = 0, reversible = 0;
    for (size_t k = 0; k < gguf_formula_count; k++) {
        const gguf_formula *f = &gguf_formulas[k];
        const hry_gguf_form *form = hry_gguf_form_of(f->id);
        if (!form)
            continue;
        exact++;
        fill(f, blocks, BLOCKS, true);
        check_form(f, form, blocks);
        if (!form->give)
            continue;
        reversible++;
        make_canonical(f, blocks);
        check_back(f, form, blocks);
    }
    assert_int_equal(exact, 14); /* three of section 4.2 with a size of their own, Q5_0, and the ten of 4.4 */
    assert_int_equal(reversible, 11);
}

/* The block that ggml makes of zeros comes back; any other with that scale has the same values. */
static void zero_scales(void **state)
{
    (void)state;
    for (size_t k = 0; k < gguf_formula_count; k++) {
        const gguf_formula *f = &gguf_formulas[k];
        const hry_gguf_form *form = hry_gguf_form_of(f->id);
        uint8_t codes[256], scales[64], block[MOST_BYTES], back[MOST_BYTES];
        if (!form)
            continue;
        for (int sign = 0; sign < 2; sign++) {
            fill(f, block, 1, true);
            if (f->id == HRY_GGUF_Q8_K || f->id == HRY_GGUF_NVFP4 || f->id == HRY_GGUF_MXFP4)
                memset(block, 0, 4);
            else
                put16(block + f->scale_at[0], sign ? 0x8000 : 0);
            if (f->id == HRY_GGUF_MXFP4)
                memset(block, 0, sizeof block);
            assert_int_equal(form->take_codes(block, 1, codes), 1);
            assert_int_equal(form->take_scales(block, 1, scales), 1);
            for (unsigned i = 0; i < f->elements; i++)
                assert_true(by_scheme(form, codes, scales, i) == 0);
        }
        if (!form->give)
            continue;
        memset(block, 0, sizeof block);
        unsigned zero = f->id == HRY_GGUF_TQ2_0 || f->id == HRY_GGUF_Q2_0 ? 0x55 : 0;
        memset(block + (f->id == HRY_GGUF_Q2_0 ? 2 : 0), (int)zero, f->id == HRY_GGUF_Q2_0 ? 16 : 64);
        for (unsigned b = 0; b < 52 && f->id == HRY_GGUF_TQ1_0; b++)
            block[b] = b < 48 ? (121 * 256 + 242) / 243 : (120 * 256 + 242) / 243; /* 11111 and 11110 in base 3 */
        assert_int_equal(form->take_codes(block, 1, codes), 1);
        assert_int_equal(form->take_scales(block, 1, scales), 1);
        form->give(codes, scales, 1, false, back);
        if (memcmp(block, back, f->bytes) != 0)
            fail_msg("%s: a block of zeros does not come back", f->name);
    }
}

/* A scale that cannot be held stops at its block, in codes as in scales. */
static void bad_scales(void **state)
{
    (void)state;
    static uint8_t blocks[4 * MOST_BYTES];
    static const uint16_t bad[] = { 0x7C00, 0xFC00, 0x7E00, 0xFFFF, 0x7C01 };
    for (size_t k = 0; k < gguf_formula_count; k++) {
        const gguf_formula *f = &gguf_formulas[k];
        const hry_gguf_form *form = hry_gguf_form_of(f->id);
        uint8_t codes[4 * 256], scales[4 * 64];
        if (!form || f->scale_at[0] >= f->bytes)
            continue;
        for (size_t j = 0; j < sizeof bad / sizeof *bad; j++) {
            fill(f, blocks, 4, true);
            put16(blocks + 2 * f->bytes + f->scale_at[0], bad[j]);
            assert_int_equal(form->take_codes(blocks, 4, codes), 2);
            assert_int_equal(form->take_scales(blocks, 4, scales), 2);
        }
    }
}

/* e8m0: 0 stands for zeros only, 255 for nothing. (B-13) */
static void e8m0_scales(void **state)
{
    (void)state;
    const hry_gguf_form *form = hry_gguf_form_of(HRY_GGUF_MXFP4);
    uint8_t block[17] = { 0 }, codes[16], scale, back[17];
    for (unsigned j = 0; j < 16; j += 2)
        block[1 + j] = 0x88; /* negative zeros are zeros too, and lose their sign */
    assert_int_equal(form->take_codes(block, 1, codes), 1);
    assert_int_equal(form->take_scales(block, 1, &scale), 1);
    assert_int_equal(scale, 0x7F);
    for (unsigned j = 0; j < 16; j++)
        assert_int_equal(codes[j], 0);
    form->give(codes, &scale, 1, false, back);
    memset(block, 0, sizeof block);
    assert_memory_equal(back, block, sizeof block);
    block[9] = 0x10;
    assert_int_equal(form->take_codes(block, 1, codes), 0);
    assert_int_equal(form->take_scales(block, 1, &scale), 0);
    block[0] = 0xFF;
    assert_int_equal(form->take_codes(block, 1, codes), 0);
    assert_int_equal(form->take_scales(block, 1, &scale), 0);
    block[0] = 0xFE;
    assert_int_equal(form->take_codes(block, 1, codes), 1);
    assert_int_equal(codes[12], 0x01); /* element 24, the upper nibble of byte 8, is the lower one of byte 12 */
}

/* Codes and scales that no block of a type gives are told. */
static void misfits(void **state)
{
    (void)state;
    uint8_t codes[256] = { 0 }, scales[64] = { 0 };
    const hry_gguf_form *form = hry_gguf_form_of(HRY_GGUF_Q5_0);
    put16(scales, 0x4000);
    codes[31] = (uint8_t)-16;
    codes[0] = 15;
    assert_true(form->takes(codes, scales, 1));
    codes[31] = (uint8_t)-17;
    assert_false(form->takes(codes, scales, 1));
    codes[31] = 16;
    assert_false(form->takes(codes, scales, 1));

    form = hry_gguf_form_of(HRY_GGUF_IQ4_NL);
    memset(codes, 113, 32);
    assert_true(form->takes(codes, scales, 1));
    codes[5] = 112;
    assert_false(form->takes(codes, scales, 1));
    memset(codes, 0, 32);
    assert_false(form->takes(codes, scales, 1)); /* zeros are no step, but for a scale that was zero */
    put16(scales, 0x3C00);
    assert_true(form->takes(codes, scales, 1));

    put16(scales, 0x4000);
    form = hry_gguf_form_of(HRY_GGUF_Q1_0);
    memset(codes, 0xD7, 32); /* -1, +1, +1, -1 */
    assert_true(form->takes(codes, scales, 1));
    codes[7] = 0xD4; /* with a zero */
    assert_false(form->takes(codes, scales, 1));
    codes[7] = 0xD6; /* with -2 */
    assert_false(form->takes(codes, scales, 1));

    form = hry_gguf_form_of(HRY_GGUF_TQ1_0);
    memset(codes, 0x34, 64); /* 0, +1, -1, 0 */
    assert_true(form->takes(codes, scales, 1));
    codes[63] = 0x80; /* -2 */
    assert_false(form->takes(codes, scales, 1));

    form = hry_gguf_form_of(HRY_GGUF_NVFP4);
    static const float good[] = { 240, 1, 0x1p-10f, 7 * 0x1p-10f };
    for (size_t k = 0; k < 4; k++)
        hry_store_f32(scales + 4 * k, good[k]);
    memset(codes, 12, 64);
    assert_true(form->takes(codes, scales, 1));
    codes[40] = 5;
    assert_false(form->takes(codes, scales, 1));
    codes[40] = (uint8_t)-6;
    assert_true(form->takes(codes, scales, 1));
    static const float bad[] = { 256, -1, 1.0625f, 0x1.8p-10f, INFINITY, NAN };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        hry_store_f32(scales + 4, bad[k]);
        assert_false(form->takes(codes, scales, 1));
    }
}

/* The numbers of a block turned around; codes and scales of a byte stay. */
static void turning(void **state)
{
    (void)state;
    for (uint32_t id = 0; id < HRY_GGUF_TYPES; id++) {
        const hry_gguf_type *t = hry_gguf_type_of(id);
        uint8_t blocks[2 * MOST_BYTES], turned[2 * MOST_BYTES];
        if (!t)
            continue;
        for (size_t k = 0; k < sizeof blocks; k++)
            turned[k] = blocks[k] = (uint8_t)(k * 7 + k / 256);
        hry_gguf_swap(t, turned, 2);
        size_t moved = 0;
        for (size_t k = 0; k < 2u * t->bytes; k++)
            moved += turned[k] != blocks[k];
        for (size_t b = 0; b < 2; b++)
            for (size_t f = 0; f < 2; f++)
                for (size_t n = 0; n < t->fields[f].count; n++)
                    for (size_t w = 0; w < t->fields[f].width; w++) {
                        size_t at = b * t->bytes + t->fields[f].at + n * t->fields[f].width;
                        assert_int_equal(turned[at + w], blocks[at + t->fields[f].width - 1 - w]);
                        moved -= t->fields[f].width > 1;
                    }
        assert_int_equal(moved, 0);
        hry_gguf_swap(t, turned, 2);
        assert_memory_equal(turned, blocks, 2u * t->bytes);
    }
    /* The fields that the format names, of a type with many: d, and sixteen sums. */
    uint8_t block[292] = { 1, 2, 3, 4, [4] = 9, [259] = 8, [260] = 5, 6, [290] = 7, 0 };
    hry_gguf_swap(hry_gguf_type_of(HRY_GGUF_Q8_K), block, 1);
    assert_memory_equal(block, ((uint8_t[]){ 4, 3, 2, 1, 9 }), 5);
    assert_memory_equal(block + 259, ((uint8_t[]){ 8, 6, 5 }), 3);
    assert_memory_equal(block + 290, ((uint8_t[]){ 0, 7 }), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),       cmocka_unit_test(values),      cmocka_unit_test(byte_scales),
        cmocka_unit_test(forms),       cmocka_unit_test(zero_scales), cmocka_unit_test(bad_scales),
        cmocka_unit_test(e8m0_scales), cmocka_unit_test(misfits),     cmocka_unit_test(turning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
