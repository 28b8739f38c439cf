/* Advice: what a reader only reports, a writer refuses to make. */
#include "desc/bad_descs.h"
#include "support/rules_reached.h"

#include <hurray/desc.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const hry_allow all_private = { .all = true };

typedef struct lints {
    size_t count;
    uint16_t rule[8];
    uint64_t offset[8];
} lints;

static void on_lint(void *ctx, uint16_t rule, uint64_t offset, const char *message)
{
    lints *l = ctx;
    assert_in_range(l->count, 0, 7);
    assert_true(message[0]);
    l->rule[l->count] = rule;
    l->offset[l->count++] = offset;
}

static void check_lint(const desc_bytes *d, const char *rule, uint32_t offset)
{
    hry_desc desc;
    lints l = { 0 };
    assert_int_equal(hry_desc_parse(d->bytes, d->n, &(hry_parse_options){ .allow = &all_private }, &desc, NULL),
                     HRY_OK);
    hry_desc_lint(&desc, on_lint, &l);
    if (!rule) {
        assert_int_equal(l.count, 0);
        return;
    }
    assert_int_equal(l.count, 1);
    assert_string_equal(hry_rule_id(l.rule[0]), rule);
    assert_int_equal(l.offset[0], offset);
    rule_reached(l.rule[0]);

    /* What is advice to a reader is law to a writer. */
    static hry_desc_store store;
    hry_desc_spec spec;
    hry_desc untouched = { .length = 1 };
    hry_error err = { 0 };
    uint8_t bytes[512];
    assert_true(hry_desc_unpack(&desc, &spec, &store));
    assert_rule(
        "written",
        hry_desc_encode(&spec, &(hry_parse_options){ .allow = &all_private }, bytes, sizeof bytes, &untouched, &err),
        &err, rule, offset);
    assert_int_equal(untouched.length, 1);
}

static void test_lints(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *base;
        damage damage;
        enum place place;
        uint32_t delta;
    } advice[] = {
        { "D-57", "statistics", { STATS, 16, 8, 0x3FF0000000000001 }, STATS, 16 }, /* a ratio just above 1 */
        { "D-57", "statistics", { STATS, 16, 8, 0xBFE0000000000000 }, STATS, 16 },
        { "D-57", "statistics", { STATS, 16, 8, 0x7FF8000000000000 }, STATS, 16 },
        { "D-57", "statistics", { STATS, 40, 8, 0x4000000000000000 }, STATS, 40 },
        { "D-57", "statistics", { STATS, 56, 8, 0xBFF0000000000000 }, STATS, 56 },
        { "D-57", "statistics", { STATS, 64, 1, 5 }, STATS, 64 },
        { "D-57", "statistics", { STATS, 66, 1, 2 }, STATS, 66 },
        { "D-57", "statistics", { STATS, 67, 1, 2 }, STATS, 67 },
        { "D-57", "statistics_unset", { STATS, 0, 1, 1 }, STATS, 8 }, /* nnz is not that of the CSR */
        { "D-68", "extension_int", { EXT, 17, 1, 1 }, EXT, 16 },
        { "D-68", "extension_float", { EXT, 9, 1, 8 }, EXT, 7 },
    };
    static desc_bytes d;
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        valid_desc_make(advice[i].base, &d);
        db_set(&d, place_of(&d, advice[i].damage.place) + (uint32_t)advice[i].damage.delta, advice[i].damage.size,
               advice[i].damage.value);
        check_lint(&d, advice[i].rule, place_of(&d, advice[i].place) + advice[i].delta);
    }
    const valid_desc *v;
    for (size_t i = 0; (v = valid_desc_at(i)); i++) {
        valid_desc_make(v->name, &d);
        check_lint(&d, NULL, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lints) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
