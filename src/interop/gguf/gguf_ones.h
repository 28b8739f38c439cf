/*
 * Blocks of zeros with a scale of exactly 1. In a container they look like those that had a scale of zero, which is
 * stored as 1. What tells them apart, for the way back, is a tensor's turns: the blocks at which, going on from block
 * 0, one kind ends and the other starts, each as the distance from the turn before, in LEB128. Before the first turn
 * zeros had a scale of zero; blocks with anything else in them may lie on either side. Where a block has several
 * scales, the parts that they are for are counted instead.
 */
#ifndef HRY_INTEROP_GGUF_ONES_H
#define HRY_INTEROP_GGUF_ONES_H

#include "interop/gguf/gguf_file.h"

/* How many scales a block has. */
static inline size_t hry_gguf_parts_of(const hry_gguf_type *type, const hry_gguf_form *form)
{
    return type->elements / form->block;
}

/* Adds the turns of all tensors to the record, as its last part; nothing where there are none. Reads all blocks. */
hry_status hry_gguf_ones_record(hry_gguf_file *file, hry_error *err);

/* A walk along a tensor's turns, which nobody has checked: from any bytes come some turns, and each byte once. */
typedef struct hry_gguf_ones {
    const uint8_t *at, *end;
    uint64_t next; /* part of the next turn; UINT64_MAX: none */
    bool ones;     /* zeros had a scale of 1 before it */
} hry_gguf_ones;

hry_gguf_ones hry_gguf_ones_begin(hry_str turns);
/* Goes on to a block of so many parts (up to 16), and returns how many from there on, at most count, have the same
 * *ones: a bit for each part, whether its zeros had a scale of 1. */
uint64_t hry_gguf_ones_go(hry_gguf_ones *walk, uint64_t block, uint64_t count, size_t parts, unsigned *ones);

#endif
