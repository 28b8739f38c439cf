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
    static const char *const texts[] = { "noted", "left out", "changed", "missing", "duplicate", "larger" };
    return texts[kind < sizeof texts / sizeof *texts ? kind : 0];
}

static const char *subject_text(hry_note_subject subject)
{
    return subject == HRY_NOTE_TENSOR ? "tensor" : subject == HRY_NOTE_KEY ? "metadata" : "part";
}

static void pass_note(void *ctx, const hry_note *note)
{
    const cli_format_options *options = ctx;
    if (note->kind == HRY_NOTE_GROWN && !options->kept)
        return;
    bool fault = note->kind == HRY_NOTE_MISSING || note->kind == HRY_NOTE_DUPLICATE;
    bool loss = note->kind == HRY_NOTE_LEFT_OUT || note->kind == HRY_NOTE_CHANGED;
    char what[320];
    snprintf(what, sizeof what, "%s %s: %s", subject_text(note->subject), note_text(note->kind), note->reason);
    options->note(options->ctx, note->name, what,
                  fault || (loss && options->strict) ? CLI_NOTE_FAULT
                  : loss                             ? CLI_NOTE_LOSS
                                                     : CLI_NOTE_DETAIL);
}

static hry_import_options import_options(const cli_format_options *options)
{
    return (hry_import_options){ .file = options->file,
                                 .dequantize = options->dequantize ? HRY_DEQUANTIZE_ALL
                                               : options->values   ? HRY_DEQUANTIZE_NEEDED
                                                                   : HRY_DEQUANTIZE_NONE,
                                 .whole_record = options->whole,
                                 .strict = options->strict,
                                 .note = options->note ? pass_note : NULL,
                                 .note_ctx = (void *)(uintptr_t)options };
}

static hry_export_options export_options(const cli_format_options *options)
{
    return (hry_export_options){ .strict = options->strict,
                                 .whole = options->every,
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

/* The other parts of a split set lie beside the first. */
static hry_status open_gguf(const cli_source *source, const cli_format_options *options, hry_file **file,
                            hry_error *err)
{
    static const uint8_t carried = HRY_SCHEME_GGUF;
    static const hry_allow allow = { .schemes = &carried, .scheme_count = 1 };
    hry_import_options import = import_options(options);
    if (options->shown && !import.file.parse.allow)
        import.file.parse.allow = &allow;
    return source->spooled ? hry_gguf_open_fd(source->fd, &import, file, err)
                           : hry_gguf_open(source->name, &import, file, err);
}

static hry_status save_gguf(hry_file *file, const char *path, int fd, const cli_format_options *options, hry_error *err)
{
    hry_export_options save = export_options(options);
    return path ? hry_gguf_save(file, path, &save, err) : hry_gguf_save_fd(file, fd, &save, err);
}

static hry_status open_npy(const cli_source *source, const cli_format_options *options, hry_file **file, hry_error *err)
{
    hry_import_options import = import_options(options);
    return hry_npy_open_fd(source->fd, source->spooled ? NULL : source->name, &import, file, err);
}

static hry_status save_npy(hry_file *file, const char *path, int fd, const cli_format_options *options, hry_error *err)
{
    hry_export_options save = export_options(options);
    save.widen = !options->strict;
    return path ? hry_npy_save(file, path, &save, err) : hry_npy_save_fd(file, fd, &save, err);
}

static const cli_format_row safetensors = { "safetensors", ".safetensors", open_safetensors, save_safetensors };
static const cli_format_row safetensors_set = { "safetensors-index", ".safetensors.index.json", open_safetensors_set,
                                                NULL };
static const cli_format_row gguf = { "gguf", ".gguf", open_gguf, save_gguf };
static const cli_format_row npy = { "npy", ".npy", open_npy, save_npy };

#endif

bool cli_format_had_blocks(const hry_file *file, uint64_t i)
{
#ifdef HURRAY_INTEROP
    return hry_gguf_blocks(file, i) != NULL;
#else
    (void)file, (void)i;
    return false;
#endif
}

static const cli_format_row *const formats[] = {
    &cli_format_hurray,
#ifdef HURRAY_INTEROP
    &safetensors,       &safetensors_set, &gguf, &npy,
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
