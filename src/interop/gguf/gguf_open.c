#include "base/alloc.h"
#include "file/provider.h"
#include "interop/foreign_in.h"
#include "interop/gguf/gguf_file.h"
#include "interop/gguf/gguf_set.h"
#include "interop/quote.h"

static hry_status provide_desc(void *ctx, uint64_t i, hry_desc *desc, hry_error *err)
{
    return hry_gguf_file_desc(ctx, i, desc, err);
}

static hry_status provide_buffers(void *ctx, uint64_t i, const void **buffers, hry_release_fn **release,
                                  void **release_ctx, hry_error *err)
{
    return hry_gguf_file_buffers(ctx, i, buffers, release, release_ctx, err);
}

static bool provide_place(void *ctx, uint64_t i, uint32_t k, int *fd, uint64_t *offset)
{
    (void)k; /* what is as it lies has one buffer */
    return hry_gguf_file_locate(ctx, i, fd, offset);
}

static hry_status provide_bytes(void *ctx, uint64_t i, uint32_t k, uint64_t offset, void *dst, size_t nbytes,
                                hry_error *err)
{
    return hry_gguf_file_read(ctx, i, k, offset, dst, nbytes, err);
}

static void provide_no_more(void *ctx)
{
    hry_gguf_file_destroy(ctx, true);
}

hry_gguf_file *hry_gguf_file_behind(const hry_file *file)
{
    const hry_provider *provider = hry_file_provider(file);
    return provider && provider->desc == provide_desc ? provider->ctx : NULL;
}

/* Places for what is found out about tensors when somebody asks for it. */
static hry_status prepare_tensors(hry_gguf_file *f, hry_error *err)
{
    f->descs = hry_alloc_array(&f->allocator, f->names.count, sizeof *f->descs, _Alignof(_Atomic(uint8_t *)));
    if (!f->descs)
        return hry_fail_memory(err, f->names.count * sizeof *f->descs);
    for (size_t i = 0; i < f->names.count; i++)
        atomic_init(&f->descs[i], NULL);
    if (!f->decode_bad)
        return HRY_OK;
    f->fits = hry_alloc_array(&f->allocator, f->names.count, sizeof *f->fits, _Alignof(_Atomic(uint8_t)));
    if (!f->fits)
        return hry_fail_memory(err, f->names.count * sizeof *f->fits);
    for (size_t i = 0; i < f->names.count; i++)
        atomic_init(&f->fits[i], 0);
    return HRY_OK;
}

/* Two tensors of a name, said with the name quoted and its place. */
static hry_status fail_twice(const hry_gguf_file *f, uint64_t i, hry_error *err)
{
    hry_gguf_view view;
    hry_status status = hry_gguf_file_view(f, i, &view, err);
    if (status)
        return status;
    return hry_gguf_fail(err, HRY_E_INPUT, (uint64_t)((const uint8_t *)view.name.ptr - view.part->header.bytes) - 8, i,
                         view.name, "it is there twice (duplicate)");
}

static hry_status provide(hry_gguf_file *f, hry_file **file, hry_error *err)
{
    hry_error why;
    uint64_t size = 0;
    for (size_t p = 0; p < f->part_count; p++)
        size += f->parts[p].bytes.size;
    hry_status status = hry_file_open_provider(&(hry_provider){ .format = "gguf",
                                                                .count = f->names.count,
                                                                .names = f->names.items,
                                                                .kv_count = f->kv_count,
                                                                .kvs = f->kvs,
                                                                .file_size = size,
                                                                .desc = provide_desc,
                                                                .buffers = provide_buffers,
                                                                .locate = provide_place,
                                                                .read = provide_bytes,
                                                                .close = provide_no_more,
                                                                .ctx = f },
                                               &f->allocator, file, &why);
    if (status == HRY_E_INPUT && why.section == HRY_SECTION_INDEX)
        return fail_twice(f, why.value, err);
    if (status && err)
        *err = why;
    return status;
}

static hry_status finish(hry_gguf_file *f, const hry_import_options *options, hry_file **file, hry_error *err)
{
    hry_notes notes = { .fn = options->note, .ctx = options->note_ctx };
    hry_status status = hry_gguf_file_map_metadata(f, f->part_count > 1, err);
    if (status == HRY_OK)
        status = prepare_tensors(f, err);
    if (status)
        return status;
    hry_gguf_file_note(f, &notes);
    return provide(f, file, err);
}

/* path NULL: the file stands alone. Takes bytes over, on success only. */
static hry_status open_bytes(const hry_foreign_bytes *bytes, const char *path, const hry_import_options *options,
                             hry_file **file, hry_error *err)
{
    hry_gguf_file *f = hry_gguf_file_create(options, err);
    if (!f)
        return HRY_E_MEMORY;
    hry_status status = hry_gguf_file_add(f, bytes, err);
    if (status == HRY_OK)
        status = hry_gguf_set_complete(f, path, options, err);
    if (status == HRY_OK)
        status = finish(f, options, file, err);
    if (status) {
        if (f->part_count)
            f->parts[0].bytes = (hry_foreign_bytes){ .fd = -1 };
        hry_gguf_file_destroy(f, true);
    }
    return status;
}

hry_status hry_gguf_open(const char *path, const hry_import_options *options, hry_file **file, hry_error *err)
{
    return hry_foreign_in_open(&(hry_origin){ .kind = HRY_ORIGIN_PATH, .path = path }, open_bytes, options, file, err);
}

hry_status hry_gguf_open_fd(int fd, const hry_import_options *options, hry_file **file, hry_error *err)
{
    return hry_foreign_in_open(&(hry_origin){ .kind = HRY_ORIGIN_FD, .fd = fd }, open_bytes, options, file, err);
}

hry_status hry_gguf_open_memory(const void *bytes, uint64_t nbytes, hry_release_fn *release, void *ctx,
                                const hry_import_options *options, hry_file **file, hry_error *err)
{
    const hry_origin origin = {
        .kind = HRY_ORIGIN_MEMORY, .bytes = bytes, .nbytes = nbytes, .release = release, .release_ctx = ctx
    };
    return hry_foreign_in_open(&origin, open_bytes, options, file, err);
}
