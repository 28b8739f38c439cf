#include "interop/made_buffer.h"

#include "base/alloc.h"
#include "base/checked.h"

/* Stands before the buffer, in a cache line of its own, which keeps the alignment. */
enum { ALIGN = 64 };

typedef struct head {
    _Alignas(ALIGN) hry_allocator allocator;
    size_t size; /* with the head */
} head;

void *hry_made_buffer(const hry_allocator *allocator, uint64_t nbytes)
{
    uint64_t total;
    size_t size;
    head *h = NULL;
    if (hry_add(nbytes, sizeof *h, &total) && hry_to_size(total, &size))
        h = hry_alloc(allocator, size, ALIGN);
    if (!h)
        return NULL;
    *h = (head){ .allocator = hry_allocator_or_default(allocator), .size = size };
    return h + 1;
}

void hry_made_buffer_release(void *buffer)
{
    head *h = (head *)buffer - 1;
    hry_allocator allocator = h->allocator;
    hry_free(&allocator, h, h->size, ALIGN);
}
