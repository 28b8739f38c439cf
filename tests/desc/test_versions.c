/* Readers and writers of other versions, on each axis. (versioning) */
#include "desc/appended.h"
#include "desc/valid_descs.h"
#include "support/rules_reached.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { FIELD = 16, SIZE = 4 }; /* bias_correction, which 1.1 appends to MXFP */

/* float8_e4m3 [32] under MXFP with a payload of length bytes, by a writer of 1.minor (versioning, section 7). */
static void example(desc_bytes *d, unsigned minor, uint32_t length)
{
    DB_BEGIN(d, 0x40, 0x01, 32);
    DB_BUFFERS(d, 32, 1);
    db_mxfp(d, 0, 32, 1);
    db_set(d, d->quantization, 4, length);
    if (length > 16) {
        db_f32(d, 0.25f);
        d->n = d->quantization + 4 + length;
    }
    db_end(d);
    db_set(d, 5, 1, minor);
}

/* The two dumps of the example, as they stand there. */
static void test_example_bytes(void **state)
{
    (void)state;
    static const uint8_t tail[] = {
        0x14, 0, 0, 0, 5, 1, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x80, 0x3E
    };
    static desc_bytes d;
    example(&d, 0, 16);
    assert_int_equal(d.n, 89);
    example(&d, 1, 20);
    assert_int_equal(d.n, 93);
    assert_memory_equal(d.bytes + 69, tail, sizeof tail);
}

/* What a reader finds of the field: its value, 0 for the default, and whether a part of it was there. */
static void check_field(unsigned minor, uint32_t length, const hry_profile *profile, float expected, bool partial)
{
    static desc_bytes d;
    hry_desc desc;
    bool part = !partial;
    example(&d, minor, length);
    assert_int_equal(hry_desc_parse(d.bytes, d.n, &(hry_parse_options){ .profile = profile }, &desc, NULL), HRY_OK);
    const uint8_t *field = hry_desc_appended(&desc, FIELD, SIZE, 1, &part);
    assert_true((field ? hry_load_f32(field) : 0.0f) == expected);
    assert_int_equal(part, partial);
    assert_ptr_equal(hry_desc_appended(&desc, FIELD, SIZE, 1, NULL), field);
    assert_int_equal((desc.state & HRY_DESC_NEWER_MINOR) != 0, minor > (profile ? profile->descriptor_minor : 0));

    /* Passed on unchanged, it is the same to the byte; built again, it is what 1.0 says. */
    static hry_desc_store store;
    hry_desc_spec spec;
    hry_desc built;
    uint8_t bytes[128];
    size_t nbytes;
    assert_memory_equal(hry_desc_bytes(&desc, &nbytes), d.bytes, d.n);
    assert_int_equal(nbytes, d.n);
    assert_true(hry_desc_unpack(&desc, &spec, &store));
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &built, NULL), HRY_OK);
    example(&d, 0, 16);
    assert_int_equal(built.length, d.n);
    assert_memory_equal(bytes, d.bytes, d.n);
}

static void test_appended_field(void **state)
{
    (void)state;
    static const hry_profile reader_1_1 = { .descriptor_minor = 1, .scheme_version = 1 };
    check_field(1, 20, NULL, 0.25f, false); /* a 1.0 reader parses it too: the accessor is 1.1's */
    check_field(1, 20, &reader_1_1, 0.25f, false);
    check_field(2, 20, &reader_1_1, 0.25f, false);
    check_field(0, 16, &reader_1_1, 0.0f, false);
    check_field(0, 20, &reader_1_1, 0.0f, false); /* minor 0 does not define it: these bytes are padding */
    check_field(1, 16, &reader_1_1, 0.0f, false);
    for (uint32_t length = 17; length < 20; length++) {
        check_field(1, length, &reader_1_1, 0.0f, true);
        check_field(0, length, &reader_1_1, 0.0f, false);
        check_field(0, length, NULL, 0.0f, false);
    }
    static desc_bytes d;
    hry_desc desc;
    hry_error err = { 0 };
    for (unsigned minor = 0; minor < 2; minor++) {
        example(&d, minor, 16);
        db_set(&d, d.quantization, 4, 15);
        d.n--;
        db_set(&d, 6, 4, d.n);
        assert_rule("15 bytes", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "D-45", d.quantization);
    }
    /* Without the section there is no field. */
    valid_desc_make("row", &d);
    bool partial = true;
    assert_int_equal(hry_desc_parse(d.bytes, d.n, NULL, &desc, NULL), HRY_OK);
    assert_null(hry_desc_appended(&desc, 0, 0, 0, &partial));
    assert_false(partial);
}

static void test_minors(void **state)
{
    (void)state;
    static desc_bytes d;
    static const hry_profile reader_1_3 = { .descriptor_minor = 3, .scheme_version = 1 };
    hry_desc desc;
    hry_error err = { 0 };
    const valid_desc *v;
    /* CD1, CD2: every other minor says the same as long as nothing new is used. */
    for (size_t i = 0; (v = valid_desc_at(i)); i++) {
        const hry_allow all = { .all = true };
        valid_desc_make(v->name, &d);
        if (strcmp(v->name, "newer_minor") == 0)
            continue;
        for (unsigned minor = 0; minor < 256; minor += 51) {
            db_set(&d, 5, 1, minor);
            const hry_parse_options options = { .allow = &all, .profile = minor % 2 ? &reader_1_3 : NULL };
            assert_int_equal(hry_desc_parse(d.bytes, d.n, &options, &desc, NULL), HRY_OK);
            assert_int_equal(hry_desc_version_minor(&desc), minor);
            assert_int_equal(hry_desc_version_major(&desc), 1);
        }
    }
    /* A tail is a newer minor's, and nobody else's. */
    valid_desc_make("row", &d);
    db_zeros(&d, 3);
    db_end(&d);
    for (unsigned minor = 0; minor < 6; minor++) {
        db_set(&d, 5, 1, minor);
        const hry_parse_options options = { .profile = &reader_1_3 };
        hry_status status = hry_desc_parse(d.bytes, d.n, &options, &desc, &err);
        if (minor <= 3)
            assert_rule("tail", status, &err, "D-17", 61);
        else
            assert_int_equal(status, HRY_OK);
        if (!status) {
            assert_int_equal(desc.end, 61);
            assert_int_equal(desc.length, 64);
        }
    }
    /* Flag bits and reserved bytes stay what they are at every minor. */
    valid_desc_make("member", &d);
    db_set(&d, 5, 1, 9);
    db_set(&d, d.member + 1, 1, 1);
    assert_rule("reserved", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "D-71", d.member + 1);
}

static void test_majors(void **state)
{
    (void)state;
    static desc_bytes d;
    hry_desc desc;
    hry_error err = { 0 };
    valid_desc_make("row", &d);
    for (unsigned major = 0; major < 256; major++) {
        db_set(&d, 4, 1, major);
        hry_status status = hry_desc_parse(d.bytes, d.n, NULL, &desc, &err);
        if (major == 1)
            assert_int_equal(status, HRY_OK);
        else
            assert_rule("major", status, &err, major ? "D-03" : "D-04", 4);
    }
}

/* A scheme has one number: 1 is known, what is above is not; 0 is no version. */
static void test_scheme_versions(void **state)
{
    (void)state;
    static const char *const names[] = { "per_tensor", "per_channel", "per_block", "nf4", "mxfp" };
    static const hry_profile newer = { .scheme_version = 9 }, none = { .scheme_version = 0 };
    static desc_bytes d;
    hry_desc desc;
    hry_error err = { 0 };
    for (size_t i = 0; i < 5; i++) {
        valid_desc_make(names[i], &d);
        for (unsigned version = 0; version < 4; version++) {
            db_set(&d, d.quantization + 5, 1, version);
            for (int permissive = 0; permissive < 2; permissive++) {
                /* A profile cannot make this build know more than it does. */
                hry_parse_options options = { .permissive = permissive, .profile = &newer };
                hry_status status = hry_desc_parse(d.bytes, d.n, &options, &desc, &err);
                if (version == 1)
                    assert_int_equal(status, HRY_OK);
                else
                    assert_rule(names[i], status, &err, "D-43", d.quantization + 5);
                options.profile = &none;
                status = hry_desc_parse(d.bytes, d.n, &options, &desc, &err);
                assert_rule(names[i], status, &err, "D-43", d.quantization + 5);
            }
        }
    }
}

/* Values that came with 1.2, to a reader of 1.1 and to one of 1.2. */
static const struct {
    hry_registry_row row;
    const char *base, *rule;
    uint32_t offset; /* from the part at fault */
    enum { HEADER, TABLE, QUANTIZATION } part;
    bool soft; /* permissive readers pass over it */
} since[] = {
    { { .space = HRY_SPACE_TYPE, .value = 0x03 }, "row", "D-09", 14, HEADER, false },
    { { .space = HRY_SPACE_LAYOUT, .value = 0x01 }, "row", "D-13", 15, HEADER, true },
    { { .space = HRY_SPACE_LAYOUT, .value = 0x04 }, "nested", "D-13", 15, HEADER, true },
    { { .space = HRY_SPACE_LAYOUT, .value = 0x09 }, "csf", "D-13", 15, HEADER, true },
    { { .space = HRY_SPACE_SCHEME, .value = 0x02 }, "per_channel", "D-42", 4, QUANTIZATION, true },
    { { .space = HRY_SPACE_DEVICE, .value = 0x01 }, "cuda", "D-25", 13, TABLE, false },
    { { .space = HRY_SPACE_SYNC_MODE, .value = 0x01 }, "cuda", "D-26", 14, TABLE, false },
    { { .space = HRY_SPACE_MEMORY_CLASS, .value = 0x02 }, "cuda", "D-28", 15, TABLE, false },
    { { .space = HRY_SPACE_DESCRIPTOR_FLAG, .value = 1 }, "shard", "D-07", 10, HEADER, false },
    { { .space = HRY_SPACE_DESCRIPTOR_FLAG, .value = 4 }, "member", "D-07", 10, HEADER, false },
};

static void test_ceilings(void **state)
{
    (void)state;
    static desc_bytes d;
    static hry_layout_store layout_store;
    static hry_desc_store store;
    for (size_t i = 0; i < sizeof since / sizeof *since; i++) {
        hry_registry_row row = since[i].row;
        row.since_minor = 2;
        row.name = "newcomer";
        hry_profile profile = { .descriptor_minor = 1, .scheme_version = 1, .extra = &row, .extra_count = 1 };
        hry_parse_options options = { .profile = &profile };
        hry_desc desc, built;
        hry_layout layout;
        hry_desc_spec spec;
        hry_error err = { 0 };
        uint8_t bytes[512];
        valid_desc_make(since[i].base, &d);
        const uint32_t parts[] = { 0, d.table, d.quantization };
        uint32_t offset = parts[since[i].part] + since[i].offset;
        assert_rule(since[i].base, hry_desc_parse(d.bytes, d.n, &options, &desc, &err), &err, since[i].rule, offset);
        options.permissive = true;
        hry_status status = hry_desc_parse(d.bytes, d.n, &options, &desc, &err);
        if (since[i].soft) {
            assert_int_equal(status, HRY_OK);
            assert_true(hry_desc_is_opaque(&desc));
        } else {
            assert_rule(since[i].base, status, &err, since[i].rule, offset);
        }
        if (row.space == HRY_SPACE_LAYOUT) { /* its fields mean nothing to this reader */
            assert_false(hry_desc_layout_get(&desc, &layout, &layout_store));
            assert_false(hry_desc_unpack(&desc, &spec, &store));
        }
        options.permissive = false;
        profile.descriptor_minor = 2;
        assert_int_equal(hry_desc_parse(d.bytes, d.n, &options, &desc, &err), HRY_OK);

        /* W1: what is written with it says 1.2; without it, 1.0. */
        assert_true(hry_desc_unpack(&desc, &spec, &store));
        assert_int_equal(hry_desc_encode(&spec, &options, bytes, sizeof bytes, &built, &err), HRY_OK);
        assert_int_equal(hry_desc_version_minor(&built), 2);
        assert_int_equal(bytes[4], 1);
        bytes[5] = 0;
        assert_memory_equal(bytes, d.bytes, d.n);
        row.value = row.space == HRY_SPACE_DESCRIPTOR_FLAG ? 3 : 0x30;
        assert_int_equal(hry_desc_encode(&spec, &options, bytes, sizeof bytes, &built, &err), HRY_OK);
        assert_int_equal(hry_desc_version_minor(&built), 0);
    }
}

/* W3, R3: a deprecated value is not written where there is another one, and means what it meant when read. */
static void test_deprecated(void **state)
{
    (void)state;
    static desc_bytes d;
    static hry_desc_store store;
    for (size_t i = 0; i < sizeof since / sizeof *since; i++) {
        hry_registry_row row = since[i].row;
        row.name = "veteran";
        row.deprecated_minor = 3;
        row.replacement = 0x42;
        hry_profile profile = { .descriptor_minor = 3, .scheme_version = 1, .extra = &row, .extra_count = 1 };
        const hry_parse_options options = { .profile = &profile };
        hry_desc desc, built = { .length = 1 };
        hry_desc_spec spec;
        hry_error err = { 0 };
        uint8_t bytes[512];
        valid_desc_make(since[i].base, &d);
        assert_int_equal(hry_desc_parse(d.bytes, d.n, &options, &desc, &err), HRY_OK);
        assert_int_equal(desc.state & ~(unsigned)HRY_DESC_HAS_DYNAMIC, 0);
        assert_true(hry_desc_unpack(&desc, &spec, &store));
        assert_int_equal(hry_desc_encode(&spec, &options, bytes, sizeof bytes, &built, &err), HRY_E_USAGE);
        assert_non_null(strstr(err.message, "veteran"));
        assert_non_null(strstr(err.message, "0x42"));
        assert_int_equal(built.length, 1);
        profile.descriptor_minor = 2; /* not yet deprecated */
        assert_int_equal(hry_desc_encode(&spec, &options, bytes, sizeof bytes, &built, &err), HRY_OK);
        profile.descriptor_minor = 3;
        row.replacement = 0; /* there is nothing better */
        assert_int_equal(hry_desc_encode(&spec, &options, bytes, sizeof bytes, &built, &err), HRY_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_bytes), cmocka_unit_test(test_appended_field),  cmocka_unit_test(test_minors),
        cmocka_unit_test(test_majors),        cmocka_unit_test(test_scheme_versions), cmocka_unit_test(test_ceilings),
        cmocka_unit_test(test_deprecated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
