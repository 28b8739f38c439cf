/* Sparse tensors to be made: their buffers, written from entries or from bits. */
#ifndef HRY_TENSOR_SPARSE_TARGET_H
#define HRY_TENSOR_SPARSE_TARGET_H

#include "tensor/nonzeros.h"
#include "tensor/ordering.h"

/* Of entries in its order. Where these do not carry their values (entry_values.h), they are at values. */
hry_status hry_target_from_entries(hry_relayout *r, const hry_ordering *order, const uint8_t *values, hry_tensor **out,
                                   hry_error *err);

/* A compressed matrix whose slices are those of nonzeros. */
hry_status hry_target_from_nonzeros(hry_relayout *r, const hry_nonzeros *nonzeros, hry_tensor **out, hry_error *err);

#endif
