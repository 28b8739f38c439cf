/* The conformance tables of sizes, places, float codes and conversions. */
#include "base/bytes.h"
#include "support/shared_data.h"
#include "type/pack.h"
#include "type/types.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (YAJL_GET_ARRAY(array)->len)
#define ITEM(array, i) (YAJL_GET_ARRAY(array)->values[i])

static const hry_type_info *type_named(const char *name)
{
    const hry_type_info *row = hry_type_find(hry_type_by_name(name, strlen(name)));
    if (!row)
        fail_msg("no type %s", name);
    return row;
}

static void check_kind(const hry_type_info *row, const char *kind)
{
    static const char *const names[] = { [HRY_KIND_FLOAT] = "float",
                                         [HRY_KIND_INT] = "int",
                                         [HRY_KIND_UINT] = "uint",
                                         [HRY_KIND_BOOL] = "bool",
                                         [HRY_KIND_COMPLEX] = "complex" };
    assert_string_equal(names[row->kind], kind);
}

static void check_size(const hry_type_info *row, uint64_t count, yajl_val expected)
{
    uint64_t nbytes;
    bool fits = hry_type_size(row->bits, count, &nbytes);
    assert_int_equal(fits, !YAJL_IS_NULL(expected));
    if (fits)
        assert_int_equal(nbytes, json_u64(expected));
}

static void test_types(void **state)
{
    (void)state;
    yajl_val types = shared_json("conformance/values/types.json");
    assert_int_equal(types->u.object.len, 26);
    for (size_t t = 0; t < types->u.object.len; t++) {
        const hry_type_info *row = type_named(types->u.object.keys[t]);
        yajl_val entry = types->u.object.values[t], sizes = json_at(entry, "size"), places = json_at(entry, "address"),
                 large = json_at(entry, "size_of");
        assert_int_equal(row->tag, json_u64(json_at(entry, "tag")));
        assert_int_equal(row->bits, json_u64(json_at(entry, "bits")));
        assert_int_equal(row->tier, json_u64(json_at(entry, "tier")));
        assert_int_equal(row->alignment, json_u64(json_at(entry, "alignment")));
        check_kind(row, YAJL_GET_STRING(json_at(entry, "kind")));
        for (size_t n = 0; n < LENGTH(sizes); n++)
            check_size(row, n, ITEM(sizes, n));
        for (size_t n = 0; n < LENGTH(large); n++)
            check_size(row, json_u64(ITEM(ITEM(large, n), 0)), ITEM(ITEM(large, n), 1));
        for (size_t n = 0; n < LENGTH(places); n++) {
            yajl_val pair = ITEM(ITEM(places, n), 1);
            hry_element_place place = hry_element_locate(row->bits, json_i64(ITEM(ITEM(places, n), 0)));
            assert_int_equal(place.byte, json_i64(ITEM(pair, 0)));
            assert_int_equal(place.bit, json_i64(ITEM(pair, 1)));
        }
    }
    yajl_tree_free(types);
}

static double element_of(uint8_t type, uint64_t lo, uint64_t hi)
{
    uint8_t bytes[16] = { 0 };
    hry_element_set_bits(type, bytes, 0, lo, hi);
    return hry_element_f64(type, bytes, 0);
}

/* A code's value as float32 bits, or "nan". */
static void check_float32(const hry_type_info *row, uint64_t code, yajl_val expected)
{
    double value = element_of(row->tag, code, 0);
    const char *text = YAJL_GET_STRING(expected);
    if (text && strcmp(text, "nan") == 0)
        assert_true(isnan(value));
    else
        assert_int_equal(hry_f64_bits(value), hry_f64_bits((double)hry_f32_from_bits((uint32_t)json_hex(expected))));
}

static void check_float128(yajl_val pairs)
{
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        const char *code = YAJL_GET_STRING(ITEM(ITEM(pairs, i), 0));
        char high[17] = "";
        assert_int_equal(strlen(code), 32);
        memcpy(high, code, 16);
        double value = element_of(HRY_TYPE_FLOAT128, strtoull(code + 16, NULL, 16), strtoull(high, NULL, 16));
        assert_int_equal(hry_f64_bits(value), json_hex(ITEM(ITEM(pairs, i), 1)));
    }
}

static void test_float_tables(void **state)
{
    (void)state;
    yajl_val tables = shared_json("conformance/values/float_tables.json");
    size_t floats = 0, integers = 0, quads = 0;
    for (size_t t = 0; t < tables->u.object.len; t++) {
        const hry_type_info *row = type_named(tables->u.object.keys[t]);
        yajl_val entry = tables->u.object.values[t];
        if (row->tag == HRY_TYPE_FLOAT128) {
            quads++;
            check_float128(json_at(entry, "code_float64_bits"));
            continue;
        }
        bool is_float = row->kind == HRY_KIND_FLOAT;
        yajl_val codes = json_at(entry, is_float ? "float32_bits" : "value");
        assert_int_equal(LENGTH(codes), 1u << row->bits);
        for (size_t code = 0; code < LENGTH(codes); code++) {
            if (is_float)
                check_float32(row, code, ITEM(codes, code));
            else
                assert_true(element_of(row->tag, code, 0) == (double)json_i64(ITEM(codes, code)));
        }
        floats += is_float;
        integers += !is_float;
    }
    assert_int_equal(floats, 6);
    assert_int_equal(integers, 4);
    assert_int_equal(quads, 1);
    yajl_tree_free(tables);
}

/* Both ways to a code, from float32 as such and as float64. null: the type has no such value. */
static void check_conversion(const hry_type_info *row, uint32_t bits, yajl_val expected)
{
    uint8_t bytes[3] = { 0 };
    uint64_t code;
    bool done = hry_element_set_f64(row->tag, bytes, 0, (double)hry_f32_from_bits(bits));
    assert_int_equal(done, !YAJL_IS_NULL(expected));
    if (!done)
        return;
    hry_element_bits(row->tag, bytes, 0, &code, NULL);
    if (code != json_u64(expected))
        fail_msg("%s of float32 %08x: %#llx", row->name, bits, (unsigned long long)code);
}

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
    case HRY_TYPE_FLOAT4_E2M1:
        return hry_f32_to_e2m1(value);
    default:
        fail_msg("no conversion from float32 to type %u", type);
        return 0;
    }
}

static void test_conversions(void **state)
{
    (void)state;
    yajl_val conversions = shared_json("conformance/values/conversions.json");
    assert_int_equal(conversions->u.object.len, 7);
    for (size_t t = 0; t < conversions->u.object.len; t++) {
        const hry_type_info *row = type_named(conversions->u.object.keys[t]);
        yajl_val pairs = json_at(conversions->u.object.values[t], "float32_bits_to_code");
        assert_in_range(LENGTH(pairs), 1, 1 << 20);
        for (size_t i = 0; i < LENGTH(pairs); i++) {
            uint32_t bits = (uint32_t)json_hex(ITEM(ITEM(pairs, i), 0));
            yajl_val code = ITEM(ITEM(pairs, i), 1);
            check_conversion(row, bits, code);
            assert_int_equal(from_f32(row->tag, hry_f32_from_bits(bits)), YAJL_IS_NULL(code) ? 0xFF : json_u64(code));
        }
    }
    yajl_tree_free(conversions);
}

/* All 65,536 codes as float32; every NaN of the table stands as 7FC00000. */
static void check_halves(const char *path, float (*widen)(uint16_t))
{
    size_t nbytes;
    uint8_t *table = shared_read(path, &nbytes);
    assert_int_equal(nbytes, 65536 * 4);
    for (size_t code = 0; code < 65536; code++) {
        uint32_t expected = hry_load32(table + 4 * code), bits = hry_f32_bits(widen((uint16_t)code));
        if (expected == 0x7FC00000)
            assert_true((bits & 0x7FFFFFFF) > 0x7F800000);
        else
            assert_int_equal(bits, expected);
    }
    free(table);
}

static void test_float16_table(void **state)
{
    (void)state;
    check_halves("conformance/values/float16_to_float32.bin.gz", hry_f16_to_f32);
}

static void test_bfloat16_table(void **state)
{
    (void)state;
    check_halves("conformance/values/bfloat16_to_float32.bin.gz", hry_bf16_to_f32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),         cmocka_unit_test(test_float_tables),   cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_float16_table), cmocka_unit_test(test_bfloat16_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
