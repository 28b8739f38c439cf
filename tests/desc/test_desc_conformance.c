/* The conformance verdicts on descriptors: strict, permissive, lint, and what a permissive reader recovers. */
#include "desc/conformance_table.h"
#include "support/shared_data.h"

#include <hurray/desc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const hry_allow all_private = { .all = true };

/* Fails the test at the end, so that one run shows every row that is wrong. */
static size_t wrong;

#define WRONG(...) (wrong++, print_error(__VA_ARGS__))

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

typedef struct findings {
    const conformance_row *row;
    size_t count;
} findings;

static void on_lint(void *ctx, uint16_t rule, uint64_t offset, const char *message)
{
    findings *found = ctx;
    found->count++;
    assert_non_null(message);
    assert_in_range(offset, 1, found->row->nbytes - 1);
    if (!conformance_has_rule(found->row, hry_rule_id(rule)))
        WRONG("%s: lint says %s\n", found->row->name, hry_rule_id(rule));
}

static void check_strict(const conformance_row *row)
{
    hry_parse_options options = { .allow = row->all_private ? &all_private : NULL };
    hry_error err = { 0 };
    hry_desc desc;
    hry_status status = hry_desc_parse(row->bytes, row->nbytes, &options, &desc, &err);
    if (is(row->verdict, "reject")) {
        if (!status || !conformance_has_rule(row, hry_rule_id(err.rule)))
            WRONG("%s: %s, not %s: %s\n", row->name, status ? hry_rule_id(err.rule) : "accepted", row->rule,
                  err.message);
        return;
    }
    if (status) {
        WRONG("%s: refused by %s at %llu: %s\n", row->name, hry_rule_id(err.rule), (unsigned long long)err.offset,
              err.message);
        return;
    }
    findings found = { row, 0 };
    hry_desc_lint(&desc, on_lint, &found);
    if ((found.count > 0) != is(row->verdict, "lint"))
        WRONG("%s: %zu lints\n", row->name, found.count);
}

/* Without the allowance the same bytes are refused, for the private value alone. */
static void check_not_allowed(const conformance_row *row)
{
    hry_error err = { 0 };
    hry_desc desc;
    if (!row->all_private || is(row->verdict, "reject"))
        return;
    if (!hry_desc_parse(row->bytes, row->nbytes, NULL, &desc, &err) ||
        !(is(hry_rule_id(err.rule), "D-10") || is(hry_rule_id(err.rule), "D-14") || is(hry_rule_id(err.rule), "D-33") ||
          is(hry_rule_id(err.rule), "D-42")))
        WRONG("%s: %s without the allowance\n", row->name, hry_rule_id(err.rule));
}

static void check_permissive(const conformance_row *row)
{
    hry_parse_options options = { .allow = row->all_private ? &all_private : NULL, .permissive = true };
    hry_error err = { 0 };
    hry_desc desc;
    hry_status status = hry_desc_parse(row->bytes, row->nbytes, &options, &desc, &err);
    bool refused = status != HRY_OK;
    if (!is(row->permissive, "may") && refused != is(row->permissive, "reject"))
        WRONG("%s: permissive: %s (%s)\n", row->name, refused ? hry_rule_id(err.rule) : "accepted", row->rule);
}

static void test_verdicts(void **state)
{
    (void)state;
    conformance_table table = conformance_read();
    assert_in_range(table.count, 1000, 100000);
    wrong = 0;
    for (size_t i = 0; i < table.count; i++) {
        check_strict(&table.rows[i]);
        check_not_allowed(&table.rows[i]);
        check_permissive(&table.rows[i]);
    }
    conformance_free(&table);
    assert_int_equal(wrong, 0);
}

/* Written by a newer minor version, or with a payload longer than its scheme: what is built again is 1.0 (DW-9). */
static bool has_unread(const hry_desc *desc)
{
    static const uint8_t lengths[] = { 0, 16, 20, 24, 16, 16 };
    hry_quantization q;
    return hry_desc_version_minor(desc) > 0 ||
           (hry_desc_quantization(desc, &q) && q.scheme < sizeof lengths && q.payload_length > lengths[q.scheme]);
}

/* Accepted descriptors, taken apart and built again. */
static void test_built_again(void **state)
{
    (void)state;
    conformance_table table = conformance_read();
    size_t same = 0, tails = 0;
    wrong = 0;
    for (size_t i = 0; i < table.count; i++) {
        const conformance_row *row = &table.rows[i];
        hry_parse_options options = { .allow = row->all_private ? &all_private : NULL };
        hry_desc desc, built;
        hry_error err = { 0 };
        static hry_desc_store store;
        static uint8_t bytes[1 << 20];
        hry_desc_spec spec;
        if (!is(row->verdict, "accept"))
            continue;
        assert_int_equal(hry_desc_parse(row->bytes, row->nbytes, &options, &desc, &err), HRY_OK);
        assert_true(hry_desc_unpack(&desc, &spec, &store));
        if (hry_desc_encode(&spec, &options, bytes, sizeof bytes, &built, &err))
            WRONG("%s: not built again: %s %s\n", row->name, hry_rule_id(err.rule), err.message);
        else if (built.length == desc.length && memcmp(bytes, desc.bytes, desc.length) == 0)
            same++;
        else if (has_unread(&desc) && built.length <= desc.length && bytes[5] == 0)
            tails++;
        else
            WRONG("%s: built differently\n", row->name);
    }
    conformance_free(&table);
    assert_int_equal(wrong, 0);
    assert_in_range(same, 500, 100000);
    assert_in_range(tails, 1, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_verdicts), cmocka_unit_test(test_built_again) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
