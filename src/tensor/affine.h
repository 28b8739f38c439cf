/* Boxes whose elements lie by one stride along each axis, on both sides: what most moves come down to. */
#ifndef HRY_TENSOR_AFFINE_H
#define HRY_TENSOR_AFFINE_H

#include "layout/map.h"

/* As hry_move, on the calling thread; every axis of both maps is affine. stream: past the caches, where that pays. */
void hry_move_affine(uint32_t bits, const uint8_t *src, const hry_map *from, uint8_t *dst, const hry_map *to,
                     bool stream);

#endif
