/* Containers with known verdicts: each is read in every way and comes to the rule that is listed. */
#include "file/pipe_in.h"
#include "file/verdict.h"
#include "support/shared_data.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    char *name, *path, *verdict, *rule, *also;
} row;

/* The next line of a table, cut into its columns; false at the end. */
static bool next_row(char **text, row *r)
{
    char *line = *text, *end = strchr(line, '\n');
    if (!end)
        return false;
    *end = 0;
    *text = end + 1;
    char **column[] = { &r->name, &r->path, &r->verdict, &r->rule, &r->also };
    for (size_t i = 0; i < 5; i++) {
        *column[i] = line;
        line = strchr(line, '\t');
        assert_non_null(line);
        *line++ = 0;
    }
    return true;
}

/* Rules about what lies in the buffers, which opening and reading descriptors leaves alone. */
static bool needs_data(const char *rule)
{
    static const char *const rules[] = { "E-01",     "L-COO-20", "L-COO-21", "L-COO-22", "L-CSC-20", "L-CSC-21",
                                         "L-CSC-23", "E-02",     "Q-MX-04",  "Q-PC-05",  "Q-PC-06" };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rule, rules[i]) == 0)
            return true;
    return false;
}

static bool is_listed(const char *list, const char *rule)
{
    size_t n = strlen(rule);
    for (const char *p = list; (p = strstr(p, rule)) != NULL; p += n)
        if ((p == list || p[-1] == ',') && (p[n] == 0 || p[n] == ','))
            return true;
    return false;
}

static bool is_right(const row *r, hry_status status, const hry_error *err)
{
    const char *rule = status ? hry_rule_id(err->rule) : "-";
    if (strcmp(r->verdict, "reject") == 0 && !needs_data(r->rule))
        return status == HRY_E_INPUT && (strcmp(rule, r->rule) == 0 || is_listed(r->also, rule));
    if (strcmp(r->verdict, "data") == 0)
        return status == HRY_E_INPUT && strcmp(rule, r->rule) == 0;
    return status == HRY_OK;
}

static void verdicts(const hry_file_options *options)
{
    size_t nbytes, wrong = 0, rows = 0;
    char *table = (char *)shared_read("conformance/files.tsv", &nbytes), *text = strchr(table, '\n') + 1;
    for (row r; next_row(&text, &r); rows++) {
        char path[256];
        snprintf(path, sizeof path, "conformance/%s", r.path);
        uint8_t *bytes = shared_read(path, &nbytes);
        hry_error err = { 0 };
        hry_status status = read_all_of(bytes, nbytes, options, &err);
        if (!is_right(&r, status, &err)) {
            print_error("%s: %s %s expected, got %s: %s\n", r.name, r.verdict, r.rule,
                        status ? hry_rule_id(err.rule) : "accept", err.message);
            wrong++;
        }
        free(bytes);
    }
    free(table);
    assert_true(rows > 200);
    assert_int_equal(wrong, 0);
}

typedef struct findings {
    const char *wanted;
    char rules[256]; /* what was reported, a comma after each */
    size_t lints, violations, found;
} findings;

static void take(void *ctx, const hry_finding *f)
{
    findings *all = ctx;
    const char *rule = hry_rule_id(f->rule);
    if (strlen(all->rules) + strlen(rule) + 2 < sizeof all->rules)
        strcat(strcat(all->rules, rule), ",");
    all->found += strcmp(rule, all->wanted) == 0;
    all->lints += f->lint;
    all->violations += !f->lint;
}

/* Advice that a file of the tables gets beside the one it is listed for. */
static bool also_advised(const row *r, const findings *f)
{
    return f->lints == f->found || is_listed(r->also, "FL-06") || strcmp(r->name, "mixed_padlast") == 0;
}

/* What a check says of the same files: the listed fault or advice, and nothing of files without either. */
static void advice(void **state)
{
    (void)state;
    size_t nbytes, wrong = 0;
    char *table = (char *)shared_read("conformance/files.tsv", &nbytes), *text = strchr(table, '\n') + 1;
    for (row r; next_row(&text, &r);) {
        char path[256];
        snprintf(path, sizeof path, "conformance/%s", r.path);
        uint8_t *bytes = shared_read(path, &nbytes);
        hry_file *file;
        if (hry_file_open_memory(bytes, nbytes, NULL, NULL, NULL, &file, NULL) == HRY_OK) {
            findings f = { .wanted = r.rule };
            uint64_t violations;
            assert_int_equal(hry_file_check(file, &(hry_check_options){ .lint = true }, take, &f, &violations, NULL),
                             HRY_OK);
            assert_int_equal(violations, f.violations);
            bool listed = strcmp(r.verdict, "lint") == 0 || strcmp(r.verdict, "data") == 0;
            bool right = strcmp(r.verdict, "reject") == 0
                             ? f.violations > 0
                             : f.violations == 0 && (!listed || f.found > 0) && (also_advised(&r, &f));
            if (!right)
                print_error("%s: %s %s expected, got %s\n", r.name, r.verdict, r.rule, f.rules);
            wrong += !right;
            hry_file_close(file);
        }
        free(bytes);
    }
    free(table);
    assert_int_equal(wrong, 0);
}

/* In one pass the same files come to the same, but for what only this way of reading can see. */
static void in_one_pass(void **state)
{
    (void)state;
    size_t nbytes, wrong = 0, unseen = 0;
    char *table = (char *)shared_read("conformance/files.tsv", &nbytes), *text = strchr(table, '\n') + 1;
    for (row r; next_row(&text, &r);) {
        char path[256];
        snprintf(path, sizeof path, "conformance/%s", r.path);
        uint8_t *bytes = shared_read(path, &nbytes);
        hry_error err = { 0 };
        scanned seen;
        hry_status status = scan_all(bytes, nbytes, 5000, NULL, &seen, &err);
        const char *rule = status ? hry_rule_id(err.rule) : "-";
        bool unlisted = strcmp(r.rule, "FL-10") == 0 || strcmp(r.rule, "FL-04") == 0;
        bool rejected = strcmp(r.verdict, "reject") == 0 && !needs_data(r.rule);
        bool right = unlisted ? strcmp(rule, "F-31") == 0 : rejected ? status == HRY_E_INPUT : status == HRY_OK;
        right &= status != HRY_OK || seen.same_as_at_random;
        if (rejected && strcmp(rule, r.rule) != 0)
            print_message("%s: %s at random, %s in one pass\n", r.name, r.rule, rule);
        if (!right)
            print_error("%s: %s %s expected, got %s: %s\n", r.name, r.verdict, r.rule, rule, err.message);
        wrong += !right;
        unseen += unlisted;
        free(bytes);
    }
    free(table);
    assert_int_equal(unseen, 5);
    assert_int_equal(wrong, 0);
}

/* Cases from public reports: a verdict each, no rule. Streams and what needs a look at the data come elsewhere. */
static bool is_for_later(const char *name)
{
    static const char *const names[] = { "bad_coo_dup",  "bad_csr_123",   "bad_csr_big", "bad_csr_down",
                                         "bad_csr_last", "bad_csr_order", ".hrs" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(name, names[i]))
            return true;
    return false;
}

static void reported_cases(void **state)
{
    (void)state;
    size_t nbytes, wrong = 0, cases = 0;
    char *table = (char *)shared_read("conformance/cases/cases.tsv", &nbytes), *text = strchr(table, '\n') + 1;
    for (char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        char name[64], number[16], expected[32], path[128];
        assert_int_equal(sscanf(text, "%63s %15s %31s", name, number, expected), 3);
        if (is_for_later(name))
            continue;
        snprintf(path, sizeof path, "conformance/cases/%s", name);
        uint8_t *bytes = shared_read(path, &nbytes);
        hry_error err = { 0 };
        hry_status status = read_all_of(bytes, nbytes, NULL, &err);
        if (status != (strcmp(expected, "reject") == 0 ? HRY_E_INPUT : HRY_OK)) {
            print_error("%s: %s expected, got %s: %s\n", name, expected, hry_status_name(status), err.message);
            wrong++;
        }
        free(bytes);
        cases++;
    }
    free(table);
    assert_true(cases > 90);
    assert_int_equal(wrong, 0);
}

static void verdicts_in_place(void **state)
{
    (void)state;
    verdicts(&(hry_file_options){ .access = HRY_MAP });
}

static void verdicts_by_reading(void **state)
{
    (void)state;
    verdicts(&(hry_file_options){ .access = HRY_READ });
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(verdicts_in_place), cmocka_unit_test(verdicts_by_reading),
                                        cmocka_unit_test(advice), cmocka_unit_test(in_one_pass),
                                        cmocka_unit_test(reported_cases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
