/* Every code of every float type of up to 16 bits, against its formula. */
#include "base/bytes.h"
#include "type/float_model.h"

#include <hurray/type.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static float widen(uint8_t type, uint32_t code)
{
    switch (type) {
    case HRY_TYPE_FLOAT16:
        return hry_f16_to_f32((uint16_t)code);
    case HRY_TYPE_BFLOAT16:
        return hry_bf16_to_f32((uint16_t)code);
    case HRY_TYPE_FLOAT8_E4M3:
        return hry_e4m3_to_f32((uint8_t)code);
    case HRY_TYPE_FLOAT8_E5M2:
        return hry_e5m2_to_f32((uint8_t)code);
    case HRY_TYPE_FLOAT6_E2M3:
        return hry_e2m3_to_f32((uint8_t)code);
    case HRY_TYPE_FLOAT6_E3M2:
        return hry_e3m2_to_f32((uint8_t)code);
    default:
        return hry_e2m1_to_f32((uint8_t)code);
    }
}

static double element(uint8_t type, uint32_t code)
{
    uint8_t bytes[3] = { 0 };
    hry_element_set_bits(type, bytes, 0, code, 0);
    return hry_element_f64(type, bytes, 0);
}

static void test_every_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < FLOAT_MODELS; i++) {
        const float_model *model = &float_models[i];
        uint32_t sign = float_model_magnitudes(model);
        assert_true(float_model_value(model, model->max) == model->max_value);
        assert_true(float_model_value(model, 1) == model->smallest);
        for (uint32_t code = 0; code < 2 * sign; code++) {
            double expected = float_model_value(model, code), wide = element(model->type, code);
            float value = widen(model->type, code);
            if (isnan(expected)) {
                assert_true(isnan(value) && isnan(wide));
                assert_int_equal(hry_f32_bits(value) >> 22 & 1, 1); /* quiet */
                assert_int_equal(hry_f64_bits(wide) >> 51 & 1, 1);
            } else if (hry_f64_bits(wide) != hry_f64_bits(expected) || (double)value != expected) {
                fail_msg("%s %#x: %a and %a, not %a", hry_type_name(model->type), code, (double)value, wide, expected);
            }
            assert_int_equal(signbit(value) != 0, code >= sign);
            assert_int_equal(signbit(wide) != 0, code >= sign);
        }
    }
}

static void test_e8m0(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 256; code++) {
        float value = hry_e8m0_to_f32((uint8_t)code);
        double wide = element(HRY_TYPE_FLOAT8_E8M0, code);
        if (code == 0 || code == 255) {
            assert_true(isnan(value) && isnan(wide));
        } else {
            assert_true((double)value == ldexp(1, (int)code - 127));
            assert_true(wide == ldexp(1, (int)code - 127));
        }
    }
}

/* The figures of the format's examples, and what FP8 readers have been seen to mix up. */
static void test_named_codes(void **state)
{
    (void)state;
    assert_true(hry_f16_to_f32(0x3C00) == 1 && hry_bf16_to_f32(0x3F80) == 1);
    assert_true(hry_e4m3_to_f32(0x38) == 1 && hry_e5m2_to_f32(0x3C) == 1 && hry_e8m0_to_f32(0x7F) == 1);
    assert_true(hry_e2m1_to_f32(0x2) == 1 && hry_e2m3_to_f32(0x08) == 1 && hry_e3m2_to_f32(0x0C) == 1);
    assert_true(hry_e4m3_to_f32(0x7E) == 448 && hry_e4m3_to_f32(0x01) == 0x1p-9f);
    assert_int_equal(hry_f32_bits(hry_e4m3_to_f32(0x80)), 0x80000000);
    assert_true(isnan(hry_e4m3_to_f32(0x7F)) && isnan(hry_e4m3_to_f32(0xFF)));
    assert_true(hry_e5m2_to_f32(0x7B) == 57344 && isinf(hry_e5m2_to_f32(0x7C)));
    /* Bits above the type's width count for nothing. */
    assert_true(hry_e2m1_to_f32(0xF2) == 1 && hry_e2m3_to_f32(0xC8) == 1 && hry_e3m2_to_f32(0x4C) == 1);
}

static void test_nan_payloads(void **state)
{
    (void)state;
    assert_int_equal(hry_f32_bits(hry_f16_to_f32(0x7E01)), 0x7FC02000);
    assert_int_equal(hry_f32_bits(hry_f16_to_f32(0xFC01)), 0xFFC02000);
    assert_int_equal(hry_f32_bits(hry_bf16_to_f32(0x7F81)), 0x7FC10000);
    assert_int_equal(hry_f32_bits(hry_bf16_to_f32(0xFFC3)), 0xFFC30000);
    assert_int_equal(hry_f32_bits(hry_e5m2_to_f32(0x7D)), 0x7FE00000);
    assert_int_equal(hry_f32_bits(hry_e5m2_to_f32(0xFE)), 0xFFC00000);
    assert_int_equal(hry_f32_bits(hry_e4m3_to_f32(0xFF)), 0xFFC00000);
    uint32_t signaling = 0xFF800001;
    uint8_t bytes[4];
    hry_store32(bytes, signaling);
    assert_int_equal(hry_f64_bits(hry_element_f64(HRY_TYPE_FLOAT32, bytes, 0)), UINT64_C(0xFFF8000020000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code),
        cmocka_unit_test(test_e8m0),
        cmocka_unit_test(test_named_codes),
        cmocka_unit_test(test_nan_payloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
