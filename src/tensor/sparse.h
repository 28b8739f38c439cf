/* Sparse tensors: their index arrays, checked at each step so that nothing in them leads out of bounds. */
#ifndef HRY_TENSOR_SPARSE_H
#define HRY_TENSOR_SPARSE_H

#include "base/bytes.h"
#include "tensor/object.h"

/* uint64 numbers at any address. */
typedef struct hry_index_array {
    const uint8_t *bytes;
    uint64_t count; /* that the buffer holds; what the layout uses may be fewer */
} hry_index_array;

static inline uint64_t hry_index_at(const hry_index_array *array, uint64_t i)
{
    return hry_load64(array->bytes + 8 * (size_t)i);
}

typedef struct hry_sparse {
    uint8_t tag;
    bool is_sorted; /* COO */
    uint32_t rank;
    uint64_t nnz;
    uint64_t shape[HRY_RANK_MAX];
    /* COO: [0] the coordinates. CSR, CSC: [0] the indices, [1] the pointers. CSF: pos_L at 2L, crd_L at 2L + 1. */
    hry_index_array index[2 * HRY_RANK_MAX];
    uint32_t mode[HRY_RANK_MAX]; /* the dimension of level L: CSF's mode_order; CSR 0, 1; CSC 1, 0 */
} hry_sparse;

/* False for layouts that are not sparse. The tensor is readable. */
bool hry_sparse_of(const hry_tensor *tensor, hry_sparse *sparse);

/* The children of node p of a level (of row or column p): positions in the level's coordinates. Empty, low = high,
 * where the pointers are not what they should be. */
void hry_sparse_children(const hry_sparse *sparse, uint32_t level, uint64_t p, uint64_t *low, uint64_t *high);

/* The first of positions low..high-1 of an ascending array with a number of at least value; high when there is none. */
uint64_t hry_index_search(const hry_index_array *array, uint64_t low, uint64_t high, uint64_t value);

/* The first row of sorted COO coordinates, from 0 to nnz, that is not below index by its first n dimensions. */
uint64_t hry_coo_search(const hry_sparse *sparse, const uint64_t *index, uint32_t n);

/* The position of the value at index; false when it is not stored. */
bool hry_sparse_find(const hry_sparse *sparse, const uint64_t *index, uint64_t *position);

#endif
