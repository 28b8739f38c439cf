/* hurray stats: what can be said of the values of each tensor. */
#include "cli/cli_commands.h"
#include "cli/cli_json.h"
#include "cli/cli_out.h"
#include "cli/cli_tensor.h"
#include "cli/cli_tokens.h"
#include "cli/cli_transform.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 20, BAR = 50 };

static bool has(const hry_statistics *s, uint32_t bit)
{
    return s->computed_mask & bit;
}

/* ---- JSON ---- */

static void f64_json(cli_json *json, const char *key, double value, bool known)
{
    if (known)
        cli_json_f64(json, key, value);
    else
        cli_json_null(json, key);
}

static void u64_json(cli_json *json, const char *key, uint64_t value, bool known)
{
    if (known)
        cli_json_u64(json, key, value);
    else
        cli_json_null(json, key);
}

static void bool_json(cli_json *json, const char *key, bool value, bool known)
{
    if (known)
        cli_json_bool(json, key, value);
    else
        cli_json_null(json, key);
}

static void histogram_json(cli_json *json, const hry_histogram *h)
{
    cli_json_open(json, "histogram");
    cli_json_f64(json, "lo", h->lo);
    cli_json_f64(json, "hi", h->hi);
    cli_json_open_array(json, "counts");
    for (size_t k = 0; k < h->bins; k++)
        cli_json_u64(json, NULL, h->counts[k]);
    cli_json_close_array(json);
    cli_json_u64(json, "nan", h->nan);
    cli_json_u64(json, "inf", h->inf);
    cli_json_close(json);
}

static void tensor_json(cli_json *json, hry_str name, const hry_statistics *s, const hry_histogram *h)
{
    bool range = has(s, HRY_STATS_RANGE), values = has(s, HRY_STATS_VALUES), nm = has(s, HRY_STATS_NM);
    cli_json_open(json, NULL);
    cli_json_text(json, "name", name.ptr, name.len);
    u64_json(json, "nnz", s->nnz, has(s, HRY_STATS_NNZ));
    f64_json(json, "sparsity_ratio", s->sparsity_ratio, has(s, HRY_STATS_SPARSITY));
    f64_json(json, "value_min", s->value_min, range);
    f64_json(json, "value_max", s->value_max, range);
    f64_json(json, "value_abs_max", s->value_abs_max, range);
    f64_json(json, "value_mean", s->value_mean, values);
    f64_json(json, "value_stddev", s->value_stddev, values);
    u64_json(json, "nm_n", s->nm_n, nm);
    u64_json(json, "nm_m", s->nm_m, nm);
    bool_json(json, "has_nan", s->has_nan, has(s, HRY_STATS_NAN_INF));
    bool_json(json, "has_inf", s->has_inf, has(s, HRY_STATS_NAN_INF));
    if (h)
        histogram_json(json, h);
    cli_json_close(json);
}

/* ---- Text ---- */

static void put_number(double value, bool known)
{
    if (known)
        printf(" %12s", cli_f64_text(value, 6).text);
    else
        printf(" %12s", "-");
}

static void put_head(void)
{
    printf("%12s %12s %12s %12s %12s %12s  %s\n", "min", "max", "mean", "stddev", "nonzero", "sparsity", "tensor");
}

static void put_tensor(hry_str name, const hry_statistics *s)
{
    bool range = has(s, HRY_STATS_RANGE), values = has(s, HRY_STATS_VALUES);
    char count[24] = "-";
    if (has(s, HRY_STATS_NNZ))
        snprintf(count, sizeof count, "%" PRIu64, s->nnz);
    printf("%12s", range ? cli_f64_text(s->value_min, 6).text : "-");
    put_number(s->value_max, range);
    put_number(s->value_mean, values);
    put_number(s->value_stddev, values);
    printf(" %12s", count);
    put_number(s->sparsity_ratio, has(s, HRY_STATS_SPARSITY));
    fputs("  ", stdout);
    cli_put_text(stdout, name.ptr, name.len);
    if (has(s, HRY_STATS_NM) && s->nm_m)
        printf("  %u:%u", s->nm_n, s->nm_m);
    if (has(s, HRY_STATS_NAN_INF))
        printf("%s%s", s->has_nan ? "  NaN" : "", s->has_inf ? "  Infinity" : "");
    fputc('\n', stdout);
}

static void put_histogram(const hry_histogram *h)
{
    static const char bar[BAR + 1] = "##################################################";
    uint64_t most = 1;
    for (size_t k = 0; k < h->bins; k++)
        most = h->counts[k] > most ? h->counts[k] : most;
    for (size_t k = 0; k < h->bins; k++) {
        double from = h->lo + (h->hi - h->lo) * ((double)k / (double)h->bins);
        int length = (int)ceil((double)h->counts[k] / (double)most * BAR);
        printf("  %12s %-*.*s %" PRIu64 "\n", cli_f64_text(from, 6).text, BAR, length, bar, h->counts[k]);
    }
}

/* ---- Work ---- */

typedef struct stats {
    const cli_args *args;
    const cli_input *input;
    hry_statistics_options options;
    cli_json *json;
} stats;

static hry_status measure(const stats *s, uint64_t i, hry_statistics *found, hry_histogram *h, hry_error *err)
{
    hry_tensor *tensor;
    hry_status status = hry_file_tensor_at(s->input->file, i, &tensor, err);
    if (status)
        return status;
    hry_statistics_options options = s->options;
    options.token_counts = cli_tokens_for(s->args, hry_tensor_desc(tensor), NULL);
    status = hry_tensor_statistics(tensor, &options, found, err);
    if (!status && h->bins && has(found, HRY_STATS_RANGE) && isfinite(found->value_min) && isfinite(found->value_max)) {
        h->lo = found->value_min;
        h->hi = found->value_max;
        status = hry_tensor_histogram(tensor, &options, h, err);
    } else {
        h->bins = 0;
    }
    hry_tensor_release(tensor);
    return status;
}

static int show(const stats *s, const cli_row *row)
{
    hry_error err;
    hry_statistics found;
    uint64_t counts[BINS] = { 0 };
    hry_histogram h = { .bins = cli_has(s->args, CLI_OPT_HISTOGRAM) ? BINS : 0, .counts = counts };
    if (measure(s, row->i, &found, &h, &err))
        return cli_report(s->input->source.name, row->name.ptr, row->name.len, &err);
    if (s->json) {
        tensor_json(s->json, row->name, &found, h.bins ? &h : NULL);
        return CLI_OK;
    }
    put_tensor(row->name, &found);
    if (h.bins)
        put_histogram(&h);
    return CLI_OK;
}

static int show_all(stats *s)
{
    cli_rows rows;
    int code = CLI_OK;
    cli_rows_listed(s->input->file, s->args, &rows);
    if (s->json) {
        cli_json_open(s->json, NULL);
        cli_json_str(s->json, "file", s->input->source.name);
        cli_json_open_array(s->json, "tensors");
    } else {
        put_head();
    }
    for (uint64_t k = 0; k < rows.count && !cli_out_closed(); k++)
        if (!cli_is_group_at(s->input->file, rows.rows[k].i))
            code = cli_worse(code, show(s, &rows.rows[k]));
    if (s->json) {
        cli_json_close_array(s->json);
        cli_json_close(s->json);
    }
    free(rows.rows);
    return code;
}

static int print(const cli_args *args)
{
    cli_input input;
    cli_pool pool;
    int code = cli_input_open_file(&input, args->items[0], NULL, args);
    if (code)
        return code;
    code = cli_pool_open(&pool, args);
    if (code == CLI_OK) {
        stats s = { .args = args, .input = &input, .options = { .executor = cli_pool_executor(&pool) } };
        s.json = cli_has(args, CLI_OPT_JSON) ? cli_json_begin() : NULL;
        code = show_all(&s);
        if (s.json)
            cli_json_end(s.json);
        cli_pool_close(&pool);
    }
    cli_input_close(&input);
    return code;
}

/* ---- Writing ---- */

/* Tensors whose values cannot be had stay as they are. */
static hry_status describe(void *ctx, const cli_item *item, void *bytes, size_t room, hry_desc *desc, hry_error *err)
{
    stats *s = ctx;
    hry_statistics found;
    hry_histogram none = { 0 };
    hry_desc own = *desc;
    static const hry_allow everything = { .all = true };
    hry_parse_options options = { .allow = &everything, .stored = true };
    if (cli_is_group_at(item->file, item->i))
        return HRY_OK;
    hry_status status = measure(s, item->i, &found, &none, err);
    if (status == HRY_E_UNSUPPORTED || (status == HRY_E_INPUT && err->rule == hry_rule_find("F-T04"))) {
        char *name = cli_copy(item->name.ptr, item->name.len);
        cli_warn(s->args, item->source, "%s: no statistics: %s", name, err->message);
        free(name);
        return HRY_OK;
    }
    return status ? status : hry_desc_with_statistics(&own, &found, &options, bytes, room, desc, err);
}

static int write_file(const cli_args *args)
{
    cli_transform t;
    if (!cli_has(args, CLI_OPT_OUTPUT))
        return cli_usage(args->command, "no output given; say --output");
    int code = cli_transform_open(&t, args);
    if (code)
        return code;
    stats s = { .args = args, .input = &t.input, .options = { .executor = cli_pool_executor(&t.pool) } };
    if (t.format != &cli_format_hurray)
        return cli_transform_close(&t, cli_usage(args->command, "%s files keep no statistics", t.format->name));
    cli_transform_keep_others(&t);
    for (uint64_t k = 0; k < t.rows.count; k++) {
        cli_item *item = cli_plan_add_row(&t.plan, &t.input, &t.rows.rows[k]);
        if (!t.rows.rows[k].chosen)
            continue;
        item->describe = describe;
        item->make_ctx = &s;
    }
    return cli_transform_close(&t, CLI_OK);
}

static int run(const cli_args *args)
{
    if (cli_has(args, CLI_OPT_WRITE))
        return write_file(args);
    if (cli_has(args, CLI_OPT_OUTPUT))
        return cli_usage(args->command, "--output is for --write");
    return print(args);
}

const cli_command cli_stats = {
    .name = "stats",
    .usage = "FILE",
    .summary = "statistics of the values of each tensor",
    .details =
        "Computed from the values, never taken from the file: those of quantized tensors as they stand for, those\n"
        "of a composite as a whole. --write puts them into the descriptors of a new file.",
    .options = (const uint8_t[]){ CLI_OPT_HISTOGRAM, CLI_OPT_TOKENS, CLI_OPT_WRITE, CLI_OPT_END },
    .groups = CLI_REPORTS | CLI_WRITES | CLI_READS | CLI_SELECTS | CLI_VALUES | CLI_CARRIES,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
