/* The stored elements of any tensor, in the order of a sparse target. */
#ifndef HRY_TENSOR_SPARSE_SOURCE_H
#define HRY_TENSOR_SPARSE_SOURCE_H

#include "tensor/ordering.h"
#include "tensor/relayout.h"

/* The values that entries name by position, and what was allocated for them. */
typedef struct hry_sparse_source {
    hry_ordering order;
    const uint8_t *values;
    bool in_order; /* entry i has position i: the values can be copied as they are */
    void *dense, *indices;
    size_t dense_bytes;
} hry_sparse_source;

/* source->order is initialised, the rest 0. Whatever it returns, hry_sparse_source_fini frees what was allocated. */
hry_status hry_sparse_source_init(const hry_relayout *r, hry_sparse_source *source, hry_error *err);
void hry_sparse_source_fini(const hry_relayout *r, hry_sparse_source *source);

/* Where the value of entry i is. Wide orders of dense sources keep it in the key. */
static inline uint64_t hry_sparse_source_place(const hry_sparse_source *source, uint64_t i)
{
    const hry_entry *entry = &source->order.entries[i];
    return source->dense && source->order.wide ? entry->key : entry->position;
}

#endif
