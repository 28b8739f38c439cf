/* The C references of quantization and of its reductions against the formulas of the format, computed another way. */
#include "base/bytes.h"
#include "kern/guarded.h"
#include "kern/kern.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef void quant_fn(const float *x, size_t n, size_t block, const float *scale, const int32_t *zp, int64_t lo,
                      int64_t hi, void *q);
typedef void dequant_fn(const void *q, size_t n, size_t block, const float *scale, const int32_t *zp, float *dst,
                        bool stream);

static uint64_t seed = 3;

static uint32_t one(quant_fn *fn, float x, float scale, int32_t zp, int64_t lo, int64_t hi)
{
    uint32_t code = 0;
    fn(&x, 1, 1, &scale, &zp, lo, hi, &code);
    return HRY_LE32(code);
}

/* A quotient on the way between two integers goes to the even one; bounds hold before the zero point's wrap. */
static void integers_by_hand(void **state)
{
    (void)state;
    assert_int_equal(one(hry_ref_quant_i8, 2.5f, 1, 0, -128, 127), 2);
    assert_int_equal(one(hry_ref_quant_i8, 3.5f, 1, 0, -128, 127), 4);
    assert_int_equal(one(hry_ref_quant_i8, -2.5f, 1, 0, -128, 127), 0xFE);
    assert_int_equal(one(hry_ref_quant_i8, -1e30f, 1e-3f, 0, -128, 127), 0x80);
    assert_int_equal(one(hry_ref_quant_i8, -1e30f, 1e-3f, 0, -127, 127), 0x81);
    assert_int_equal(one(hry_ref_quant_i8, INFINITY, 1, 0, -127, 127), 0x7F);
    assert_int_equal(one(hry_ref_quant_i8, NAN, 1, 0, -127, 127), 0x81);
    assert_int_equal(one(hry_ref_quant_u8, 0, 0.5f, 77, 0, 255), 77);
    assert_int_equal(one(hry_ref_quant_u8, -50, 0.5f, 77, 0, 255), 0);
    assert_int_equal(one(hry_ref_quant_u8, 50, 0.5f, 77, 0, 255), 177);
    assert_int_equal(one(hry_ref_quant_u8, 50, -0.5f, 177, 0, 255), 77);
    assert_int_equal(one(hry_ref_quant_i16, 1e6f, 1, -32768, -32768, 32767), 0x7FFF);
    assert_int_equal(one(hry_ref_quant_u16, 65534.5f, 1, 0, 0, 65535), 65534);
    assert_int_equal(one(hry_ref_quant_i4, -9, 1, 0, -8, 7), 8);
    assert_int_equal(one(hry_ref_quant_u4, 20, 2, 3, 0, 15), 13);
    assert_int_equal(one(hry_ref_quant_i2, -9, 1, 0, -1, 1), 3);
    assert_int_equal(one(hry_ref_quant_u2, 1.5f, 1, 0, 0, 3), 2);
}

/* 32 bits take quotients of float64, and sums that leave 32 bits. */
static void wide_integers(void **state)
{
    (void)state;
    assert_int_equal(one(hry_ref_quant_u32, 4294967040.0f, 1, 0, 0, UINT32_MAX), 4294967040u);
    assert_int_equal(one(hry_ref_quant_u32, 1e20f, 1, 5, 0, UINT32_MAX), UINT32_MAX);
    assert_int_equal(one(hry_ref_quant_u32, -3, 1, INT32_MAX, 0, UINT32_MAX), INT32_MAX - 3);
    assert_int_equal(one(hry_ref_quant_i32, -1e20f, 1, -5, INT32_MIN, INT32_MAX), 0x80000000u);
    assert_int_equal(one(hry_ref_quant_i32, 1, 3e-9f, 0, INT32_MIN, INT32_MAX),
                     (uint32_t)(int32_t)rint(1 / (double)3e-9f));
    assert_int_equal(one(hry_ref_quant_i32, -2147483648.0f, 1, -1, INT32_MIN, INT32_MAX), 0x80000000u);
}

/* The nearest level by search over all, with the midpoints' rounding left out of account. */
static void nearest_levels(void **state)
{
    (void)state;
    float levels[16];
    hry_ref_dequant_nf4("\x10\x32\x54\x76\x98\xBA\xDC\xFE", 16, 16, (const float[]){ 1 }, NULL, levels, false);
    for (int i = 0; i < 20000; i++) {
        float x = (float)((double)(int32_t)random_bits(&seed) / 2147483648.0), scale = 0.5f;
        uint32_t code = one(hry_ref_quant_nf4, x * scale, scale, 0, 0, 0);
        double best = 10;
        for (int k = 0; k < 16; k++) { /* by fmin, GCC 12 breaks down over it on AArch64 */
            double apart = fabs((double)x - (double)levels[k]);
            best = apart < best ? apart : best;
        }
        assert_true(fabs((double)x - (double)levels[code]) <= best + 1e-7);
    }
    for (uint32_t k = 0; k < 16; k++)
        assert_int_equal(one(hry_ref_quant_nf4, 3 * levels[k], 3, 0, 0, 0), k);
    assert_int_equal(one(hry_ref_quant_nf4, 0, 0, 0, 0, 0), 7);
    assert_int_equal(one(hry_ref_quant_nf4, -1, 0, 0, 0, 0), 7);
    /* On a threshold itself the lower level wins: the format prints the midpoints of levels 7 and 8, and 6 and 7. */
    assert_int_equal(one(hry_ref_quant_nf4, 0.03979014977812767f, 1, 0, 0, 0), 7);
    assert_int_equal(one(hry_ref_quant_nf4, nextafterf(0.03979014977812767f, 1), 1, 0, 0, 0), 8);
    assert_int_equal(one(hry_ref_quant_nf4, -0.045525018125772476f, 1, 0, 0, 0), 6);
}

/* The nearest value of a grid of all codes, the even code at the same distance, the largest beyond it. */
static void nearest_small_floats(void **state)
{
    (void)state;
    static const struct {
        quant_fn *quant;
        dequant_fn *dequant;
        uint32_t sign, largest;
    } types[] = {
        { hry_ref_quant_e2m1, hry_ref_dequant_e2m1, 8, 7 },     { hry_ref_quant_e2m3, hry_ref_dequant_e2m3, 32, 31 },
        { hry_ref_quant_e3m2, hry_ref_dequant_e3m2, 32, 31 },   { hry_ref_quant_e4m3, hry_ref_dequant_e4m3, 128, 126 },
        { hry_ref_quant_e5m2, hry_ref_dequant_e5m2, 128, 123 },
    };
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        double values[128];
        for (uint32_t code = 0; code <= types[t].largest; code++) {
            float value;
            types[t].dequant((uint8_t[]){ (uint8_t)code, 0, 0 }, 1, 1, (const float[]){ 1 }, NULL, &value, false);
            values[code] = (double)value;
        }
        for (int i = 0; i < 6000; i++) {
            uint32_t near = random_bits(&seed) % (types[t].largest + 1), other = near + (near < types[t].largest);
            double x = i % 2 ? (values[near] + values[other]) / 2 /* a tie */
                             : values[near] * (1 + (double)(random_bits(&seed) % 1000) / 3000);
            x = (double)(float)x;
            uint32_t best = 0;
            for (uint32_t code = 0; code <= types[t].largest; code++) {
                double better = fabs(values[best] - x) - fabs(values[code] - x);
                if (better > 0 || (better == 0 && code % 2 == 0))
                    best = code;
            }
            int exponent = (int)(random_bits(&seed) % 200) - 100;
            float scaled = ldexpf((float)x, exponent), scale = ldexpf(1, exponent);
            assert_int_equal(one(types[t].quant, scaled, scale, 0, 0, 0), best);
            assert_int_equal(one(types[t].quant, -scaled, scale, 0, 0, 0), best | types[t].sign);
        }
        assert_int_equal(one(types[t].quant, FLT_MAX, 1, 0, 0, 0), types[t].largest);
        assert_int_equal(one(types[t].quant, -INFINITY, 1, 0, 0, 0), types[t].largest | types[t].sign);
        assert_int_equal(one(types[t].quant, 1e-40f, 1, 0, 0, 0), 0);
        assert_int_equal(one(types[t].quant, -FLT_MIN, 0x1p127f, 0, 0, 0), types[t].sign);
    }
}

/* Codes back to floats and to codes again are the same codes. */
static void there_and_back(void **state)
{
    (void)state;
    uint8_t codes[64], again[64];
    float x[64], scale[2] = { 0.37f, 5.1f };
    const int32_t zp[2] = { 3, -7 };
    random_bytes(&seed, codes, sizeof codes);
    hry_ref_dequant_i8(codes, 64, 32, scale, zp, x, false);
    hry_ref_quant_i8(x, 64, 32, scale, zp, -128, 127, again);
    assert_memory_equal(codes, again, 64);
    hry_ref_dequant_u4(codes, 63, 40, scale, (const int32_t[]){ 3, 9 }, x, false);
    hry_ref_quant_u4(x, 63, 40, scale, (const int32_t[]){ 3, 9 }, 0, 15, again);
    codes[31] &= 15;
    assert_memory_equal(codes, again, 32);
    scale[0] = 0.25f;
    scale[1] = 4;
    hry_ref_dequant_e3m2(codes, 62, 16, (const float[]){ 1, 2, 0.25f, 1 }, NULL, x, false);
    hry_ref_quant_e3m2(x, 62, 16, (const float[]){ 1, 2, 0.25f, 1 }, NULL, 0, 0, again);
    codes[46] &= 15;
    codes[47] = 0;
    assert_memory_equal(codes, again, 48);
}

static void ranges_by_hand(void **state)
{
    (void)state;
    const float x[] = { 1, -3, 2, -0.0f, -0.0f, -0.0f, 5, 4 };
    float most[3], lo[3], hi[3];
    assert_true(hry_ref_absmax(x, 8, 3, most));
    assert_true(hry_ref_range(x, 8, 3, lo, hi));
    static const float expected_most[] = { 3, 0, 5 }, expected_lo[] = { -3, 0, 0 }, expected_hi[] = { 2, 0, 5 };
    assert_memory_equal(most, expected_most, sizeof most);
    assert_memory_equal(lo, expected_lo, sizeof lo);
    assert_memory_equal(hi, expected_hi, sizeof hi);
    memset(most, 0, sizeof most);
    memset(lo, 0, sizeof lo);
    memset(hi, 0, sizeof hi);
    for (size_t line = 0; line < 2; line++) {
        assert_true(hry_ref_absmax_each(x + 3 * line, 3, most));
        assert_true(hry_ref_range_each(x + 3 * line, 3, lo, hi));
    }
    static const float each_most[] = { 1, 3, 2 }, each_lo[] = { 0, -3, 0 }, each_hi[] = { 1, 0, 2 };
    assert_memory_equal(most, each_most, sizeof most);
    assert_memory_equal(lo, each_lo, sizeof lo);
    assert_memory_equal(hi, each_hi, sizeof hi);
    const float bad[] = { 1, NAN }, large[] = { FLT_MAX, -FLT_MAX }, endless[] = { -INFINITY, 2 };
    assert_false(hry_ref_absmax(bad, 2, 2, most));
    assert_false(hry_ref_range(endless, 2, 1, lo, hi));
    assert_false(hry_ref_absmax_each(endless, 2, most));
    assert_false(hry_ref_range_each(bad, 2, lo, hi));
    assert_true(hry_ref_range(large, 2, SIZE_MAX, lo, hi));
    assert_true(lo[0] == -FLT_MAX && hi[0] == FLT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_by_hand),     cmocka_unit_test(wide_integers),  cmocka_unit_test(nearest_levels),
        cmocka_unit_test(nearest_small_floats), cmocka_unit_test(there_and_back), cmocka_unit_test(ranges_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
