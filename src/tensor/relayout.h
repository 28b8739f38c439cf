/* What the parts of hry_tensor_relayout share. */
#ifndef HRY_TENSOR_RELAYOUT_H
#define HRY_TENSOR_RELAYOUT_H

#include "layout/map.h"
#include "tensor/object.h"

typedef struct hry_relayout {
    const hry_tensor *tensor;
    hry_layout layout; /* the wanted one */
    hry_relayout_options options;
    uint32_t rank, bits;
    uint64_t shape[HRY_RANK_MAX];
    uint64_t byte_offset; /* of the result: what negative strides need before the first element */
} hry_relayout;

/*
 * A tensor with the descriptor of the source but for the layout and the sizes of its own buffers (sizes, as many as it
 * has), parameters copied, the layout's buffers not set. out and buffers as for hry_tensor_alloc.
 */
hry_status hry_relayout_alloc(const hry_relayout *r, const uint64_t *sizes, hry_tensor **out, void **buffers,
                              hry_error *err);

/* Reads all elements, as they are stored (of a composite: its view), to bytes, position by position of map. */
hry_status hry_relayout_read(const hry_relayout *r, void *bytes, const hry_map *map, hry_error *err);

/* Each in the file of its name: into dense layouts, into sparse ones, into pages. */
hry_status hry_relayout_dense(hry_relayout *r, hry_tensor **out, hry_error *err);
hry_status hry_relayout_sparse(hry_relayout *r, hry_tensor **out, hry_error *err);
hry_status hry_relayout_paged(hry_relayout *r, hry_tensor **out, hry_error *err);

/* Whether an element that is not stored has a code, 0, when the tensor is quantized. */
bool hry_zero_code_is_zero(const hry_desc *desc);

#endif
