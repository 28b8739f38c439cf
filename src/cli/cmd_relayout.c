/* hurray relayout: the same values in another order. */
#include "cli/cli_commands.h"
#include "cli/cli_layout.h"
#include "cli/cli_out.h"
#include "cli/cli_remake.h"
#include "cli/cli_tensor.h"
#include "cli/cli_tokens.h"

#include <inttypes.h>

static hry_status move(cli_remake *remake, hry_tensor *tensor, uint64_t place, hry_tensor **out, hry_error *err)
{
    (void)place;
    const cli_layout *to = remake->ctx;
    const cli_transform *t = remake->transform;
    hry_relayout_options options = { .executor = cli_pool_executor(&t->pool),
                                     .token_counts = cli_tokens_for(t->args, hry_tensor_desc(tensor), NULL) };
    if (!to->rank || to->rank == hry_tensor_rank(tensor))
        return hry_tensor_relayout(tensor, &to->layout, &options, out, err);
    *err = (hry_error){ .status = HRY_E_UNSUPPORTED };
    snprintf(err->message, sizeof err->message, "it has %" PRIu32 " dimensions, the layout %" PRIu32,
             hry_tensor_rank(tensor), to->rank);
    return HRY_E_UNSUPPORTED;
}

/* A group keeps its members, each of them moved; other composites become one tensor. */
static void add_rows(cli_remake *remake)
{
    cli_transform *t = remake->transform;
    for (uint64_t k = 0; k < t->rows.count;) {
        const cli_row *row = &t->rows.rows[k];
        bool group = cli_is_group_at(t->input.file, row->i);
        cli_item *item = cli_plan_add_row(&t->plan, &t->input, row);
        if (row->chosen && row->ok && !group)
            cli_remake_item(remake, item);
        k += row->chosen && !group ? row->size : 1;
    }
}

static int run(const cli_args *args)
{
    cli_transform t;
    cli_layout layout;
    const char *text = args->value[CLI_OPT_LAYOUT];
    if (!text)
        return cli_usage(args->command, "no layout given; say --layout");
    if (!cli_layout_parse(text, &layout))
        return cli_usage(args->command, "'%s' is not a layout", text);
    int code = cli_transform_open(&t, args);
    if (code)
        return code;
    cli_transform_keep_others(&t);
    cli_remake remake = { .transform = &t, .make = move, .what = "moved", .ctx = &layout };
    add_rows(&remake);
    return cli_transform_close(&t, cli_remake_start(&remake));
}

const cli_command cli_relayout = {
    .name = "relayout",
    .usage = "SRC DST --layout LAYOUT",
    .summary = "store tensors in another layout, values unchanged",
    .details = "LAYOUT is row, col, strided:S0,S1,..., tiled:64x64[/8x8][,outer=col,inner=row], morton, hilbert, coo,\n"
               "csr, csc or csf[:2,0,1]. Tensors that it cannot hold stay as they are, which --strict refuses; a\n"
               "partition or overlay becomes one tensor. Quantized tensors keep codes and scales.",
    .options = (const uint8_t[]){ CLI_OPT_LAYOUT, CLI_OPT_TOKENS, CLI_OPT_FROM, CLI_OPT_STRICT, CLI_OPT_END },
    .groups = CLI_WRITES | CLI_READS | CLI_SELECTS | CLI_VALUES | CLI_CARRIES,
    .min_args = 1,
    .max_args = 2,
    .run = run,
};
