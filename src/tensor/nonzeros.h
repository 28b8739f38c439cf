/* The elements of a tensor that is not sparse whose bits are not all 0, in the order of a sparse target. */
#ifndef HRY_TENSOR_NONZEROS_H
#define HRY_TENSOR_NONZEROS_H

#include "tensor/relayout.h"

/* Slices are what lies along the last level; each has its own words of bits. */
typedef struct hry_nonzeros {
    const uint8_t *values;   /* all elements in that order, packed */
    size_t size;             /* bytes of one; 0 where they are not 1, 2, 4 or 8 */
    uint64_t slices, length; /* how many slices, and elements of one */
    uint64_t words;          /* of one */
    uint64_t *bits;
    uint64_t *starts; /* slices + 1: how many there are in the slices before */
    void *own;        /* values, where the source has them in another order */
    size_t own_bytes;
} hry_nonzeros;

/* *nonzeros is 0. mode: the dimensions, the slowest first. Whatever it returns, hry_nonzeros_fini frees what there is.
 */
hry_status hry_nonzeros_init(const hry_relayout *r, const uint32_t *mode, hry_nonzeros *nonzeros, hry_error *err);
void hry_nonzeros_fini(const hry_relayout *r, hry_nonzeros *nonzeros);

static inline uint64_t hry_nonzeros_found(const hry_nonzeros *nonzeros)
{
    return nonzeros->starts[nonzeros->slices];
}

enum { HRY_NONZEROS_WORDS = 16, HRY_NONZEROS_SPAN = 64 * HRY_NONZEROS_WORDS };

/*
 * Those of a slice from place first, a multiple of 64, to first + HRY_NONZEROS_SPAN - 1: their places, and their values
 * where they are 8, 16, 32 or 64 bits each (else values are not set). list and values have room for HRY_NONZEROS_SPAN +
 * 3. Returns how many.
 */
size_t hry_nonzeros_pick(const hry_nonzeros *nonzeros, uint64_t slice, uint64_t first, uint64_t *list, void *values);

#endif
