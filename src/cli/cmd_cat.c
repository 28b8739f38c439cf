/* hurray cat: the values of a tensor. */
#include "cli/cli_commands.h"
#include "cli/cli_emit.h"
#include "cli/cli_find.h"
#include "cli/cli_out.h"
#include "cli/cli_pool.h"
#include "cli/cli_tokens.h"

#include <string.h>

static int cat_part(const cli_input *input, const cli_found *found, cli_form form, const cli_pool *pool,
                    const cli_args *args)
{
    cli_stream stream;
    cli_part part;
    hry_tensor *tensor;
    const char *to = args->value[CLI_OPT_OUTPUT];
    hry_read_options options = { .executor = cli_pool_executor(pool), .stored = cli_has(args, CLI_OPT_STORED) };
    int code = cli_find_part(input, found, &tensor, &part);
    if (code)
        return code;
    options.token_counts = cli_tokens_for(args, hry_tensor_desc(tensor), NULL);
    code = cli_stream_open(&stream, to ? to : "-", form == CLI_FORM_TEXT || form == CLI_FORM_JSON, args);
    if (code == CLI_OK) {
        code = cli_emit(&stream, tensor, &part, form, &options, args, input->source.name, found->name);
        code = cli_stream_close(&stream, code);
    }
    hry_tensor_release(tensor);
    return code;
}

static int cat(const cli_input *input, cli_form form, const cli_args *args)
{
    cli_found found;
    cli_pool pool;
    int code = cli_find(input, args->items[1], args->value[CLI_OPT_REGION], args, &found);
    if (code == CLI_OK)
        code = cli_pool_open(&pool, args);
    if (code)
        return code;
    code = cat_part(input, &found, form, &pool, args);
    cli_pool_close(&pool);
    return code;
}

static int run(const cli_args *args)
{
    cli_input input;
    const char *name = args->value[CLI_OPT_FORMAT];
    cli_form form = cli_form_find(name, cli_has(args, CLI_OPT_JSON) ? CLI_FORM_JSON : CLI_FORM_TEXT);
    if (form == CLI_FORM_NONE)
        return cli_usage(args->command, "'%s' is not a format of values", name);
    int code = cli_input_open_file(&input, args->items[0], NULL, args);
    if (code)
        return code;
    code = cat(&input, form, args);
    cli_input_close(&input);
    return code;
}

const cli_command cli_cat = {
    .name = "cat",
    .usage = "FILE NAME",
    .summary = "print the values of a tensor",
    .details =
        "NAME may be followed by a region as NumPy writes it: 'NAME[0:2,3,::4]'. Values come in row-major order,\n"
        "whatever the layout, and those of quantized tensors as they stand for, unless --stored asks for the\n"
        "codes. Formats:\n"
        "  text  a line for each row; 9 digits, 17 for float64 and wider\n"
        "  json  nested arrays; NaN and infinities as strings, complex numbers as [re, im]\n"
        "  npy   a NumPy file; types that NumPy does not have become those that hold their values\n"
        "  raw   the elements alone, packed, little-endian",
    .options = (const uint8_t[]){ CLI_OPT_REGION, CLI_OPT_STORED, CLI_OPT_TOKENS, CLI_OPT_FORMAT, CLI_OPT_END },
    .groups = CLI_REPORTS | CLI_READS | CLI_WRITES | CLI_VALUES,
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
