/* Dense tensors of random layout, type and contents, and their elements by the format's text. */
#ifndef HRY_TESTS_DENSE_CASE_H
#define HRY_TESTS_DENSE_CASE_H

#include "support/naive_layout.h"

#include <hurray/tensor.h>

typedef struct dense_case {
    naive_tensor n;
    uint8_t type;
    uint32_t bits;
    uint8_t *buffer; /* exactly what the descriptor declares, so that a sanitizer sees what lies outside */
    size_t nbytes;
    int64_t byte_offset;
    hry_tensor *tensor;
} dense_case;

/* A tensor of a random type of the format; its buffer is full of random bits. */
void dense_make(dense_case *c, uint64_t *seed, uint8_t tag, uint32_t rank, uint64_t largest);
void dense_free(dense_case *c);
/* The layouts of such tensors, and one of them at random, of fewer dimensions than ranks; largest[rank] is the largest
 * dimension. */
enum { DENSE_TAGS = 6 };
extern const uint8_t dense_tags[DENSE_TAGS];
void dense_make_any(dense_case *c, uint64_t *seed, const uint64_t *largest, uint32_t ranks);

/* A random box of a shape, steps of both signs among it; for a scalar one of one element. */
void dense_box(uint64_t *seed, uint32_t rank, const uint64_t *shape, hry_box *box);
uint64_t dense_box_count(const hry_box *box, uint32_t rank);

/* Bit k of a string of bits. */
unsigned naive_bit(const uint8_t *bytes, int64_t k);
/* The bits of an element, at most 64 of them from bit `from` of it. */
uint64_t dense_bits(const dense_case *c, const uint64_t *index, uint32_t from);
/* The index of a position in a box. */
void dense_index(const hry_box *box, uint32_t rank, const uint64_t *at, uint64_t *index);

#endif
