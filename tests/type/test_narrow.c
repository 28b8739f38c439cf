/* Conversion to float types of up to 16 bits, against the nearest of all their values. */
#include "base/bytes.h"
#include "type/float_model.h"

#include <hurray/type.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static uint32_t from_f32(uint8_t type, float value)
{
    switch (type) {
    case HRY_TYPE_FLOAT16:
        return hry_f32_to_f16(value);
    case HRY_TYPE_BFLOAT16:
        return hry_f32_to_bf16(value);
    case HRY_TYPE_FLOAT8_E4M3:
        return hry_f32_to_e4m3(value);
    case HRY_TYPE_FLOAT8_E5M2:
        return hry_f32_to_e5m2(value);
    case HRY_TYPE_FLOAT6_E2M3:
        return hry_f32_to_e2m3(value);
    case HRY_TYPE_FLOAT6_E3M2:
        return hry_f32_to_e3m2(value);
    default:
        return hry_f32_to_e2m1(value);
    }
}

static uint32_t from_f32_saturating(uint8_t type, float value)
{
    switch (type) {
    case HRY_TYPE_FLOAT16:
        return hry_f32_to_f16_saturate(value);
    case HRY_TYPE_BFLOAT16:
        return hry_f32_to_bf16_saturate(value);
    case HRY_TYPE_FLOAT8_E5M2:
        return hry_f32_to_e5m2_saturate(value);
    default:
        return from_f32(type, value);
    }
}

static uint32_t from_f64(uint8_t type, double value, bool saturate)
{
    uint8_t bytes[3] = { 0xFF, 0xFF, 0xFF };
    uint64_t code;
    assert_true(saturate ? hry_element_set_f64_saturate(type, bytes, 0, value)
                         : hry_element_set_f64(type, bytes, 0, value));
    hry_element_bits(type, bytes, 0, &code, NULL);
    return (uint32_t)code;
}

static void check_code(const float_model *model, double value, bool saturate, uint32_t code)
{
    uint32_t expected = float_model_nearest(model, value, saturate);
    if (code != expected)
        fail_msg("%s of %a%s: %#x, not %#x", hry_type_name(model->type), value, saturate ? ", saturating" : "", code,
                 expected);
}

static void check_f64(const float_model *model, double value)
{
    for (int saturate = 0; saturate < 2; saturate++) {
        check_code(model, value, saturate, from_f64(model->type, value, saturate));
        check_code(model, -value, saturate, from_f64(model->type, -value, saturate));
    }
}

static void check_f32(const float_model *model, float value)
{
    check_code(model, (double)value, false, from_f32(model->type, value));
    check_code(model, -(double)value, false, from_f32(model->type, -value));
    check_code(model, (double)value, true, from_f32_saturating(model->type, value));
}

/* The values of all codes, the points half-way between neighbours, and what lies just beside all these. */
static void test_codes_and_ties(void **state)
{
    (void)state;
    for (size_t i = 0; i < FLOAT_MODELS; i++) {
        const float_model *model = &float_models[i];
        double below = 0;
        for (uint32_t code = 0; code <= model->max; code++) {
            double value = float_model_value(model, code), half_way = below + (value - below) / 2;
            double points[] = { value, half_way };
            assert_int_equal(from_f64(model->type, value, false), code);
            for (size_t p = 0; p < 2; p++) {
                check_f64(model, points[p]);
                check_f64(model, nextafter(points[p], INFINITY));
                check_f64(model, nextafter(points[p], 0));
                check_f32(model, (float)points[p]);
                check_f32(model, nextafterf((float)points[p], INFINITY));
                check_f32(model, nextafterf((float)points[p], 0));
            }
            below = value;
        }
    }
}

static void test_beyond_the_largest(void **state)
{
    (void)state;
    for (size_t i = 0; i < FLOAT_MODELS; i++) {
        const float_model *model = &float_models[i];
        double max = model->max_value, step = max - float_model_value(model, model->max - 1);
        double points[] = { max + step / 2, max + step, max * 2, max * 1024 };
        for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
            check_f64(model, points[p]);
            check_f64(model, nextafter(points[p], 0));
            check_f64(model, nextafter(points[p], INFINITY));
            check_f32(model, (float)points[p]);
            check_f32(model, nextafterf((float)points[p], 0));
        }
        check_f64(model, 0x1.FFFFFFFFFFFFFp1023);
        check_f64(model, INFINITY);
        check_f32(model, INFINITY);
        check_f32(model, 0x1.FFFFFEp127f);
        check_f64(model, 0x1p-1074);
        check_f64(model, 0x1p-1022);
        check_f32(model, 0x1p-149f);
        check_f32(model, 0x1.FFFFFCp-127f);
    }
}

static uint64_t next_random(uint64_t *seed)
{
    *seed += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = *seed;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static void test_random(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t i = 0; i < FLOAT_MODELS; i++) {
        const float_model *model = &float_models[i];
        /* Exponents from below the smallest value to above the largest. */
        int first = 1 - model->bias - (int)model->mantissa_bits - 3, last = ilogb(model->max_value) + 2;
        for (int round = 0; round < 100000; round++) {
            uint64_t random = next_random(&seed), mantissa = random >> 12;
            /* Often with few bits below the type's last one, so that ties and near ties come up. */
            if (random & 1)
                mantissa &= UINT64_MAX << (random >> 1 & 63) % 52;
            double value = ldexp(1 + ldexp((double)mantissa, -52), first + (int)(random % (unsigned)(last - first)));
            check_f64(model, value);
            check_f32(model, (float)value);
        }
    }
}

/* Float32 from end to end, in steps that hit every exponent and many mantissas. */
static void test_all_over_float32(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x7F800000; bits += 10007) {
        for (size_t i = 0; i < FLOAT_MODELS; i++)
            check_f32(&float_models[i], hry_f32_from_bits(bits));
    }
}

/* float64 just above a float16 tie that float32 rounds onto the tie: going through float32 would round down. */
static void test_rounds_once(void **state)
{
    (void)state;
    double value = 1 + 0x1p-11 + 0x1p-40;
    assert_true((double)(float)value == 1 + 0x1p-11);
    assert_int_equal(from_f64(HRY_TYPE_FLOAT16, value, false), 0x3C01);
    assert_int_equal(from_f64(HRY_TYPE_BFLOAT16, 1 + 0x1p-8 + 0x1p-40, false), 0x3F81);
    assert_int_equal(from_f64(HRY_TYPE_FLOAT8_E4M3, 1 + 0x1p-4 + 0x1p-40, false), 0x39);
    assert_int_equal(from_f64(HRY_TYPE_FLOAT8_E5M2, 1 + 0x1p-3 + 0x1p-40, false), 0x3D);
    assert_int_equal(from_f64(HRY_TYPE_FLOAT6_E2M3, 1 + 0x1p-4 + 0x1p-40, false), 0x09);
    assert_int_equal(from_f64(HRY_TYPE_FLOAT6_E3M2, 1 + 0x1p-3 + 0x1p-40, false), 0x0D);
    assert_int_equal(from_f64(HRY_TYPE_FLOAT4_E2M1, 1 + 0x1p-2 + 0x1p-40, false), 0x3);
}

static void test_bfloat16_rounding(void **state)
{
    (void)state;
    static const uint32_t cases[][2] = { { 0x7F800001, 0x7FC0 }, { 0x3E89CCD5, 0x3E8A }, { 0x3F808000, 0x3F80 },
                                         { 0x3F818000, 0x3F82 }, { 0x7F7FFFFF, 0x7F80 }, { 0xFF800001, 0xFFC0 },
                                         { 0x80000000, 0x8000 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(hry_f32_to_bf16(hry_f32_from_bits(cases[i][0])), cases[i][1]);
}

/* 1000 is beyond e4m3 and saturates; every code there and back; infinity is no code of e4m3. */
static void test_fp8_there_and_back(void **state)
{
    (void)state;
    assert_int_equal(hry_f32_to_e4m3(1000), 0x7E);
    assert_int_equal(hry_f32_to_e4m3(-1000), 0xFE);
    assert_int_equal(hry_f32_to_e4m3(INFINITY), 0x7E);
    assert_int_equal(hry_f32_to_e4m3(NAN) & 0x7F, 0x7F);
    assert_int_equal(hry_f32_to_e5m2(1e6f), 0x7C);
    assert_int_equal(hry_f32_to_e5m2_saturate(-1e6f), 0xFB);
    assert_int_equal(hry_f32_to_e5m2_saturate(INFINITY), 0x7B);
    for (unsigned code = 0; code < 256; code++) {
        assert_int_equal(hry_f32_to_e4m3(hry_e4m3_to_f32((uint8_t)code)), code);
        /* 0x7D and 0xFD are signaling: they come back with the quiet bit set. */
        unsigned quiet = (code & 0x7F) == 0x7D ? code | 2 : code;
        assert_int_equal(hry_f32_to_e5m2(hry_e5m2_to_f32((uint8_t)code)), quiet);
    }
}

static void test_halves_there_and_back(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 65536; code++) {
        unsigned half = (code & 0x7FFF) > 0x7C00 ? code | 0x0200 : code;
        assert_int_equal(hry_f32_to_f16(hry_f16_to_f32((uint16_t)code)), half);
        unsigned brain = (code & 0x7FFF) > 0x7F80 ? code | 0x0040 : code;
        assert_int_equal(hry_f32_to_bf16(hry_bf16_to_f32((uint16_t)code)), brain);
    }
}

static void test_nan(void **state)
{
    (void)state;
    float nan32 = hry_f32_from_bits(0xFF956789);
    double nan64 = hry_f64_from_bits(UINT64_C(0xFFF2ACF120000000)); /* the same sign and leading payload */
    static const struct {
        uint8_t type;
        uint32_t code;
    } kept[] = { { HRY_TYPE_FLOAT16, 0xFEAB },
                 { HRY_TYPE_BFLOAT16, 0xFFD5 },
                 { HRY_TYPE_FLOAT8_E4M3, 0xFF },
                 { HRY_TYPE_FLOAT8_E5M2, 0xFE } };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        assert_int_equal(from_f32(kept[i].type, nan32), kept[i].code);
        assert_int_equal(from_f32_saturating(kept[i].type, nan32), kept[i].code);
        assert_int_equal(from_f64(kept[i].type, nan64, false), kept[i].code);
        assert_int_equal(from_f64(kept[i].type, nan64, true), kept[i].code);
    }
    static const uint8_t refused[] = { HRY_TYPE_FLOAT4_E2M1, HRY_TYPE_FLOAT6_E2M3, HRY_TYPE_FLOAT6_E3M2 };
    for (size_t i = 0; i < sizeof refused; i++) {
        uint8_t bytes[3] = { 0x5A, 0xA5, 0x3C };
        assert_int_equal(from_f32(refused[i], nan32), 0xFF);
        assert_false(hry_element_set_f64(refused[i], bytes, 1, nan64));
        assert_false(hry_element_set_f64_saturate(refused[i], bytes, 1, nan64));
        assert_memory_equal(bytes, ((uint8_t[]){ 0x5A, 0xA5, 0x3C }), 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_and_ties),
        cmocka_unit_test(test_beyond_the_largest),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_all_over_float32),
        cmocka_unit_test(test_rounds_once),
        cmocka_unit_test(test_bfloat16_rounding),
        cmocka_unit_test(test_fp8_there_and_back),
        cmocka_unit_test(test_halves_there_and_back),
        cmocka_unit_test(test_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
