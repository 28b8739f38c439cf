#include "base/alloc.h"
#include "base/status.h"
#include "interop/foreign_in.h"
#include "interop/notes.h"
#include "interop/npy/npy_array.h"
#include "interop/npy/npy_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct npy {
    hry_allocator allocator;
    hry_foreign_bytes bytes;
    hry_npy_array array;
    hry_str name;
    size_t size; /* of this allocation */
    char text[]; /* the name */
} npy;

static hry_status provide_desc(void *ctx, uint64_t i, hry_desc *desc, hry_error *err)
{
    const npy *f = ctx;
    (void)i, (void)err;
    *desc = f->array.desc;
    return HRY_OK;
}

static hry_status provide_buffers(void *ctx, uint64_t i, const void **buffers, hry_release_fn **release,
                                  void **release_ctx, hry_error *err)
{
    const npy *f = ctx;
    (void)i;
    return hry_npy_array_buffer(&f->array, &f->bytes, &f->allocator, buffers, release, release_ctx, err);
}

static bool provide_place(void *ctx, uint64_t i, uint32_t k, int *fd, uint64_t *offset)
{
    const npy *f = ctx;
    (void)i, (void)k;
    if (f->bytes.fd < 0 || !hry_npy_array_is_plain(&f->array))
        return false;
    *fd = f->bytes.fd;
    *offset = f->array.start + f->array.header.data_at;
    return true;
}

static hry_status provide_bytes(void *ctx, uint64_t i, uint32_t k, uint64_t offset, void *dst, size_t nbytes,
                                hry_error *err)
{
    const npy *f = ctx;
    (void)i, (void)k;
    return hry_npy_array_read(&f->array, &f->bytes, offset, dst, nbytes, err);
}

static void give_up(npy *f)
{
    hry_allocator allocator = f->allocator;
    hry_free(&allocator, f, f->size, _Alignof(npy));
}

static void provide_no_more(void *ctx)
{
    npy *f = ctx;
    hry_foreign_bytes_close(&f->bytes);
    give_up(f);
}

/* What lies behind the array is not carried. */
static hry_status check_end(const npy *f, const hry_import_options *options, hry_error *err)
{
    hry_notes notes = { .fn = options->note, .ctx = options->note_ctx };
    char what[96];
    if (f->bytes.size == f->array.end)
        return HRY_OK;
    snprintf(what, sizeof what, "%" PRIu64 " bytes that follow the array, perhaps others, are left out",
             f->bytes.size - f->array.end);
    hry_notes_add(&notes, HRY_NOTE_CHANGED, HRY_NOTE_TENSOR, f->name, what);
    return options->strict ? hry_notes_refuse(&notes, HRY_E_UNSUPPORTED, "cannot be carried", err) : HRY_OK;
}

/* Takes bytes over, on success only. */
static hry_status open_bytes(const hry_foreign_bytes *bytes, const char *path, const hry_import_options *options,
                             hry_file **file, hry_error *err)
{
    const hry_file_options *how = &options->file;
    hry_str name = hry_npy_name(path);
    size_t size = sizeof(npy) + name.len;
    npy *f = hry_alloc(how->allocator, size, _Alignof(npy));
    if (!f)
        return hry_fail_memory(err, size);
    *f = (npy){ .allocator = hry_allocator_or_default(how->allocator), .size = size, .bytes = *bytes };
    memcpy(f->text, name.ptr, name.len);
    f->name = (hry_str){ f->text, name.len };
    hry_status status = hry_npy_array_open(&f->bytes, 0, bytes->size, how->parse.limits, &f->allocator, &f->array, err);
    if (!status)
        status = check_end(f, options, err);
    if (!status)
        status = hry_file_open_provider(&(hry_provider){ .format = "npy",
                                                         .count = 1,
                                                         .names = &f->name,
                                                         .desc = provide_desc,
                                                         .buffers = provide_buffers,
                                                         .locate = provide_place,
                                                         .read = provide_bytes,
                                                         .close = provide_no_more,
                                                         .ctx = f },
                                        &f->allocator, file, err);
    if (status)
        give_up(f);
    return status;
}

hry_status hry_npy_open(const char *path, const hry_import_options *options, hry_file **file, hry_error *err)
{
    return hry_foreign_in_open(&(hry_origin){ .kind = HRY_ORIGIN_PATH, .path = path }, open_bytes, options, file, err);
}

hry_status hry_npy_open_fd(int fd, const char *name, const hry_import_options *options, hry_file **file, hry_error *err)
{
    return hry_foreign_in_open(&(hry_origin){ .kind = HRY_ORIGIN_FD, .path = name, .fd = fd }, open_bytes, options,
                               file, err);
}

hry_status hry_npy_open_memory(const void *bytes, uint64_t nbytes, const char *name, hry_release_fn *release, void *ctx,
                               const hry_import_options *options, hry_file **file, hry_error *err)
{
    const hry_origin origin = { .kind = HRY_ORIGIN_MEMORY,
                                .path = name,
                                .bytes = bytes,
                                .nbytes = nbytes,
                                .release = release,
                                .release_ctx = ctx };
    return hry_foreign_in_open(&origin, open_bytes, options, file, err);
}
