/* hurray dequantize: floats again. */
#include "cli/cli_commands.h"
#include "cli/cli_digest.h"
#include "cli/cli_out.h"
#include "cli/cli_remake.h"
#include "cli/cli_tokens.h"

#include <hurray/quantize.h>

#include <string.h>

static hry_status dequantize(cli_remake *remake, hry_tensor *tensor, uint64_t place, hry_tensor **out, hry_error *err)
{
    (void)place;
    const cli_transform *t = remake->transform;
    hry_relayout_options options = { .executor = cli_pool_executor(&t->pool),
                                     .token_counts = cli_tokens_for(t->args, hry_tensor_desc(tensor), NULL) };
    return hry_tensor_dequantize(tensor, *(const uint8_t *)remake->ctx, &options, out, err);
}

/* Members of a composite stay what it expects of them. Blocks that no scheme holds are floats as soon as they are read.
 */
static bool is_wanted(hry_file *file, const cli_row *row)
{
    hry_desc desc;
    return row->chosen && !row->depth && row->size == 1 && !hry_file_desc(file, row->i, &desc, NULL) &&
           (hry_desc_flags(&desc) & HRY_HAS_QUANTIZATION || cli_format_had_blocks(file, row->i));
}

static int run(const cli_args *args)
{
    cli_transform t;
    const char *name = args->value[CLI_OPT_TYPE];
    uint8_t type = name ? hry_type_by_name(name, strlen(name)) : 0;
    if (name && !type)
        return cli_usage(args->command, "'%s' is not a type", name);
    int code = cli_transform_open(&t, args);
    if (code)
        return code;
    cli_transform_keep_others(&t);
    cli_remake remake = { .transform = &t, .make = dequantize, .what = "dequantized", .ctx = &type };
    for (uint64_t k = 0; k < t.rows.count; k++) {
        cli_item *item = cli_plan_add_row(&t.plan, &t.input, &t.rows.rows[k]);
        if (is_wanted(t.input.file, &t.rows.rows[k])) {
            cli_remake_item(&remake, item);
            cli_digest_forget(&t.plan, item->name);
        }
    }
    return cli_transform_close(&t, cli_remake_start(&remake));
}

const cli_command cli_dequantize = {
    .name = "dequantize",
    .usage = "SRC DST",
    .summary = "make float32, or another type, of quantized tensors",
    .details =
        "The results are row-major, of sparse and block-paged tensors in their layout. Tensors that are not quantized\n"
        "stay as they are; there must be some that are.",
    .options = (const uint8_t[]){ CLI_OPT_TYPE, CLI_OPT_TOKENS, CLI_OPT_FROM, CLI_OPT_TO, CLI_OPT_STRICT, CLI_OPT_END },
    .groups = CLI_WRITES | CLI_READS | CLI_SELECTS | CLI_VALUES | CLI_CARRIES,
    .min_args = 1,
    .max_args = 2,
    .run = run,
};
