#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "interop/grow.h"
#include "interop/quote.h"
#include "interop/safetensors/st_set.h"

#include <stdio.h>
#include <string.h>

static void set_close(hry_st_set *set)
{
    hry_allocator allocator = set->allocator;
    for (size_t p = 0; set->parts && p < set->index.part_count; p++)
        if (set->parts[p])
            hry_st_file_close(set->parts[p]);
    HRY_DROP(&allocator, set->parts, set->index.part_count);
    HRY_DROP(&allocator, set->entry_of, set->index.count);
    HRY_DROP(&allocator, set->kvs, set->kv_capacity);
    hry_st_index_fini(&set->index);
    hry_free(&allocator, set, sizeof *set, _Alignof(hry_st_set));
}

/* ---- The provider ---- */

static hry_st_file *file_of(const hry_st_set *set, uint64_t i)
{
    return set->parts[set->index.part_of[i]];
}

static hry_status set_desc(void *ctx, uint64_t i, hry_desc *desc, hry_error *err)
{
    const hry_st_set *set = ctx;
    return hry_st_file_desc(file_of(set, i), set->entry_of[i], desc, err);
}

static hry_status set_buffers(void *ctx, uint64_t i, const void **buffers, hry_release_fn **release, void **release_ctx,
                              hry_error *err)
{
    const hry_st_set *set = ctx;
    return hry_st_file_buffer(file_of(set, i), set->entry_of[i], buffers, release, release_ctx, err);
}

static bool set_locate(void *ctx, uint64_t i, uint32_t k, int *fd, uint64_t *offset)
{
    const hry_st_set *set = ctx;
    (void)k; /* every tensor has one buffer */
    return hry_st_file_locate(file_of(set, i), set->entry_of[i], fd, offset);
}

static hry_status set_read(void *ctx, uint64_t i, uint32_t k, uint64_t offset, void *dst, size_t nbytes, hry_error *err)
{
    const hry_st_set *set = ctx;
    (void)k;
    return hry_st_file_read(file_of(set, i), set->entry_of[i], offset, dst, nbytes, err);
}

static void set_no_more(void *ctx)
{
    set_close(ctx);
}

static hry_status provide(hry_st_set *set, hry_file **file, hry_error *err)
{
    uint64_t size = set->index_size;
    for (size_t p = 0; p < set->index.part_count; p++) {
        hry_st_header_trim(&set->parts[p]->header);
        size += set->parts[p]->bytes.size;
    }
    return hry_file_open_provider(&(hry_provider){ .format = "safetensors",
                                                   .count = set->index.count,
                                                   .names = set->index.names,
                                                   .kv_count = set->kv_count,
                                                   .kvs = set->kvs,
                                                   .file_size = size,
                                                   .desc = set_desc,
                                                   .buffers = set_buffers,
                                                   .locate = set_locate,
                                                   .read = set_read,
                                                   .close = set_no_more,
                                                   .ctx = set },
                                  &set->allocator, file, err);
}

/* ---- Opening ---- */

static hry_status read_index(const char *path, const hry_import_options *options, hry_st_set *set, hry_notes *losses,
                             hry_error *err)
{
    hry_foreign_bytes bytes;
    hry_limits limits = hry_limits_resolve(options->file.parse.limits);
    hry_status status = hry_foreign_bytes_open(path, HRY_MAP, &bytes, err);
    if (status)
        return status;
    if (bytes.size > limits.header_length)
        status = hry_fail(err, HRY_E_LIMIT, HRY_SECTION_FILE_HEADER, 0, bytes.size, "index: more than %llu bytes",
                          (unsigned long long)limits.header_length);
    else if (bytes.size == 0)
        status = hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, 0, 0, "index: an empty file");
    else
        status = hry_st_index_read(&set->index, bytes.at, bytes.size, &limits, &set->allocator, losses, err);
    set->index_size = bytes.size;
    hry_foreign_bytes_close(&bytes);
    return status;
}

/* "FOLDER OF path/name", of *size bytes from the set's allocator. */
static char *part_path(const hry_st_set *set, const char *path, hry_str name, size_t *size)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    *size = folder + name.len + 1;
    char *joined = hry_alloc(&set->allocator, *size, 1);
    if (!joined)
        return NULL;
    memcpy(joined, path, folder);
    memcpy(joined + folder, name.ptr, name.len);
    joined[*size - 1] = '\0';
    return joined;
}

/* Puts the part's name in front of what went wrong in it. */
static void name_part(hry_error *err, hry_str part)
{
    if (!err)
        return;
    char quoted[HRY_QUOTE_SIZE], message[sizeof err->message];
    snprintf(message, sizeof message, "part %s: %.*s", hry_quote(quoted, part),
             (int)(sizeof message - HRY_QUOTE_SIZE - 8), err->message);
    memcpy(err->message, message, sizeof message);
}

/* A part that is not there stays NULL: all of those are told of together. */
static hry_status open_part(hry_st_set *set, const char *path, size_t p, const hry_import_options *options,
                            hry_notes *losses, hry_error *err)
{
    hry_foreign_bytes bytes;
    size_t size;
    char *joined = part_path(set, path, set->index.parts[p], &size);
    if (!joined)
        return hry_fail_memory(err, size);
    hry_status status = hry_foreign_bytes_open(joined, options->file.access, &bytes, err);
    hry_free(&set->allocator, joined, size, 1);
    if (status == HRY_E_ABSENT)
        return HRY_OK;
    if (status == HRY_OK) {
        status = hry_st_file_open(&bytes, &options->file, losses, &set->parts[p], err);
        if (status)
            hry_foreign_bytes_close(&bytes);
    }
    if (status)
        name_part(err, set->index.parts[p]);
    return status;
}

static hry_status open_parts(hry_st_set *set, const char *path, const hry_import_options *options, hry_notes *losses,
                             hry_error *err)
{
    size_t count = set->index.part_count;
    set->parts = hry_alloc_array(&set->allocator, count, sizeof *set->parts, _Alignof(hry_st_file *));
    if (!set->parts)
        return hry_fail_memory(err, count * sizeof *set->parts);
    memset(set->parts, 0, count * sizeof *set->parts);
    hry_status status = HRY_OK;
    for (size_t p = 0; p < count && status == HRY_OK; p++)
        status = open_part(set, path, p, options, losses, err);
    return status;
}

static hry_status open_set(hry_st_set *set, const char *path, const hry_import_options *options, hry_error *err)
{
    hry_notes losses = { .fn = options->note, .ctx = options->note_ctx };
    hry_notes faults = losses;
    hry_status status = read_index(path, options, set, &losses, err);
    if (status == HRY_OK)
        status = open_parts(set, path, options, &losses, err);
    if (status == HRY_OK)
        status = hry_st_set_match(set, &faults, err);
    if (status == HRY_OK)
        status = hry_notes_refuse(&faults, HRY_E_INPUT, "the set is incomplete", err);
    if (status == HRY_OK)
        status = hry_st_set_merge(set, &losses, err);
    if (status == HRY_OK && options->strict)
        status = hry_notes_refuse(&losses, HRY_E_UNSUPPORTED, "cannot be carried", err);
    return status;
}

hry_status hry_safetensors_open_set(const char *path, const hry_import_options *options, hry_file **file,
                                    hry_error *err)
{
    static const hry_import_options no_options;
    options = options ? options : &no_options;
    hry_st_set *set = hry_alloc_zeroed(options->file.allocator, sizeof *set, _Alignof(hry_st_set));
    if (!set)
        return hry_fail_memory(err, sizeof *set);
    set->allocator = hry_allocator_or_default(options->file.allocator);
    hry_status status = open_set(set, path, options, err);
    if (status == HRY_OK)
        status = provide(set, file, err);
    if (status)
        set_close(set);
    return status;
}
