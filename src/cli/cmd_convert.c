/* hurray convert: the same tensors in another format. */
#include "cli/cli_commands.h"
#include "cli/cli_transform.h"

static int run(const cli_args *args)
{
    cli_transform t;
    int code = cli_transform_open(&t, args);
    if (code)
        return code;
    cli_plan_add_rows(&t.plan, &t.input, &t.rows);
    return cli_transform_close(&t, CLI_OK);
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
