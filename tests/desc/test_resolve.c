/* Dimensions that are not known yet, and the call that makes them known. */
#include "desc/valid_descs.h"
#include "support/rules_reached.h"

#include <hurray/desc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static hry_desc parse(const desc_bytes *d, const hry_parse_options *options)
{
    hry_desc desc;
    hry_error err = { 0 };
    if (hry_desc_parse(d->bytes, d->n, options, &desc, &err))
        fail_msg("%s %s", hry_rule_id(err.rule), err.message);
    return desc;
}

static void test_resolved(void **state)
{
    (void)state;
    static desc_bytes d;
    uint8_t bytes[128];
    uint64_t count = 77;
    hry_desc resolved;
    DB_BEGIN(&d, 0x03, 0x01, DB_DYNAMIC, 4, DB_DYNAMIC);
    DB_BUFFERS(&d, 480);
    db_end(&d);
    hry_desc desc = parse(&d, NULL);
    assert_int_equal(desc.state, HRY_DESC_HAS_DYNAMIC);
    assert_int_equal(hry_desc_dim(&desc, 0), HRY_DYNAMIC);
    assert_false(hry_desc_count(&desc, &count)); /* nothing can be counted before */
    assert_int_equal(count, 77);

    const uint64_t shape[] = { 5, 4, 6 };
    assert_int_equal(hry_desc_resolve(&desc, shape, NULL, bytes, sizeof bytes, &resolved, NULL), HRY_OK);
    assert_int_equal(resolved.state, 0);
    assert_int_equal(resolved.length, d.n);
    assert_true(hry_desc_count(&resolved, &count));
    assert_int_equal(count, 120);
    static desc_bytes changed;
    changed = d;
    db_set(&changed, 20, 8, 5);
    db_set(&changed, 36, 8, 6);
    assert_memory_equal(bytes, changed.bytes, d.n); /* and nothing else has changed */

    const uint64_t empty[] = { 5, 4, 0 };
    assert_int_equal(hry_desc_resolve(&desc, empty, NULL, bytes, sizeof bytes, &resolved, NULL), HRY_OK);
    assert_int_equal(resolved.state, HRY_DESC_EMPTY);
}

static void test_refused(void **state)
{
    (void)state;
    static desc_bytes d;
    uint8_t bytes[128];
    hry_desc resolved = { .length = 1 };
    hry_error err = { 0 };
    valid_desc_make("dynamic", &d); /* [dynamic, 4] with an empty buffer */
    hry_desc desc = parse(&d, NULL);
    const uint64_t other[] = { 5, 3 }, still[] = { HRY_DYNAMIC, 4 }, large[] = { 5, 4 }, none[] = { 0, 4 };
    assert_int_equal(hry_desc_resolve(&desc, other, NULL, bytes, sizeof bytes, &resolved, &err), HRY_E_USAGE);
    assert_int_equal(hry_desc_resolve(&desc, still, NULL, bytes, sizeof bytes, &resolved, &err), HRY_E_USAGE);
    assert_int_equal(hry_desc_resolve(&desc, none, NULL, bytes, d.n - 1, &resolved, &err), HRY_E_USAGE);
    assert_rule("too small", hry_desc_resolve(&desc, large, NULL, bytes, sizeof bytes, &resolved, &err), &err, "D-37",
                d.table + 1);
    assert_int_equal(resolved.length, 1);
    assert_int_equal(hry_desc_resolve(&desc, none, NULL, bytes, d.n, &resolved, &err), HRY_OK);

    /* Under an unknown layout there is nothing to build again. */
    const hry_parse_options permissive = { .permissive = true };
    db_set(&d, 15, 1, 0x0C);
    desc = parse(&d, &permissive);
    assert_int_equal(hry_desc_resolve(&desc, none, &permissive, bytes, d.n, &resolved, &err), HRY_E_UNSUPPORTED);
}

/* What was not verified while a dimension was unknown is verified now. */
static void test_quantized(void **state)
{
    (void)state;
    static desc_bytes d;
    uint8_t bytes[256];
    hry_desc resolved;
    hry_error err = { 0 };
    DB_BEGIN(&d, 0x11, 0x01, DB_DYNAMIC, 12);
    DB_BUFFERS(&d, 60, 60);
    db_per_block(&d, 1, 1, 4, 1, DB_NONE, 3);
    db_end(&d);
    hry_desc desc = parse(&d, NULL);
    const uint64_t five[] = { 5, 12 }, four[] = { 4, 12 };
    assert_int_equal(hry_desc_resolve(&desc, five, NULL, bytes, sizeof bytes, &resolved, &err), HRY_OK);
    assert_rule("scales", hry_desc_resolve(&desc, four, NULL, bytes, sizeof bytes, &resolved, &err), &err, "Q-BUF-04",
                d.quantization + 16);
    /* Stored bytes come with no one who could resolve them. */
    const hry_parse_options stored = { .stored = true };
    assert_rule("stored", hry_desc_parse(d.bytes, d.n, &stored, &desc, &err), &err, "Q-11", d.quantization + 8);
    valid_desc_make("dynamic", &d);
    assert_int_equal(hry_desc_parse(d.bytes, d.n, &stored, &desc, &err), HRY_OK);
}

/* A dynamic dimension is no number: sizes that depend on one are not looked at, others are. */
static void test_not_a_number(void **state)
{
    (void)state;
    static desc_bytes d;
    hry_desc desc;
    hry_error err = { 0 };
    DB_BEGIN(&d, 0x03, 0x07, DB_DYNAMIC, 5); /* CSR: row_ptr has an unknown length, the values have not */
    DB_U64S(&d, 5, 0);
    DB_BUFFERS(&d, 20, 40, 0);
    db_end(&d);
    parse(&d, NULL);
    db_set(&d, d.table + 1, 8, 19);
    assert_rule("values", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "D-38", d.table + 1);

    DB_BEGIN(&d, 0x03, 0x08, DB_DYNAMIC, 5); /* CSC: col_ptr is known */
    DB_U64S(&d, 5, 0);
    DB_BUFFERS(&d, 20, 40, 47);
    db_end(&d);
    assert_rule("col_ptr", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "D-38", d.table + 33);

    DB_BEGIN(&d, 0x03, 0x06, DB_DYNAMIC, 2); /* COO: as many as you like */
    DB_U64S(&d, 1000000, 0);
    DB_BUFFERS(&d, 4000000, 16000000);
    db_end(&d);
    parse(&d, NULL);

    DB_BEGIN(&d, 0x03, 0x05, DB_DYNAMIC, 4); /* Morton: codes beyond 64 bits, whatever the dimension will be */
    DB_U32S(&d, 63, 2);
    DB_BUFFERS(&d, 0);
    db_end(&d);
    assert_rule("Morton", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "L-MOR-03", d.layout);

    DB_BEGIN(&d, 0x03, 0x04, DB_DYNAMIC, 4); /* tiled: inner tiles must divide all the same */
    DB_U64S(&d, 4, 4);
    db_u32(&d, 1 | 4 << 8);
    DB_U64S(&d, 2, 3);
    db_u32(&d, 1 | 1 << 8);
    DB_BUFFERS(&d, 0);
    db_end(&d);
    assert_rule("tiles", hry_desc_parse(d.bytes, d.n, NULL, &desc, &err), &err, "L-TIL-06", d.layout + 28);

    DB_BEGIN(&d, 0x10, 0x0A, DB_DYNAMIC, 2, DB_DYNAMIC); /* pages: no tokens are no fault of theirs */
    DB_U32S(&d, 4, 5, 0, 0, 0, 0, 0, 0);
    DB_BUFFERS(&d, 0, 0, 4);
    db_end(&d);
    parse(&d, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_resolved), cmocka_unit_test(test_refused),
                                        cmocka_unit_test(test_quantized), cmocka_unit_test(test_not_a_number) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
