/* A hry_file over tensors that lie in no container: another format's file, or several files as one. */
#include "file/provider.h"
#include "base/alloc.h"
#include "base/status.h"
#include "file/collection.h"
#include "os/io.h"
#include "tensor/object.h"

#include <inttypes.h>
#include <string.h>

typedef struct provided {
    hry_file base;
    hry_provider provider;
    hry_names names;
} provided;

static const provided *provided_of(const hry_file *file)
{
    return (const provided *)file;
}

static hry_str name_at(const void *list, uint32_t i)
{
    return ((const provided *)list)->provider.names[i];
}

static hry_str provided_name(const hry_file *file, uint32_t i)
{
    return name_at(file, i);
}

static bool provided_find(const hry_file *file, hry_str name, uint32_t *i)
{
    return hry_names_find(&provided_of(file)->names, name_at, file, name, i);
}

static hry_status provided_recheck(const hry_file *file, hry_error *err)
{
    (void)file, (void)err;
    return HRY_OK;
}

static hry_status provided_desc(hry_file *file, uint32_t i, hry_desc *desc, hry_error *err)
{
    const hry_provider *p = &provided_of(file)->provider;
    return p->desc(p->ctx, i, desc, err);
}

/* A tensor whose buffers go back to the provider, and which holds the file. */
typedef struct hold {
    hry_file *file;
    hry_release_fn *release;
    void *ctx;
} hold;

static void release_hold(void *ctx)
{
    hold h = *(hold *)ctx;
    h.release(h.ctx);
    hry_free(&h.file->allocator, ctx, sizeof h, _Alignof(hold));
    hry_file_close(h.file);
}

/* What the tensor calls when it is gone: the file's release alone where the provider wants nothing back. */
static hry_status take_hold(hry_file *file, hry_release_fn **release, void **ctx, hry_error *err)
{
    if (!*release) {
        *release = hry_file_release;
        *ctx = hry_file_retain(file);
        return HRY_OK;
    }
    hold *h = hry_alloc(&file->allocator, sizeof *h, _Alignof(hold));
    if (!h) {
        (*release)(*ctx);
        return hry_fail_memory(err, sizeof *h);
    }
    *h = (hold){ hry_file_retain(file), *release, *ctx };
    *release = release_hold;
    *ctx = h;
    return HRY_OK;
}

static hry_status provided_tensor(hry_file *file, uint32_t i, hry_tensor **tensor, hry_error *err)
{
    const hry_provider *p = &provided_of(file)->provider;
    if (p->tensor)
        return p->tensor(p->ctx, i, tensor, err);
    hry_desc desc;
    const void *buffers[255];
    hry_release_fn *release = NULL;
    void *ctx = NULL;
    hry_status status = p->desc(p->ctx, i, &desc, err);
    if (!status)
        status = p->buffers(p->ctx, i, buffers, &release, &ctx, err);
    if (!status)
        status = take_hold(file, &release, &ctx, err);
    if (status)
        return status;
    status = hry_tensor_create_stored(&desc, buffers, release, ctx, &file->allocator, tensor, err);
    if (status)
        release(ctx);
    return status;
}

static hry_status provided_stored(hry_file *file, uint32_t i, const hry_desc *desc, uint32_t k,
                                  hry_stored_buffer *stored, hry_error *err)
{
    const hry_provider *p = &provided_of(file)->provider;
    hry_buffer buffer;
    hry_desc_buffer(desc, k, &buffer);
    hry_stored_buffer found = { .nbytes = buffer.byte_size, .fd = -1 };
    if (p->locate && p->locate(p->ctx, i, k, &found.fd, &found.offset)) {
        *stored = found;
        return HRY_OK;
    }
    found.fd = -1;
    found.offset = HRY_NOWHERE;
    if (p->read) {
        found.tensor = i;
        found.buffer = k;
        *stored = found;
        return HRY_OK;
    }
    hry_status status = provided_tensor(file, i, &found.owner, err);
    if (status)
        return status;
    found.bytes = hry_tensor_buffer(found.owner, k, NULL);
    *stored = found;
    return HRY_OK;
}

static hry_status provided_read_stored(const hry_file *file, const hry_stored_buffer *stored, uint64_t from, void *dst,
                                       uint64_t nbytes, hry_error *err)
{
    const hry_provider *p = &provided_of(file)->provider;
    if (stored->fd < 0)
        return p->read(p->ctx, stored->tensor, stored->buffer, from, dst, (size_t)nbytes, err);
    return hry_os_read_exact(&hry_os_default, stored->fd, stored->offset + from, dst, (size_t)nbytes, err);
}

static void provided_destroy(hry_file *file)
{
    provided *p = (provided *)file;
    hry_allocator allocator = file->allocator;
    if (p->provider.close)
        p->provider.close(p->provider.ctx);
    hry_names_fini(&p->names, &allocator);
    hry_kv_list_fini(&file->kv, &allocator);
    hry_free(&allocator, p, sizeof *p, _Alignof(provided));
}

static const hry_file_ops provider_ops = { .name = provided_name,
                                           .find = provided_find,
                                           .recheck = provided_recheck,
                                           .desc = provided_desc,
                                           .tensor = provided_tensor,
                                           .stored = provided_stored,
                                           .read_stored = provided_read_stored,
                                           .destroy = provided_destroy };

const hry_provider *hry_file_provider(const hry_file *file)
{
    return file->ops == &provider_ops ? &provided_of(file)->provider : NULL;
}

static hry_status collect_names(provided *p, hry_error *err)
{
    const hry_provider *from = &p->provider;
    if (from->count > HRY_NAMES_MAX || !hry_names_reserve(&p->names, &p->base.allocator, from->count))
        return hry_fail_memory(err, from->count * sizeof(hry_name_slot));
    p->base.count = (uint32_t)from->count;
    for (uint32_t i = 0; i < p->base.count; i++) {
        uint32_t earlier;
        hry_str name = from->names[i];
        if (!hry_names_add(&p->names, name_at, p, name, i, &earlier))
            return hry_fail(err, HRY_E_INPUT, HRY_SECTION_INDEX, 0, i, "two tensors are named \"%.*s\"",
                            name.len < 200 ? (int)name.len : 200, name.ptr);
    }
    return HRY_OK;
}

static hry_status collect_kvs(provided *p, hry_error *err)
{
    for (uint64_t i = 0; i < p->provider.kv_count; i++) {
        const hry_kv *kv = &p->provider.kvs[i];
        hry_status status;
        if (!hry_kv_list_add(&p->base.kv, &p->base.allocator, kv, &status, err))
            return status ? status
                          : hry_fail(err, HRY_E_INPUT, HRY_SECTION_KV, 0, i, "key \"%.*s\" is there twice",
                                     kv->key.len < 200 ? (int)kv->key.len : 200, kv->key.ptr);
    }
    return HRY_OK;
}

hry_status hry_file_open_provider(const hry_provider *provider, const hry_allocator *allocator, hry_file **file,
                                  hry_error *err)
{
    provided *p = hry_alloc_zeroed(allocator, sizeof *p, _Alignof(provided));
    if (!p)
        return hry_fail_memory(err, sizeof *p);
    p->base = (hry_file){ .ops = &provider_ops,
                          .format = provider->format,
                          .info.file_size = provider->file_size,
                          .references = 1,
                          .allocator = hry_allocator_or_default(allocator) };
    p->provider = *provider;
    hry_status status = collect_names(p, err);
    if (!status)
        status = collect_kvs(p, err);
    if (status) {
        p->provider.close = NULL; /* what did not open stays the caller's */
        hry_file_close(&p->base);
        return status;
    }
    *file = &p->base;
    return HRY_OK;
}
