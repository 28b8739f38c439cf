/* hurray slice: parts of tensors in a file of their own. */
#include "cli/cli_commands.h"
#include "cli/cli_digest.h"
#include "cli/cli_find.h"
#include "cli/cli_out.h"
#include "cli/cli_slice.h"
#include "cli/cli_tokens.h"
#include "cli/cli_transform.h"

#include <stdlib.h>
#include <string.h>

typedef struct slicing {
    cli_transform *transform;
    cli_found *found; /* one for each name, or one for all */
} slicing;

/* What make_slice is called with. */
typedef struct job {
    const slicing *all;
    const cli_found *found;
} job;

static hry_status fail(hry_error *err, hry_status status, const char *what)
{
    *err = (hry_error){ .status = status };
    snprintf(err->message, sizeof err->message, "%s", what);
    return status;
}

static hry_status cut(const job *j, hry_tensor *tensor, const cli_item *item, hry_tensor **out, hry_error *err)
{
    char why[160];
    cli_part part;
    uint64_t shape[HRY_RANK_MAX];
    bool decoded;
    const cli_args *args = j->all->transform->args;
    const hry_relayout_options options = { .executor = cli_pool_executor(&j->all->transform->pool),
                                           .token_counts = cli_tokens_for(args, hry_tensor_desc(tensor), NULL) };
    hry_desc_shape(hry_tensor_desc(tensor), shape);
    const char *wrong = cli_part_cut(&j->found->region, hry_tensor_rank(tensor), shape, &part, why);
    if (wrong)
        return fail(err, HRY_E_ABSENT, wrong);
    hry_status status = cli_slice(tensor, &part, &options, out, &decoded, err);
    if (status || !decoded)
        return status;
    if (cli_has(args, CLI_OPT_STRICT)) {
        hry_tensor_release(*out);
        return fail(err, HRY_E_UNSUPPORTED, "the scales do not fit the part, so that it would become float32");
    }
    char *name = cli_copy(item->name.ptr, item->name.len);
    cli_warn(args, item->source, "%s: the scales do not fit the part: it becomes float32", name);
    free(name);
    return HRY_OK;
}

static hry_status make_slice(void *ctx, const cli_item *item, hry_tensor **tensor, hry_error *err)
{
    hry_tensor *whole;
    hry_status status = hry_file_tensor_at(item->file, item->i, &whole, err);
    if (status)
        return status;
    status = cut(ctx, whole, item, tensor, err);
    hry_tensor_release(whole);
    return status;
}

/* A tensor with its members as it is, or a part of it. */
static void add_tree(slicing *s, const cli_row *row, job *j, const cli_found *found)
{
    cli_transform *t = s->transform;
    if (!found->has_region) {
        cli_plan_add_rows(&t->plan, &t->input, &(cli_rows){ (cli_row *)(uintptr_t)row, row->size });
        return;
    }
    cli_item *item = cli_plan_add_row(&t->plan, &t->input, row);
    *j = (job){ s, found };
    item->make = make_slice;
    item->make_ctx = j;
    cli_digest_forget(&t->plan, item->name);
}

/* Rows by the position of their tensors. */
static const cli_row **rows_by_position(const cli_rows *rows)
{
    const cli_row **by = cli_realloc_items(NULL, rows->count, sizeof *by);
    for (uint64_t k = 0; k < rows->count; k++)
        by[rows->rows[k].i] = &rows->rows[k];
    return by;
}

/* Each tensor once: one of the result has the name of the one it comes from. */
static int add_named(slicing *s, const char *region, job *jobs)
{
    cli_transform *t = s->transform;
    cli_rows all;
    int code = CLI_OK;
    cli_rows_written(t->input.file, &all);
    const cli_row **left = rows_by_position(&all);
    for (int k = 0; k < t->name_count && code == CLI_OK; k++) {
        cli_found *found = &s->found[k];
        code = cli_find(&t->input, t->names[k], region, t->args, found);
        if (code == CLI_OK && !left[found->i])
            code = cli_usage(t->args->command, "'%s': two parts of a tensor would have one name", t->names[k]);
        if (code)
            break;
        add_tree(s, left[found->i], &jobs[k], found);
        left[found->i] = NULL;
    }
    free(left);
    free(all.rows);
    return code;
}

static int add_all(slicing *s, const char *region, job *jobs)
{
    const cli_rows *rows = &s->transform->rows;
    s->found[0] = (cli_found){ .has_region = region != NULL };
    if (region && !cli_region_parse(region, strlen(region), &s->found[0].region))
        return cli_usage(s->transform->args->command, "'%s' is not a region", region);
    for (uint64_t k = 0; k < rows->count; k += rows->rows[k].size)
        add_tree(s, &rows->rows[k], jobs, &s->found[0]);
    return CLI_OK;
}

static int run(const cli_args *args)
{
    cli_transform t;
    int code = cli_transform_open(&t, args);
    if (code)
        return code;
    size_t count = t.name_count ? (size_t)t.name_count : 1;
    slicing s = { &t, cli_realloc_items(NULL, count, sizeof *s.found) };
    job *jobs = cli_realloc_items(NULL, count, sizeof *jobs);
    const char *region = args->value[CLI_OPT_REGION];
    code = t.name_count ? add_named(&s, region, jobs) : add_all(&s, region, jobs);
    code = cli_transform_close(&t, code);
    free(jobs);
    free(s.found);
    return code;
}

const cli_command cli_slicing = {
    .name = "slice",
    .usage = "SRC DST [NAME]...",
    .summary = "write parts of tensors to a new file",
    .details = "NAME may be followed by a region as NumPy writes it: 'NAME[0:2,3,::4]'. Without names all tensors are\n"
               "taken, each cut by --region. Sparse tensors stay sparse. Quantized ones keep their codes where their\n"
               "scales fit the part; elsewhere it becomes float32, which --strict refuses.",
    .options =
        (const uint8_t[]){ CLI_OPT_REGION, CLI_OPT_TOKENS, CLI_OPT_FROM, CLI_OPT_TO, CLI_OPT_STRICT, CLI_OPT_END },
    .groups = CLI_WRITES | CLI_READS | CLI_SELECTS | CLI_VALUES | CLI_CARRIES,
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
