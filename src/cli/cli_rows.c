#include "cli/cli_rows.h"
#include "cli/cli_tensor.h"
#include "cli/cli_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct placed {
    uint64_t offset, i;
} placed;

static int by_offset(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

/* Positions by the place of the descriptor: the order of writing, which binds members to heads. Files of other
 * formats have no such places and are in their own order. */
static placed *write_order(const hry_file *file, uint64_t count)
{
    placed *order = cli_realloc_items(NULL, count, sizeof *order);
    for (uint64_t i = 0; i < count; i++) {
        hry_file_entry entry = { 0 };
        hry_file_entry_get(file, i, &entry);
        order[i] = (placed){ entry.descriptor_offset, i };
    }
    qsort(order, (size_t)count, sizeof *order, by_offset);
    return order;
}

enum { HEADS_MAX = 64 }; /* heads on a path that are shown as such; the format allows 8 */

/* Gives each row its depth and tree size: a head takes its member_count next items, a nested head its own first. */
static void find_trees(cli_rows *rows, const uint32_t *members)
{
    uint64_t head[HEADS_MAX];
    uint32_t left[HEADS_MAX], depth = 0;
    for (uint64_t k = 0; k < rows->count; k++) {
        rows->rows[k].depth = depth;
        for (uint32_t d = 0; d < depth; d++)
            rows->rows[head[d]].size++;
        if (depth)
            left[depth - 1]--;
        if (members[k] && depth < HEADS_MAX) {
            head[depth] = k;
            left[depth++] = members[k];
        }
        while (depth && left[depth - 1] == 0)
            depth--;
    }
}

void cli_rows_written(hry_file *file, cli_rows *rows)
{
    uint64_t count = hry_file_count(file);
    placed *order = write_order(file, count);
    uint32_t *members = cli_realloc_items(NULL, count, sizeof *members);
    *rows = (cli_rows){ cli_realloc_items(NULL, count, sizeof *rows->rows), count };
    for (uint64_t k = 0; k < count; k++) {
        hry_desc desc;
        bool ok = hry_file_desc(file, order[k].i, &desc, NULL) == HRY_OK;
        rows->rows[k] = (cli_row){ .name = hry_file_name(file, order[k].i), .i = order[k].i, .size = 1, .ok = ok };
        members[k] = ok ? cli_member_count(&desc) : 0;
    }
    find_trees(rows, members);
    free(members);
    free(order);
}

static int by_name(const void *a, const void *b)
{
    const cli_row *x = *(const cli_row *const *)a, *y = *(const cli_row *const *)b;
    return cli_natural_compare(x->name, y->name);
}

/* The first rows of the trees, in the order they have. */
static const cli_row **find_roots(const cli_rows *rows, uint64_t *count)
{
    const cli_row **roots = cli_realloc_items(NULL, rows->count, sizeof *roots);
    *count = 0;
    for (uint64_t k = 0; k < rows->count; k += rows->rows[k].size)
        roots[(*count)++] = &rows->rows[k];
    return roots;
}

void cli_rows_listed(hry_file *file, const cli_args *args, cli_rows *rows)
{
    cli_rows all;
    uint64_t root_count;
    cli_rows_written(file, &all);
    const cli_row **roots = find_roots(&all, &root_count);
    qsort(roots, (size_t)root_count, sizeof *roots, by_name);
    *rows = (cli_rows){ cli_realloc_items(NULL, all.count, sizeof *rows->rows), 0 };
    for (uint64_t r = 0; r < root_count; r++)
        for (uint64_t k = 0; k < roots[r]->size; k++)
            if (cli_selected(args, roots[r][k].name))
                rows->rows[rows->count++] = roots[r][k];
    free(roots);
    free(all.rows);
}

void cli_rows_marked(hry_file *file, const cli_args *args, cli_rows *rows)
{
    cli_rows_written(file, rows);
    for (uint64_t k = 0; k < rows->count;) {
        bool chosen = cli_selected(args, rows->rows[k].name);
        for (uint64_t end = k + rows->rows[k].size; k < end; k++)
            rows->rows[k].chosen = chosen;
    }
}

void cli_rows_chosen(hry_file *file, const cli_args *args, cli_rows *rows)
{
    uint64_t root_count, kept = 0;
    cli_rows_written(file, rows);
    const cli_row **roots = find_roots(rows, &root_count);
    for (uint64_t r = 0; r < root_count; r++) {
        uint64_t size = roots[r]->size;
        if (!cli_selected(args, roots[r]->name))
            continue;
        memmove(rows->rows + kept, roots[r], (size_t)size * sizeof *rows->rows);
        kept += size;
    }
    rows->count = kept;
    free(roots);
}
