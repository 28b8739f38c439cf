/* hurray quantize: codes and scales instead of floats, and what that costs. */
#include "cli/cli_commands.h"
#include "cli/cli_digest.h"
#include "cli/cli_json.h"
#include "cli/cli_out.h"
#include "cli/cli_remake.h"
#include "cli/cli_text.h"
#include "cli/cli_tokens.h"

#include <hurray/quantize.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one tensor lost. */
typedef struct loss {
    char *name; /* NULL: it is as it was */
    hry_difference difference;
    double signal, noise; /* sums of squares */
    uint64_t before, after;
} loss;

typedef struct quantization {
    const cli_args *args;
    hry_quantizer quantizer;
    bool has_axis;
    int64_t axis;
    uint64_t least; /* bytes */
    loss *losses;   /* by place in the plan */
    uint64_t count;
} quantization;

/* ---- Options ---- */

static uint8_t parse_scheme(const char *name)
{
    static const struct {
        const char *name;
        uint8_t scheme;
    } names[] = { { "per-tensor", HRY_SCHEME_PER_TENSOR },
                  { "per-channel", HRY_SCHEME_PER_CHANNEL },
                  { "per-block", HRY_SCHEME_PER_BLOCK } };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k].name) == 0)
            return names[k].scheme;
    return hry_scheme_by_name(name, strlen(name));
}

static bool parse_integer(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return *text && !isspace((unsigned char)*text) && !*end && !errno;
}

static bool parse_type(const cli_args *args, cli_option_id option, uint8_t *type)
{
    const char *name = args->value[option];
    *type = name ? hry_type_by_name(name, strlen(name)) : 0;
    if (name && !*type)
        cli_usage(args->command, "'%s' is not a type", name);
    return !name || *type;
}

static int parse_options(quantization *q, const cli_args *args)
{
    int64_t block = 0;
    const char *scheme = args->value[CLI_OPT_SCHEME], *axis = args->value[CLI_OPT_AXIS],
               *size = args->value[CLI_OPT_BLOCK], *least = args->value[CLI_OPT_MIN_SIZE];
    hry_quantizer *z = &q->quantizer;
    if (!scheme)
        return cli_usage(args->command, "no scheme given; say --scheme");
    if (!(z->scheme = parse_scheme(scheme)))
        return cli_usage(args->command, "'%s' is not a scheme", scheme);
    if (!parse_type(args, CLI_OPT_TYPE, &z->storage) || !parse_type(args, CLI_OPT_SCALE_TYPE, &z->scale_type))
        return CLI_FAILED;
    q->has_axis = axis != NULL;
    if (axis && !parse_integer(axis, &q->axis))
        return cli_usage(args->command, "'%s' is not a dimension", axis);
    if (size && (!parse_integer(size, &block) || block < 1 || block > UINT32_MAX))
        return cli_usage(args->command, "'%s' is not a number of elements", size);
    if (least && !(q->least = cli_size_parse(least)) && strcmp(least, "0") != 0)
        return cli_usage(args->command, "'%s' is not a size", least);
    z->block = (uint32_t)block;
    z->symmetric = cli_has(args, CLI_OPT_SYMMETRIC);
    z->ceil = cli_has(args, CLI_OPT_CEIL);
    z->optimize = cli_has(args, CLI_OPT_OPTIMIZE);
    if (z->optimize && (z->scheme < HRY_SCHEME_PER_BLOCK || (z->scheme == HRY_SCHEME_PER_BLOCK && !z->symmetric)))
        return cli_usage(args->command, "--optimize is for nf4, mxfp and per-block --symmetric");
    return CLI_OK;
}

/* ---- Tensors ---- */

static hry_status no_axis(int64_t axis, uint32_t rank, hry_error *err)
{
    *err = (hry_error){ .status = HRY_E_USAGE };
    snprintf(err->message, sizeof err->message, "there is no dimension %" PRId64 " of %" PRIu32, axis, rank);
    return HRY_E_USAGE;
}

static uint64_t data_size(const hry_tensor *tensor)
{
    uint64_t nbytes = 0;
    hry_desc_data_size(hry_tensor_desc(tensor), &nbytes);
    return nbytes;
}

/* Sums of squares, from their ratio and the mean of one, so that those of several tensors can be added up. */
static void measure(loss *l)
{
    const hry_difference *d = &l->difference;
    l->noise = d->rms * d->rms * (double)(d->count - d->unlike);
    l->signal = l->noise > 0 ? l->noise * pow(10, d->sqnr / 10) : 0;
}

static hry_status quantize(cli_remake *remake, hry_tensor *tensor, uint64_t place, hry_tensor **out, hry_error *err)
{
    quantization *q = remake->ctx;
    hry_quantizer z = q->quantizer;
    uint32_t rank = hry_tensor_rank(tensor);
    /* Channels are rows, blocks lie along them; pages have blocks of token slots. */
    bool first =
        z.scheme == HRY_SCHEME_PER_CHANNEL || hry_desc_layout(hry_tensor_desc(tensor)) == HRY_LAYOUT_BLOCK_PAGED;
    int64_t axis = q->has_axis ? q->axis : first ? 0 : -1;
    axis += axis < 0 ? rank : 0;
    if (z.scheme != HRY_SCHEME_PER_TENSOR && (axis < 0 || axis >= rank))
        return no_axis(q->axis, rank, err);
    z.axis = z.scheme == HRY_SCHEME_PER_TENSOR ? 0 : (uint32_t)axis;
    z.executor = cli_pool_executor(&remake->transform->pool);
    z.token_counts = cli_tokens_for(q->args, hry_tensor_desc(tensor), NULL);
    hry_status status = hry_tensor_quantize(tensor, &z, out, err);
    if (status)
        return status;
    loss l = { .before = data_size(tensor), .after = data_size(*out) };
    hry_relayout_options options = { .executor = z.executor, .token_counts = z.token_counts };
    status = hry_tensor_compare(tensor, *out, 0, 0, &options, &l.difference, err);
    if (status) {
        hry_tensor_release(*out);
        return status;
    }
    measure(&l);
    hry_str name = remake->transform->plan.items[place].name;
    l.name = q->losses[place].name ? q->losses[place].name : cli_copy(name.ptr, name.len);
    q->losses[place] = l;
    return HRY_OK;
}

/* Floats that are not quantized and no part of a composite, which is a matter of all its members. */
static bool is_wanted(const quantization *q, hry_file *file, const cli_row *row)
{
    hry_desc desc;
    uint64_t nbytes;
    if (!row->chosen || row->depth || row->size > 1 || hry_file_desc(file, row->i, &desc, NULL) ||
        !hry_desc_data_size(&desc, &nbytes))
        return false;
    const hry_type_info *type = hry_type_find(hry_desc_type(&desc));
    return type && type->kind == HRY_KIND_FLOAT && !(hry_desc_flags(&desc) & HRY_HAS_QUANTIZATION) &&
           hry_desc_layout(&desc) != HRY_LAYOUT_COMPOSITE && nbytes >= q->least;
}

/* ---- The table ---- */

static double ratio_in_db(double signal, double noise)
{
    return noise > 0 ? 10 * log10(signal / noise) : INFINITY;
}

static loss add_up(const quantization *q)
{
    loss total = { 0 };
    uint64_t elements = 0;
    for (uint64_t k = 0; k < q->count; k++) {
        const loss *l = &q->losses[k];
        if (!l->name)
            continue;
        total.before += l->before;
        total.after += l->after;
        total.signal += l->signal;
        total.noise += l->noise;
        elements += l->difference.count;
        total.difference.max_absolute = fmax(total.difference.max_absolute, l->difference.max_absolute);
    }
    total.difference.rms = elements ? sqrt(total.noise / (double)elements) : 0;
    total.difference.sqnr = ratio_in_db(total.signal, total.noise);
    return total;
}

static void put_line(FILE *out, const loss *l, const char *name, const cli_args *args)
{
    bool exact = cli_has(args, CLI_OPT_BYTES);
    fprintf(out, "%-10.4g %-10.4g %8.2f %12s %12s  ", l->difference.max_absolute, l->difference.rms, l->difference.sqnr,
            cli_size_text(l->before, exact).text, cli_size_text(l->after, exact).text);
    cli_put_name(out, name);
    fputc('\n', out);
}

static void put_table(FILE *out, const quantization *q)
{
    loss total = add_up(q);
    fprintf(out, "%-10s %-10s %8s %12s %12s  %s\n", "max error", "rms", "SQNR dB", "before", "after", "tensor");
    for (uint64_t k = 0; k < q->count; k++)
        if (q->losses[k].name)
            put_line(out, &q->losses[k], q->losses[k].name, q->args);
    put_line(out, &total, "(total)", q->args);
}

static void loss_json(cli_json *json, const loss *l)
{
    cli_json_f64(json, "max_error", l->difference.max_absolute);
    cli_json_f64(json, "rms", l->difference.rms);
    cli_json_f64(json, "sqnr", l->difference.sqnr);
    cli_json_u64(json, "bytes_before", l->before);
    cli_json_u64(json, "bytes_after", l->after);
    cli_json_close(json);
}

static void put_json(const quantization *q)
{
    loss total = add_up(q);
    cli_json *json = cli_json_begin();
    cli_json_open(json, NULL);
    cli_json_str(json, "file", q->args->items[0]);
    cli_json_open_array(json, "tensors");
    for (uint64_t k = 0; k < q->count; k++) {
        if (!q->losses[k].name)
            continue;
        cli_json_open(json, NULL);
        cli_json_str(json, "name", q->losses[k].name);
        loss_json(json, &q->losses[k]);
    }
    cli_json_close_array(json);
    cli_json_open(json, "total");
    loss_json(json, &total);
    cli_json_close(json);
    cli_json_end(json);
}

static int quantize_all(quantization *q, cli_transform *t)
{
    cli_remake remake = { .transform = t, .make = quantize, .what = "quantized", .ctx = q };
    cli_transform_keep_others(t);
    q->count = t->rows.count;
    q->losses = cli_realloc_items(NULL, q->count, sizeof *q->losses);
    for (uint64_t k = 0; k < q->count; k++) {
        q->losses[k] = (loss){ 0 };
        cli_item *item = cli_plan_add_row(&t->plan, &t->input, &t->rows.rows[k]);
        if (is_wanted(q, t->input.file, &t->rows.rows[k])) {
            cli_remake_item(&remake, item);
            cli_digest_forget(&t->plan, item->name);
        }
    }
    int code = cli_remake_start(&remake);
    bool standard = strcmp(t->output.name, "-") == 0, dry = t->output.dry;
    code = cli_transform_close(t, code);
    if (code == CLI_OK && !dry && cli_has(q->args, CLI_OPT_JSON) && !standard)
        put_json(q);
    else if (code == CLI_OK && !dry && !cli_has(q->args, CLI_OPT_QUIET))
        put_table(standard ? stderr : stdout, q);
    for (uint64_t k = 0; k < q->count; k++)
        free(q->losses[k].name);
    free(q->losses);
    return code;
}

static int run(const cli_args *args)
{
    cli_transform t;
    quantization q = { .args = args };
    int code = parse_options(&q, args);
    if (code == CLI_OK)
        code = cli_transform_open(&t, args);
    return code ? code : quantize_all(&q, &t);
}

const cli_command cli_quantize = {
    .name = "quantize",
    .usage = "SRC DST --scheme SCHEME",
    .summary = "store floats as codes and scales, and say what that costs",
    .details =
        "All tensors of floats are quantized, or those that --include, --exclude and --min-size choose; the others\n"
        "stay as they are, as members of composites do, and what does not suit the scheme, which is said and which\n"
        "--strict refuses. Channels are those of axis 0; blocks lie along the last and hold 32 elements, of nf4 64, "
        "of\n"
        "block-paged tensors a token's. Sparse and block-paged tensors keep their layout, others become row-major.\n"
        "--type is that of the codes: int8, uint8, int4, uint4, int2, uint2, int16, ..., for mxfp float8_e4m3,\n"
        "float8_e5m2, float6_e2m3, float6_e3m2 or float4_e2m1. Prints for each the largest error, the root of the "
        "mean\n"
        "square error, the signal-to-noise ratio and the sizes.",
    .options = (const uint8_t[]){ CLI_OPT_SCHEME, CLI_OPT_TYPE, CLI_OPT_AXIS, CLI_OPT_BLOCK, CLI_OPT_SYMMETRIC,
                                  CLI_OPT_SCALE_TYPE, CLI_OPT_CEIL, CLI_OPT_OPTIMIZE, CLI_OPT_MIN_SIZE, CLI_OPT_TOKENS,
                                  CLI_OPT_FROM, CLI_OPT_TO, CLI_OPT_STRICT, CLI_OPT_END },
    .groups = CLI_REPORTS | CLI_WRITES | CLI_READS | CLI_SELECTS | CLI_VALUES | CLI_CARRIES,
    .min_args = 1,
    .max_args = 2,
    .run = run,
};
