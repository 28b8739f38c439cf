#include "cli/cli_transform.h"
#include "cli/cli_out.h"

#include <stdlib.h>
#include <string.h>

/* The output's format by --to, then by its name; a container where standard output has no name. NULL after a report. */
static const cli_format_row *target_format(const cli_args *args, const char *name)
{
    const char *to = args->value[CLI_OPT_TO];
    const cli_format_row *format = to                       ? cli_format_by_name(to)
                                   : strcmp(name, "-") == 0 ? &cli_format_hurray
                                                            : cli_format_by_path(name);
    if (!format && to)
        cli_usage(args->command, "'%s' is not a format that can be written", to);
    else if (!format)
        cli_usage(args->command, "the name '%s' tells no format; say --to", name);
    else if (format != &cli_format_hurray && !format->save)
        cli_usage(args->command, "%s cannot be written", format->name), format = NULL;
    return format;
}

/* DST, with the arguments behind it. NULL after a report. */
static const char *find_target(cli_transform *t, const cli_args *args)
{
    const char *to = args->value[CLI_OPT_OUTPUT];
    int used = to ? 1 : 2;
    if (args->count < used) {
        cli_usage(args->command, "no output given");
        return NULL;
    }
    if (to && args->command->max_args == 2 && args->count == 2) {
        cli_usage(args->command, "two outputs: '%s' and '%s'", args->items[1], to);
        return NULL;
    }
    t->names = args->items + used;
    t->name_count = args->count - used;
    return to ? to : args->items[1];
}

static int open_input(cli_transform *t, const cli_args *args)
{
    int code = cli_input_open_file(&t->input, args->items[0], args->value[CLI_OPT_FROM], args);
    if (code)
        return code;
    code = cli_pool_open(&t->pool, args);
    if (code) {
        cli_input_close(&t->input);
        return code;
    }
    cli_rows_chosen(t->input.file, args, &t->rows);
    cli_plan_add_kvs(&t->plan, t->input.file);
    cli_plan_keep_form(&t->plan, t->input.file);
    return CLI_OK;
}

int cli_transform_open(cli_transform *t, const cli_args *args)
{
    *t = (cli_transform){ .args = args, .input = { .source = { .fd = -1 } }, .output = { .fd = -1 } };
    const char *name = find_target(t, args);
    if (!name || !(t->format = target_format(args, name)))
        return CLI_FAILED;
    int code = cli_output_open(&t->output, name, args);
    if (code == CLI_OK)
        code = open_input(t, args);
    return code ? cli_output_close(&t->output, code) : CLI_OK;
}

void cli_transform_keep_others(cli_transform *t)
{
    free(t->rows.rows);
    cli_rows_marked(t->input.file, t->args, &t->rows);
}

int cli_transform_close(cli_transform *t, int code)
{
    if (code == CLI_OK)
        code = cli_plan_write(&t->plan, t->format, t->args, &t->output);
    cli_plan_free(&t->plan);
    free(t->rows.rows);
    cli_pool_close(&t->pool);
    cli_input_close(&t->input);
    return cli_output_close(&t->output, code);
}
