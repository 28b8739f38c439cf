/* How the calls that read elements work together. */
#ifndef HRY_TENSOR_ACCESS_H
#define HRY_TENSOR_ACCESS_H

#include "layout/map.h"
#include "tensor/decode.h"

/* Where values go: position j of the box that is read is position j of map, behind bytes. */
typedef struct hry_value_sink {
    uint8_t *bytes;
    hry_map map;
    hry_want want;
    uint32_t bits;                /* of an element of want.type */
    const uint64_t *token_counts; /* of a block-paged tensor's sequences; NULL: not known */
    const hry_executor *executor;
} hry_value_sink;

/* The map of a whole tensor whose layout is dense; false for other layouts. Offsets count from hry_tensor_first. */
bool hry_tensor_map(const hry_tensor *tensor, hry_map *map);
bool hry_desc_map(const hry_desc *desc, hry_map *map);
/* The byte of the element [0,...,0]; NULL for an empty buffer. */
const uint8_t *hry_tensor_first(const hry_tensor *tensor);

/* Reads a box (from hry_box_resolve) of any readable tensor. */
hry_status hry_read_into(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_error *err);

/*
 * Reads elements at offsets of a map from the bytes at first: what all dense pieces come down to. The box gives the
 * index of each position to the decoder, where it needs one. Uses up from and a copy of the sink's map.
 */
hry_status hry_read_dense(const hry_decoder *decoder, const uint8_t *first, hry_map *from, const hry_box *box,
                          const hry_value_sink *sink, hry_error *err);

/* The same for the layouts' own ways; each is in the file that is named after it. */
hry_status hry_read_sparse(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_error *err);
hry_status hry_read_paged(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_error *err);
hry_status hry_read_composite(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_error *err);

/* Puts what a sparse tensor stores in a box into place, and leaves all other places as they are. */
hry_status hry_put_sparse(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_error *err);

/* The failure when a value has no counterpart in the sink's type. */
hry_status hry_fail_no_value(const hry_value_sink *sink, hry_error *err);

#endif
