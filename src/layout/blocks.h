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

/* What a map that is in blocks has of a brick: of an aligned block, or of some side by side along the last axis. */
typedef struct hry_brick {
    uint32_t bits[HRY_BLOCK_RANK_MAX];   /* 2^bits indices along each axis */
    uint64_t index[HRY_BLOCK_RANK_MAX];  /* of the first element */
    uint64_t inside[HRY_BLOCK_RANK_MAX]; /* where in it the map starts */
    uint64_t count[HRY_BLOCK_RANK_MAX];
} hry_brick;

/* The first brick, no more elements than told; false when a block has more. */
bool hry_brick_first(hry_brick *brick, const hry_map *map, uint64_t most);
/* The next one in row-major order of the first axes; false behind the last. */
bool hry_brick_next(hry_brick *brick, const hry_map *map, uint32_t axes);
/* To another index along one axis. */
void hry_brick_set(hry_brick *brick, const hry_map *map, uint32_t k, uint64_t index);
/* The map's position on axis k at which the brick starts. */
static inline uint64_t hry_brick_position(const hry_brick *brick, const hry_map *map, uint32_t k)
{
    return brick->index[k] + brick->inside[k] - map->axis[k].start;
}
/* Another map of the same counts, cut to the positions that map has of a brick. */
void hry_brick_cut(const hry_brick *brick, const hry_map *map, const hry_map *other, hry_map *cut);

#endif
