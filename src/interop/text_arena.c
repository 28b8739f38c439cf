#include "interop/text_arena.h"

#include "base/alloc.h"

#include <string.h>

enum { BLOCK_SIZE = 16384 };

typedef struct hry_text_block {
    struct hry_text_block *next;
    size_t used, size;
    char bytes[];
} hry_text_block;

static hry_text_block *block_for(hry_text_arena *arena, size_t len)
{
    hry_text_block *top = arena->blocks;
    if (top && top->size - top->used >= len)
        return top;
    size_t size = len > BLOCK_SIZE ? len : BLOCK_SIZE;
    if (size > SIZE_MAX - sizeof *top)
        return NULL;
    hry_text_block *block = hry_alloc(arena->allocator, sizeof *block + size, _Alignof(hry_text_block));
    if (!block)
        return NULL;
    block->used = 0;
    block->size = size;
    /* A long text gets a block of its own, behind the one that still has room. */
    if (top && len > BLOCK_SIZE) {
        block->next = top->next;
        top->next = block;
    } else {
        block->next = top;
        arena->blocks = block;
    }
    return block;
}

bool hry_text_arena_copy(hry_text_arena *arena, const char *text, size_t len, const char **copy)
{
    hry_text_block *block = block_for(arena, len);
    if (!block)
        return false;
    char *at = block->bytes + block->used;
    memcpy(at, text, len);
    block->used += len;
    *copy = at;
    return true;
}

void hry_text_arena_free(hry_text_arena *arena)
{
    for (hry_text_block *block = arena->blocks; block;) {
        hry_text_block *next = block->next;
        hry_free(arena->allocator, block, sizeof *block + block->size, _Alignof(hry_text_block));
        block = next;
    }
    arena->blocks = NULL;
}
