/* Sparse tensors of so many elements that threads share the work, made from all elements by the format's text. */
#ifndef HRY_TESTS_LARGE_CASE_H
#define HRY_TESTS_LARGE_CASE_H

#include <hurray/pool.h>
#include <hurray/tensor.h>

enum { LARGE_MOST = 250000, LARGE_RANK = 3, LARGE_BUFFERS = 2 * LARGE_RANK + 1 };

/* All elements in row-major order, and what is made of those that are stored. */
typedef struct large {
    uint8_t type;
    uint32_t bits, rank;
    uint64_t shape[LARGE_RANK], count, nnz;
    uint8_t *dense, *stored; /* stored: a flag for each; the others are 0 */
    uint8_t tag;
    uint32_t mode[LARGE_RANK];
    bool is_sorted;
    uint64_t (*index)[LARGE_RANK]; /* of stored elements, in the order of storage */
    uint64_t *flat;                /* their places in dense */
    uint32_t buffers;
    uint8_t *buffer[LARGE_BUFFERS];
    size_t nbytes[LARGE_BUFFERS];
} large;

/* A group's setup and teardown: an executor of three threads. */
extern hry_executor large_executor;
int large_start_pool(void **state);
int large_end_pool(void **state);

/* Elements, most of them stored, none of these 0. */
void large_make(large *l, uint64_t *seed, uint8_t type, uint32_t rank, const uint64_t *shape);
/* Their arrays in a sparse layout; unsorted COO is shuffled. */
void large_lay_out(large *l, uint64_t *seed, uint8_t tag, bool is_sorted, const uint32_t *mode);
/* The arrays as a tensor; with a float32 scale as it is stored for each index along axis, or each block of 2. */
hry_tensor *large_tensor(const large *l);
hry_tensor *large_quantized(const large *l, uint8_t scheme, uint32_t axis, const void *scales, uint64_t count);
void large_free(large *l);
/* Bytes of n elements. */
size_t large_size(uint32_t bits, uint64_t n);

/* All the ways to lay elements out. */
typedef struct large_way {
    uint8_t tag;
    bool is_sorted;
    uint32_t rank; /* that it is for; 0: any */
    uint32_t mode[LARGE_RANK];
} large_way;

enum { LARGE_WAYS = 7 };
extern const large_way large_ways[LARGE_WAYS];

#endif
