/* Memory for many small texts that live and die together. */
#ifndef HRY_INTEROP_TEXT_ARENA_H
#define HRY_INTEROP_TEXT_ARENA_H

#include <hurray/base.h>

/* Zero is an empty arena, but for the allocator. */
typedef struct hry_text_arena {
    const hry_allocator *allocator;
    struct hry_text_block *blocks;
} hry_text_arena;

/* A copy of len bytes at *copy, valid until the arena is freed. False when there is no memory. */
bool hry_text_arena_copy(hry_text_arena *arena, const char *text, size_t len, const char **copy);
void hry_text_arena_free(hry_text_arena *arena);

#endif
