/*
 * Every rule of a descriptor, broken by bytes of our own: the rule, the offset and the status that are reported, and
 * what a permissive reader says.
 */
#include "desc/bad_descs.h"
#include "support/rules_reached.h"

#include <hurray/desc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const hry_allow all_private = { .all = true };

static void describe(char *what, size_t n, const bad_input *b)
{
    const damage *d = &b->damages[0];
    snprintf(what, n, "%s by %s (%d+%d := %llx)", b->rule, b->base, (int)d->place, d->delta,
             (unsigned long long)d->value);
}

static hry_status parse(const desc_bytes *d, const bad_input *b, bool permissive, hry_desc *desc, hry_error *err)
{
    hry_parse_options options = { .allow = b->how == FORBID ? NULL : &all_private,
                                  .stored = b->how == STORED,
                                  .permissive = permissive };
    uint8_t *exact = malloc(d->n); /* a sanitizer sees every byte that is read behind it */
    assert_non_null(exact);
    memcpy(exact, d->bytes, d->n);
    hry_status status = hry_desc_parse(exact, d->n, &options, desc, err);
    free(exact);
    return status;
}

static void check_permissive(const char *what, const desc_bytes *d, const bad_input *b, uint64_t offset)
{
    hry_error err = { 0 };
    hry_desc desc;
    hry_status status = parse(d, b, true, &desc, &err);
    if (b->permissive == SAME) {
        assert_rule(what, status, &err, b->rule, offset);
        return;
    }
    if (status)
        fail_msg("%s: permissive: %s", what, err.message);
    if (hry_desc_is_opaque(&desc) != (b->permissive == OPAQUE))
        fail_msg("%s: permissive: opaque %d", what, hry_desc_is_opaque(&desc));
}

static void check_bad_input(const bad_input *b)
{
    static desc_bytes d;
    char what[128];
    describe(what, sizeof what, b);
    uint32_t offset;
    bad_input_make(b, &d, &offset);
    hry_desc desc, before;
    memset(&desc, 0xA5, sizeof desc);
    before = desc;
    hry_error err = { 0 };
    assert_rule(what, parse(&d, b, false, &desc, &err), &err, b->rule, offset);
    if (memcmp(&desc, &before, sizeof desc) != 0)
        fail_msg("%s: the view was written to", what);
    if (parse(&d, b, false, &desc, NULL) != err.status) /* without a report */
        fail_msg("%s: another status without a report", what);
    check_permissive(what, &d, b, offset);
}

static void test_damaged(void **state)
{
    (void)state;
    for (size_t i = 0; i < bad_input_count; i++)
        check_bad_input(&bad_inputs[i]);
}

/* The bases are valid, but for what the damages do to them. */
static void test_undamaged(void **state)
{
    (void)state;
    static desc_bytes d;
    const valid_desc *v;
    for (size_t i = 0; (v = valid_desc_at(i)); i++) {
        hry_desc desc;
        hry_error err = { 0 };
        assert_true(valid_desc_make(v->name, &d));
        if (parse(&d, &(bad_input){ 0 }, false, &desc, &err))
            fail_msg("%s: %s %s at %llu", v->name, hry_rule_id(err.rule), err.message, (unsigned long long)err.offset);
        if (desc.length != d.n || hry_desc_is_opaque(&desc))
            fail_msg("%s: length %u of %u, opaque %d", v->name, desc.length, d.n, hry_desc_is_opaque(&desc));
    }
}

static void check_rule(const char *what, const desc_bytes *d, const char *rule, uint32_t offset)
{
    hry_error err = { 0 };
    hry_desc desc;
    assert_rule(what, parse(d, &(bad_input){ 0 }, false, &desc, &err), &err, rule, offset);
}

/* Rules that one field of another descriptor does not break. */
static void test_composed(void **state)
{
    (void)state;
    static desc_bytes d;

    DB_BEGIN(&d, 0x03, 0x09, 4, 5); /* CSF of rank 2 */
    db_u64(&d, 0);
    DB_U32S(&d, 0, 1);
    db_zeros(&d, 8);
    DB_BUFFERS(&d, 0, 16, 0, 8, 0);
    db_end(&d);
    check_rule("CSF of rank 2", &d, "L-CSF-01", RANK);

    DB_BEGIN(&d, 0x01, 0x0A, 4, 5); /* paged of rank 2 */
    DB_U32S(&d, 4, 0, 0, 0, 0, 0, 0, 0);
    DB_BUFFERS(&d, 0, 0, 4);
    db_end(&d);
    check_rule("paged of rank 2", &d, "L-BP-01", RANK);

    for (unsigned tag = 7; tag <= 8; tag++) {
        DB_BEGIN(&d, 0x03, tag, 4, 5, 1);
        DB_U64S(&d, 0, 0);
        DB_BUFFERS(&d, 0, 0, 48);
        db_end(&d);
        check_rule("rank 3", &d, tag == 7 ? "L-CSR-01" : "L-CSC-01", RANK);
    }

    valid_desc_make("csf", &d);
    db_shard(&d, (const uint64_t[]){ 2, 3, 4 }, (const uint64_t[]){ 0, 0, 0 });
    db_end(&d);
    check_rule("sharded CSF", &d, "L-CSF-04", d.shard);

    valid_desc_make("paged", &d);
    db_shard(&d, (const uint64_t[]){ 9, 2, 8 }, (const uint64_t[]){ 0, 0, 0 });
    db_end(&d);
    check_rule("sharded pages", &d, "L-BP-07", d.shard);

    valid_desc_make("group", &d);
    db_per_tensor(&d, 1.0f, 0);
    db_end(&d);
    check_rule("quantized head", &d, "L-CMP-09", d.quantization);

    valid_desc_make("overlay", &d);
    db_member(&d, 1);
    db_end(&d);
    check_rule("head as a member", &d, "L-CMP-10", d.member);

    DB_BEGIN(&d, 0x49, 0x0A, 9, 2, 64);
    DB_U32S(&d, 4, 5, 0, 0, 2, 0, 0, 0);
    DB_BUFFERS(&d, 1280, 12, 12, 72);
    db_nf4(&d, 2, 16, 3);
    db_end(&d);
    check_rule("NF4 pages", &d, "L-BP-10", d.quantization + SCHEME);

    DB_BEGIN(&d, 0x40, 0x0A, 9, 2, 64);
    DB_U32S(&d, 4, 5, 0, 0, 2, 0, 0, 0);
    DB_BUFFERS(&d, 2560, 12, 12, 36);
    db_mxfp(&d, 2, 32, 3);
    db_end(&d);
    check_rule("MXFP pages", &d, "L-BP-10", d.quantization + SCHEME);

    /* A count of blocks beyond 64 bits: sparse tensors may have such shapes. */
    DB_BEGIN(&d, 0x10, 0x06, 1ull << 40, 1ull << 40, 4);
    db_u64(&d, 1);
    db_zeros(&d, 8);
    DB_BUFFERS(&d, 1, 24, 0);
    db_per_block(&d, 1, 2, 2, 2, DB_NONE, 3);
    db_end(&d);
    check_rule("2^81 blocks", &d, "Q-12", d.quantization + FIELD_2);

    /* A private memory class of a private device that is allowed. */
    valid_desc_make("private_device", &d);
    const hry_allow device = { .devices = (const uint8_t[]){ 0xF5 }, .device_count = 1 };
    const hry_parse_options options = { .allow = &device };
    hry_error err = { 0 };
    hry_desc desc;
    assert_rule("private class", hry_desc_parse(d.bytes, d.n, &options, &desc, &err), &err, "D-33", d.table + CLASS_0);
}

static void test_short_and_limited(void **state)
{
    (void)state;
    static desc_bytes d;
    hry_error err = { 0 };
    hry_desc desc;
    uint32_t length = 77;
    valid_desc_make("row", &d);
    for (uint32_t n = 0; n < d.n; n++) {
        assert_rule("cut", hry_desc_parse(d.bytes, n, NULL, &desc, &err), &err, "D-01", n);
        if (n < 10)
            assert_rule("length of 9", hry_desc_length(d.bytes, n, &length, &err), &err, "D-01", n);
    }
    assert_int_equal(length, 77);
    const hry_limits limits = { .descriptor_length = 60 };
    const hry_parse_options options = { .limits = &limits };
    assert_rule("limit", hry_desc_parse(d.bytes, d.n, &options, &desc, &err), &err, "D-18", LENGTH);
    db_set(&d, LENGTH, 4, (16u << 20) + 1);
    assert_rule("default limit", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "D-18", LENGTH);
    db_set(&d, LENGTH, 4, 16u << 20);
    assert_rule("at the limit", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "D-01", d.n);

    /* A ninth tiling, and a third when two are the limit. */
    valid_desc_make("tiled_8_levels", &d);
    db_set(&d, d.layout + 7 * 12 + 9, 1, 4);
    assert_rule("9 levels", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "L-TIL-05", d.layout + 8 * 12);
    const hry_limits two = { .tile_levels = 2 };
    assert_rule("3 levels", hry_desc_parse(d.bytes, d.n, &(hry_parse_options){ .limits = &two }, &desc, &err), &err,
                "L-TIL-05", d.layout + 2 * 12);
}

/* Who raises the limit can read more tilings than can be handed out. */
static void test_many_levels(void **state)
{
    (void)state;
    static desc_bytes d;
    static hry_layout_store layout_store;
    static hry_desc_store store;
    const hry_limits limits = { .tile_levels = 12 };
    const hry_parse_options options = { .limits = &limits };
    hry_layout layout;
    hry_desc_spec spec;
    hry_desc desc;
    for (unsigned levels = 8; levels <= 12; levels++) {
        DB_BEGIN(&d, 0x11, 0x04, 4096);
        for (unsigned level = 0; level < levels; level++) {
            db_u64(&d, 4096u >> level);
            db_u32(&d, 1 | (level + 1 < levels ? 4u : 1u) << 8);
        }
        DB_BUFFERS(&d, 4096);
        db_end(&d);
        assert_int_equal(hry_desc_parse(d.bytes, d.n, &options, &desc, NULL), HRY_OK);
        assert_int_equal(hry_desc_layout_get(&desc, &layout, &layout_store), levels == 8);
        assert_int_equal(hry_desc_unpack(&desc, &spec, &store), levels == 8);
    }
}

/* The length of any descriptor, also of one that cannot be parsed. */
static void test_length(void **state)
{
    (void)state;
    static desc_bytes d;
    uint32_t length = 77;
    hry_error err = { 0 };
    valid_desc_make("row", &d);
    static const struct {
        const char *rule;
        uint32_t at, n;
        uint64_t value;
    } bad[] = { { "D-02", 0, 1, 0 }, { "D-03", 4, 1, 2 }, { "D-04", 4, 1, 0 }, { "D-05", 6, 4, 19 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        desc_bytes broken = d;
        db_set(&broken, bad[i].at, bad[i].n, bad[i].value);
        assert_rule("length", hry_desc_length(broken.bytes, 10, &length, &err), &err, bad[i].rule, bad[i].at);
    }
    assert_int_equal(length, 77);
    for (uint32_t i = 10; i < d.n; i++)
        d.bytes[i] = 0xFF;
    db_set(&d, 5, 1, 9);
    db_set(&d, LENGTH, 4, UINT32_MAX);
    assert_int_equal(hry_desc_length(d.bytes, 10, &length, NULL), HRY_OK);
    assert_int_equal(length, UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undamaged),         cmocka_unit_test(test_damaged), cmocka_unit_test(test_composed),
        cmocka_unit_test(test_short_and_limited), cmocka_unit_test(test_length),  cmocka_unit_test(test_many_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
