/* hurray info: what a file holds. */
#include "cli/cli_commands.h"
#include "cli/cli_input.h"
#include "cli/cli_kv.h"
#include "cli/cli_map.h"
#include "cli/cli_rows.h"
#include "cli/cli_tensor.h"
#include "cli/cli_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct totals {
    uint64_t tensors, elements, data;
    bool elements_known;
} totals;

typedef struct widths {
    int name, type, shape, layout, quantization, bytes;
} widths;

/* One line of the listing, as text; shape and extra are freed by the caller. */
typedef struct line {
    const char *type, *layout, *quantization;
    char *shape, *extra;
    cli_size bytes;
} line;

static line make_line(const hry_desc *desc, bool exact)
{
    uint64_t nbytes;
    return (line){ .type = cli_type_name(hry_desc_type(desc)),
                   .layout = cli_layout_name(hry_desc_layout(desc)),
                   .quantization = cli_quantization_text(desc),
                   .shape = cli_shape_text(desc),
                   .extra = cli_composite_text(desc),
                   .bytes = hry_desc_data_size(desc, &nbytes) ? cli_size_text(nbytes, exact) : (cli_size){ "?" } };
}

static void free_line(line *l)
{
    free(l->shape);
    free(l->extra);
}

static void widen(int *width, const char *text)
{
    int len = (int)cli_text_width(text, strlen(text));
    if (len > *width)
        *width = len;
}

static int name_width(const cli_row *row)
{
    size_t width = cli_text_width(row->name.ptr, row->name.len) + 2 * row->depth;
    return width > 60 ? 60 : (int)width;
}

static void measure(widths *w, const line *l)
{
    widen(&w->type, l->type);
    widen(&w->shape, l->shape);
    widen(&w->layout, l->layout);
    widen(&w->quantization, l->quantization);
    widen(&w->bytes, l->bytes.text);
}

static void count(totals *t, const hry_desc *desc)
{
    uint64_t nbytes, elements;
    t->tensors++;
    if (hry_desc_data_size(desc, &nbytes))
        t->data += nbytes;
    if (hry_desc_layout(desc) == HRY_LAYOUT_COMPOSITE)
        return; /* its elements are those of its members */
    if (!hry_desc_count(desc, &elements) || __builtin_add_overflow(t->elements, elements, &t->elements))
        t->elements_known = false;
}

static void put_line(const widths *w, const line *l)
{
    printf("  %-*s  %-*s  %-*s  %-*s  %*s", w->type, l->type, w->shape, l->shape, w->layout, l->layout, w->quantization,
           l->quantization, w->bytes, l->bytes.text);
    if (*l->extra)
        printf("  %s", l->extra);
    fputc('\n', stdout);
}

static void put_row_name(const cli_row *row, int width)
{
    printf("%*s", (int)(2 * row->depth), "");
    cli_put_text(stdout, row->name.ptr, row->name.len);
    int used = (int)cli_text_width(row->name.ptr, row->name.len) + (int)(2 * row->depth);
    printf("%*s", used < width ? width - used : 0, "");
}

static int report_row(const cli_input *input, const cli_row *row)
{
    hry_desc desc;
    hry_error err;
    if (hry_file_desc(input->file, row->i, &desc, &err) == HRY_OK)
        return CLI_OK;
    return cli_report(input->source.name, row->name.ptr, row->name.len, &err);
}

/* The listing: measured first, then printed. */
static int list_rows(const cli_input *input, const cli_args *args, const cli_rows *rows, totals *t)
{
    bool exact = cli_has(args, CLI_OPT_BYTES), full = cli_has(args, CLI_OPT_LONG);
    widths w = { 0 };
    int code = CLI_OK;
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t k = 0; k < rows->count && !cli_out_closed(); k++) {
            const cli_row *row = &rows->rows[k];
            hry_desc desc;
            bool ok = hry_file_desc(input->file, row->i, &desc, NULL) == HRY_OK;
            line l = ok ? make_line(&desc, exact) : (line){ 0 };
            if (pass == 0) {
                w.name = name_width(row) > w.name ? name_width(row) : w.name;
                if (ok)
                    measure(&w, &l);
            } else {
                put_row_name(row, w.name);
                if (ok) {
                    put_line(&w, &l);
                    count(t, &desc);
                } else {
                    puts("  unreadable");
                    code = cli_worse(code, report_row(input, row));
                }
                hry_file_entry entry;
                if (ok && full)
                    cli_tensor_long(&desc, hry_file_entry_get(input->file, row->i, &entry) ? &entry : NULL, exact);
            }
            free_line(&l);
        }
    }
    return code;
}

static void put_totals(const cli_input *input, const cli_args *args, const totals *t)
{
    bool exact = cli_has(args, CLI_OPT_BYTES);
    printf("%" PRIu64 " tensor%s", t->tensors, t->tensors == 1 ? "" : "s");
    if (t->elements_known)
        printf(", %" PRIu64 " element%s", t->elements, t->elements == 1 ? "" : "s");
    printf(", %s%s of data, ", cli_size_text(t->data, exact).text, exact ? " bytes" : "");
    printf("%s%s in the file", cli_size_text(cli_input_size(input), exact).text, exact ? " bytes" : "");
    if (input->kind == CLI_KIND_CONTAINER) {
        hry_file_info info;
        hry_file_info_get(input->file, &info);
        printf("; container %u.%u, alignment %" PRIu32, info.version_major, info.version_minor, info.alignment);
    } else {
        printf("; %s", cli_input_kind_name(input));
    }
    fputc('\n', stdout);
}

static void put_kv(const cli_input *input, bool full)
{
    for (uint64_t k = 0; k < hry_file_kv_count(input->file) && !cli_out_closed(); k++)
        cli_kv_print(hry_file_kv_at(input->file, k), full);
}

static int info_file_text(const cli_input *input, const cli_args *args)
{
    if (cli_has(args, CLI_OPT_KV)) {
        put_kv(input, true);
        return CLI_OK;
    }
    if (cli_has(args, CLI_OPT_MAP))
        return cli_map_print(input, args);
    cli_rows rows;
    totals t = { .elements_known = true };
    cli_rows_listed(input->file, args, &rows);
    int code = list_rows(input, args, &rows, &t);
    free(rows.rows);
    put_totals(input, args, &t);
    put_kv(input, cli_has(args, CLI_OPT_LONG));
    return code;
}

static void info_desc_text(const cli_input *input, const cli_args *args)
{
    bool exact = cli_has(args, CLI_OPT_BYTES);
    widths w = { 0 };
    line l = make_line(&input->desc, exact);
    fputs("-", stdout);
    put_line(&w, &l);
    free_line(&l);
    if (cli_has(args, CLI_OPT_LONG))
        cli_tensor_long(&input->desc, NULL, exact);
}

static void container_json(cli_json *json, const cli_input *input)
{
    static const char *const flags[] = { "HAS_KV_METADATA", "SORTED_INDEX", "HAS_INDEX_CRC32C" };
    hry_file_info info = { 0 };
    if (!input->file) {
        cli_json_null(json, "container");
        return;
    }
    hry_file_info_get(input->file, &info);
    bool own = input->kind == CLI_KIND_CONTAINER;
    char version[16];
    snprintf(version, sizeof version, "%u.%u", info.version_major, info.version_minor);
    cli_json_open(json, "container");
    cli_json_str(json, "version", own ? version : NULL);
    cli_json_open_array(json, "flags");
    for (int bit = 0; bit < 3; bit++)
        if (own && info.flags >> bit & 1)
            cli_json_str(json, NULL, flags[bit]);
    cli_json_close_array(json);
    if (own)
        cli_json_u64(json, "alignment", info.alignment);
    else
        cli_json_null(json, "alignment");
    cli_json_u64(json, "tensor_count", hry_file_count(input->file));
    cli_json_u64(json, "file_size", cli_input_size(input));
    cli_json_close(json);
}

static int tensors_json(cli_json *json, const cli_input *input, const cli_args *args)
{
    int code = CLI_OK;
    cli_json_open_array(json, "tensors");
    if (!input->file)
        cli_tensor_json(json, &input->desc, NULL, NULL);
    for (uint64_t i = 0; input->file && i < hry_file_count(input->file) && !cli_out_closed(); i++) {
        hry_file_entry entry = { .name = hry_file_name(input->file, i) };
        hry_desc desc;
        hry_error err;
        if (!cli_selected(args, entry.name))
            continue;
        hry_file_entry_get(input->file, i, &entry);
        bool ok = hry_file_desc(input->file, i, &desc, &err) == HRY_OK;
        cli_tensor_json(json, ok ? &desc : NULL, &entry, &err);
        if (!ok)
            code = cli_worse(code, cli_report(input->source.name, entry.name.ptr, entry.name.len, &err));
    }
    cli_json_close_array(json);
    return code;
}

static int info_json(cli_json *json, const cli_input *input, const cli_args *args)
{
    cli_json_open(json, NULL);
    cli_json_str(json, "file", input->source.name);
    cli_json_str(json, "kind", cli_input_kind_name(input));
    container_json(json, input);
    if (input->file)
        cli_kv_all_json(json, "kv", input->file);
    else
        cli_json_null(json, "kv");
    int code = tensors_json(json, input, args);
    if (cli_has(args, CLI_OPT_MAP) && input->kind == CLI_KIND_CONTAINER)
        code = cli_worse(code, cli_map_json(json, input));
    cli_json_close(json);
    return code;
}

static int info_one(const char *name, const cli_args *args, cli_json *json)
{
    cli_input input;
    hry_error err;
    int code = cli_input_open(&input, name, NULL);
    if (code)
        return code;
    if (cli_input_load(&input, args, &err))
        code = cli_report(name, NULL, 0, &err);
    else if (json)
        code = info_json(json, &input, args);
    else if (input.file)
        code = info_file_text(&input, args);
    else
        info_desc_text(&input, args);
    cli_input_close(&input);
    return code;
}

static int run(const cli_args *args)
{
    bool many = args->count > 1;
    int code = CLI_OK;
    cli_json *json = cli_has(args, CLI_OPT_JSON) ? cli_json_begin() : NULL;
    if (json && many)
        cli_json_open_array(json, NULL);
    for (int k = 0; k < args->count && !cli_out_closed(); k++) {
        if (!json && many) {
            fputs(k ? "\n" : "", stdout);
            cli_put_name(stdout, args->items[k]);
            puts(":");
        }
        code = cli_worse(code, info_one(args->items[k], args, json));
    }
    if (json && many)
        cli_json_close_array(json);
    if (json)
        cli_json_end(json);
    return code;
}

const cli_command cli_info = {
    .name = "info",
    .alias = "ls",
    .usage = "FILE...",
    .summary = "list the tensors of a file and its metadata",
    .details = "One line for each tensor: name, type, shape, layout, quantization and bytes, in natural order of\n"
               "layer numbers, members under their composite; then totals and metadata. FILE is a container, a bare\n"
               "descriptor or a file of another format (see 'hurray help convert'); - is standard input.",
    .options = (const uint8_t[]){ CLI_OPT_KV, CLI_OPT_LONG, CLI_OPT_MAP, CLI_OPT_END },
    .groups = CLI_REPORTS | CLI_READS | CLI_SELECTS | CLI_SHOWS,
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
