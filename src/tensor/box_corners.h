#ifndef HRY_TENSOR_BOX_CORNERS_H
#define HRY_TENSOR_BOX_CORNERS_H

#include "tensor/boxes.h"

/*
 * Gives every corner of a box the sign (-1)^(number of dimensions in which it is the far one), and the corners of the
 * space the opposite one. The signs at every point add up to zero exactly when each index lies in exactly one box:
 * what is summed are the mixed differences of the boxes' indicator functions. HRY_COVER_UNKNOWN when the coordinates
 * do not fit a key; else HRY_COVER_EXACT, with *match, or HRY_COVER_NO_MEMORY. rank is small: there are 2^rank corners
 * a box.
 */
hry_cover hry_corners_match(const hry_boxes *boxes, const hry_allocator *allocator, bool *match);

#endif
