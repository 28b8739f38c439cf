/* A tensor of a container: pointers into what is mapped, or memory of its own. */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "file/container.h"
#include "tensor/object.h"

#include <string.h>

/* No promise beyond this one is kept: a descriptor may declare 2 GiB. (buffers, 2) */
#define ALIGNMENT_KEPT ((uint64_t)2 << 20)

/* Memory that a tensor's buffers were read into. It needs no file any more. */
typedef struct owned {
    hry_allocator allocator;
    void *bytes;
    uint64_t nbytes;
    uint64_t align;
} owned;

static void release_owned(void *ctx)
{
    owned o = *(owned *)ctx;
    hry_free(&o.allocator, o.bytes, (size_t)o.nbytes, (size_t)o.align);
    hry_free(&o.allocator, ctx, sizeof o, _Alignof(owned));
}

static uint64_t kept_alignment(const hry_buffer *buffer)
{
    uint64_t align = buffer->alignment < 64 ? 64 : buffer->alignment;
    return align < ALIGNMENT_KEPT ? align : ALIGNMENT_KEPT;
}

/* Pointers to all buffers in place. False when one is not to be had, or not at its alignment. */
static bool view_buffers(hry_container *c, const hry_file_entry *entry, const hry_desc *desc, const void **buffers)
{
    uint64_t offset = entry->data_offset, mask = (uint64_t)c->frame.info.alignment - 1;
    for (uint32_t k = 0; k < hry_desc_buffer_count(desc); k++) {
        hry_buffer buffer;
        hry_desc_buffer(desc, k, &buffer);
        offset = k == 0 ? offset : (offset + mask) & ~mask;
        buffers[k] = buffer.byte_size == 0 ? NULL : hry_container_view(c, offset, buffer.byte_size);
        if (buffer.byte_size != 0 && (!buffers[k] || (uintptr_t)buffers[k] % kept_alignment(&buffer) != 0))
            return false;
        offset += buffer.byte_size;
    }
    return true;
}

/* One block for all buffers, each at its alignment: its size and alignment. */
static bool plan_block(const hry_desc *desc, uint64_t *nbytes, uint64_t *align)
{
    uint64_t end = 0, most = 64;
    for (uint32_t k = 0; k < hry_desc_buffer_count(desc); k++) {
        hry_buffer buffer;
        hry_desc_buffer(desc, k, &buffer);
        uint64_t kept = kept_alignment(&buffer);
        most = buffer.byte_size != 0 && kept > most ? kept : most;
        if (buffer.byte_size != 0 && (!hry_align_up(end, kept, &end) || !hry_add(end, buffer.byte_size, &end)))
            return false;
    }
    *nbytes = end;
    *align = most;
    return end <= PTRDIFF_MAX;
}

static hry_status fill_block(const hry_container *c, const hry_file_entry *entry, const hry_desc *desc, uint8_t *bytes,
                             const void **buffers, hry_error *err)
{
    uint64_t used = 0;
    for (uint32_t k = 0; k < hry_desc_buffer_count(desc); k++) {
        hry_buffer buffer;
        hry_desc_buffer(desc, k, &buffer);
        buffers[k] = NULL;
        if (buffer.byte_size == 0)
            continue;
        hry_align_up(used, kept_alignment(&buffer), &used);
        uint64_t from = hry_container_buffer_offset(c, entry, desc, k);
        hry_status status = c->store.ops->read(&c->store, from, bytes + used, buffer.byte_size, err);
        if (status)
            return status;
        buffers[k] = bytes + used;
        used += buffer.byte_size;
    }
    return HRY_OK;
}

static hry_status read_buffers(hry_container *c, const hry_file_entry *entry, const hry_desc *desc,
                               const void **buffers, owned **result, hry_error *err)
{
    const hry_allocator *allocator = &c->base.allocator;
    owned o = { .allocator = *allocator };
    if (!plan_block(desc, &o.nbytes, &o.align))
        return hry_fail_memory(err, UINT64_MAX);
    owned *kept = hry_alloc(allocator, sizeof *kept, _Alignof(owned));
    o.bytes = kept ? hry_alloc(allocator, (size_t)o.nbytes, (size_t)o.align) : NULL;
    hry_status status = o.bytes ? fill_block(c, entry, desc, o.bytes, buffers, err) : hry_fail_memory(err, o.nbytes);
    if (status) {
        hry_free(allocator, o.bytes, (size_t)o.nbytes, (size_t)o.align);
        hry_free(allocator, kept, sizeof *kept, _Alignof(owned));
        return status;
    }
    *kept = o;
    *result = kept;
    return HRY_OK;
}

hry_status hry_container_tensor(hry_container *container, uint32_t i, const hry_desc *desc, hry_tensor **tensor,
                                hry_error *err)
{
    hry_container *c = container;
    hry_file_entry entry = hry_index_entry(&c->index, i);
    const void *buffers[255];
    owned *memory = NULL;
    hry_status status = hry_container_check_static(c, i, desc, err);
    if (!status && !view_buffers(c, &entry, desc, buffers))
        status = read_buffers(c, &entry, desc, buffers, &memory, err);
    if (status)
        return status;
    hry_release_fn *release = memory ? release_owned : hry_file_release;
    void *ctx = memory ? (void *)memory : hry_file_retain(&c->base);
    status = hry_tensor_create_stored(desc, buffers, release, ctx, &c->base.allocator, tensor, err);
    if (status)
        release(ctx);
    return status;
}
