/* Descriptors cut, changed and misplaced at every byte: no crash, no contradiction. */
#include "desc/bad_descs.h"
#include "desc/touch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const hry_allow all_private = { .all = true };

/* In a block of exactly its size, at any alignment: a sanitizer sees every byte too many. */
static bool touch_exact(const uint8_t *bytes, size_t nbytes, size_t misplaced)
{
    uint8_t *block = malloc(misplaced + nbytes);
    assert_non_null(block);
    if (nbytes)
        memcpy(block + misplaced, bytes, nbytes);
    bool accepted = touch_both_ways(block + misplaced, nbytes, &all_private);
    touch_both_ways(block + misplaced, nbytes, NULL);
    free(block);
    return accepted;
}

static void test_as_they_are(void **state)
{
    (void)state;
    static desc_bytes d;
    const valid_desc *v;
    for (size_t i = 0; (v = valid_desc_at(i)); i++) {
        valid_desc_make(v->name, &d);
        for (size_t misplaced = 0; misplaced < 8; misplaced++)
            if (!touch_exact(d.bytes, d.n, misplaced))
                fail_msg("%s at %zu", v->name, misplaced);
    }
    uint32_t offset;
    for (size_t i = 0; i < bad_input_count; i++) {
        bad_input_make(&bad_inputs[i], &d, &offset);
        touch_exact(d.bytes, d.n, 0);
    }
}

/* The bytes say the same wherever they lie. */
static void test_places(void **state)
{
    (void)state;
    static desc_bytes d;
    static uint8_t room[sizeof d.bytes + 8];
    const hry_parse_options options = { .allow = &all_private };
    const valid_desc *v;
    for (size_t i = 0; (v = valid_desc_at(i)); i++) {
        hry_desc desc;
        uint64_t first = 0;
        valid_desc_make(v->name, &d);
        for (size_t at = 0; at < 8; at++) {
            memcpy(room + at, d.bytes, d.n);
            assert_int_equal(hry_desc_parse(room + at, sizeof room - at, &options, &desc, NULL), HRY_OK);
            assert_int_equal(desc.length, d.n); /* what follows belongs to the next item */
            uint64_t digest = touch_all(&desc);
            first = at ? first : digest;
            assert_int_equal(digest, first);
        }
    }
}

/* Cut short, with and without a length that says so. */
static void test_cut(void **state)
{
    (void)state;
    static desc_bytes d;
    const valid_desc *v;
    for (size_t i = 0; (v = valid_desc_at(i)); i++) {
        valid_desc_make(v->name, &d);
        uint32_t whole = d.n;
        if (whole > 1000) /* the 255 buffers: every 16th byte will do */
            continue;
        for (uint32_t n = 0; n < whole; n++) {
            db_set(&d, 6, 4, whole);
            assert_false(touch_exact(d.bytes, n, 0));
            db_set(&d, 6, 4, n);
            bool accepted = touch_exact(d.bytes, n, 0);
            if (accepted && !(strcmp(v->name, "newer_minor") == 0 && n >= 61)) /* where a tail may have any length */
                fail_msg("%s cut to %u", v->name, n);
        }
    }
}

static void change(desc_bytes *d, uint32_t at, unsigned first, unsigned step)
{
    uint8_t was = d->bytes[at];
    for (unsigned x = first; x < 256; x += step) {
        d->bytes[at] = (uint8_t)(was ^ x);
        touch_exact(d->bytes, d->n, 0);
    }
    d->bytes[at] = was;
}

/* Every value of every byte of a few, and every bit of every byte of the others. */
static void test_changed(void **state)
{
    (void)state;
    static const char *const few[] = {
        "row",          "strided_int4",   "nested", "csf", "paged_per_block", "overlay", "per_channel_shared",
        "all_sections", "extension_float"
    };
    static desc_bytes d;
    const valid_desc *v;
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        assert_true(valid_desc_make(few[i], &d));
        for (uint32_t at = 0; at < d.n; at++)
            change(&d, at, 1, 1);
    }
    for (size_t i = 0; (v = valid_desc_at(i)); i++) {
        valid_desc_make(v->name, &d);
        for (uint32_t at = 0; at < d.n && at < 400; at++)
            for (unsigned bit = 1; bit < 256; bit *= 2)
                change(&d, at, bit, 256);
    }
}

/* Readers without support for quantization keep sections of any length closed. */
static void test_unread_quantization(void **state)
{
    (void)state;
    static const hry_profile profile = { .scheme_version = 1, .no_quantization = true };
    const hry_parse_options strict = { .profile = &profile };
    const hry_parse_options permissive = { .profile = &profile, .permissive = true };
    static desc_bytes d;
    for (unsigned scheme = 1; scheme < 0xFF; scheme++)
        for (uint32_t length = 4; length < 26; length++) {
            hry_desc desc;
            hry_error err = { 0 };
            hry_quantization q;
            DB_BEGIN(&d, 0x10, 0x01, 4);
            DB_BUFFERS(&d, 4, 16);
            db_quantization(&d, length, scheme, 0xFFFF);
            db_zeros(&d, length - 4);
            db_end(&d);
            uint8_t *exact = malloc(d.n);
            assert_non_null(exact);
            memcpy(exact, d.bytes, d.n);
            assert_int_equal(hry_desc_parse(exact, d.n, &strict, &desc, &err), HRY_E_INPUT);
            assert_string_equal(hry_rule_id(err.rule), "D-42");
            assert_int_equal(err.offset, d.quantization + 4);
            assert_int_equal(hry_desc_parse(exact, d.n, &permissive, &desc, &err), HRY_OK);
            assert_true(hry_desc_is_opaque(&desc));
            assert_true(hry_desc_quantization(&desc, &q));
            assert_int_equal(q.scheme, scheme);
            touch_all(&desc);
            free(exact);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_they_are),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_unread_quantization),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
