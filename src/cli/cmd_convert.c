/* hurray convert: the same tensors in another format. */
#include "cli/cli_commands.h"
#include "cli/cli_out.h"
#include "cli/cli_plan.h"

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

static int convert(cli_input *input, const cli_format_row *format, const cli_args *args, const cli_output *output)
{
    cli_rows rows;
    cli_plan plan = { 0 };
    cli_rows_chosen(input->file, args, &rows);
    cli_plan_add_rows(&plan, input, &rows);
    cli_plan_add_kvs(&plan, input->file);
    cli_plan_keep_form(&plan, input->file);
    int code = cli_plan_write(&plan, format, args, output);
    cli_plan_free(&plan);
    free(rows.rows);
    return code;
}

static int run(const cli_args *args)
{
    const char *to = args->value[CLI_OPT_OUTPUT];
    if ((args->count == 2) == (to != NULL))
        return cli_usage(args->command, to ? "two outputs: '%s' and '%s'" : "no output given", to ? args->items[1] : "",
                         to ? to : "");
    const char *name = to ? to : args->items[1];
    const cli_format_row *format = target_format(args, name);
    cli_output output;
    cli_input input;
    if (!format)
        return CLI_FAILED;
    int code = cli_output_open(&output, name, args);
    if (code == CLI_OK) {
        code = cli_input_open_file(&input, args->items[0], args->value[CLI_OPT_FROM], args);
        if (code == CLI_OK) {
            code = convert(&input, format, args, &output);
            cli_input_close(&input);
        }
    }
    return cli_output_close(&output, code);
}

const cli_command cli_convert = {
    .name = "convert",
    .usage = "SRC DST",
    .summary = "write the tensors of one format as another",
    .details = "The format of SRC is told by its content, then by its name; that of DST by the ending of its name.\n"
               "Names, order and metadata are kept. What cannot be carried over is said, and refused under --strict.\n"
               "- is standard input or output.",
    .options = (const uint8_t[]){ CLI_OPT_FROM, CLI_OPT_TO, CLI_OPT_STRICT, CLI_OPT_DEQUANTIZE, CLI_OPT_END },
    .groups = CLI_WRITES | CLI_READS | CLI_SELECTS,
    .min_args = 1,
    .max_args = 2,
    .run = run,
};
