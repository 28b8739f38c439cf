#include "cli/cli_formats.h"
#include "cli/cli_out.h"

#include <string.h>

#ifdef HURRAY_INTEROP
#include <hurray/interop.h>
#endif

static hry_status open_hurray(const cli_source *source, const cli_format_options *options, hry_file **file,
                              hry_error *err)
{
    return hry_file_open_fd(source->fd, &options->file, file, err);
}

const cli_format_row cli_format_hurray = { .name = "hurray", .extension = ".hrry", .open = open_hurray };

#ifdef HURRAY_INTEROP

static const char *note_text(hry_note_kind kind)
{
    switch (kind) {
    case HRY_NOTE_LEFT_OUT:
        return "left out";
    case HRY_NOTE_CHANGED:
        return "changed";
    case HRY_NOTE_MISSING:
        return "missing";
    case HRY_NOTE_DUPLICATE:
        return "duplicate";
    default:
        return "noted";
    }
}

static const char *subject_text(hry_note_subject subject)
{
    return subject == HRY_NOTE_TENSOR ? "tensor" : subject == HRY_NOTE_KEY ? "metadata" : "part";
}

static void pass_note(void *ctx, const hry_note *note)
{
    const cli_format_options *options = ctx;
    char what[320];
    bool hard = options->strict || note->kind == HRY_NOTE_MISSING || note->kind == HRY_NOTE_DUPLICATE;
    snprintf(what, sizeof what, "%s %s: %s", subject_text(note->subject), note_text(note->kind), note->reason);
    options->note(options->ctx, note->name, what, hard);
}

static hry_import_options import_options(const cli_format_options *options)
{
    return (hry_import_options){ .file = options->file,
                                 .strict = options->strict,
                                 .note = options->note ? pass_note : NULL,
                                 .note_ctx = (void *)(uintptr_t)options };
}

static hry_export_options export_options(const cli_format_options *options)
{
    return (hry_export_options){ .strict = options->strict,
                                 .replace = options->replace,
                                 .note = options->note ? pass_note : NULL,
                                 .note_ctx = (void *)(uintptr_t)options };
}

static hry_status open_safetensors(const cli_source *source, const cli_format_options *options, hry_file **file,
                                   hry_error *err)
{
    hry_import_options import = import_options(options);
    return hry_safetensors_open_fd(source->fd, &import, file, err);
}

/* A set is found through the folder that its index lies in. */
static hry_status open_safetensors_set(const cli_source *source, const cli_format_options *options, hry_file **file,
                                       hry_error *err)
{
    hry_import_options import = import_options(options);
    return hry_safetensors_open_set(source->name, &import, file, err);
}

static hry_status save_safetensors(hry_file *file, const char *path, int fd, const cli_format_options *options,
                                   hry_error *err)
{
    hry_export_options save = export_options(options);
    return path ? hry_safetensors_save(file, path, &save, err) : hry_safetensors_save_fd(file, fd, &save, err);
}

#endif

static const cli_format_row *const formats[] = {
    &cli_format_hurray,
#ifdef HURRAY_INTEROP
    &(const cli_format_row){
        .name = "safetensors", .extension = ".safetensors", .open = open_safetensors, .save = save_safetensors },
    &(const cli_format_row){
        .name = "safetensors-index", .extension = ".safetensors.index.json", .open = open_safetensors_set },
#endif
};

const cli_format_row *cli_format_at(size_t position)
{
    return position < sizeof formats / sizeof *formats ? formats[position] : NULL;
}

const cli_format_row *cli_format_by_name(const char *name)
{
    const cli_format_row *row;
    for (size_t k = 0; (row = cli_format_at(k)) != NULL; k++)
        if (strcmp(row->name, name) == 0 || strcmp(row->extension + 1, name) == 0)
            return row;
    return NULL;
}

const cli_format_row *cli_format_by_path(const char *path)
{
    const cli_format_row *row;
    size_t len = strlen(path);
    for (size_t k = 0; (row = cli_format_at(k)) != NULL; k++) {
        size_t end = strlen(row->extension);
        if (len > end && strcmp(path + len - end, row->extension) == 0)
            return row;
    }
    return NULL;
}

const cli_format_row *cli_format_by_head(const uint8_t *head, size_t head_size, uint64_t size)
{
    if (head_size >= 8 && memcmp(head, "HRRYFILE", 8) == 0)
        return &cli_format_hurray;
#ifdef HURRAY_INTEROP
    const char *name = hry_foreign_format(head, head_size, size, NULL);
    if (name)
        return cli_format_by_name(name);
#else
    (void)size;
#endif
    return NULL;
}
