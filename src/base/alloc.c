#include "base/alloc.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

static void *heap_alloc(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    if (align <= _Alignof(max_align_t))
        return malloc(size);
    /* aligned_alloc may insist on whole multiples of the alignment. */
    return size > SIZE_MAX - align ? NULL : aligned_alloc(align, (size + align - 1) & ~(align - 1));
}

static void heap_free(void *ctx, void *ptr, size_t size, size_t align)
{
    (void)ctx, (void)size, (void)align;
    free(ptr);
}

hry_allocator hry_allocator_or_default(const hry_allocator *allocator)
{
    return allocator ? *allocator : (hry_allocator){ heap_alloc, heap_free, NULL };
}

void *hry_alloc(const hry_allocator *allocator, size_t size, size_t align)
{
    hry_allocator a = hry_allocator_or_default(allocator);
    return a.alloc(a.ctx, size ? size : 1, align);
}

void *hry_alloc_zeroed(const hry_allocator *allocator, size_t size, size_t align)
{
    void *ptr = hry_alloc(allocator, size, align);
    if (ptr)
        memset(ptr, 0, size);
    return ptr;
}

void *hry_alloc_array(const hry_allocator *allocator, uint64_t count, size_t size, size_t align)
{
    uint64_t nbytes;
    size_t checked;
    if (!hry_mul(count, size, &nbytes) || !hry_to_size(nbytes, &checked))
        return NULL;
    return hry_alloc(allocator, checked, align);
}

void hry_free(const hry_allocator *allocator, void *ptr, size_t size, size_t align)
{
    if (!ptr)
        return;
    hry_allocator a = hry_allocator_or_default(allocator);
    a.free(a.ctx, ptr, size ? size : 1, align);
}

bool hry_grow(const hry_allocator *allocator, void **array, size_t *capacity, size_t need, size_t size, size_t align)
{
    if (need <= *capacity)
        return true;
    size_t room = *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
    room = room < need ? need : room;
    room = room < 8 ? 8 : room;
    void *grown = hry_alloc_array(allocator, room, size, align);
    if (!grown)
        return false;
    if (*capacity)
        memcpy(grown, *array, *capacity * size);
    hry_free(allocator, *array, *capacity * size, align);
    *array = grown;
    *capacity = room;
    return true;
}
