#include "cli/cli_input.h"
#include "cli/cli_out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *cli_input_kind_name(const cli_input *input)
{
    switch (input->kind) {
    case CLI_KIND_CONTAINER:
        return "container";
    case CLI_KIND_DESCRIPTOR:
        return "descriptor";
    case CLI_KIND_STREAM:
        return "stream";
    case CLI_KIND_SESSION:
        return "session";
    case CLI_KIND_FOREIGN:
        return input->format->name;
    default:
        return NULL;
    }
}

hry_file_options cli_read_options(const cli_args *args)
{
    static const hry_allow everything = { .all = true };
    return (hry_file_options){ .parse = { .permissive = cli_has(args, CLI_OPT_PERMISSIVE),
                                          .allow = cli_has(args, CLI_OPT_ALLOW_PRIVATE) ? &everything : NULL,
                                          .stored = true } };
}

static uint32_t u32_at(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool starts_with(const cli_input *input, const char *text, size_t len)
{
    return input->head_size >= len && memcmp(input->head, text, len) == 0;
}

/* A file whose whole length is what its descriptor_length says is that descriptor, of whatever version. */
static bool is_descriptor(const cli_input *input)
{
    return input->head_size >= 10 && u32_at(input->head + 6) == input->source.size;
}

/* A descriptor of another major version, with damaged magic, or too short to tell: its reader says which. */
static bool looks_like_descriptor(const cli_input *input)
{
    size_t n = input->head_size < 4 ? input->head_size : 4;
    return n && (is_descriptor(input) || memcmp(input->head, "HRRY", n) == 0);
}

/* The message type of a CLIENT_HELLO, and a payload length that one can have. (streaming, part 2) */
static bool is_session(const cli_input *input)
{
    if (!starts_with(input, "\x01\0\0\0", 4) || input->head_size < 16)
        return false;
    uint32_t length = u32_at(input->head + 8);
    return length >= 18 && length <= 1u << 16 && length <= input->source.size - 12;
}

static void settle(cli_input *input, cli_kind kind, const cli_format_row *format)
{
    input->kind = kind;
    input->format = format;
}

static void settle_format(cli_input *input, const cli_format_row *format)
{
    settle(input, format == &cli_format_hurray ? CLI_KIND_CONTAINER : CLI_KIND_FOREIGN, format);
}

static void detect(cli_input *input)
{
    const cli_format_row *format = cli_format_by_head(input->head, input->head_size, input->source.size);
    if (format) {
        settle_format(input, format);
    } else if (starts_with(input, "HRRY", 4) && is_descriptor(input)) {
        settle(input, CLI_KIND_DESCRIPTOR, NULL);
    } else if (starts_with(input, "HRRY\x01", 5)) {
        settle(input, CLI_KIND_STREAM, NULL);
    } else if (is_session(input)) {
        settle(input, CLI_KIND_SESSION, NULL);
    } else if ((format = cli_format_by_path(input->source.name)) != NULL) {
        settle_format(input, format);
    } else if (looks_like_descriptor(input)) {
        settle(input, CLI_KIND_DESCRIPTOR, NULL);
    }
}

int cli_input_open(cli_input *input, const char *name, const char *from)
{
    *input = (cli_input){ .source = { .fd = -1 } };
    const cli_format_row *format = NULL;
    if (from && !(format = cli_format_by_name(from)))
        return cli_fail(CLI_FAILED, NULL, NULL, "'%s' is not a format that can be read", from);
    int code = cli_source_open(&input->source, name);
    if (code)
        return code;
    input->head_size = input->source.size < sizeof input->head ? (size_t)input->source.size : sizeof input->head;
    if (!cli_source_read(&input->source, 0, input->head, input->head_size)) {
        cli_source_close(&input->source);
        return cli_fail_errno(name, errno);
    }
    if (format)
        settle_format(input, format);
    else
        detect(input);
    return CLI_OK;
}

void cli_print_note(void *ctx, hry_str name, const char *what, cli_note_weight weight)
{
    const cli_note_ctx *note = ctx;
    if (weight != CLI_NOTE_FAULT && cli_has(note->args, CLI_OPT_QUIET))
        return;
    char *where = cli_copy(name.ptr, name.len);
    cli_fail(CLI_OK, note->file, where, weight == CLI_NOTE_LOSS ? "warning: %s" : "%s", what);
    free(where);
}

static hry_status unsupported(hry_error *err, const char *what)
{
    *err = (hry_error){ .status = HRY_E_UNSUPPORTED };
    snprintf(err->message, sizeof err->message, "%s", what);
    return HRY_E_UNSUPPORTED;
}

static hry_status unknown(const cli_input *input, hry_error *err)
{
    *err = (hry_error){ .status = HRY_E_INPUT };
    int n = snprintf(err->message, sizeof err->message, "an unknown kind of file: it %s",
                     input->head_size ? "starts with the bytes" : "is empty");
    for (size_t k = 0; k < input->head_size && k < 8; k++)
        n += snprintf(err->message + n, sizeof err->message - (size_t)n, " %02x", input->head[k]);
    return HRY_E_INPUT;
}

static hry_status load_descriptor(cli_input *input, const cli_args *args, hry_error *err)
{
    enum { MOST = 16 << 20 }; /* the limit of a descriptor, and more than any needs */
    hry_file_options options = cli_read_options(args);
    size_t nbytes = input->source.size < MOST ? (size_t)input->source.size : MOST;
    options.parse.stored = input->kind == CLI_KIND_STREAM;
    input->bytes = cli_realloc(NULL, nbytes);
    if (!cli_source_read(&input->source, 0, input->bytes, nbytes)) {
        *err = (hry_error){ .status = HRY_E_IO, .message = "the file cannot be read" };
        return HRY_E_IO;
    }
    return hry_desc_parse(input->bytes, nbytes, &options.parse, &input->desc, err);
}

/* A fault of a stream's first descriptor is found by whoever reads it. */
static hry_status load_stream(cli_input *input, const cli_args *args, hry_error *err)
{
    hry_status status = load_descriptor(input, args, err);
    return status ? status : unsupported(err, "a raw stream has no named tensors");
}

/* A change in place that was cut short: the file may be between what it was and what it was to be. */
static void warn_of_undo(const cli_input *input, const cli_args *args)
{
    static const char magic[] = { 'H', 'R', 'R', 'Y', 'U', 'N', 'D', 'O' };
    char head[sizeof magic], *path = cli_format("%s.undo", input->source.name);
    FILE *undo = input->source.spooled ? NULL : fopen(path, "rbe");
    if (undo && fread(head, 1, sizeof head, undo) == sizeof head && memcmp(head, magic, sizeof magic) == 0)
        cli_warn(args, input->source.name,
                 "%s.undo is there: a change in place was cut short, or is under way; "
                 "the next 'kv set', 'kv rm' or 'rename' puts it back",
                 input->source.name);
    if (undo)
        fclose(undo);
    free(path);
}

uint64_t cli_input_size(const cli_input *input)
{
    hry_file_info info = { 0 };
    if (input->file)
        hry_file_info_get(input->file, &info);
    return info.file_size ? info.file_size : input->source.size;
}

hry_status cli_input_load(cli_input *input, const cli_args *args, hry_error *err)
{
    cli_format_options options = { .file = cli_read_options(args),
                                   .strict = cli_has(args, CLI_OPT_STRICT),
                                   .shown = args->command->groups & CLI_SHOWS,
                                   .values = args->command->groups & CLI_VALUES,
                                   .kept = (args->command->groups & (CLI_WRITES | CLI_VALUES)) == CLI_WRITES,
                                   .dequantize = cli_has(args, CLI_OPT_DEQUANTIZE),
                                   .whole = args->command->groups & CLI_CARRIES,
                                   .note = cli_print_note,
                                   .ctx = &(cli_note_ctx){ .args = args, .file = input->source.name } };
    switch (input->kind) {
    case CLI_KIND_CONTAINER:
        warn_of_undo(input, args);
        return input->format->open(&input->source, &options, &input->file, err);
    case CLI_KIND_FOREIGN:
        return input->format->open(&input->source, &options, &input->file, err);
    case CLI_KIND_DESCRIPTOR:
        return load_descriptor(input, args, err);
    case CLI_KIND_STREAM:
        return load_stream(input, args, err);
    case CLI_KIND_SESSION:
        return unsupported(err, "a recorded session has no named tensors");
    default:
        return unknown(input, err);
    }
}

void cli_input_close(cli_input *input)
{
    hry_file_close(input->file);
    input->file = NULL;
    free(input->bytes);
    input->bytes = NULL;
    cli_source_close(&input->source);
}

int cli_input_open_file(cli_input *input, const char *name, const char *from, const cli_args *args)
{
    hry_error err;
    int code = cli_input_open(input, name, from);
    if (code)
        return code;
    if (cli_input_load(input, args, &err)) {
        code = cli_report(name, NULL, 0, &err);
    } else if (!input->file) {
        code = cli_fail(CLI_NO, name, NULL, "a bare %s has no named tensors", cli_input_kind_name(input));
    }
    if (code)
        cli_input_close(input);
    return code;
}
