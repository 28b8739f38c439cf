/* hurray merge: several files into one. */
#include "cli/cli_commands.h"
#include "cli/cli_out.h"
#include "cli/cli_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Files that split has made must all be there, once each: their numbers, and the number of tensors in all. */
static int check_parts(cli_input *inputs, uint64_t count)
{
    uint64_t parts, tensors, no, total = 0, other;
    int code = CLI_OK;
    const char *first = inputs[0].source.name;
    if (!cli_part_number(inputs[0].file, CLI_SPLIT_COUNT, &parts))
        return CLI_OK;
    if (parts > 1 << 20)
        return cli_fail(CLI_NO, first, CLI_SPLIT_COUNT, "%" PRIu64 " parts are more than can be", parts);
    const char **have = cli_realloc_items(NULL, parts, sizeof *have);
    memset(have, 0, (size_t)parts * sizeof *have);
    for (uint64_t k = 0; k < count; k++) {
        const char *name = inputs[k].source.name;
        total += hry_file_count(inputs[k].file);
        if (!cli_part_number(inputs[k].file, CLI_SPLIT_COUNT, &other) || other != parts ||
            !cli_part_number(inputs[k].file, CLI_SPLIT_NO, &no) || no >= parts)
            code = cli_fail(CLI_NO, name, NULL, "it is not a part of the same model as %s", first);
        else if (have[no])
            code = cli_fail(CLI_NO, name, NULL, "it is part %" PRIu64 ", as %s is", no + 1, have[no]);
        else
            have[no] = name;
    }
    for (uint64_t k = 0; k < parts; k++)
        if (!have[k])
            code = cli_fail(CLI_NO, first, NULL, "part %" PRIu64 " of %" PRIu64 " is missing", k + 1, parts);
    free(have);
    if (code == CLI_OK && cli_part_number(inputs[0].file, CLI_SPLIT_TENSORS, &tensors) && tensors != total)
        code = cli_fail(CLI_NO, first, NULL, "the parts have %" PRIu64 " tensors, not %" PRIu64, total, tensors);
    return code;
}

static int by_part(const void *a, const void *b)
{
    const cli_input *x = a, *y = b;
    uint64_t m = 0, n = 0;
    cli_part_number(x->file, CLI_SPLIT_NO, &m);
    cli_part_number(y->file, CLI_SPLIT_NO, &n);
    return m < n ? -1 : m > n;
}

typedef struct named {
    hry_str name;
    const char *source;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    size_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = memcmp(x->name.ptr, y->name.ptr, len);
    return order ? order : x->name.len < y->name.len ? -1 : x->name.len > y->name.len;
}

static int check_names(const cli_plan *plan)
{
    int code = CLI_OK;
    named *names = cli_realloc_items(NULL, plan->count, sizeof *names);
    for (uint64_t k = 0; k < plan->count; k++)
        names[k] = (named){ plan->items[k].name, plan->items[k].source };
    qsort(names, (size_t)plan->count, sizeof *names, by_name);
    for (uint64_t k = 1; k < plan->count; k++) {
        if (by_name(&names[k - 1], &names[k]) != 0)
            continue;
        char *name = cli_copy(names[k].name.ptr, names[k].name.len);
        code = cli_fail(CLI_NO, names[k].source, name, "this tensor is in %s too", names[k - 1].source);
        free(name);
    }
    free(names);
    return code;
}

/* The first file's value of a key stays; another one is told, and refused under --strict. */
static int add_kvs(cli_plan *plan, const cli_input *input, const cli_args *args)
{
    int code = CLI_OK;
    for (uint64_t k = 0; k < hry_file_kv_count(input->file); k++) {
        const hry_kv *kv = hry_file_kv_at(input->file, k);
        uint64_t at = cli_plan_find_kv(plan, kv->key);
        if (cli_part_is_key(kv->key))
            continue;
        if (at == plan->kv_count) {
            cli_plan_set_kv(plan, kv);
        } else if (!cli_kv_equal(&plan->kvs[at].value, &kv->value)) {
            bool strict = cli_has(args, CLI_OPT_STRICT);
            cli_print_note(&(cli_note_ctx){ args, input->source.name }, kv->key,
                           "metadata left out: an earlier file has another value",
                           strict ? CLI_NOTE_FAULT : CLI_NOTE_LOSS);
            code = strict ? CLI_NO : code;
        }
    }
    return code;
}

static int merge(cli_input *inputs, uint64_t count, const cli_args *args, const cli_output *output)
{
    cli_plan plan = { 0 };
    int code = check_parts(inputs, count);
    if (code)
        return code;
    qsort(inputs, (size_t)count, sizeof *inputs, by_part);
    for (uint64_t k = 0; k < count; k++) {
        cli_rows rows;
        cli_rows_chosen(inputs[k].file, args, &rows);
        cli_plan_add_rows(&plan, &inputs[k], &rows);
        cli_plan_keep_form(&plan, inputs[k].file);
        free(rows.rows);
        code = cli_worse(code, add_kvs(&plan, &inputs[k], args));
    }
    code = cli_worse(code, check_names(&plan));
    if (code == CLI_OK)
        code = cli_plan_write(&plan, &cli_format_hurray, args, output);
    cli_plan_free(&plan);
    return code;
}

static int run(const cli_args *args)
{
    cli_output output;
    if (!cli_has(args, CLI_OPT_OUTPUT))
        return cli_usage(args->command, "no output given; say --output");
    int code = cli_output_open(&output, args->value[CLI_OPT_OUTPUT], args);
    if (code)
        return code;
    uint64_t opened = 0;
    cli_input *inputs = cli_realloc(NULL, (size_t)args->count * sizeof *inputs);
    for (int k = 0; k < args->count; k++) {
        int one = cli_input_open_file(&inputs[opened], args->items[k], NULL, args);
        opened += one == CLI_OK;
        code = cli_worse(code, one);
    }
    if (code == CLI_OK)
        code = merge(inputs, opened, args, &output);
    for (uint64_t k = 0; k < opened; k++)
        cli_input_close(&inputs[k]);
    free(inputs);
    return cli_output_close(&output, code);
}

const cli_command cli_merge = {
    .name = "merge",
    .usage = "FILE... -o OUT",
    .summary = "put several files into one",
    .details = "The parts that split has made must all be there. A name may be in one file only; of metadata that\n"
               "differ the first file's are kept, which --strict refuses.",
    .options = (const uint8_t[]){ CLI_OPT_STRICT, CLI_OPT_END },
    .groups = CLI_READS | CLI_WRITES | CLI_SELECTS | CLI_CARRIES,
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
