/*
 * Blocks of a map: aligned cubes of indices inside which the offsets are a short list, so that a whole block costs one
 * look at the map. Morton codes have one list for all blocks; a Hilbert curve has one for each way to pass through a
 * cube, and they are made when they are first met.
 */
#ifndef HRY_LAYOUT_BLOCKS_H
#define HRY_LAYOUT_BLOCKS_H

#include "layout/map.h"

enum {
    HRY_BLOCK_RANK_MAX = 5,   /* above, a block of any use would be too large; of a curve 3 */
    HRY_BLOCK_ROOM = 24 * 512 /* all ways of a curve through space */
};

typedef struct hry_blocks {
    const hry_map *map;
    uint32_t bits;     /* of an index inside a block: its sides are 1 << bits */
    uint32_t elements; /* of a block */
    uint32_t made;     /* bit i: list i is there */
    uint16_t room[HRY_BLOCK_ROOM];
} hry_blocks;

/*
 * Whether going by blocks pays: runs are short, blocks there are, and the map is no thin slice of them. Steps other
 * than 1 leave no blocks.
 */
bool hry_map_in_blocks(const hry_map *map);

/* Bits of an index inside a block. */
uint32_t hry_block_bits(uint32_t rank);

/* What the blocks of such a map are; false when a list would not do after all. map must stay as it is. */
bool hry_blocks_init(hry_blocks *blocks, const hry_map *map);

/*
 * n blocks along the last axis from the one whose first index (not position: hry_axis.start counts) is given: of each
 * the offset that those of its list count from, and the number of its list.
 */
void hry_blocks_line(hry_blocks *blocks, const uint64_t *index, size_t n, int64_t *offsets, uint8_t *lists);

/* A list: of each element in row-major order. Those of indices that the map does not have mean nothing. */
static inline const uint16_t *hry_blocks_list(const hry_blocks *blocks, unsigned list)
{
    return blocks->room + list * blocks->elements;
}

#endif
