#include "desc/conformance_table.h"

#include "support/shared_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned digit(char c)
{
    assert_true((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

uint8_t *conformance_hex(const char *text, size_t *nbytes)
{
    size_t n = strlen(text) / 2;
    assert_int_equal(strlen(text) % 2, 0);
    uint8_t *bytes = malloc(n ? n : 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    *nbytes = n;
    return bytes;
}

/* Cuts the next cell off, which ends at stop. */
static char *cell(char **rest, char stop)
{
    char *start = *rest, *end = strchr(start, stop);
    assert_non_null(end);
    *end = 0;
    *rest = end + 1;
    return start;
}

conformance_table conformance_read(void)
{
    size_t nbytes, capacity = 0;
    conformance_table table = { .text = shared_read("conformance/descriptors.tsv", &nbytes) };
    char *rest = (char *)table.text;
    assert_string_equal(cell(&rest, '\n'), "name\tverdict\trule\tprivate\talso\tpermissive\thex");
    while (*rest) {
        if (table.count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            table.rows = realloc(table.rows, capacity * sizeof *table.rows);
            assert_non_null(table.rows);
        }
        conformance_row *row = &table.rows[table.count++];
        row->name = cell(&rest, '\t');
        row->verdict = cell(&rest, '\t');
        row->rule = cell(&rest, '\t');
        row->all_private = strcmp(cell(&rest, '\t'), "yes") == 0;
        row->also = cell(&rest, '\t');
        row->permissive = cell(&rest, '\t');
        row->bytes = conformance_hex(cell(&rest, '\n'), &row->nbytes);
    }
    return table;
}

void conformance_free(conformance_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->rows[i].bytes);
    free(table->rows);
    free(table->text);
}

const conformance_row *conformance_find(const conformance_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return &table->rows[i];
    fail_msg("no row %s", name);
    return NULL;
}

bool conformance_has_rule(const conformance_row *row, const char *rule)
{
    size_t n = strlen(rule);
    if (strcmp(row->rule, rule) == 0)
        return true;
    for (const char *at = row->also; (at = strstr(at, rule)); at += n)
        if ((at == row->also || at[-1] == ',') && (at[n] == 0 || at[n] == ','))
            return true;
    return false;
}
