/* Partitions cut along one axis, with their members in order: the common way, where a member is found by halving. */
#ifndef HRY_TENSOR_SPLIT_H
#define HRY_TENSOR_SPLIT_H

#include "tensor/object.h"

/* The axis, HRY_RANK_MAX when the members are arranged in another way. Looks at each member once. */
uint32_t hry_split_axis(const hry_tensor *tensor);

/* The first member, along split_axis, that does not end at or before index. */
size_t hry_split_find(const hry_tensor *tensor, uint64_t index);

/* Where a member starts on an axis. */
uint64_t hry_split_start(const hry_tensor *member, uint32_t axis);

#endif
