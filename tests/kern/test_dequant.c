/* The C references of dequantization against the formulas of the format, computed another way. */
#include "kern/guarded.h"
#include "kern/kern.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* Exactly the value of a small float by its fields (element-types, section 5). */
static double small_float(unsigned code, int exponent_bits, int mantissa_bits, int bias)
{
    int mantissa = (int)(code & ((1u << mantissa_bits) - 1));
    int exponent = (int)(code >> mantissa_bits & ((1u << exponent_bits) - 1));
    double magnitude = exponent == 0 ? ldexp(mantissa, 1 - bias - mantissa_bits)
                                     : ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
    return code >> (exponent_bits + mantissa_bits) & 1 ? -magnitude : magnitude;
}

static float one(void (*fn)(const void *, size_t, size_t, const float *, const int32_t *, float *, bool),
                 const void *code, float scale, int32_t zp)
{
    float x = 0;
    fn(code, 1, 1, &scale, &zp, &x, false);
    return x;
}

/* The format's own test points (quantization, section 7). */
static void points_of_the_format(void **state)
{
    (void)state;
    static const uint8_t i32[4] = { 0x01, 0x00, 0x00, 0x01 }, u32[4] = { 0xFF, 0xFF, 0xFF, 0xFF };
    assert_true(one(hry_ref_dequant_i32, i32, 1, 0) == 16777216.0f);
    assert_true(one(hry_ref_dequant_u32, u32, 1, 0) == 4294967296.0f);
    assert_true(one(hry_ref_dequant_nf4, "\1", 2, 0) == -1.3923856019973755f);
    assert_true(one(hry_ref_dequant_e4m3, "\x7E", 2, 0) == 896.0f);
    assert_true(one(hry_ref_dequant_e2m1, "\x07", 1, 0) == 6.0f);
    assert_true(one(hry_ref_dequant_i8, "\x80", 1, 0) == -128.0f);
    assert_true(one(hry_ref_dequant_u8, "\0", 0.015625f, 128) == -2.0f);
    assert_true(one(hry_ref_dequant_u8, "\xFF", 0.015625f, 128) == 1.984375f);
}

/* Differences beyond 32 bits must not wrap. */
static void far_zero_points(void **state)
{
    (void)state;
    assert_true(one(hry_ref_dequant_i8, "\x7F", 1, INT32_MIN) == 2147483775.0f);
    assert_true(one(hry_ref_dequant_i8, "\x80", 1, INT32_MAX) == -2147483775.0f);
    assert_true(one(hry_ref_dequant_u32, "\xFF\xFF\xFF\xFF", 1, INT32_MIN) == 6442450943.0f);
    assert_true(one(hry_ref_dequant_i32, "\0\0\0\x80", 1, INT32_MAX) == -4294967295.0f);
    assert_true(one(hry_ref_dequant_i4, "\x08", 3, (1 << 24) + 1) == 3 * (float)(-8 - 16777217.0));
}

static void every_small_float(void **state)
{
    (void)state;
    static const struct {
        void (*fn)(const void *, size_t, size_t, const float *, const int32_t *, float *, bool);
        int bits, exponent_bits, mantissa_bits, bias;
        unsigned finite; /* codes without their sign below this are */
    } types[] = {
        { hry_ref_dequant_e2m1, 4, 2, 1, 1, 8 },     { hry_ref_dequant_e2m3, 6, 2, 3, 1, 32 },
        { hry_ref_dequant_e3m2, 6, 3, 2, 3, 32 },    { hry_ref_dequant_e4m3, 8, 4, 3, 7, 0x7F },
        { hry_ref_dequant_e5m2, 8, 5, 2, 15, 0x7C },
    };
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (unsigned code = 0; code < 1u << types[t].bits; code++) {
            uint8_t bytes[3] = { (uint8_t)code };
            float x = one(types[t].fn, bytes, 0.5f, 0);
            unsigned magnitude = code & ((1u << (types[t].bits - 1)) - 1);
            double value = small_float(code, types[t].exponent_bits, types[t].mantissa_bits, types[t].bias);
            if (magnitude < types[t].finite) {
                assert_true((double)x == value / 2);
                assert_true(!signbit(x) == !signbit(value));
            } else if (types[t].fn == hry_ref_dequant_e5m2 && magnitude == 0x7C) {
                assert_true(isinf(x) && !signbit(x) == !signbit(value));
            } else {
                assert_true(isnan(x));
            }
        }
}

/* Positions within bytes, and the scale of each block. */
static void packing_and_blocks(void **state)
{
    (void)state;
    static const uint8_t bytes[] = { 0xC5, 0x03, 0x9F };
    static const float scales[] = { 1, 10, 100 };
    static const int32_t zps[] = { 0, 1, -2 };
    float x[12];
    hry_ref_dequant_u4(bytes, 6, 2, scales, zps, x, false);
    static const float u4[] = { 5, 12, 20, -10, 1700, 1100 };
    assert_memory_equal(x, u4, sizeof u4);
    hry_ref_dequant_i4(bytes, 5, 2, scales, NULL, x, false);
    static const float i4[] = { 5, -4, 30, 0, -100 };
    assert_memory_equal(x, i4, sizeof i4);
    hry_ref_dequant_u2((const uint8_t[]){ 0x27 }, 3, 100, scales, NULL, x, false);
    static const float u2[] = { 3, 1, 2 };
    assert_memory_equal(x, u2, sizeof u2);
    hry_ref_dequant_i2((const uint8_t[]){ 0xE4, 0x02 }, 5, 1, (const float[]){ 1, 2, 3, 4, 5 }, NULL, x, false);
    static const float i2[] = { 0, 2, -6, -4, -10 };
    assert_memory_equal(x, i2, sizeof i2);
    hry_ref_dequant_e2m3((const uint8_t[]){ 0x81, 0x40, 0x20 }, 4, 4, scales, NULL, x, false);
    static const float e2m3[] = { 0.125f, 0.25f, 0.5f, 1 };
    assert_memory_equal(x, e2m3, sizeof e2m3);
}

/* NF4's levels, by the bits that the format prints. */
static void levels_of_nf4(void **state)
{
    (void)state;
    static const uint32_t bits[] = { 0xBF800000, 0xBF3239B1, 0xBF066B30, 0xBECA32A0, 0xBE91A24D, 0xBE3D353F,
                                     0xBDBA7871, 0x00000000, 0x3DA2FAFF, 0x3E24CAE3, 0x3E7C04DD, 0x3EAD033A,
                                     0x3EE1A4B8, 0x3F1007AB, 0x3F3913B3, 0x3F800000 };
    static const uint8_t codes[] = { 0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE };
    float x[16];
    hry_ref_dequant_nf4(codes, 16, 16, (const float[]){ 1 }, NULL, x, false);
    assert_memory_equal(x, bits, sizeof bits);
}

/* All codes of 8 and 16 bits, one rounding of an exact product of doubles. */
static void integers(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (uint32_t code = 0; code < 65536; code++) {
        uint8_t bytes[2] = { (uint8_t)code, (uint8_t)(code >> 8) };
        int32_t zp = (int32_t)(random_bits(&seed) & 0xFFFF) - 0x8000;
        float scale = ldexpf((float)(random_bits(&seed) >> 8), (int)(random_bits(&seed) % 60) - 50);
        int i16 = code < 32768 ? (int)code : (int)code - 65536, i8 = (int)(code & 255) - (code & 128 ? 256 : 0);
        assert_true(one(hry_ref_dequant_u16, bytes, scale, zp) == (float)((double)scale * ((double)code - zp)));
        assert_true(one(hry_ref_dequant_i16, bytes, scale, zp) == (float)((double)scale * (i16 - zp)));
        assert_true(one(hry_ref_dequant_u8, bytes, scale, zp) == (float)((double)scale * ((int)(code & 255) - zp)));
        assert_true(one(hry_ref_dequant_i8, bytes, scale, zp) == (float)((double)scale * (i8 - zp)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_the_format), cmocka_unit_test(far_zero_points), cmocka_unit_test(every_small_float),
        cmocka_unit_test(packing_and_blocks),   cmocka_unit_test(levels_of_nf4),   cmocka_unit_test(integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
