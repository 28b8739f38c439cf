#include "kept_memory.h"

#include "bench.h"

#include <stdlib.h>

enum { BLOCKS = 64 };

static struct block {
    void *bytes;
    size_t size;
    bool used;
} blocks[BLOCKS];

/* The smallest that holds size, and not twice as much; else one without memory. */
static struct block *choose(size_t size)
{
    struct block *best = NULL, *room = NULL;
    for (int i = 0; i < BLOCKS; i++) {
        struct block *b = &blocks[i];
        if (!b->bytes)
            room = b;
        else if (!b->used && b->size >= size && b->size / 2 <= size && (!best || b->size < best->size))
            best = b;
    }
    return best ? best : room;
}

static void *take(void *ctx, size_t size, size_t align)
{
    (void)ctx, (void)align; /* blocks start at pages */
    struct block *b = choose(size);
    if (!b)
        bench_stop("no block is left");
    if (!b->bytes) {
        b->bytes = bench_memory(size);
        b->size = size;
    }
    b->used = true;
    return b->bytes;
}

static void give(void *ctx, void *ptr, size_t size, size_t align)
{
    (void)ctx, (void)size, (void)align;
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].bytes == ptr)
            blocks[i].used = false;
}

const hry_allocator bench_kept_memory = { take, give, NULL };

void bench_drop_memory(void)
{
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].bytes && !blocks[i].used) {
            free(blocks[i].bytes);
            blocks[i] = (struct block){ NULL, 0, false };
        }
}
