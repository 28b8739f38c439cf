/* Tensors in memory of their own. */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "tensor/object.h"

#include <string.h>

/* At the start of the memory; the buffers follow, each at its alignment. */
typedef struct block {
    hry_allocator allocator;
    size_t size, align;
} block;

static void release_block(void *ctx)
{
    block *b = ctx;
    hry_allocator allocator = b->allocator;
    hry_free(&allocator, b, b->size, b->align);
}

/* Where each buffer starts, and what all take; false when that does not fit. */
static bool place(const hry_desc *desc, uint64_t *offsets, uint64_t *total, uint64_t *align)
{
    hry_buffer row;
    *total = sizeof(block);
    *align = 64;
    for (uint32_t i = 0; hry_desc_buffer(desc, i, &row); i++) {
        uint64_t own = row.alignment > 64 ? row.alignment : 64;
        *align = own > *align ? own : *align;
        if (!hry_align_up(*total, own, &offsets[i]) || !hry_add(offsets[i], row.byte_size, total))
            return false;
    }
    return true;
}

hry_status hry_tensor_alloc(const hry_desc *desc, bool zeroed, const hry_allocator *allocator, void **buffers,
                            hry_tensor **tensor, hry_error *err)
{
    uint64_t offsets[255], total, align;
    const void *pointers[255];
    size_t size;
    if (desc->layout == HRY_LAYOUT_COMPOSITE || desc->state & HRY_DESC_NO_BUFFERS)
        return hry_fail_usage(err, "a tensor without buffers has no memory");
    if (!place(desc, offsets, &total, &align) || !hry_to_size(total, &size))
        return hry_fail_memory(err, UINT64_MAX);
    uint8_t *memory = hry_alloc(allocator, size, (size_t)align);
    if (!memory)
        return hry_fail_memory(err, total);
    if (zeroed)
        memset(memory, 0, size);
    *(block *)memory = (block){ hry_allocator_or_default(allocator), size, (size_t)align };
    for (uint32_t i = 0; i < desc->buffer_count; i++)
        pointers[i] = memory + offsets[i];
    hry_status status = hry_tensor_create_stored(desc, pointers, release_block, memory, allocator, tensor, err);
    if (status) {
        release_block(memory);
        return status;
    }
    for (uint32_t i = 0; i < desc->buffer_count; i++)
        buffers[i] = memory + offsets[i];
    return HRY_OK;
}
