/* Tensors with memory of their own. */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "tensor/object.h"

#include <string.h>

/* What the release callback needs to give all buffers back: they are one block. */
typedef struct block {
    hry_allocator allocator;
    void *bytes;
    size_t nbytes, align;
} block;

static void release_block(void *ctx)
{
    block *b = ctx;
    hry_allocator allocator = b->allocator;
    hry_free(&allocator, b->bytes, b->nbytes, b->align);
    hry_free(&allocator, b, sizeof *b, _Alignof(block));
}

/* Where each buffer starts, and what they take together. False when that does not fit. */
static bool place(const hry_desc *desc, uint64_t *offsets, uint64_t *nbytes, uint64_t *align)
{
    hry_buffer row;
    *nbytes = 0;
    *align = 64;
    for (uint32_t i = 0; hry_desc_buffer(desc, i, &row); i++) {
        if (row.byte_size == 0)
            continue;
        *align = row.alignment > *align ? row.alignment : *align;
        if (!hry_align_up(*nbytes, row.alignment, &offsets[i]) || !hry_add(offsets[i], row.byte_size, nbytes))
            return false;
    }
    return true;
}

static block *make_block(uint64_t nbytes, uint64_t align, const hry_allocator *allocator)
{
    size_t size;
    block *b = hry_to_size(nbytes, &size) ? hry_alloc(allocator, sizeof *b, _Alignof(block)) : NULL;
    void *bytes = b ? hry_alloc(allocator, size, (size_t)align) : NULL;
    if (!bytes) {
        hry_free(allocator, b, sizeof *b, _Alignof(block));
        return NULL;
    }
    *b = (block){ hry_allocator_or_default(allocator), bytes, size, (size_t)align };
    return b;
}

hry_status hry_tensor_alloc(const hry_desc *desc, const hry_allocator *allocator, hry_tensor **tensor, void **buffers,
                            hry_error *err)
{
    uint64_t offsets[255] = { 0 }, nbytes, align;
    const void *pointers[255];
    hry_buffer row;
    for (uint32_t i = 0; hry_desc_buffer(desc, i, &row); i++)
        if (row.device_tag != HRY_DEVICE_CPU)
            return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_BUFFERS, 0, row.device_tag,
                            "memory of %s cannot be allocated", hry_device_name(row.device_tag));
    if (!place(desc, offsets, &nbytes, &align))
        return hry_fail_memory(err, UINT64_MAX);
    block *b = make_block(nbytes, align, allocator);
    if (!b)
        return hry_fail_memory(err, nbytes);
    for (uint32_t i = 0; i < desc->buffer_count; i++)
        pointers[i] = hry_desc_buffer(desc, i, &row) && row.byte_size ? (uint8_t *)b->bytes + offsets[i] : NULL;
    hry_status status = hry_tensor_create(desc, pointers, release_block, b, allocator, tensor, err);
    if (status) {
        release_block(b);
        return status;
    }
    for (uint32_t i = 0; i < desc->buffer_count; i++)
        buffers[i] = pointers[i] ? (uint8_t *)b->bytes + offsets[i] : NULL;
    return HRY_OK;
}
