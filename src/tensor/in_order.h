/* Going through the elements of a tensor in row-major order, by boxes. */
#ifndef HRY_TENSOR_IN_ORDER_H
#define HRY_TENSOR_IN_ORDER_H

#include "tensor/object.h"

/*
 * The largest box that the first of n elements from number `first` on make: some axes whole, a part of one, one index
 * of the others. Returns how many it holds. whole starts at 0 with steps of 1, has no empty axis, and n elements behind
 * first; n is not 0.
 */
uint64_t hry_box_in_order(const hry_box *whole, uint32_t rank, uint64_t first, uint64_t n, hry_box *box);

/*
 * What it costs to read any box of a tensor, however small, in the unit of reading an element: boxes of as many
 * elements take linear time for the whole.
 */
uint64_t hry_tensor_box_cost(const hry_tensor *tensor);

#endif
