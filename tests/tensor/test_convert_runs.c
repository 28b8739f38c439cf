/* Runs of elements convert to the same bits as the elements one by one, which type/ tests exhaustively. */
#include "tensor/convert.h"

#include <hurray/type.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 70001

static _Alignas(16) unsigned char stored[COUNT * 4 + 4];

static int setup(void **state)
{
    (void)state;
    uint32_t seed = 11;
    for (size_t i = 0; i < sizeof stored; i++)
        stored[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
    for (size_t i = 0; i < 65536; i++) { /* all codes of two bytes, and so of one */
        stored[2 * i] = (unsigned char)i;
        stored[2 * i + 1] = (unsigned char)(i >> 8);
    }
    return 0;
}

static void to_float32(void **state)
{
    (void)state;
    float *values = malloc(COUNT * sizeof *values);
    assert_non_null(values);
    const hry_type_info *info;
    for (size_t t = 0; (info = hry_type_at(t)); t++) {
        hry_convert convert;
        if (info->bits > 32 || !hry_convert_init(&convert, info->tag, HRY_TYPE_FLOAT32))
            continue;
        assert_true(hry_convert_run(&convert, stored, COUNT, values));
        for (size_t i = 0; i < COUNT; i++) {
            float expected = (float)hry_element_f64(info->tag, stored, i);
            if (memcmp(&expected, &values[i], sizeof expected) != 0 && info->tag != HRY_TYPE_FLOAT32)
                fail_msg("%s: element %zu", info->name, i);
        }
    }
    free(values);
}

static void from_float32(void **state)
{
    (void)state;
    static const uint8_t types[] = { HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16, HRY_TYPE_FLOAT8_E4M3, HRY_TYPE_FLOAT8_E5M2 };
    uint16_t *found = malloc(COUNT * sizeof *found), *expected = malloc(COUNT * sizeof *expected);
    unsigned char *moved = malloc(COUNT * 4 + 1);
    assert_true(found && expected && moved);
    memcpy(moved + 1, stored, COUNT * 4);
    for (size_t t = 0; t < sizeof types; t++) {
        size_t nbytes = hry_type_find(types[t])->bits / 8u * COUNT;
        hry_convert convert;
        assert_true(hry_convert_init(&convert, HRY_TYPE_FLOAT32, types[t]));
        for (size_t i = 0; i < COUNT; i++)
            assert_true(hry_element_set_f64(types[t], expected, i, hry_element_f64(HRY_TYPE_FLOAT32, stored, i)));
        if (HRY_HOST_SWAPS)
            hry_swap_elements(types[t], expected, COUNT);
        /* Also from where no float may lie. */
        for (int from = 0; from < 2; from++) {
            memset(found, 0, COUNT * sizeof *found);
            assert_true(hry_convert_run(&convert, from ? moved + 1 : stored, COUNT, found));
            assert_memory_equal(found, expected, nbytes);
        }
    }
    free(found);
    free(expected);
    free(moved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_float32),
        cmocka_unit_test(from_float32),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
