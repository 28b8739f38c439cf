/* hurray split: one file into several of limited size. */
#include "cli/cli_commands.h"
#include "cli/cli_out.h"
#include "cli/cli_parts.h"
#include "cli/cli_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the parts of a file begin in its rows: a tree stays in one part. */
typedef struct cuts {
    uint64_t *starts; /* count of them, then the number of rows */
    uint64_t count;
} cuts;

static uint64_t tree_size(cli_part_size size, hry_file *file, const cli_row *row, cli_part_size *after)
{
    for (uint64_t k = 0; k < row->size; k++)
        cli_part_size_add(&size, file, row[k].i);
    *after = size;
    return cli_part_size_total(&size);
}

static void make_cuts(const cli_input *input, const cli_rows *rows, uint64_t max, const cli_args *args, cuts *out)
{
    enum { SPLIT_KEYS = 128 }; /* more bytes than the keys of a part take */
    hry_file_info info;
    cli_part_size size, after;
    hry_file_info_get(input->file, &info);
    uint64_t kv_bytes = info.kv_length ? info.kv_length : input->kind == CLI_KIND_CONTAINER ? 0 : 4096;
    *out = (cuts){ cli_realloc_items(NULL, rows->count + 2, sizeof *out->starts), 0 };
    cli_part_size_start(&size, info.alignment, kv_bytes + SPLIT_KEYS);
    out->starts[out->count++] = 0;
    for (uint64_t k = 0; k < rows->count; k += rows->rows[k].size) {
        const cli_row *row = &rows->rows[k];
        uint64_t total = tree_size(size, input->file, row, &after);
        if (total > max && k > out->starts[out->count - 1]) {
            out->starts[out->count++] = k;
            cli_part_size_start(&size, info.alignment, 4 + SPLIT_KEYS);
            total = tree_size(size, input->file, row, &after);
        }
        if (total > max) {
            char *name = cli_copy(row->name.ptr, row->name.len);
            cli_warn(args, input->source.name, "%s: a part of its own is %s, above the limit", name,
                     cli_size_text(total, false).text);
            free(name);
        }
        size = after;
    }
    out->starts[out->count] = rows->count;
}

static void add_number(cli_plan *plan, const char *key, uint64_t value)
{
    hry_kv kv = { .key = { key, strlen(key) }, .value = { .type = HRY_KV_UINT64, .as.uint64 = value } };
    cli_plan_set_kv(plan, &kv);
}

/* The first part has the file's metadata. */
static void plan_part(const cli_input *input, const cli_rows *rows, const cuts *c, uint64_t no, cli_plan *plan)
{
    cli_rows own = { rows->rows + c->starts[no], c->starts[no + 1] - c->starts[no] };
    *plan = (cli_plan){ 0 };
    cli_plan_add_rows(plan, input, &own);
    if (no == 0)
        cli_plan_add_kvs(plan, input->file);
    cli_plan_keep_form(plan, input->file);
    add_number(plan, CLI_SPLIT_NO, no);
    add_number(plan, CLI_SPLIT_COUNT, c->count);
    add_number(plan, CLI_SPLIT_TENSORS, rows->count);
}

static char *part_name(const char *stem, uint64_t no, uint64_t count)
{
    return cli_format("%s-%05" PRIu64 "-of-%05" PRIu64 ".hrry", stem, no + 1, count);
}

/* All outputs are looked at before the first is written. */
static int check_outputs(const char *stem, uint64_t count, const cli_args *args)
{
    int code = CLI_OK;
    for (uint64_t k = 0; k < count && code == CLI_OK; k++) {
        cli_output output;
        char *name = part_name(stem, k, count);
        code = cli_output_open(&output, name, args);
        if (code == CLI_OK)
            code = cli_output_close(&output, code);
        free(name);
    }
    return code;
}

static int write_part(const cli_plan *plan, const char *name, const cli_args *args)
{
    cli_output output;
    int code = cli_output_open(&output, name, args);
    if (code)
        return code;
    code = cli_plan_write(plan, &cli_format_hurray, args, &output);
    return cli_output_close(&output, code);
}

/* Half a set is no set: when a part fails, those before it go away again. */
static int write_parts(const cli_input *input, const cli_rows *rows, const cuts *c, const char *stem,
                       const cli_args *args)
{
    int code = CLI_OK;
    uint64_t no;
    for (no = 0; no < c->count && code == CLI_OK; no++) {
        cli_plan plan;
        char *name = part_name(stem, no, c->count);
        plan_part(input, rows, c, no, &plan);
        code = write_part(&plan, name, args);
        if (code == CLI_OK)
            puts(name);
        cli_plan_free(&plan);
        free(name);
    }
    while (code && no-- > 1) {
        char *name = part_name(stem, no - 1, c->count);
        if (!cli_has(args, CLI_OPT_DRY_RUN))
            unlink(name);
        free(name);
    }
    return code;
}

/* --output, in that folder when it is one; else FILE without its ending. */
static char *make_stem(const cli_input *input, const cli_args *args)
{
    const char *name = input->source.name, *to = args->value[CLI_OPT_OUTPUT];
    size_t len = strlen(name), end = strlen(input->format->extension);
    bool ends = len > end && strcmp(name + len - end, input->format->extension) == 0;
    char *own = cli_copy(name, ends ? len - end : len);
    if (!to)
        return own;
    struct stat st;
    const char *slash = strrchr(own, '/');
    char *stem = stat(to, &st) == 0 && S_ISDIR(st.st_mode) ? cli_format("%s/%s", to, slash ? slash + 1 : own)
                                                           : cli_format("%s", to);
    free(own);
    return stem;
}

static int split(const cli_input *input, uint64_t max, const cli_args *args)
{
    cli_rows rows;
    cuts c;
    char *stem = make_stem(input, args);
    cli_rows_chosen(input->file, args, &rows);
    make_cuts(input, &rows, max, args, &c);
    int code = check_outputs(stem, c.count, args);
    if (code == CLI_OK)
        code = write_parts(input, &rows, &c, stem, args);
    free(c.starts);
    free(rows.rows);
    free(stem);
    return code;
}

static int run(const cli_args *args)
{
    cli_input input;
    const char *limit = args->value[CLI_OPT_MAX_SIZE];
    uint64_t max = limit ? cli_size_parse(limit) : 0;
    if (!max)
        return cli_usage(args->command, limit ? "'%s' is not a size" : "no size given; say --max-size", limit);
    if (strcmp(args->items[0], "-") == 0 && !cli_has(args, CLI_OPT_OUTPUT))
        return cli_usage(args->command, "standard input has no name; say --output");
    int code = cli_input_open_file(&input, args->items[0], NULL, args);
    if (code)
        return code;
    code = split(&input, max, args);
    cli_input_close(&input);
    return code;
}

const cli_command cli_split = {
    .name = "split",
    .usage = "FILE --max-size SIZE",
    .summary = "divide a file into several",
    .details =
        "Writes NAME-00001-of-00003.hrry and so on, and prints their names. NAME is FILE without its ending, or\n"
        "--output. A composite stays together with its members. merge puts the parts together again.",
    .options = (const uint8_t[]){ CLI_OPT_MAX_SIZE, CLI_OPT_END },
    .groups = CLI_READS | CLI_WRITES | CLI_SELECTS | CLI_CARRIES,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
