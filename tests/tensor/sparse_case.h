/* Sparse tensors made from a list of elements, in every layout. */
#ifndef HRY_TESTS_SPARSE_CASE_H
#define HRY_TESTS_SPARSE_CASE_H

#include <hurray/tensor.h>

enum { SPARSE_RANK = 5, SPARSE_MOST = 400, SPARSE_BUFFERS = 2 * SPARSE_RANK + 1 };

typedef struct sparse_case {
    uint8_t tag, type;
    bool is_sorted;
    uint32_t rank;
    uint64_t shape[SPARSE_RANK];
    uint32_t mode[SPARSE_RANK];
    uint64_t nnz;
    uint64_t index[SPARSE_MOST][SPARSE_RANK]; /* of each stored element, in storage order */
    uint32_t buffer_count;
    uint8_t *buffer[SPARSE_BUFFERS]; /* of exactly the size that the format gives */
    size_t nbytes[SPARSE_BUFFERS];
    hry_tensor *tensor;
} sparse_case;

/*
 * A random one of a layout (COO, CSR, CSC or CSF; is_sorted for COO), values of random bits. rank is 2 for matrices and
 * 3 or more for CSF.
 */
void sparse_make(sparse_case *c, uint64_t *seed, uint8_t tag, bool is_sorted, uint32_t rank, uint64_t largest);
/* Its arrays as a tensor, after they were changed; nnz says how many elements the descriptor has. */
void sparse_remake(sparse_case *c);
void sparse_free(sparse_case *c);

/* Number i of an index buffer. */
uint64_t sparse_get(const sparse_case *c, uint32_t buffer, uint64_t i);
void sparse_set(sparse_case *c, uint32_t buffer, uint64_t i, uint64_t value);

#endif
