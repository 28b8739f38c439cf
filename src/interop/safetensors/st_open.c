#include "base/alloc.h"
#include "base/status.h"
#include "interop/foreign_in.h"
#include "interop/safetensors/st_file.h"

static hry_status provide_desc(void *ctx, uint64_t i, hry_desc *desc, hry_error *err)
{
    return hry_st_file_desc(ctx, i, desc, err);
}

static hry_status provide_buffers(void *ctx, uint64_t i, const void **buffers, hry_release_fn **release,
                                  void **release_ctx, hry_error *err)
{
    return hry_st_file_buffer(ctx, i, buffers, release, release_ctx, err);
}

static bool provide_place(void *ctx, uint64_t i, uint32_t k, int *fd, uint64_t *offset)
{
    (void)k; /* every tensor has one buffer */
    return hry_st_file_locate(ctx, i, fd, offset);
}

static hry_status provide_bytes(void *ctx, uint64_t i, uint32_t k, uint64_t offset, void *dst, size_t nbytes,
                                hry_error *err)
{
    (void)k;
    return hry_st_file_read(ctx, i, offset, dst, nbytes, err);
}

static void provide_no_more(void *ctx)
{
    hry_st_file_close(ctx);
}

static hry_status provide(hry_st_file *f, hry_file **file, hry_error *err)
{
    hry_st_header_trim(&f->header);
    return hry_file_open_provider(&(hry_provider){ .format = "safetensors",
                                                   .count = f->header.count,
                                                   .names = f->header.names,
                                                   .kv_count = f->header.kv_count,
                                                   .kvs = f->header.kvs,
                                                   .desc = provide_desc,
                                                   .buffers = provide_buffers,
                                                   .locate = provide_place,
                                                   .read = provide_bytes,
                                                   .close = provide_no_more,
                                                   .ctx = f },
                                  &f->allocator, file, err);
}

/* Takes bytes over, on success only. */
static hry_status open_bytes(const hry_foreign_bytes *bytes, const char *path, const hry_import_options *options,
                             hry_file **file, hry_error *err)
{
    (void)path;
    hry_notes notes = { .fn = options->note, .ctx = options->note_ctx };
    hry_st_file *f = NULL;
    hry_status status = hry_st_file_open(bytes, &options->file, &notes, &f, err);
    if (status)
        return status;
    if (options->strict)
        status = hry_notes_refuse(&notes, HRY_E_UNSUPPORTED, "cannot be carried", err);
    if (status == HRY_OK)
        status = provide(f, file, err);
    if (status) {
        f->bytes = (hry_foreign_bytes){ .fd = -1 };
        hry_st_file_close(f);
    }
    return status;
}

hry_status hry_safetensors_open(const char *path, const hry_import_options *options, hry_file **file, hry_error *err)
{
    return hry_foreign_in_open(&(hry_origin){ .kind = HRY_ORIGIN_PATH, .path = path }, open_bytes, options, file, err);
}

hry_status hry_safetensors_open_fd(int fd, const hry_import_options *options, hry_file **file, hry_error *err)
{
    return hry_foreign_in_open(&(hry_origin){ .kind = HRY_ORIGIN_FD, .fd = fd }, open_bytes, options, file, err);
}

hry_status hry_safetensors_open_memory(const void *bytes, uint64_t nbytes, hry_release_fn *release, void *ctx,
                                       const hry_import_options *options, hry_file **file, hry_error *err)
{
    const hry_origin origin = {
        .kind = HRY_ORIGIN_MEMORY, .bytes = bytes, .nbytes = nbytes, .release = release, .release_ctx = ctx
    };
    return hry_foreign_in_open(&origin, open_bytes, options, file, err);
}
