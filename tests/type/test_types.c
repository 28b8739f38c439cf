/* The table of types and the size formulas, against the figures of element-types, sections 2 and 4. */
#include "type/types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_rows(void **state)
{
    (void)state;
    size_t named = 0, tier1 = 0;
    for (unsigned tag = 0; tag < 256; tag++) {
        const hry_type_info *row = hry_type_find((uint8_t)tag);
        if (!row)
            continue;
        named++;
        tier1 += row->tier == 1;
        assert_int_equal(row->tag, tag);
        assert_int_equal(row->tier, tag < 0x40 ? 1 : 2);
        assert_ptr_equal(row, hry_type_at(named - 1));
        assert_string_equal(row->name, hry_type_name((uint8_t)tag));
        assert_int_equal(hry_type_by_name(row->name, strlen(row->name)), tag);
        /* A prefix of a name is no name, nor is a name with more behind it. */
        assert_int_equal(hry_type_by_name(row->name, strlen(row->name) + 1), 0);
        assert_int_not_equal(hry_type_by_name(row->name, strlen(row->name) - 1), tag);
    }
    assert_int_equal(named, 26);
    assert_int_equal(tier1, 13);
    assert_null(hry_type_at(26));
    assert_null(hry_type_at(SIZE_MAX));
    assert_int_equal(hry_type_by_name("", 0), 0);
    assert_int_equal(hry_type_by_name("Float32", 7), 0);
}

static void test_tags_without_a_type(void **state)
{
    (void)state;
    static const uint8_t none[] = {
        0x00, 0x05, 0x0F, 0x18, 0x21, 0x3F, 0x47, 0x4C, 0x4F, 0x52, 0x7F, 0x80, 0xEF, 0xFF
    };
    for (size_t i = 0; i < sizeof none; i++) {
        assert_null(hry_type_find(none[i]));
        assert_string_equal(hry_type_name(none[i]), "unknown");
        assert_false(hry_type_is_private(none[i]));
    }
    for (unsigned tag = 0xF0; tag <= 0xFE; tag++) {
        assert_null(hry_type_find((uint8_t)tag));
        assert_string_equal(hry_type_name((uint8_t)tag), "private");
        assert_true(hry_type_is_private((uint8_t)tag));
    }
}

static uint64_t size_of(uint32_t bits, uint64_t count)
{
    uint64_t nbytes;
    assert_true(hry_type_size(bits, count, &nbytes));
    return nbytes;
}

static void test_sizes(void **state)
{
    (void)state;
    static const uint32_t widths[] = { 1, 2, 4, 6, 8, 16, 24, 32, 64, 128, 4096, 0xFFFFFFF8u };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        assert_int_equal(size_of(widths[i], 0), 0);
    /* float6 of shapes [1] and [5] take whole groups: 3 and 6 bytes, where ceil(6N/8) would say 1 and 4. */
    static const uint64_t six[] = { 3, 3, 3, 3, 6, 6, 6, 6 };
    for (uint64_t n = 1; n <= 8; n++)
        assert_int_equal(size_of(6, n), six[n - 1]);
    for (uint64_t n = 1; n < 1000; n++) {
        for (uint32_t bits = 1; bits <= 4; bits *= 2)
            assert_int_equal(size_of(bits, n), (n * bits + 7) / 8);
        assert_int_equal(size_of(24, n), 3 * n);
        assert_int_equal(size_of(128, n), 16 * n);
    }
}

static void test_sizes_at_the_edge(void **state)
{
    (void)state;
    assert_int_equal(size_of(1, UINT64_MAX), UINT64_C(1) << 61);
    assert_int_equal(size_of(2, UINT64_MAX), UINT64_C(1) << 62);
    assert_int_equal(size_of(4, UINT64_MAX), UINT64_C(1) << 63);
    assert_int_equal(size_of(6, UINT64_MAX), UINT64_C(3) << 62);
    assert_int_equal(size_of(8, UINT64_MAX), UINT64_MAX);
    assert_int_equal(size_of(16, UINT64_MAX / 2), UINT64_MAX - 1);
    uint64_t untouched = 77;
    assert_false(hry_type_size(16, UINT64_MAX / 2 + 1, &untouched));
    assert_false(hry_type_size(128, UINT64_C(1) << 60, &untouched));
    assert_false(hry_type_size(0xFFFFFFF8u, UINT64_C(1) << 36, &untouched));
    static const uint32_t no_width[] = { 0, 3, 5, 7, 9, 12, 0xFFFFFFFFu };
    for (size_t i = 0; i < sizeof no_width / sizeof *no_width; i++)
        assert_false(hry_type_size(no_width[i], 0, &untouched));
    assert_int_equal(untouched, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_tags_without_a_type),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_sizes_at_the_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
