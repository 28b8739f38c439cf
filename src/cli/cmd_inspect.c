/* hurray inspect: the bytes of a file, annotated. */
#include "cli/cli_commands.h"
#include "cli/cli_inspect.h"

#include <inttypes.h>
#include <string.h>

/* The first fault of the file, by the options of the call; HRY_OK when there is none. *name: the tensor's. */
static hry_status find_fault(cli_input *input, const cli_args *args, hry_str *name, hry_error *err)
{
    const char *only = args->value[CLI_OPT_TENSOR];
    hry_desc desc;
    *name = (hry_str){ 0 };
    if (cli_input_load(input, args, err))
        return err->status == HRY_E_UNSUPPORTED && !input->format ? HRY_OK : err->status;
    for (uint64_t i = 0; input->file && i < hry_file_count(input->file); i++) {
        *name = hry_file_name(input->file, i);
        if (only && (name->len != strlen(only) || memcmp(name->ptr, only, name->len) != 0))
            continue;
        if (hry_file_desc(input->file, i, &desc, err))
            return err->status;
    }
    return HRY_OK;
}

/* A descriptor in a file of its own. */
static int inspect_bare(cli_dump *dump, const cli_source *source)
{
    uint64_t end;
    return cli_inspect_tensor(dump, source, &(cli_place){ 0 }, (hry_str){ 0 }, &end) ? CLI_OK : CLI_FAILED;
}

/* Descriptors, each with its data after it, without any padding. */
static int inspect_stream(cli_dump *dump, const cli_source *source)
{
    uint64_t at = 0;
    uint8_t magic[4];
    while (source->size - at >= sizeof magic && cli_source_read(source, at, magic, sizeof magic) &&
           memcmp(magic, "HRRY", sizeof magic) == 0 && !cli_out_closed()) {
        cli_place place = { .offset = at, .alignment = 1 };
        if (!cli_inspect_tensor(dump, source, &place, (hry_str){ 0 }, &at))
            return CLI_FAILED;
    }
    if (at < source->size)
        cli_inspect_gap(dump, source, at, source->size - at);
    return CLI_OK;
}

/* Another format has no bytes of ours: the descriptors that its tensors have here. */
static int inspect_foreign(cli_dump *dump, cli_input *input, const cli_args *args)
{
    const char *only = args->value[CLI_OPT_TENSOR];
    hry_error err;
    hry_desc desc;
    bool found = false;
    if (cli_input_load(input, args, &err))
        return CLI_OK; /* reported with the fault */
    for (uint64_t i = 0; i < hry_file_count(input->file) && !cli_out_closed(); i++) {
        hry_str name = hry_file_name(input->file, i);
        if (only && (name.len != strlen(only) || memcmp(name.ptr, only, name.len) != 0))
            continue;
        found = true;
        if (hry_file_desc(input->file, i, &desc, &err))
            continue;
        cli_dump_part(dump, "descriptor", name);
        cli_inspect_descriptor(dump, desc.bytes, desc.length, 0, desc.buffers_offset);
    }
    hry_file_close(input->file);
    input->file = NULL;
    return only && !found ? cli_fail(CLI_NO, input->source.name, only, "there is no such tensor") : CLI_OK;
}

static int inspect_kind(cli_dump *dump, cli_input *input, const cli_args *args)
{
    const char *only = args->value[CLI_OPT_TENSOR];
    switch (input->kind) {
    case CLI_KIND_CONTAINER:
        return cli_inspect_container(dump, &input->source, (hry_str){ only, only ? strlen(only) : 0 });
    case CLI_KIND_DESCRIPTOR:
        return inspect_bare(dump, &input->source);
    case CLI_KIND_STREAM:
        return inspect_stream(dump, &input->source);
    case CLI_KIND_FOREIGN:
        return inspect_foreign(dump, input, args);
    default:
        return CLI_OK;
    }
}

static void error_json(cli_json *json, hry_str name, const hry_error *err)
{
    cli_json_open(json, "error");
    cli_json_str(json, "rule", err->rule ? hry_rule_id(err->rule) : NULL);
    cli_json_u64(json, "offset", err->offset);
    if (name.ptr)
        cli_json_text(json, "tensor", name.ptr, name.len);
    else
        cli_json_null(json, "tensor");
    cli_json_str(json, "message", err->message);
    cli_json_close(json);
}

static int inspect_input(cli_input *input, const cli_args *args)
{
    char digits[24];
    hry_error err;
    hry_str name;
    cli_dump dump = { .width = snprintf(digits, sizeof digits, "%" PRIu64, input->source.size) };
    if (cli_has(args, CLI_OPT_JSON)) {
        dump.json = cli_json_begin();
        cli_json_open(dump.json, NULL);
        cli_json_str(dump.json, "file", input->source.name);
        cli_json_str(dump.json, "kind", cli_input_kind_name(input));
        cli_json_open_array(dump.json, "fields");
    }
    int code = inspect_kind(&dump, input, args);
    bool fault = code == CLI_OK && find_fault(input, args, &name, &err) != HRY_OK;
    if (dump.json) {
        cli_json_close_array(dump.json);
        if (fault)
            error_json(dump.json, name, &err);
        else
            cli_json_null(dump.json, "error");
        cli_json_close(dump.json);
        cli_json_end(dump.json);
    }
    return fault ? cli_report(input->source.name, name.ptr, name.len, &err) : code;
}

static int run(const cli_args *args)
{
    cli_input input;
    int code = cli_input_open(&input, args->items[0], NULL);
    if (code == CLI_OK)
        code = inspect_input(&input, args);
    cli_input_close(&input);
    return code;
}

const cli_command cli_inspect = {
    .name = "inspect",
    .alias = "dump",
    .usage = "FILE",
    .summary = "show the bytes of a file with their meaning",
    .details = "Offset, hex, field and meaning for everything in a container or a bare descriptor; the data are cut.\n"
               "An invalid file is shown as far as it can be told, and then what is wrong with it.",
    .options = (const uint8_t[]){ CLI_OPT_TENSOR, CLI_OPT_END },
    .groups = CLI_REPORTS | CLI_READS | CLI_SHOWS,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
