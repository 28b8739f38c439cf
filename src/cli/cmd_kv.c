/* hurray kv: metadata, shown and changed. */
#include "cli/cli_commands.h"
#include "cli/cli_edit.h"
#include "cli/cli_kv.h"
#include "cli/cli_value.h"

#include <stdlib.h>
#include <string.h>

static hry_str text(const char *s)
{
    return (hry_str){ s, strlen(s) };
}

static int absent(const char *file, const char *key)
{
    return cli_fail(CLI_NO, file, key, "there is no such key");
}

static cli_json *begin_json(const char *name)
{
    cli_json *json = cli_json_begin();
    cli_json_open(json, NULL);
    cli_json_str(json, "file", name);
    return json;
}

static int list(const cli_args *args)
{
    cli_input input;
    const char *name = args->items[1];
    int code = cli_input_open_file(&input, name, NULL, args);
    if (code)
        return code;
    if (cli_has(args, CLI_OPT_JSON)) {
        cli_json *json = begin_json(name);
        cli_kv_all_json(json, "kv", input.file);
        cli_json_close(json);
        cli_json_end(json);
    } else {
        for (uint64_t k = 0; k < hry_file_kv_count(input.file) && !cli_out_closed(); k++)
            cli_kv_print(hry_file_kv_at(input.file, k), false);
    }
    cli_input_close(&input);
    return CLI_OK;
}

static int get(const cli_args *args)
{
    cli_input input;
    const char *name = args->items[1];
    int code = cli_input_open_file(&input, name, NULL, args);
    if (code)
        return code;
    cli_json *json = cli_has(args, CLI_OPT_JSON) ? begin_json(name) : NULL;
    if (json)
        cli_json_open(json, "kv");
    for (int k = 2; k < args->count; k++) {
        const hry_kv *kv = hry_file_kv(input.file, args->items[k]);
        if (!kv) {
            code = absent(name, args->items[k]);
        } else if (json) {
            cli_json_key(json, kv->key.ptr, kv->key.len);
            cli_kv_json(json, kv);
        } else {
            cli_kv_value_print(&kv->value);
        }
    }
    if (json) {
        cli_json_close(json);
        cli_json_close(json);
        cli_json_end(json);
    }
    cli_input_close(&input);
    return code;
}

static int set_pairs(cli_edit *edit, const cli_args *args, uint8_t **bytes)
{
    const char *type = args->value[CLI_OPT_TYPE];
    for (int k = 2; k + 1 < args->count; k += 2) {
        hry_kv kv = { .key = text(args->items[k]) };
        const char *value = args->items[k + 1];
        if (!cli_value_parse(value, type, *bytes, &kv.value))
            return cli_usage(args->command, "'%s' is not a %s", value, type);
        *bytes += strlen(value) / 2;
        cli_plan_set_kv(&edit->plan, &kv);
    }
    return CLI_OK;
}

static int set(const cli_args *args)
{
    cli_edit edit;
    size_t room = 0;
    if (args->count % 2)
        return cli_usage(args->command, "the key '%s' has no value", args->items[args->count - 1]);
    for (int k = 3; k < args->count; k += 2)
        room += strlen(args->items[k]) / 2;
    int code = cli_edit_open(&edit, args->items[1], args);
    if (code)
        return code;
    uint8_t *bytes = cli_realloc(NULL, room), *at = bytes;
    code = set_pairs(&edit, args, &at);
    code = cli_edit_close(&edit, args, true, code);
    free(bytes);
    return code;
}

static int remove_keys(const cli_args *args)
{
    cli_edit edit;
    int code = cli_edit_open(&edit, args->items[1], args);
    if (code)
        return code;
    for (int k = 2; k < args->count; k++) {
        uint64_t at = cli_plan_find_kv(&edit.plan, text(args->items[k]));
        if (at == edit.plan.kv_count)
            code = absent(args->items[1], args->items[k]);
        else
            cli_plan_remove_kv(&edit.plan, at);
    }
    return cli_edit_close(&edit, args, true, code);
}

static int run(const cli_args *args)
{
    static const struct {
        const char *name, *usage;
        int least;
        bool exact;
        int (*run)(const cli_args *args);
    } actions[] = {
        { "list", "list FILE", 2, true, list },
        { "get", "get FILE KEY...", 3, false, get },
        { "set", "set FILE KEY VALUE [KEY VALUE]...", 4, false, set },
        { "rm", "rm FILE KEY...", 3, false, remove_keys },
    };
    for (size_t k = 0; k < sizeof actions / sizeof *actions; k++) {
        if (strcmp(actions[k].name, args->items[0]) != 0)
            continue;
        if (args->count < actions[k].least || (actions[k].exact && args->count > actions[k].least))
            return cli_usage(args->command, "it takes %s", actions[k].usage);
        return actions[k].run(args);
    }
    return cli_usage(args->command, "'%s' is not list, get, set or rm", args->items[0]);
}

const cli_command cli_kv = {
    .name = "kv",
    .usage = "list|get|set|rm FILE [KEY [VALUE]]...",
    .summary = "show and change metadata",
    .details =
        "  kv list FILE\n"
        "  kv get FILE KEY...\n"
        "  kv set FILE KEY VALUE [KEY VALUE]...\n"
        "  kv rm FILE KEY...\n"
        "\n"
        "The changed file is written beside FILE and renamed over it, or written to --output; --in-place writes\n"
        "only what follows the tensors. Bytes are given as hexadecimal digits.",
    .options = (const uint8_t[]){ CLI_OPT_TYPE, CLI_OPT_IN_PLACE, CLI_OPT_END },
    .groups = CLI_REPORTS | CLI_READS | CLI_WRITES,
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
