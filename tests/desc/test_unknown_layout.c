/* What a permissive reader recovers under a layout tag that it does not know. (descriptor, section 9) */
#include "desc/conformance_table.h"
#include "desc/valid_descs.h"
#include "support/rules_reached.h"
#include "support/shared_data.h"

#include <hurray/desc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const hry_allow all_private = { .all = true };
static const hry_parse_options permissive = { .permissive = true };

static bool has_section(const hry_desc *desc, const char *name)
{
    uint64_t words[2 * HRY_RANK_MAX];
    hry_quantization q;
    hry_statistics s;
    hry_extension_type e;
    uint8_t role;
    if (strcmp(name, "quantization") == 0)
        return hry_desc_quantization(desc, &q);
    if (strcmp(name, "shard") == 0)
        return hry_desc_shard(desc, words, words + HRY_RANK_MAX);
    if (strcmp(name, "statistics") == 0)
        return hry_desc_statistics(desc, &s);
    if (strcmp(name, "extension_type") == 0)
        return hry_desc_extension_type(desc, &e);
    assert_string_equal(name, "composite_member");
    return hry_desc_composite_member(desc, &role);
}

/* expected: an array of names, or NULL for none. */
static void check_sections(const hry_desc *desc, yajl_val expected)
{
    static const char *const names[] = { "quantization", "shard", "statistics", "extension_type", "composite_member" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool listed = false;
        for (size_t k = 0; expected && k < YAJL_GET_ARRAY(expected)->len; k++) {
            const char *name = YAJL_GET_STRING(YAJL_GET_ARRAY(expected)->values[k]);
            assert_non_null(name);
            listed |= name && strcmp(name, names[i]) == 0;
        }
        if (has_section(desc, names[i]) != listed)
            fail_msg("%s", names[i]);
    }
}

static void check_unreachable(const hry_desc *desc)
{
    hry_buffer b;
    assert_true(desc->state & HRY_DESC_NO_BUFFERS);
    assert_int_equal(hry_desc_buffer_count(desc), 0);
    assert_false(hry_desc_buffer(desc, 0, &b));
    assert_int_equal(desc->buffers_offset, 0);
    check_sections(desc, NULL);
}

static void check_entry(yajl_val entry)
{
    static hry_layout_store layout_store;
    static hry_desc_store store;
    size_t nbytes, layout_length;
    uint8_t *bytes = conformance_hex(YAJL_GET_STRING(json_at(entry, "hex")), &nbytes);
    yajl_val offset = json_at(entry, "buffers_offset"), sizes = json_at(entry, "byte_sizes");
    hry_desc desc;
    hry_layout layout;
    hry_desc_spec spec;
    hry_error err = { 0 };
    assert_int_equal(hry_desc_parse(bytes, nbytes, NULL, &desc, &err), HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), "D-13");
    assert_int_equal(hry_desc_parse(bytes, nbytes, &permissive, &desc, &err), HRY_OK);
    assert_true(hry_desc_is_opaque(&desc));
    assert_true(desc.state & HRY_DESC_UNKNOWN_LAYOUT);
    assert_false(hry_desc_layout_get(&desc, &layout, &layout_store));
    assert_false(hry_desc_unpack(&desc, &spec, &store));
    if (YAJL_IS_NULL(offset)) {
        check_unreachable(&desc);
        free(bytes);
        return;
    }
    uint8_t *fields = conformance_hex(YAJL_GET_STRING(json_at(entry, "layout_bytes")), &layout_length);
    assert_int_equal(desc.buffers_offset, json_u64(offset));
    assert_int_equal(desc.buffers_offset - desc.layout_offset, layout_length);
    assert_memory_equal(bytes + desc.layout_offset, fields, layout_length);
    assert_int_equal(hry_desc_buffer_count(&desc), YAJL_GET_ARRAY(sizes)->len);
    for (uint32_t i = 0; i < YAJL_GET_ARRAY(sizes)->len; i++) {
        hry_buffer b;
        assert_true(hry_desc_buffer(&desc, i, &b));
        assert_int_equal(b.byte_size, json_u64(YAJL_GET_ARRAY(sizes)->values[i]));
    }
    check_sections(&desc, json_at(entry, "sections"));
    free(fields);
    free(bytes);
}

static void test_table(void **state)
{
    (void)state;
    yajl_val entries = shared_json("conformance/values/unknown_layout.json");
    assert_in_range(entries->u.object.len, 10, 1000);
    for (size_t i = 0; i < entries->u.object.len; i++) {
        print_message("%s\n", entries->u.object.keys[i]);
        check_entry(entries->u.object.values[i]);
    }
    yajl_tree_free(entries);
}

/* float32 [3, 4] under the unassigned tag 0x0C, with fields that look like nothing in particular. */
static void begin(desc_bytes *d, uint32_t fields)
{
    DB_BEGIN(d, 0x03, 0x0C, 3, 4);
    for (uint32_t i = 0; i < fields; i++)
        db_u8(d, 0x5B + 37 * i);
}

static hry_desc recover(desc_bytes *d)
{
    hry_desc desc;
    hry_error err = { 0 };
    db_end(d);
    if (hry_desc_parse(d->bytes, d->n, &permissive, &desc, &err))
        fail_msg("%s %s", hry_rule_id(err.rule), err.message);
    return desc;
}

static void test_found(void **state)
{
    (void)state;
    static desc_bytes d;
    for (uint32_t fields = 0; fields < 40; fields++)
        for (unsigned count = 1; count < 4; count++) {
            begin(&d, fields);
            DB_BUFFERS(&d, 48);
            d.bytes[d.table] = (uint8_t)count;
            for (unsigned i = 1; i < count; i++)
                db_handle(&d, 1000 + i, 128, 0, 0, 0);
            db_member(&d, 1);
            hry_desc desc = recover(&d);
            assert_int_equal(desc.buffers_offset, d.table);
            assert_int_equal(desc.buffer_count, count);
            assert_int_equal(desc.composite_member_offset, d.member);
            assert_int_equal(desc.end, d.n);
        }
}

static void test_virtual(void **state)
{
    (void)state;
    static desc_bytes d;
    begin(&d, 9);
    db_table(&d, 0);
    hry_desc desc = recover(&d);
    assert_int_equal(desc.buffers_offset, d.table);
    assert_false(desc.state & HRY_DESC_NO_BUFFERS);
    /* A table with rows is preferred to an empty one, although the statistics' first byte would do as one. */
    begin(&d, 9);
    DB_BUFFERS(&d, 48);
    db_statistics(&d, 0);
    desc = recover(&d);
    assert_int_equal(desc.buffers_offset, d.table);
    assert_int_equal(desc.buffer_count, 1);
}

static void test_unreachable(void **state)
{
    (void)state;
    static desc_bytes d;
    begin(&d, 9);
    DB_BUFFERS(&d, 48);
    db_set(&d, d.table + 16, 1, 1); /* the reserved byte of the row */
    check_unreachable((hry_desc[]){ recover(&d) });
    /* Rows of two places are no table; then the last byte can be the empty one of a virtual layout. */
    begin(&d, 9);
    db_table(&d, 2);
    db_handle(&d, 48, 64, 0, 0, 0);
    db_handle(&d, 48, 64, 1, 0, 0);
    hry_desc desc = recover(&d);
    assert_int_equal(desc.buffers_offset, d.n - 1);
    assert_int_equal(desc.buffer_count, 0);
    begin(&d, 0); /* two positions fit */
    DB_BUFFERS(&d, 48);
    DB_BUFFERS(&d, 48);
    db_set(&d, 5, 1, 1); /* a newer minor: a table need not end at the end */
    check_unreachable((hry_desc[]){ recover(&d) });
}

/* What the search does not ask is asked of the table that was found. */
static void test_faults(void **state)
{
    (void)state;
    static desc_bytes d;
    hry_desc desc;
    hry_error err = { 0 };
    begin(&d, 5);
    db_byte_offset(&d, 49);
    DB_BUFFERS(&d, 48);
    db_end(&d);
    assert_rule("byte_offset", hry_desc_parse(d.bytes, d.n, &permissive, &desc, &err), &err, "D-35", d.table + 1);

    begin(&d, 5);
    db_table(&d, 1);
    db_handle(&d, 48, 64, 0xF1, 0, 0);
    db_end(&d);
    assert_rule("device", hry_desc_parse(d.bytes, d.n, &permissive, &desc, &err), &err, "D-33", d.table + 13);
    const hry_parse_options allowed = { .permissive = true, .allow = &all_private };
    assert_int_equal(hry_desc_parse(d.bytes, d.n, &allowed, &desc, &err), HRY_OK);

    begin(&d, 5);
    DB_BUFFERS(&d, 48);
    db_shard(&d, (const uint64_t[]){ 8, 8 }, (const uint64_t[]){ 6, 0 });
    db_end(&d);
    assert_rule("shard", hry_desc_parse(d.bytes, d.n, &permissive, &desc, &err), &err, "D-50", d.shard + 16);
    db_set(&d, d.shard, 8, UINT64_MAX);
    assert_rule("dynamic", hry_desc_parse(d.bytes, d.n, &permissive, &desc, &err), &err, "D-51", d.shard);
}

/* A megabyte of fields that look like rows at every position: the search stays linear, and this test short. */
static void test_long(void **state)
{
    (void)state;
    uint32_t n = 1 << 20;
    uint8_t *bytes = calloc(1, n);
    static desc_bytes d;
    hry_desc desc;
    assert_non_null(bytes);
    begin(&d, 0);
    memcpy(bytes, d.bytes, d.n);
    for (uint32_t i = d.n; i < n; i++)
        bytes[i] = i % 16 == 8 ? 0x40 : 0; /* an alignment of 64 in each row */
    bytes[6] = 0, bytes[7] = 0, bytes[8] = 0x10, bytes[9] = 0;
    assert_int_equal(hry_desc_parse(bytes, n, &permissive, &desc, NULL), HRY_OK);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),       cmocka_unit_test(test_found),  cmocka_unit_test(test_virtual),
        cmocka_unit_test(test_unreachable), cmocka_unit_test(test_faults), cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
