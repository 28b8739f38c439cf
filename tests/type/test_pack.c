/* Sub-byte elements against the format's one rule: element i is bits i*B .. i*B+B-1 of a little-endian bit string. */
#include "type/pack.h"
#include "type/types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t sub_byte_types[] = { HRY_TYPE_BOOL,        HRY_TYPE_INT2,       HRY_TYPE_UINT2,
                                          HRY_TYPE_INT4,        HRY_TYPE_UINT4,      HRY_TYPE_FLOAT4_E2M1,
                                          HRY_TYPE_FLOAT6_E2M3, HRY_TYPE_FLOAT6_E3M2 };

static unsigned model_get(const uint8_t *string, unsigned bits, size_t index)
{
    unsigned code = 0;
    for (unsigned b = 0; b < bits; b++) {
        size_t k = index * bits + b;
        code |= (unsigned)(string[k / 8] >> k % 8 & 1) << b;
    }
    return code;
}

static void model_set(uint8_t *string, unsigned bits, size_t index, unsigned code)
{
    for (unsigned b = 0; b < bits; b++) {
        size_t k = index * bits + b;
        string[k / 8] = (uint8_t)((string[k / 8] & ~(1u << k % 8)) | (code >> b & 1) << k % 8);
    }
}

static void test_random_elements(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    srand(7);
    for (size_t t = 0; t < sizeof sub_byte_types; t++) {
        uint8_t type = sub_byte_types[t];
        unsigned bits = hry_type_table[type].bits;
        uint64_t nbytes;
        assert_true(hry_type_size(bits, COUNT, &nbytes));
        /* At an odd address, and on the heap at its exact size, so that a sanitizer sees a step beyond. */
        uint8_t *block = malloc((size_t)nbytes + 1), *ours = block + 1, *model = malloc((size_t)nbytes);
        assert_true(block && model);
        for (size_t i = 0; i < nbytes; i++)
            ours[i] = model[i] = (uint8_t)rand();
        for (int step = 0; step < 5000; step++) {
            size_t index = (size_t)rand() % COUNT;
            /* Bits above the width must not spill into neighbours. */
            uint64_t code = (uint64_t)rand() << 32 | (uint64_t)rand(), lo, hi = 1;
            hry_element_set_bits(type, ours, index, code, ~code);
            model_set(model, bits, index, (unsigned)code);
            assert_memory_equal(ours, model, (size_t)nbytes);
            index = (size_t)rand() % COUNT;
            hry_element_bits(type, ours, index, &lo, &hi);
            assert_int_equal(lo, model_get(model, bits, index));
            assert_int_equal(hi, 0);
        }
        free(block);
        free(model);
    }
}

static void check_packing(uint8_t type, const unsigned *codes, size_t count, const char *bytes, size_t nbytes)
{
    uint8_t packed[8] = { 0 };
    uint64_t size, code;
    assert_true(hry_type_size(hry_type_table[type].bits, count, &size));
    assert_int_equal(size, nbytes);
    for (size_t i = 0; i < count; i++)
        hry_element_set_bits(type, packed, i, codes[i], 0);
    assert_memory_equal(packed, bytes, nbytes);
    for (size_t i = 0; i < count; i++) {
        hry_element_bits(type, packed, i, &code, NULL);
        assert_int_equal(code, codes[i]);
    }
}

static void test_examples_of_the_format(void **state)
{
    (void)state;
    check_packing(HRY_TYPE_BOOL, (unsigned[]){ 1, 0, 1, 1, 0 }, 5, "\x0D", 1);
    check_packing(HRY_TYPE_UINT4, (unsigned[]){ 5, 12, 3 }, 3, "\xC5\x03", 2);
    check_packing(HRY_TYPE_UINT2, (unsigned[]){ 3, 1, 2 }, 3, "\x27", 1);
    check_packing(HRY_TYPE_FLOAT6_E2M3, (unsigned[]){ 1, 2, 4, 8 }, 4, "\x81\x40\x20", 3);
    check_packing(HRY_TYPE_FLOAT6_E3M2, (unsigned[]){ 1, 2, 4, 8, 63 }, 5, "\x81\x40\x20\x3F\x00\x00", 6);
}

/* True and false go in as values and come out as such, in the format's bit order. */
static void test_bool_order(void **state)
{
    (void)state;
    static const double values[] = { 1, 0, 1, 1, 0 };
    uint8_t byte = 0;
    for (size_t i = 0; i < 5; i++)
        assert_true(hry_element_set_f64(HRY_TYPE_BOOL, &byte, i, values[i]));
    assert_int_equal(byte, 0x0D);
    for (size_t i = 0; i < 5; i++)
        assert_true(hry_element_f64(HRY_TYPE_BOOL, &byte, i) == values[i]);
}

/* Whole-byte elements at any address: their bytes in the order of the file. */
static void test_whole_bytes(void **state)
{
    (void)state;
    for (size_t position = 0; hry_type_at(position); position++) {
        const hry_type_info *row = hry_type_at(position);
        size_t size = row->bits / 8u;
        if (size == 0 || row->bits == 6)
            continue;
        uint8_t bytes[1 + 4 * 16], copy[sizeof bytes];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(i * 37 + 11);
        for (size_t index = 0; index < 4; index++) {
            uint64_t lo, hi, expected_lo = 0, expected_hi = 0;
            const uint8_t *element = bytes + 1 + index * size;
            for (size_t b = size; b-- > 0;) {
                expected_hi = expected_hi << 8 | expected_lo >> 56;
                expected_lo = expected_lo << 8 | element[b];
            }
            hry_element_bits(row->tag, bytes + 1, index, &lo, &hi);
            assert_int_equal(lo, expected_lo);
            assert_int_equal(hi, expected_hi);
            memset(copy, 0xEE, sizeof copy);
            hry_element_set_bits(row->tag, copy + 1, index, lo, hi);
            for (size_t b = 0; b < sizeof copy; b++)
                assert_int_equal(copy[b], &bytes[b] >= element && &bytes[b] < element + size ? bytes[b] : 0xEE);
        }
    }
}

/* Elements before the base: floor division, and a bit that is never negative. */
static void test_places(void **state)
{
    (void)state;
    static const unsigned widths[] = { 1, 2, 4 };
    for (size_t w = 0; w < 3; w++) {
        for (int64_t offset = -100; offset < 100; offset++) {
            hry_element_place place = hry_element_locate(widths[w], offset);
            assert_in_range(place.bit, 0, 7);
            assert_int_equal(place.byte * 8 + place.bit, offset * (int64_t)widths[w]);
        }
    }
    for (int64_t offset = -100; offset < 100; offset++) {
        hry_element_place place = hry_element_locate(6, offset);
        assert_int_equal(place.byte % 3, 0);
        assert_in_range(place.bit, 0, 18);
        assert_int_equal(place.byte * 8 + place.bit, offset * 6);
        assert_int_equal(hry_element_locate(8, offset).byte, offset);
        assert_int_equal(hry_element_locate(128, offset).byte, offset * 16);
        assert_int_equal(hry_element_locate(128, offset).bit, 0);
    }
}

static void test_types_without_a_name(void **state)
{
    (void)state;
    static const uint8_t tags[] = { 0x00, 0x05, 0x47, 0x80, 0xF0, 0xFF };
    for (size_t t = 0; t < sizeof tags; t++) {
        uint8_t bytes[16], before[16];
        memset(bytes, 0xA5, sizeof bytes);
        memcpy(before, bytes, sizeof bytes);
        uint64_t lo = 1, hi = 1;
        hry_element_bits(tags[t], bytes, 0, &lo, &hi);
        assert_int_equal(lo | hi, 0);
        assert_true(hry_element_f64(tags[t], bytes, 0) == 0);
        hry_element_set_bits(tags[t], bytes, 0, 0, 0);
        assert_false(hry_element_set_f64(tags[t], bytes, 0, 1));
        assert_memory_equal(bytes, before, sizeof bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_elements), cmocka_unit_test(test_examples_of_the_format),
        cmocka_unit_test(test_bool_order),      cmocka_unit_test(test_whole_bytes),
        cmocka_unit_test(test_places),          cmocka_unit_test(test_types_without_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
