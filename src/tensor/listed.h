/* Sparse and block-paged tensors: they keep their values in a list, and say elsewhere which elements those are. */
#ifndef HRY_TENSOR_LISTED_H
#define HRY_TENSOR_LISTED_H

#include "tensor/access.h"

bool hry_is_listed(const hry_desc *desc);

/*
 * The list as values, from the sink's bytes on, which are aligned to their type; its map is not looked at. They are
 * those that are stored, or the slots of pages, of which those without a token are left as they are.
 */
hry_status hry_read_list(const hry_tensor *tensor, const hry_value_sink *sink, hry_error *err);

/* How many values are in it; false when they cannot be counted. */
bool hry_list_count(const hry_tensor *tensor, uint64_t *count);

/* The index arrays of one, to the buffers of another tensor of the same layout. */
void hry_copy_index(const hry_tensor *tensor, void *const *buffers);

#endif
