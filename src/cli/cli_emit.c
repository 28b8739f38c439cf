#include "cli/cli_emit.h"
#include "cli/cli_element.h"
#include "cli/cli_npy.h"
#include "cli/cli_out.h"
#include "cli/cli_pack.h"
#include "cli/cli_print.h"
#include "cli/cli_values.h"

#include <stdlib.h>
#include <string.h>

cli_form cli_form_find(const char *name, cli_form fallback)
{
    static const char *const names[] = { "text", "npy", "raw", "json" };
    if (!name)
        return fallback;
    size_t form = 0;
    while (form < CLI_FORM_NONE && strcmp(names[form], name) != 0)
        form++;
    return (cli_form)form;
}

static void write_bytes(void *ctx, const void *bytes, size_t nbytes)
{
    fwrite(bytes, 1, nbytes, ctx);
}

static hry_status emit_text(cli_stream *stream, cli_values *values, bool json, hry_error *err)
{
    cli_print print;
    uint8_t *piece;
    uint64_t count;
    hry_status status;
    cli_print_begin(&print, &values->part, stream->file, values->type, json);
    cli_print_empty(&print);
    while (!(status = cli_values_next(values, &piece, &count, err)) && count && !cli_stream_failed(stream))
        cli_print_add(&print, piece, count);
    return status;
}

static hry_status emit_bytes(cli_stream *stream, cli_values *values, hry_error *err)
{
    cli_pack pack = { .bits = values->bits, .write = write_bytes, .ctx = stream->file };
    uint8_t *piece;
    uint64_t count;
    hry_status status;
    while (!(status = cli_values_next(values, &piece, &count, err)) && count && !cli_stream_failed(stream))
        cli_pack_add(&pack, piece, count);
    if (!status)
        cli_pack_end(&pack);
    return status;
}

static hry_status emit_npy(cli_stream *stream, cli_values *values, bool is_bool, hry_error *err)
{
    cli_npy_put_header(stream->file, values->type, is_bool, &values->part);
    return emit_bytes(stream, values, err);
}

static hry_status emit_form(cli_stream *stream, cli_values *values, cli_form form, bool is_bool, hry_error *err)
{
    if (!stream->file)
        return HRY_OK;
    if (form == CLI_FORM_NPY)
        return emit_npy(stream, values, is_bool, err);
    if (form == CLI_FORM_RAW)
        return emit_bytes(stream, values, err);
    return emit_text(stream, values, form == CLI_FORM_JSON, err);
}

int cli_emit(cli_stream *stream, const hry_tensor *tensor, const cli_part *part, cli_form form,
             const hry_read_options *options, const cli_args *args, const char *file, hry_str name)
{
    cli_values values;
    hry_error err;
    bool exact = true;
    uint8_t own = cli_value_type(hry_tensor_desc(tensor), options->stored), type = 0;
    char *text = cli_copy(name.ptr, name.len);
    int code = CLI_OK;
    if (form == CLI_FORM_NPY)
        type = cli_npy_type(own, &exact);
    if (form == CLI_FORM_NPY ? !type : form != CLI_FORM_RAW && !cli_element_has_text(own))
        code = cli_fail(CLI_NO, file, text, "values of a private type can only be given as they are stored (raw)");
    if (!exact)
        cli_warn(args, file, "%s: float128 becomes float64", text);
    if (code == CLI_OK) {
        hry_status status = cli_values_open(&values, tensor, part, type, options, &err);
        if (!status)
            status = emit_form(stream, &values, form, own == HRY_TYPE_BOOL, &err);
        cli_values_close(&values);
        if (status)
            code = cli_report(file, name.ptr, name.len, &err);
    }
    free(text);
    return code;
}
