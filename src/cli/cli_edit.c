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

int cli_edit_open(cli_edit *edit, const char *name, const cli_args *args)
{
    const char *to = args->value[CLI_OPT_OUTPUT];
    *edit = (cli_edit){ .output = { .fd = -1 }, .input = { .source = { .fd = -1 } } };
    if (!to && strcmp(name, "-") == 0)
        return cli_usage(args->command, "standard input cannot be changed; say --output");
    int code = to ? cli_output_open(&edit->output, to, args) : open_own(edit, name, args);
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

int cli_edit_close(cli_edit *edit, const cli_args *args, bool changed, int code)
{
    bool elsewhere = cli_has(args, CLI_OPT_OUTPUT);
    if (code == CLI_OK && (changed || elsewhere))
        code = cli_plan_write(&edit->plan, &cli_format_hurray, args, &edit->output);
    cli_plan_free(&edit->plan);
    cli_input_close(&edit->input);
    return cli_output_close(&edit->output, code);
}
