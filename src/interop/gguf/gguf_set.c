#include "interop/gguf/gguf_set.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = 99999, ENDING = sizeof "-00001-of-00001.gguf" - 1 };

/* What the name of a part ends in; count is no more than PARTS_MAX. */
static void put_ending(char ending[32], uint64_t no, uint64_t count)
{
    snprintf(ending, 32, "-%05d-of-%05d.gguf", (int)(no + 1) % (PARTS_MAX + 1), (int)count % (PARTS_MAX + 1));
}

static hry_status check_first(const hry_gguf_header *h, const char *path, hry_error *err)
{
    char ending[32];
    size_t length = path ? strlen(path) : 0;
    if (!path)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_KV, 0, h->split_count,
                        "one of %" PRIu64 " files of a split set, which is opened by its path", h->split_count);
    if (!h->has_split_no)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_KV, 0, h->split_count, "split.count without split.no");
    if (h->split_no != 0)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_KV, 0, h->split_no,
                        "file %" PRIu64 " of %" PRIu64 " of a split set: open the first one", h->split_no + 1,
                        h->split_count);
    if (h->split_count > PARTS_MAX)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_KV, 0, h->split_count, "split.count is %" PRIu64, h->split_count);
    put_ending(ending, 0, h->split_count);
    if (length < ENDING || strcmp(path + length - ENDING, ending) != 0)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_KV, 0, h->split_count,
                        "the first of %" PRIu64 " files of a split set, but its name does not end in %s",
                        h->split_count, ending);
    return HRY_OK;
}

static hry_status check_part(const hry_gguf_header *first, const hry_gguf_header *h, uint64_t no, hry_error *err)
{
    if (!h->has_split_no || h->split_no != no)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_KV, 0, h->split_no, "its split.no is not %" PRIu64, no);
    if (h->split_count != first->split_count)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_KV, 0, h->split_count,
                        "its split.count is %" PRIu64 ", the first file's %" PRIu64, h->split_count,
                        first->split_count);
    return HRY_OK;
}

/* The part's file name, without the folder. */
static hry_str base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    return (hry_str){ base, strlen(base) };
}

static hry_status add_part(hry_gguf_file *f, const char *path, uint64_t no, hry_access access, hry_notes *notes,
                           hry_error *err)
{
    hry_foreign_bytes bytes;
    hry_status status = hry_foreign_bytes_open(path, access, &bytes, err);
    if (status == HRY_E_ABSENT) {
        hry_notes_add(notes, HRY_NOTE_MISSING, HRY_NOTE_PART, base_name(path), "there is no such file");
        return HRY_OK;
    }
    if (status || notes->count) { /* the names of what is missing are all that is still wanted */
        if (status == HRY_OK)
            hry_foreign_bytes_close(&bytes);
        return status;
    }
    hry_error why = { .status = HRY_OK };
    status = hry_gguf_file_add(f, &bytes, &why);
    if (status)
        hry_foreign_bytes_close(&bytes);
    else
        status = check_part(&f->parts[0].header, &f->parts[f->part_count - 1].header, no, &why);
    if (status) {
        hry_str name = base_name(path);
        hry_fail(err, status, why.section, why.offset, why.value, "%.*s: %s", name.len < 100 ? (int)name.len : 100,
                 name.ptr, why.message);
    }
    return status;
}

static hry_status add_parts(hry_gguf_file *f, char *path, size_t length, hry_access access, hry_notes *notes,
                            hry_error *err)
{
    uint64_t count = f->parts[0].header.split_count;
    hry_status status = HRY_OK;
    for (uint64_t no = 1; no < count && status == HRY_OK; no++) {
        char ending[32];
        put_ending(ending, no, count);
        memcpy(path + length - ENDING, ending, ENDING);
        status = add_part(f, path, no, access, notes, err);
    }
    return status;
}

hry_status hry_gguf_set_complete(hry_gguf_file *f, const char *path, const hry_import_options *options, hry_error *err)
{
    if (f->parts[0].header.split_count < 2)
        return HRY_OK;
    hry_notes notes = { .fn = options->note, .ctx = options->note_ctx };
    hry_status status = check_first(&f->parts[0].header, path, err);
    if (status)
        return status;
    size_t length = strlen(path);
    char *copy = hry_alloc(&f->allocator, length + 1, 1);
    if (!copy)
        return hry_fail_memory(err, length + 1);
    memcpy(copy, path, length + 1);
    status = add_parts(f, copy, length, options->file.access, &notes, err);
    hry_free(&f->allocator, copy, length + 1, 1);
    if (status == HRY_OK)
        status = hry_notes_refuse(&notes, HRY_E_INPUT, "the split set is not complete", err);
    if (status)
        return status;
    const hry_gguf_header *h = &f->parts[0].header;
    if (h->has_split_tensors && h->split_tensors != f->names.count)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_KV, 0, f->names.count,
                        "the files of the split set have %zu tensors, split.tensors.count is %" PRIu64, f->names.count,
                        h->split_tensors);
    return HRY_OK;
}
