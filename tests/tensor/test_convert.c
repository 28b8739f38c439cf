/* Runs of any type to any other, against single elements and against exact arithmetic where float64 is not enough. */
#include "support/naive_layout.h"
#include "tensor/convert.h"
#include "tensor/convert_element.h"

#include <hurray/type.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool is_whole(const hry_type_info *type)
{
    return type->kind == HRY_KIND_INT || type->kind == HRY_KIND_UINT || type->kind == HRY_KIND_BOOL;
}

/* An integer's value: its sign, and its magnitude. */
static bool sign_of(const hry_type_info *type, uint64_t bits, uint64_t *magnitude)
{
    bool minus = type->kind == HRY_KIND_INT && bits >> (type->bits - 1) & 1;
    uint64_t mask = type->bits == 64 ? UINT64_MAX : ((uint64_t)1 << type->bits) - 1;
    *magnitude = (minus ? 0 - bits : bits) & mask;
    return minus;
}

static uint64_t nearest(const hry_type_info *type, bool minus, uint64_t magnitude)
{
    uint64_t mask = type->bits == 64 ? UINT64_MAX : ((uint64_t)1 << type->bits) - 1;
    uint64_t most = type->kind == HRY_KIND_INT ? (mask >> 1) + minus : minus ? 0 : mask;
    if (type->kind == HRY_KIND_BOOL)
        return magnitude != 0;
    magnitude = magnitude > most ? most : magnitude;
    return (minus ? 0 - magnitude : magnitude) & mask;
}

/* What element i of src should become; false when it has no counterpart. */
static bool expected(const hry_type_info *from, const hry_type_info *to, const void *src, uint64_t i, uint64_t *lo,
                     uint64_t *hi)
{
    uint64_t bits, magnitude;
    uint8_t element[16];
    hry_element_bits(from->tag, src, i, &bits, hi);
    if (is_whole(from) && is_whole(to)) {
        bool minus = sign_of(from, bits, &magnitude);
        *lo = nearest(to, minus, magnitude);
        *hi = 0;
        return true;
    }
    if (!hry_element_set_f64(to->tag, element, 0, hry_element_f64(from->tag, src, i)))
        return false;
    hry_element_bits(to->tag, element, 0, lo, hi);
    return true;
}

static bool both_nan(uint8_t type, const void *a, uint64_t lo, uint64_t hi, uint64_t i)
{
    uint8_t element[16];
    hry_element_set_bits(type, element, 0, lo, hi);
    return isnan(hry_element_f64(type, a, i)) && isnan(hry_element_f64(type, element, 0));
}

/* All pairs in which float64 holds every value exactly, or both are whole numbers. */
static void test_pairs(void **state)
{
    (void)state;
    enum { N = 301 };
    _Alignas(16) uint8_t src[N * 16 + 1], dst[N * 16];
    uint64_t seed = 3;
    const hry_type_info *from, *to;
    for (size_t a = 0; (from = hry_type_at(a)); a++)
        for (size_t b = 0; (to = hry_type_at(b)); b++) {
            hry_convert convert;
            bool is_complex = from->kind == HRY_KIND_COMPLEX;
            bool way = hry_convert_init(&convert, from->tag, to->tag);
            assert_int_equal(way, !is_complex || to->kind == HRY_KIND_COMPLEX);
            bool wide = from->bits >= 64 && from->tag != HRY_TYPE_FLOAT64;
            if (!way || from == to || is_complex || (wide && !(is_whole(from) && is_whole(to))))
                continue;
            uint8_t *codes = src + naive_below(&seed, 2); /* at any alignment */
            for (size_t i = 0; i < sizeof src - 1; i++)
                codes[i] = (uint8_t)naive_random(&seed);
            for (uint64_t i = 0; i < N; i += 3) /* and some of ordinary size */
                hry_element_set_f64(from->tag, codes, i, ldexp((double)(int64_t)naive_random(&seed), -62));
            bool all = true, ran = hry_convert_run(&convert, codes, N, dst);
            if (HRY_HOST_SWAPS)
                hry_swap_elements(to->tag, dst, N);
            for (uint64_t i = 0; i < N; i++) {
                uint64_t lo, hi, got_lo, got_hi;
                if (!expected(from, to, codes, i, &lo, &hi)) {
                    all = false;
                    continue;
                }
                hry_element_bits(to->tag, dst, i, &got_lo, &got_hi);
                if ((got_lo != lo || got_hi != hi) && !both_nan(to->tag, dst, lo, hi, i))
                    fail_msg("%s to %s: %016llx%016llx, not %016llx%016llx", from->name, to->name,
                             (unsigned long long)got_hi, (unsigned long long)got_lo, (unsigned long long)hi,
                             (unsigned long long)lo);
            }
            assert_int_equal(ran, all);
        }
    hry_convert none;
    assert_false(hry_convert_init(&none, 0xF0, HRY_TYPE_FLOAT32));
    assert_false(hry_convert_init(&none, HRY_TYPE_FLOAT32, 0xF0));
}

static uint64_t one(uint8_t from, uint8_t to, uint64_t lo, uint64_t hi)
{
    assert_true(hry_convert_element(from, to, &lo, &hi));
    return lo;
}

/* Rounded once: by way of float64 each of these would come out one step off. */
static void test_rounded_once(void **state)
{
    (void)state;
    /* 2^54 + 2^30 + 1: just above the middle of two float32. */
    const uint64_t above = (UINT64_C(1) << 54) + (UINT64_C(1) << 30) + 1;
    for (int wide = 0; wide < 2; wide++) {
        uint8_t from = wide ? HRY_TYPE_UINT64 : HRY_TYPE_INT64;
        assert_int_equal(one(from, HRY_TYPE_FLOAT32, above, 0), 0x5A800001);
        assert_int_equal(one(from, HRY_TYPE_FLOAT32, above - 1, 0), 0x5A800000); /* the middle: to even */
    }
    assert_int_equal(one(HRY_TYPE_INT64, HRY_TYPE_FLOAT32, 0 - above, 0), 0xDA800001);
    /* 2^59 + 2^51 + 1 as bfloat16, which has 8 digits. */
    assert_int_equal(one(HRY_TYPE_UINT64, HRY_TYPE_BFLOAT16, (UINT64_C(1) << 59) + (UINT64_C(1) << 51) + 1, 0), 0x5D01);
    assert_int_equal(one(HRY_TYPE_UINT64, HRY_TYPE_BFLOAT16, (UINT64_C(1) << 59) + (UINT64_C(1) << 51), 0), 0x5D00);
    /* float128 1 + 2^-24 + 2^-100 and 1 + 2^-24. */
    const uint64_t quad_one = UINT64_C(0x3FFF) << 48;
    assert_int_equal(one(HRY_TYPE_FLOAT128, HRY_TYPE_FLOAT32, UINT64_C(1) << 12, quad_one | UINT64_C(1) << 24),
                     0x3F800001);
    assert_int_equal(one(HRY_TYPE_FLOAT128, HRY_TYPE_FLOAT32, 0, quad_one | UINT64_C(1) << 24), 0x3F800000);
    /* Half and a little, as a whole number; half itself is even. */
    assert_int_equal(one(HRY_TYPE_FLOAT128, HRY_TYPE_INT8, 1, UINT64_C(0x3FFE) << 48), 1);
    assert_int_equal(one(HRY_TYPE_FLOAT128, HRY_TYPE_INT8, 0, UINT64_C(0x3FFE) << 48), 0);
    /* Beyond and below what float64 has. */
    assert_int_equal(one(HRY_TYPE_FLOAT128, HRY_TYPE_FLOAT32, 0, UINT64_C(0x7000) << 48), 0x7F800000);
    assert_int_equal(one(HRY_TYPE_FLOAT128, HRY_TYPE_FLOAT16, 0, UINT64_C(0x9000) << 48), 0x8000);
    /* The largest float32 and less than half a step: infinity only from half on. */
    assert_int_equal(one(HRY_TYPE_UINT64, HRY_TYPE_FLOAT16, 65519, 0), 0x7BFF);
    assert_int_equal(one(HRY_TYPE_UINT64, HRY_TYPE_FLOAT16, 65520, 0), 0x7C00);
}

/* Whole numbers in float128 are exact. */
static void test_whole_to_quad(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < 2000; i++) {
        uint64_t number = naive_random(&seed) >> naive_below(&seed, 64), lo = number, hi = 0;
        assert_true(hry_convert_element(HRY_TYPE_UINT64, HRY_TYPE_FLOAT128, &lo, &hi));
        /* Read the bits back: the exponent says how many digits stand before the point. */
        int digits = (int)(hi >> 48) - 16383;
        uint64_t top = (UINT64_C(1) << 63) | (hi & ((UINT64_C(1) << 48) - 1)) << 15 | lo >> 49;
        if (number == 0) {
            assert_true(lo == 0 && hi == 0);
            continue;
        }
        assert_in_range(digits, 0, 63);
        assert_int_equal(top >> (63 - digits), number);
        assert_true(digits == 63 || top << (digits + 1) == 0);
        assert_int_equal(lo << 15, 0);
        uint64_t minus_lo = 0 - (number >> 1), minus_hi = 0, half_lo = number >> 1, half_hi = 0;
        assert_true(hry_convert_element(HRY_TYPE_INT64, HRY_TYPE_FLOAT128, &minus_lo, &minus_hi));
        assert_true(hry_convert_element(HRY_TYPE_UINT64, HRY_TYPE_FLOAT128, &half_lo, &half_hi));
        assert_int_equal(minus_lo, half_lo);
        assert_int_equal(minus_hi, half_hi | (uint64_t)(number > 1) << 63);
    }
}

static void test_complex(void **state)
{
    (void)state;
    const float narrow[4] = { 1.5f, -2.25f, 1e30f, -0.0f };
    double wide[4];
    float back[4];
    hry_convert widen, narrower;
    assert_true(hry_convert_init(&widen, HRY_TYPE_COMPLEX64, HRY_TYPE_COMPLEX128));
    assert_true(hry_convert_init(&narrower, HRY_TYPE_COMPLEX128, HRY_TYPE_COMPLEX64));
    uint8_t stored[16], stored_wide[32];
    for (uint64_t i = 0; i < 4; i++)
        hry_element_set_f64(HRY_TYPE_FLOAT32, stored, i, (double)narrow[i]);
    assert_true(hry_convert_run(&widen, stored, 2, wide));
    for (int i = 0; i < 4; i++)
        assert_true(wide[i] == (double)narrow[i]);
    for (uint64_t i = 0; i < 4; i++)
        hry_element_set_f64(HRY_TYPE_FLOAT64, stored_wide, i, wide[i]);
    assert_true(hry_convert_run(&narrower, stored_wide, 2, back));
    assert_memory_equal(back, narrow, sizeof back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_rounded_once),
        cmocka_unit_test(test_whole_to_quad),
        cmocka_unit_test(test_complex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
