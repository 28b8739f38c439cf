/* Moves where at least one side is a curve. */
#ifndef HRY_TENSOR_MOVE_BLOCKS_H
#define HRY_TENSOR_MOVE_BLOCKS_H

#include "layout/map.h"

/* Whether hry_move_blocks may do it. */
bool hry_move_in_blocks(uint32_t bits, const hry_map *from, const hry_map *to);

/*
 * What hry_move does, on the calling thread; false, and nothing done, when blocks will not do. stream: past the caches,
 * where that can be.
 */
bool hry_move_blocks(uint32_t bits, const uint8_t *src, const hry_map *from, uint8_t *dst, const hry_map *to,
                     bool stream);

#endif
