/* N:M sparsity of sparse tensors. (format: README, "N:M sparsity") */
#ifndef HRY_TENSOR_SPARSE_GROUPS_H
#define HRY_TENSOR_SPARSE_GROUPS_H

#include "tensor/tally.h"
#include "tensor/values.h"

/*
 * Counts the groups that stored elements make along the last dimension, in place of those counted so far; bit i of
 * nonzero says that value i is not 0. Index arrays are verified. Where the order of storage is not that of the last
 * dimension, it is made, with memory for what is stored: HRY_E_MEMORY.
 */
hry_status hry_sparse_groups(const hry_values *values, const uint64_t *nonzero, hry_tally *tally, hry_error *err);

#endif
