/* float128 against values worked out by hand and, where the compiler has such a type, against its own arithmetic. */
#include "base/bytes.h"
#include "type/quad.h"

#include <hurray/type.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint64_t narrowed(uint64_t hi, uint64_t lo)
{
    return hry_f64_bits(hry_quad_to_f64(lo, hi));
}

static void test_by_hand(void **state)
{
    (void)state;
    static const uint64_t cases[][3] = {
        { 0, 0, 0 },
        { UINT64_C(0x8000000000000000), 0, UINT64_C(0x8000000000000000) },
        { UINT64_C(0x3FFF000000000000), 0, UINT64_C(0x3FF0000000000000) },
        { UINT64_C(0xC000800000000000), 0, UINT64_C(0xC008000000000000) }, /* -3 */
        /* 1 + half a unit of float64's last place, to even; just above; one and a half, to even. */
        { UINT64_C(0x3FFF000000000000), UINT64_C(0x0800000000000000), UINT64_C(0x3FF0000000000000) },
        { UINT64_C(0x3FFF000000000000), UINT64_C(0x0800000000000001), UINT64_C(0x3FF0000000000001) },
        { UINT64_C(0x3FFF000000000000), UINT64_C(0x1800000000000000), UINT64_C(0x3FF0000000000002) },
        { UINT64_C(0x3FFF000000000000), UINT64_C(0x17FFFFFFFFFFFFFF), UINT64_C(0x3FF0000000000001) },
        /* All ones carries into the exponent. */
        { UINT64_C(0x3FFFFFFFFFFFFFFF), UINT64_C(0xFFFFFFFFFFFFFFFF), UINT64_C(0x4000000000000000) },
        /* The largest float64, half a unit above it, and just below that half. */
        { UINT64_C(0x43FEFFFFFFFFFFFF), UINT64_C(0xF000000000000000), UINT64_C(0x7FEFFFFFFFFFFFFF) },
        { UINT64_C(0x43FEFFFFFFFFFFFF), UINT64_C(0xF800000000000000), UINT64_C(0x7FF0000000000000) },
        { UINT64_C(0x43FEFFFFFFFFFFFF), UINT64_C(0xF7FFFFFFFFFFFFFF), UINT64_C(0x7FEFFFFFFFFFFFFF) },
        { UINT64_C(0x43FF000000000000), 0, UINT64_C(0x7FF0000000000000) },
        { UINT64_C(0xFFFEFFFFFFFFFFFF), UINT64_MAX, UINT64_C(0xFFF0000000000000) },
        /* 2^-1022, just below it (rounds up to it), 2^-1074, and half of that: to even, so 0; just above half. */
        { UINT64_C(0x3C01000000000000), 0, UINT64_C(0x0010000000000000) },
        { UINT64_C(0x3C00FFFFFFFFFFFF), UINT64_MAX, UINT64_C(0x0010000000000000) },
        { UINT64_C(0x3BCD000000000000), 0, 1 },
        { UINT64_C(0x3BCC000000000000), 0, 0 },
        { UINT64_C(0x3BCC000000000000), 1, 1 },
        { UINT64_C(0xBBCC800000000000), 0, UINT64_C(0x8000000000000001) },
        { UINT64_C(0x3BCBFFFFFFFFFFFF), UINT64_MAX, 0 },
        { UINT64_C(0x3BCD800000000000), 0, 2 }, /* 1.5 units, to even */
        { 0, 1, 0 },
        { UINT64_C(0x8000FFFFFFFFFFFF), UINT64_MAX, UINT64_C(0x8000000000000000) },
        { UINT64_C(0x7FFF000000000000), 0, UINT64_C(0x7FF0000000000000) },
        { UINT64_C(0xFFFF000000000000), 0, UINT64_C(0xFFF0000000000000) },
        /* NaN: made quiet, payload's lead kept, also where all that is set lies below what float64 holds. */
        { UINT64_C(0x7FFF800000000000), 0, UINT64_C(0x7FF8000000000000) },
        { UINT64_C(0xFFFF000000000000), 1, UINT64_C(0xFFF8000000000000) },
        { UINT64_C(0x7FFF000000000000), UINT64_C(0x1000000000000000), UINT64_C(0x7FF8000000000001) },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (narrowed(cases[i][0], cases[i][1]) != cases[i][2])
            fail_msg("case %zu: %#llx", i, (unsigned long long)narrowed(cases[i][0], cases[i][1]));
    }
}

/* Every float64 is a float128: there and back gives the same bits, NaN made quiet. */
static void check_exact(uint64_t bits)
{
    uint64_t lo, hi, expected = bits;
    if ((bits & INT64_MAX) > UINT64_C(0x7FF0000000000000))
        expected |= UINT64_C(0x0008000000000000);
    hry_quad_from_f64(hry_f64_from_bits(bits), &lo, &hi);
    assert_int_equal(narrowed(hi, lo), expected);
    assert_int_equal(hi >> 63, bits >> 63);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = *seed;
    return (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9) ^ x >> 32;
}

static void test_there_and_back(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 100000; i++)
        check_exact(next_random(&seed));
    for (unsigned bit = 0; bit < 64; bit++) {
        check_exact(UINT64_C(1) << bit);
        check_exact(UINT64_MAX >> bit);
        check_exact(UINT64_MAX << bit);
    }
}

static void test_as_elements(void **state)
{
    (void)state;
    uint8_t bytes[1 + 3 * 16];
    memset(bytes, 0xA5, sizeof bytes);
    assert_true(hry_element_set_f64(HRY_TYPE_FLOAT128, bytes + 1, 1, -3));
    static const uint8_t minus_three[16] = { [13] = 0x80, [14] = 0x00, [15] = 0xC0 };
    assert_memory_equal(bytes + 17, minus_three, 16);
    assert_int_equal(bytes[16], 0xA5);
    assert_int_equal(bytes[33], 0xA5);
    assert_true(hry_element_f64(HRY_TYPE_FLOAT128, bytes + 1, 1) == -3);
    assert_true(hry_element_set_f64(HRY_TYPE_FLOAT128, bytes + 1, 0, 0x1p-1074));
    assert_true(hry_element_f64(HRY_TYPE_FLOAT128, bytes + 1, 0) == 0x1p-1074);
}

#if defined(__SIZEOF_FLOAT128__)
typedef __float128 peer_quad;
#define HAVE_PEER 1
#elif LDBL_MANT_DIG == 113
typedef long double peer_quad;
#define HAVE_PEER 1
#endif

#ifdef HAVE_PEER
static void load_pair(const peer_quad *quad, uint64_t *lo, uint64_t *hi)
{
    memcpy(lo, (const uint8_t *)quad + (HRY_LE16(1) == 1 ? 0 : 8), 8);
    memcpy(hi, (const uint8_t *)quad + (HRY_LE16(1) == 1 ? 8 : 0), 8);
}

static void check_peer_narrowing(uint64_t lo, uint64_t hi)
{
    peer_quad quad;
    memcpy((uint8_t *)&quad + (HRY_LE16(1) == 1 ? 0 : 8), &lo, 8);
    memcpy((uint8_t *)&quad + (HRY_LE16(1) == 1 ? 8 : 0), &hi, 8);
    uint64_t expected = hry_f64_bits((double)quad);
    if ((expected & INT64_MAX) > UINT64_C(0x7FF0000000000000))
        assert_true(isnan(hry_quad_to_f64(lo, hi)));
    else if (narrowed(hi, lo) != expected)
        fail_msg("%#llx %#llx: %#llx, not %#llx", (unsigned long long)hi, (unsigned long long)lo,
                 (unsigned long long)narrowed(hi, lo), (unsigned long long)expected);
}

static void test_against_the_compiler(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 200000; i++) {
        uint64_t lo = next_random(&seed), hi = next_random(&seed), more = next_random(&seed);
        check_peer_narrowing(lo, hi);
        /* Exponents that float64 has, and a little beyond; and few low bits, for ties. */
        hi = (hi & UINT64_C(0x8000FFFFFFFFFFFF)) | (16383 - 1080 + more % 2120) << 48;
        check_peer_narrowing(lo, hi);
        check_peer_narrowing(lo & UINT64_MAX << (more >> 32) % 64, hi);
        check_peer_narrowing(0, hi & UINT64_MAX << (more >> 40) % 50);
        double value = hry_f64_from_bits(i % 2 ? more : more & UINT64_C(0x800FFFFFFFFFFFFF));
        if (isnan(value))
            continue;
        peer_quad quad = (peer_quad)value;
        uint64_t expected[2], got[2];
        load_pair(&quad, &expected[0], &expected[1]);
        hry_quad_from_f64(value, &got[0], &got[1]);
        assert_memory_equal(got, expected, sizeof got);
    }
}

static void check_sum(uint64_t a_lo, uint64_t a_hi, uint64_t b_lo, uint64_t b_hi)
{
    peer_quad a, b, sum;
    uint64_t lo, hi, want_lo, want_hi;
    memcpy((uint8_t *)&a + (HRY_LE16(1) == 1 ? 0 : 8), &a_lo, 8);
    memcpy((uint8_t *)&a + (HRY_LE16(1) == 1 ? 8 : 0), &a_hi, 8);
    memcpy((uint8_t *)&b + (HRY_LE16(1) == 1 ? 0 : 8), &b_lo, 8);
    memcpy((uint8_t *)&b + (HRY_LE16(1) == 1 ? 8 : 0), &b_hi, 8);
    sum = a + b;
    load_pair(&sum, &want_lo, &want_hi);
    hry_quad_add(a_lo, a_hi, b_lo, b_hi, &lo, &hi);
    if (sum != sum)
        assert_true(isnan(hry_quad_to_f64(lo, hi)));
    else if (lo != want_lo || hi != want_hi)
        fail_msg("%#llx %#llx + %#llx %#llx: %#llx %#llx, not %#llx %#llx", (unsigned long long)a_hi,
                 (unsigned long long)a_lo, (unsigned long long)b_hi, (unsigned long long)b_lo, (unsigned long long)hi,
                 (unsigned long long)lo, (unsigned long long)want_hi, (unsigned long long)want_lo);
}

static void test_sums_against_the_compiler(void **state)
{
    (void)state;
    const uint64_t sign = UINT64_C(1) << 63, mantissa = (UINT64_C(1) << 48) - 1;
    uint64_t seed = 11;
    for (int i = 0; i < 200000; i++) {
        uint64_t lo = next_random(&seed), hi = next_random(&seed), other_lo = next_random(&seed);
        uint64_t other_hi = next_random(&seed), more = next_random(&seed);
        check_sum(lo, hi, other_lo, other_hi);
        /* Exponents near one another, so that digits meet; few digits, so that ties come up; both subnormal. */
        uint64_t exponent = (hi >> 48 & 0x7FFF) + more % 130;
        other_hi = (other_hi & (sign | mantissa)) | (exponent < 0x7FFF ? exponent : 0x7FFE) << 48;
        check_sum(lo, hi, other_lo, other_hi);
        check_sum(lo & UINT64_MAX << (more >> 16) % 64, hi, other_lo & 3, other_hi & ~mantissa);
        check_sum(lo, hi & (sign | mantissa), other_lo, other_hi & (sign | mantissa));
        /* What is almost taken away again. */
        check_sum(lo, hi, lo, hi ^ sign);
        check_sum(lo, hi, lo + (more & 3), hi ^ sign);
        check_sum(lo, hi, other_lo, sign & other_hi);
        check_sum(0, (hi & sign) | UINT64_C(0x7FFF) << 48, other_lo, other_hi | (more & UINT64_C(0x7FFF) << 48));
    }
}
#endif

static void test_sums_by_hand(void **state)
{
    (void)state;
    static const uint64_t one = UINT64_C(0x3FFF) << 48, sign = UINT64_C(1) << 63, infinity = UINT64_C(0x7FFF) << 48;
    static const uint64_t cases[][6] = {
        /* a, b and the sum, each as hi, lo */
        { one, 0, one, 0, UINT64_C(0x4000) << 48, 0 },
        { one, 0, one | sign, 0, 0, 0 },
        { sign, 0, sign, 0, sign, 0 },
        { sign, 0, 0, 0, 0, 0 },
        /* 1 + half of its last place, to even; and the next above 1. */
        { one, 0, UINT64_C(0x3F8E) << 48, 0, one, 0 },
        { one, 1, UINT64_C(0x3F8E) << 48, 0, one, 2 },
        /* 1 - a quarter of a last place: half a step below 1, to even. */
        { one, 0, UINT64_C(0xBF8D) << 48, 0, one, 0 },
        { 0, 1, 0, 1, 0, 2 },
        { infinity, 0, one, 0, infinity, 0 },
        { UINT64_C(0x7FFE) << 48 | ((UINT64_C(1) << 48) - 1), UINT64_MAX, UINT64_C(0x7FFE) << 48, 0, infinity, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t *c = cases[i];
        uint64_t lo, hi;
        hry_quad_add(c[1], c[0], c[3], c[2], &lo, &hi);
        assert_int_equal(hi, c[4]);
        assert_int_equal(lo, c[5]);
        hry_quad_add(c[3], c[2], c[1], c[0], &lo, &hi);
        assert_int_equal(hi, c[4]);
        assert_int_equal(lo, c[5]);
    }
    uint64_t lo, hi;
    hry_quad_add(0, infinity, 0, infinity | sign, &lo, &hi);
    assert_true(isnan(hry_quad_to_f64(lo, hi)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_as_elements),
        cmocka_unit_test(test_sums_by_hand),
#ifdef HAVE_PEER
        cmocka_unit_test(test_against_the_compiler),
        cmocka_unit_test(test_sums_against_the_compiler),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
