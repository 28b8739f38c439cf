#include "cli/cli_edit.h"
#include "cli/cli_out.h"

#include <string.h>

/* The file itself is replaced without --force: that is what editing means. */
static int open_own(cli_edit *edit, const char *name, const cli_args *args)
{
    cli_args forced = *args;
    forced.value[CLI_OPT_FORCE] = "";
    return cli_output_open(&edit->output, name, &forced);
}

/* A change in place that was cut short is put back first. */
static int restore(const char *name, const cli_args *args)
{
    hry_error err;
    bool restored = false;
    if (hry_undo_restore(name, &restored, &err))
        return cli_report(name, NULL, 0, &err);
    if (restored)
        cli_warn(args, name, "an unfinished change was found and dealt with");
    return CLI_OK;
}

int cli_edit_open(cli_edit *edit, const char *name, const cli_args *args)
{
    const char *to = args->value[CLI_OPT_OUTPUT];
    *edit = (cli_edit){ .output = { .fd = -1 }, .input = { .source = { .fd = -1 } } };
    if (!to && strcmp(name, "-") == 0)
        return cli_usage(args->command, "standard input cannot be changed; say --output");
    if (to && cli_has(args, CLI_OPT_IN_PLACE))
        return cli_usage(args->command, "--in-place and --output exclude each other");
    int code = to || cli_has(args, CLI_OPT_DRY_RUN) ? CLI_OK : restore(name, args);
    if (code)
        return code;
    code = to ? cli_output_open(&edit->output, to, args) : open_own(edit, name, args);
    if (code == CLI_OK)
        code = cli_input_open_file(&edit->input, name, NULL, args);
    if (code == CLI_OK && edit->input.kind != CLI_KIND_CONTAINER) {
        cli_input_close(&edit->input);
        code = cli_fail(CLI_FAILED, name, NULL, "a %s file cannot be changed; convert it first",
                        cli_input_kind_name(&edit->input));
    }
    if (code) {
        cli_output_close(&edit->output, code);
        return code;
    }
    cli_plan_add_file(&edit->plan, &edit->input);
    return CLI_OK;
}

static bool same(hry_str a, hry_str b)
{
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

/* Keys that the plan has no more go, the others get the plan's values, and tensors its names. */
static hry_status tell_changes(const cli_plan *plan, hry_edit *changes, hry_error *err)
{
    hry_file *file = hry_edit_file(changes);
    hry_status status = HRY_OK;
    for (uint64_t i = 0; i < hry_file_kv_count(file) && !status; i++) {
        hry_str key = hry_file_kv_at(file, i)->key;
        if (cli_plan_find_kv(plan, key) == plan->kv_count)
            status = hry_edit_kv_remove(changes, key.ptr, key.len, err);
    }
    for (uint64_t i = 0; i < plan->kv_count && !status; i++)
        status = hry_edit_kv(changes, plan->kvs[i].key.ptr, plan->kvs[i].key.len, &plan->kvs[i].value, err);
    for (uint64_t i = 0; i < plan->count && !status; i++) {
        const cli_item *item = &plan->items[i];
        if (!same(hry_file_name(file, item->i), item->name))
            status = hry_edit_rename(changes, item->i, item->name.ptr, item->name.len, err);
    }
    return status;
}

/* What cannot be read is not carried either, unless --permissive says so. */
static int check_tensors(const cli_edit *edit)
{
    hry_file *file = edit->input.file;
    int code = CLI_OK;
    for (uint64_t i = 0; i < hry_file_count(file); i++) {
        hry_desc desc;
        hry_error err;
        hry_str name = hry_file_name(file, i);
        if (hry_file_desc(file, i, &desc, &err))
            code = cli_report(edit->input.source.name, name.ptr, name.len, &err);
    }
    return code;
}

static int change_file(const cli_edit *edit, const cli_args *args)
{
    const char *name = edit->input.source.name;
    int code = check_tensors(edit);
    if (code)
        return code;
    hry_edit_options options = { .in_place = cli_has(args, CLI_OPT_IN_PLACE), .parse = cli_read_options(args).parse };
    hry_edit *changes;
    hry_error err;
    if (hry_edit_open(name, &options, &changes, &err))
        return cli_report(name, NULL, 0, &err);
    hry_status status = tell_changes(&edit->plan, changes, &err);
    if (!status)
        status = hry_edit_commit(changes, &err);
    hry_edit_close(changes);
    return status ? cli_report(name, NULL, 0, &err) : CLI_OK;
}

int cli_edit_close(cli_edit *edit, const cli_args *args, bool changed, int code)
{
    bool elsewhere = cli_has(args, CLI_OPT_OUTPUT);
    if (code == CLI_OK && changed && !elsewhere && !edit->output.dry)
        code = change_file(edit, args);
    else if (code == CLI_OK && (changed || elsewhere))
        code = cli_plan_write(&edit->plan, &cli_format_hurray, args, &edit->output);
    cli_plan_free(&edit->plan);
    cli_input_close(&edit->input);
    return cli_output_close(&edit->output, code);
}
