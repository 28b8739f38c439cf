/* Memory in blocks of 16 MiB at the most: a few bytes may describe rows without end, or more parameters than anybody
 * has room for. */
#ifndef HRY_FUZZ_SMALL_BLOCKS_H
#define HRY_FUZZ_SMALL_BLOCKS_H

#include <hurray/base.h>
#include <stdlib.h>

enum { SMALL_BLOCK = 1 << 24 };

static void *alloc_small(void *ctx, size_t size, size_t alignment)
{
    (void)ctx;
    return size > SMALL_BLOCK ? NULL : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void free_small(void *ctx, void *p, size_t size, size_t alignment)
{
    (void)ctx, (void)size, (void)alignment;
    free(p);
}

static const hry_allocator small_blocks = { .alloc = alloc_small, .free = free_small };

#endif
