/* hurray diff: what differs between two files. */
#include "cli/cli_commands.h"
#include "cli/cli_input.h"
#include "cli/cli_json.h"
#include "cli/cli_kv.h"
#include "cli/cli_out.h"
#include "cli/cli_parts.h"
#include "cli/cli_pool.h"
#include "cli/cli_rows.h"
#include "cli/cli_tensor.h"
#include "cli/cli_tokens.h"
#include "cli/cli_values.h"

#include <hurray/quantize.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparison {
    const cli_args *args;
    cli_input a, b;
    double atol, rtol;
    hry_read_options read;
    cli_json *json; /* an open array of what was found; NULL: text */
    bool differ;
} comparison;

/* ---- Values ---- */

/* Whether float64, as which values are compared, holds each value of a type. */
static bool fits_f64(uint8_t type)
{
    return type != HRY_TYPE_INT64 && type != HRY_TYPE_UINT64 && type != HRY_TYPE_FLOAT128;
}

static void compare_element(uint8_t type, const uint8_t *a, const uint8_t *b, uint64_t i, const comparison *c,
                            hry_difference *d)
{
    uint64_t a_lo, a_hi, b_lo, b_hi;
    hry_element_bits(type, a, i, &a_lo, &a_hi);
    hry_element_bits(type, b, i, &b_lo, &b_hi);
    if (a_lo == b_lo && a_hi == b_hi)
        return;
    double x = hry_element_f64(type, a, i), y = hry_element_f64(type, b, i), error = fabs(x - y);
    if (fits_f64(type) && (x == y || (isnan(x) && isnan(y))))
        return;
    if (type == HRY_TYPE_INT64 || type == HRY_TYPE_UINT64)
        error = (double)((type == HRY_TYPE_INT64 ? (int64_t)a_lo > (int64_t)b_lo : a_lo > b_lo) ? a_lo - b_lo
                                                                                                : b_lo - a_lo);
    d->different++;
    if (!isfinite(error)) {
        d->unlike++;
        d->beyond++;
        return;
    }
    d->max_absolute = fmax(d->max_absolute, error);
    if (x != 0)
        d->max_relative = fmax(d->max_relative, error / fabs(x));
    d->beyond += error > c->atol + c->rtol * fabs(x) || (error == 0 && c->atol == 0 && c->rtol == 0);
}

/* Element by element, of the same type: for codes, and for values that float64 does not hold. */
static hry_status compare_pieces(const comparison *c, const hry_tensor *a, const hry_tensor *b, hry_difference *d,
                                 hry_error *err)
{
    cli_values from_a, from_b = { 0 };
    uint8_t *piece_a, *piece_b;
    uint64_t count, other;
    hry_read_options read = c->read;
    *d = (hry_difference){ 0 };
    read.token_counts = cli_tokens_for(c->args, hry_tensor_desc(a), hry_tensor_desc(b));
    hry_status status = cli_values_open(&from_a, a, NULL, 0, &read, err);
    if (!status)
        status = cli_values_open(&from_b, b, NULL, 0, &read, err);
    d->count = from_a.count;
    while (!status && !(status = cli_values_next(&from_a, &piece_a, &count, err)) && count &&
           !(status = cli_values_next(&from_b, &piece_b, &other, err)))
        for (uint64_t i = 0; i < count && i < other; i++)
            compare_element(from_a.type, piece_a, piece_b, i, c, d);
    cli_values_close(&from_a);
    cli_values_close(&from_b);
    return status;
}

static hry_status compare_values(const comparison *c, const hry_tensor *a, const hry_tensor *b, hry_difference *d,
                                 hry_error *err)
{
    uint8_t type = cli_value_type(hry_tensor_desc(a), c->read.stored);
    bool same_type = type == cli_value_type(hry_tensor_desc(b), c->read.stored);
    if (same_type && (c->read.stored || !fits_f64(type)) && hry_type_find(type))
        return compare_pieces(c, a, b, d, err);
    hry_relayout_options options = { .executor = c->read.executor,
                                     .token_counts = cli_tokens_for(c->args, hry_tensor_desc(a), hry_tensor_desc(b)) };
    return hry_tensor_compare(a, b, c->atol, c->rtol, &options, d, err);
}

/* ---- What is told ---- */

/* Begins a finding about a name; text goes on with what follows. */
static void begin(comparison *c, hry_str name, const char *kind)
{
    c->differ = true;
    if (c->json) {
        cli_json_open(c->json, NULL);
        cli_json_str(c->json, "kind", kind);
        cli_json_text(c->json, "name", name.ptr, name.len);
        return;
    }
    if (strcmp(kind, "metadata") == 0)
        fputs("metadata ", stdout);
    cli_put_text(stdout, name.ptr, name.len);
    fputs(": ", stdout);
}

static void end(const comparison *c)
{
    if (c->json)
        cli_json_close(c->json);
    else
        fputc('\n', stdout);
}

static void tell_pair(comparison *c, hry_str name, const char *kind, const char *a, const char *b)
{
    begin(c, name, kind);
    if (c->json) {
        cli_json_str(c->json, "a", a);
        cli_json_str(c->json, "b", b);
    } else {
        printf("%s %s, %s", kind, a, b);
    }
    end(c);
}

/* A tensor or key that only one of the files has. */
static void tell_only(comparison *c, hry_str name, const char *kind, bool in_a)
{
    begin(c, name, kind);
    if (c->json) {
        cli_json_str(c->json, "only_in", in_a ? "a" : "b");
    } else {
        fputs("only in ", stdout);
        cli_put_name(stdout, in_a ? c->a.source.name : c->b.source.name);
    }
    end(c);
}

static void tell_values(comparison *c, hry_str name, const hry_difference *d)
{
    begin(c, name, "values");
    if (c->json) {
        cli_json_u64(c->json, "count", d->count);
        cli_json_u64(c->json, "different", d->different);
        cli_json_u64(c->json, "beyond", d->beyond);
        cli_json_u64(c->json, "unlike", d->unlike);
        cli_json_f64(c->json, "max_absolute", d->max_absolute);
        cli_json_f64(c->json, "max_relative", d->max_relative);
    } else {
        printf("%" PRIu64 " of %" PRIu64 " values differ, the largest absolute error is %s, the largest relative %s",
               d->beyond, d->count, cli_f64_text(d->max_absolute, 9).text, cli_f64_text(d->max_relative, 9).text);
        if (d->unlike)
            printf("; %" PRIu64 " are NaN or infinite on one side", d->unlike);
    }
    end(c);
}

/* ---- Tensors ---- */

static bool same_shape(const hry_desc *a, const hry_desc *b)
{
    bool same = hry_desc_rank(a) == hry_desc_rank(b);
    for (uint32_t k = 0; same && k < hry_desc_rank(a); k++)
        same = hry_desc_dim(a, k) == hry_desc_dim(b, k);
    return same;
}

/* Types and shapes. Whether values can be compared. */
static bool compare_descs(comparison *c, hry_str name, const hry_desc *a, const hry_desc *b)
{
    uint8_t type_a = cli_value_type(a, c->read.stored), type_b = cli_value_type(b, c->read.stored);
    bool same = same_shape(a, b);
    if (type_a != type_b)
        tell_pair(c, name, "type", cli_type_name(type_a), cli_type_name(type_b));
    if (!same) {
        char *shape_a = cli_shape_text(a), *shape_b = cli_shape_text(b);
        tell_pair(c, name, "shape", shape_a, shape_b);
        free(shape_a);
        free(shape_b);
    }
    return same && (type_a == type_b || !c->read.stored);
}

static bool is_complex(const hry_desc *desc)
{
    const hry_type_info *type = hry_type_find(hry_desc_type(desc));
    return type && type->kind == HRY_KIND_COMPLEX;
}

static int fail(const char *file, hry_str name, const hry_error *err)
{
    return cli_report(file, name.ptr, name.len, err);
}

/* Both tensors are open. */
static int compare_open(comparison *c, hry_str name, const hry_tensor *a, const hry_tensor *b)
{
    hry_error err;
    hry_difference d;
    if (compare_values(c, a, b, &d, &err))
        return fail(c->a.source.name, name, &err);
    if (d.beyond)
        tell_values(c, name, &d);
    return CLI_OK;
}

static int compare_tensors(comparison *c, hry_str name, uint64_t i, uint64_t k)
{
    hry_error err;
    hry_desc desc_a, desc_b;
    hry_tensor *a, *b;
    if (hry_file_desc(c->a.file, i, &desc_a, &err))
        return fail(c->a.source.name, name, &err);
    if (hry_file_desc(c->b.file, k, &desc_b, &err))
        return fail(c->b.source.name, name, &err);
    if (!compare_descs(c, name, &desc_a, &desc_b) || cli_is_group(&desc_a) || cli_is_group(&desc_b) ||
        is_complex(&desc_a) != is_complex(&desc_b))
        return CLI_OK;
    if (hry_file_tensor_at(c->a.file, i, &a, &err))
        return fail(c->a.source.name, name, &err);
    if (hry_file_tensor_at(c->b.file, k, &b, &err)) {
        hry_tensor_release(a);
        return fail(c->b.source.name, name, &err);
    }
    int code = compare_open(c, name, a, b);
    hry_tensor_release(a);
    hry_tensor_release(b);
    return code;
}

static int compare_all(comparison *c)
{
    cli_rows rows;
    uint64_t other;
    int code = CLI_OK;
    cli_rows_listed(c->a.file, c->args, &rows);
    for (uint64_t k = 0; k < rows.count; k++) {
        hry_str name = rows.rows[k].name;
        if (hry_file_find(c->b.file, name.ptr, name.len, &other))
            code = cli_worse(code, compare_tensors(c, name, rows.rows[k].i, other));
        else
            tell_only(c, name, "tensor", true);
    }
    free(rows.rows);
    cli_rows_listed(c->b.file, c->args, &rows);
    for (uint64_t k = 0; k < rows.count; k++)
        if (!hry_file_find(c->a.file, rows.rows[k].name.ptr, rows.rows[k].name.len, &other))
            tell_only(c, rows.rows[k].name, "tensor", false);
    free(rows.rows);
    return code;
}

/* The record that is made of a GGUF file when it is opened is no metadata of it. */
static bool is_made(const comparison *c, hry_str key)
{
    static const char record[] = "gguf.metadata";
    return key.len == sizeof record - 1 && memcmp(key.ptr, record, key.len) == 0 &&
           (strcmp(hry_file_format(c->a.file), "gguf") == 0 || strcmp(hry_file_format(c->b.file), "gguf") == 0);
}

static void compare_metadata(comparison *c)
{
    for (uint64_t k = 0; k < hry_file_kv_count(c->a.file); k++) {
        const hry_kv *kv = hry_file_kv_at(c->a.file, k);
        const hry_kv *other = hry_file_kv_find(c->b.file, kv->key.ptr, kv->key.len);
        if (is_made(c, kv->key))
            continue;
        if (!other) {
            tell_only(c, kv->key, "metadata", true);
        } else if (!cli_kv_equal(&kv->value, &other->value)) {
            begin(c, kv->key, "metadata");
            if (!c->json)
                fputs("the values differ", stdout);
            end(c);
        }
    }
    for (uint64_t k = 0; k < hry_file_kv_count(c->b.file); k++) {
        const hry_kv *kv = hry_file_kv_at(c->b.file, k);
        if (!hry_file_kv_find(c->a.file, kv->key.ptr, kv->key.len) && !is_made(c, kv->key))
            tell_only(c, kv->key, "metadata", false);
    }
}

static int compare(comparison *c)
{
    cli_json *json = c->json;
    if (json) {
        cli_json_open(json, NULL);
        cli_json_str(json, "a", c->a.source.name);
        cli_json_str(json, "b", c->b.source.name);
        cli_json_open_array(json, "differences");
    }
    int code = compare_all(c);
    compare_metadata(c);
    if (json) {
        cli_json_close_array(json);
        cli_json_bool(json, "equal", code == CLI_OK && !c->differ);
        cli_json_close(json);
    }
    return cli_worse(code, c->differ ? CLI_NO : CLI_OK);
}

/* ---- The call ---- */

static bool parse_tolerance(const cli_args *args, cli_option_id option, double *value)
{
    char *end;
    const char *text = args->value[option];
    if (!text)
        return true;
    *value = strtod(text, &end);
    if (*text && !*end && *value >= 0 && isfinite(*value))
        return true;
    cli_usage(args->command, "'%s' is not a tolerance", text);
    return false;
}

static int compare_files(comparison *c)
{
    int code = cli_input_open_file(&c->a, c->args->items[0], NULL, c->args);
    if (code)
        return code;
    code = cli_input_open_file(&c->b, c->args->items[1], NULL, c->args);
    if (code == CLI_OK) {
        c->json = cli_has(c->args, CLI_OPT_JSON) ? cli_json_begin() : NULL;
        code = compare(c);
        if (c->json)
            cli_json_end(c->json);
        cli_input_close(&c->b);
    }
    cli_input_close(&c->a);
    return code;
}

static int run(const cli_args *args)
{
    cli_pool pool;
    comparison c = { .args = args, .read.stored = cli_has(args, CLI_OPT_STORED) };
    if (!parse_tolerance(args, CLI_OPT_ATOL, &c.atol) || !parse_tolerance(args, CLI_OPT_RTOL, &c.rtol))
        return CLI_FAILED;
    int code = cli_pool_open(&pool, args);
    if (code)
        return code;
    c.read.executor = cli_pool_executor(&pool);
    code = compare_files(&c);
    cli_pool_close(&pool);
    return code;
}

const cli_command cli_diff = {
    .name = "diff",
    .usage = "A B",
    .summary = "what differs between two files",
    .details = "Names, types, shapes, metadata and values, which differ where |a - b| is above ATOL + RTOL * |a|. NaN\n"
               "equals NaN, and -0 equals 0. Layouts, order, and how values are quantized make no difference. Exits\n"
               "with 1 when there is one.",
    .options = (const uint8_t[]){ CLI_OPT_ATOL, CLI_OPT_RTOL, CLI_OPT_STORED, CLI_OPT_TOKENS, CLI_OPT_END },
    .groups = CLI_REPORTS | CLI_READS | CLI_SELECTS | CLI_VALUES,
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
