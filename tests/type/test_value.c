/* The values of integers, bool, e8m0, wide floats and complex numbers as float64, and back. */
#include "base/bytes.h"

#include <hurray/type.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Stores a value in element 1 of three and gives its bits; the neighbours must stay. */
static uint64_t stored(uint8_t type, double value)
{
    uint8_t bytes[48];
    uint64_t lo, hi, left[2], right[2];
    memset(bytes, 0xA5, sizeof bytes);
    hry_element_bits(type, bytes, 0, &left[0], NULL);
    hry_element_bits(type, bytes, 2, &right[0], NULL);
    assert_true(hry_element_set_f64(type, bytes, 1, value));
    hry_element_bits(type, bytes, 0, &left[1], NULL);
    hry_element_bits(type, bytes, 2, &right[1], NULL);
    assert_int_equal(left[0], left[1]);
    assert_int_equal(right[0], right[1]);
    hry_element_bits(type, bytes, 1, &lo, &hi);
    assert_int_equal(hi, 0);
    return lo;
}

static double value_of(uint8_t type, uint64_t lo)
{
    uint8_t bytes[16] = { 0 };
    hry_element_set_bits(type, bytes, 0, lo, 0);
    return hry_element_f64(type, bytes, 0);
}

static void assert_refused(uint8_t type, double value)
{
    uint8_t bytes[16], before[16];
    memset(bytes, 0x5A, sizeof bytes);
    memcpy(before, bytes, sizeof bytes);
    assert_false(hry_element_set_f64(type, bytes, 0, value));
    assert_false(hry_element_set_f64_saturate(type, bytes, 0, value));
    assert_memory_equal(bytes, before, sizeof bytes);
}

static const struct {
    uint8_t type;
    unsigned bits;
    bool is_signed;
} integers[] = {
    { HRY_TYPE_INT2, 2, true },     { HRY_TYPE_UINT2, 2, false },   { HRY_TYPE_INT4, 4, true },
    { HRY_TYPE_UINT4, 4, false },   { HRY_TYPE_INT8, 8, true },     { HRY_TYPE_UINT8, 8, false },
    { HRY_TYPE_INT16, 16, true },   { HRY_TYPE_UINT16, 16, false }, { HRY_TYPE_INT32, 32, true },
    { HRY_TYPE_UINT32, 32, false }, { HRY_TYPE_INT64, 64, true },   { HRY_TYPE_UINT64, 64, false },
};
enum { INTEGERS = sizeof integers / sizeof *integers };

static void test_every_small_integer(void **state)
{
    (void)state;
    for (size_t i = 0; i < INTEGERS; i++) {
        unsigned bits = integers[i].bits;
        if (bits > 16)
            continue;
        for (uint32_t code = 0; code < UINT32_C(1) << bits; code++) {
            bool negative = integers[i].is_signed && code >> (bits - 1);
            double expected = (double)code - (negative ? (double)(UINT32_C(1) << bits) : 0);
            assert_true(value_of(integers[i].type, code) == expected);
            assert_int_equal(stored(integers[i].type, expected), code);
        }
    }
}

static void test_integers_saturate_and_round(void **state)
{
    (void)state;
    for (size_t i = 0; i < INTEGERS; i++) {
        uint8_t type = integers[i].type;
        unsigned bits = integers[i].bits;
        uint64_t mask = UINT64_MAX >> (64 - bits);
        uint64_t max = integers[i].is_signed ? mask >> 1 : mask, min = integers[i].is_signed ? mask ^ max : 0;
        double end = ldexp(1, (int)bits - integers[i].is_signed), start = integers[i].is_signed ? -end : 0;
        assert_int_equal(stored(type, INFINITY), max);
        assert_int_equal(stored(type, -INFINITY), min);
        assert_int_equal(stored(type, end), max);
        assert_int_equal(stored(type, 1e300), max);
        assert_int_equal(stored(type, start), min);
        assert_int_equal(stored(type, start - 1), min);
        assert_int_equal(stored(type, nextafter(start, -INFINITY)), min);
        assert_int_equal(stored(type, -1e300), min);
        assert_int_equal(stored(type, -0.0), 0);
        assert_int_equal(stored(type, -0.5), 0);
        assert_int_equal(stored(type, 0.5), 0);
        assert_int_equal(stored(type, 0.50000000000000011), 1);
        assert_int_equal(stored(type, 1.4999999999999998), 1);
        assert_int_equal(stored(type, 5e-324), 0);
        if (bits > 2) {
            assert_int_equal(stored(type, 1.5), 2);
            assert_int_equal(stored(type, 2.5), 2);
            assert_int_equal(stored(type, 3.5), 4);
        }
        if (bits <= 32) {
            /* The last values before saturation: max + 0.5 is a tie, to even, beyond the end. */
            assert_int_equal(stored(type, end - 1), max);
            assert_int_equal(stored(type, end - 0.5), max);
            assert_int_equal(stored(type, end - 1.5), max - 1);
        }
        assert_int_equal(stored(type, integers[i].is_signed ? -1 : 1), integers[i].is_signed ? mask : 1);
        assert_refused(type, NAN);
    }
}

static void test_64_bit_integers(void **state)
{
    (void)state;
    assert_true(value_of(HRY_TYPE_INT64, UINT64_C(1) << 63) == -0x1p63);
    assert_true(value_of(HRY_TYPE_INT64, UINT64_MAX) == -1);
    assert_true(value_of(HRY_TYPE_INT64, INT64_MAX) == 0x1p63);
    assert_true(value_of(HRY_TYPE_UINT64, UINT64_MAX) == 0x1p64);
    /* Beyond 2^53 to nearest even. */
    assert_true(value_of(HRY_TYPE_INT64, (UINT64_C(1) << 53) + 1) == 0x1p53);
    assert_true(value_of(HRY_TYPE_UINT64, (UINT64_C(1) << 53) + 3) == 0x1p53 + 4);
    assert_true(value_of(HRY_TYPE_UINT64, (UINT64_C(1) << 63) + 1024) == 0x1p63);
    assert_true(value_of(HRY_TYPE_UINT64, (UINT64_C(1) << 63) + 1025) == 0x1p63 + 2048);
    assert_int_equal(stored(HRY_TYPE_INT64, 0x1.FFFFFFFFFFFFFp62), INT64_MAX - 1023);
    assert_int_equal(stored(HRY_TYPE_UINT64, 0x1.FFFFFFFFFFFFFp63), UINT64_MAX - 2047);
    assert_int_equal(stored(HRY_TYPE_INT64, -0x1.FFFFFFFFFFFFFp62), (UINT64_C(1) << 63) + 1024);
}

static void test_bool(void **state)
{
    (void)state;
    static const double trues[] = { 1, -1, 0.25, 5e-324, INFINITY, 2 };
    for (size_t i = 0; i < sizeof trues / sizeof *trues; i++)
        assert_int_equal(stored(HRY_TYPE_BOOL, trues[i]), 1);
    assert_int_equal(stored(HRY_TYPE_BOOL, 0.0), 0);
    assert_int_equal(stored(HRY_TYPE_BOOL, -0.0), 0);
    assert_refused(HRY_TYPE_BOOL, NAN);
}

static void test_e8m0(void **state)
{
    (void)state;
    for (int exponent = -126; exponent <= 127; exponent++) {
        double value = ldexp(1, exponent);
        unsigned code = (unsigned)(exponent + 127);
        assert_int_equal(stored(HRY_TYPE_FLOAT8_E8M0, value), code);
        assert_int_equal(stored(HRY_TYPE_FLOAT8_E8M0, value * 1.5), code);
        assert_int_equal(stored(HRY_TYPE_FLOAT8_E8M0, nextafter(2 * value, 0)), code);
    }
    static const double refused[] = { 0, -0.0, -1, -0x1p10, 0x1p-127, 0x1.FFFFFFFFFFFFFp-127, 0x1p128, 1e300, 5e-324 };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_refused(HRY_TYPE_FLOAT8_E8M0, refused[i]);
    assert_refused(HRY_TYPE_FLOAT8_E8M0, INFINITY);
    assert_refused(HRY_TYPE_FLOAT8_E8M0, -INFINITY);
    assert_refused(HRY_TYPE_FLOAT8_E8M0, NAN);
}

static void test_float32(void **state)
{
    (void)state;
    assert_int_equal(stored(HRY_TYPE_FLOAT32, 1), 0x3F800000);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, -0.0), 0x80000000);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, 1 + 0x1p-24), 0x3F800000);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, 1 + 0x1.8p-23), 0x3F800002);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, 1 + 0x1p-24 + 0x1p-52), 0x3F800001);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, 0x1p-150), 0);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, 0x1.0000000000001p-150), 1);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, 0x1.FFFFFEFFFFFFFp127), 0x7F7FFFFF);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, 0x1.FFFFFFp127), 0x7F800000);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, -1e300), 0xFF800000);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, hry_f64_from_bits(UINT64_C(0xFFF0000000000001))), 0xFFC00000);
    assert_int_equal(stored(HRY_TYPE_FLOAT32, hry_f64_from_bits(UINT64_C(0x7FF8ABCDE0000000))), 0x7FC55E6F);
    assert_true(value_of(HRY_TYPE_FLOAT32, 0x00000001) == 0x1p-149);
    assert_true(value_of(HRY_TYPE_FLOAT32, 0xFF7FFFFF) == -0x1.FFFFFEp127);
    assert_true(signbit(value_of(HRY_TYPE_FLOAT32, 0x80000000)));
}

static void test_float64_keeps_bits(void **state)
{
    (void)state;
    static const uint64_t patterns[] = { 0,
                                         UINT64_C(1) << 63,
                                         1,
                                         UINT64_C(0x7FF0000000000000),
                                         UINT64_C(0x7FF8000000000123),
                                         UINT64_C(0x3FF0000000000001) };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        assert_int_equal(stored(HRY_TYPE_FLOAT64, hry_f64_from_bits(patterns[i])), patterns[i]);
        assert_int_equal(hry_f64_bits(value_of(HRY_TYPE_FLOAT64, patterns[i])), patterns[i]);
    }
}

/* The real part counts, and setting a value clears the imaginary part. */
static void test_complex(void **state)
{
    (void)state;
    float single[2] = { 0 };
    hry_store_f32(&single[0], 2.5f);
    hry_store_f32(&single[1], -7);
    assert_true(hry_element_f64(HRY_TYPE_COMPLEX64, single, 0) == 2.5);
    assert_true(hry_element_set_f64(HRY_TYPE_COMPLEX64, single, 0, -1.25));
    assert_true(hry_load_f32(&single[0]) == -1.25f && hry_f32_bits(hry_load_f32(&single[1])) == 0);
    double both[4];
    for (size_t i = 0; i < 4; i++)
        hry_store_f64(&both[i], 0.5 + (double)i);
    assert_true(hry_element_f64(HRY_TYPE_COMPLEX128, both, 1) == 2.5);
    assert_true(hry_element_set_f64(HRY_TYPE_COMPLEX128, both, 0, -9));
    assert_true(hry_load_f64(&both[0]) == -9 && hry_f64_bits(hry_load_f64(&both[1])) == 0);
    assert_true(hry_load_f64(&both[2]) == 2.5 && hry_load_f64(&both[3]) == 3.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_small_integer),
        cmocka_unit_test(test_integers_saturate_and_round),
        cmocka_unit_test(test_64_bit_integers),
        cmocka_unit_test(test_bool),
        cmocka_unit_test(test_e8m0),
        cmocka_unit_test(test_float32),
        cmocka_unit_test(test_float64_keeps_bits),
        cmocka_unit_test(test_complex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
