/* hurray convert: the same tensors in another format. */
#include "cli/cli_commands.h"
#include "cli/cli_copy.h"
#include "cli/cli_input.h"
#include "cli/cli_out.h"
#include "cli/cli_output.h"
#include "cli/cli_view.h"

#include <inttypes.h>
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

static hry_status write_container(cli_copying *copying, hry_file *file, const cli_rows *rows, const cli_args *args,
                                  const cli_output *output, hry_error *err)
{
    hry_writer_options options = cli_copy_options(file, args);
    options.tensor_count = rows->count;
    hry_status status = cli_output_writer(output, &options, &copying->writer, err);
    if (status)
        return status;
    if (!(status = cli_copy_kv(copying, file, err)) && !(status = cli_copy_rows(copying, file, rows, err)))
        status = hry_writer_finish(copying->writer, err);
    hry_writer_destroy(copying->writer);
    return status;
}

static hry_status write_foreign(const cli_format_row *format, hry_file *file, const cli_rows *rows,
                                const cli_args *args, const cli_output *output, hry_error *err)
{
    cli_note_ctx note = { .args = args, .file = output->name };
    cli_format_options options = {
        .strict = cli_has(args, CLI_OPT_STRICT), .replace = output->replace, .note = cli_print_note, .ctx = &note
    };
    if (rows->count == hry_file_count(file))
        return format->save(file, output->path, output->fd, &options, err);
    hry_file *view;
    hry_status status = cli_view_open(file, rows, &view, err);
    if (status)
        return status;
    status = format->save(view, output->path, output->fd, &options, err);
    hry_file_close(view);
    return status;
}

static void say(const char *what, const cli_output *output, const cli_rows *rows, uint64_t nbytes)
{
    fprintf(stderr, "%s ", what);
    cli_put_name(stderr, output->name);
    fprintf(stderr, ": %" PRIu64 " tensor%s, %s of data\n", rows->count, rows->count == 1 ? "" : "s",
            cli_size_text(nbytes, false).text);
}

static int convert(cli_input *input, const cli_format_row *format, const cli_args *args, const cli_output *output)
{
    hry_error err;
    cli_rows rows;
    cli_progress progress;
    cli_copying copying = { .progress = &progress };
    cli_rows_chosen(input->file, args, &rows);
    uint64_t nbytes = cli_rows_bytes(input->file, &rows);
    hry_status status = HRY_OK;
    if (!output->dry) {
        cli_progress_start(&progress, args, "converting", nbytes);
        status = format == &cli_format_hurray ? write_container(&copying, input->file, &rows, args, output, &err)
                                              : write_foreign(format, input->file, &rows, args, output, &err);
        cli_progress_end(&progress);
    }
    int code = status ? cli_output_report(output, input->source.name, copying.at, &err) : CLI_OK;
    if (!status && (output->dry || cli_has(args, CLI_OPT_VERBOSE)))
        say(output->dry ? "would write" : "wrote", output, &rows, nbytes);
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
    .options = (const uint8_t[]){ CLI_OPT_FROM, CLI_OPT_TO, CLI_OPT_STRICT, CLI_OPT_END },
    .groups = CLI_WRITES | CLI_READS | CLI_SELECTS,
    .min_args = 1,
    .max_args = 2,
    .run = run,
};
