/*
 * Statistics as they add up. (descriptor, section 7)
 *
 * The order of additions is fixed by the values alone, so that no number of threads and no processor changes a bit:
 * values are taken in row-major order of the logical shape (stored ones of sparse layouts: in the order of storage), in
 * chunks of HRY_STATS_CHUNK whose sums the kernels define; HRY_TALLY_CHUNKS chunks, one after the other, make a
 * segment; segments are merged one after the other.
 */
#ifndef HRY_TENSOR_TALLY_H
#define HRY_TENSOR_TALLY_H

#include "kern/kern.h"

#include <hurray/desc.h>

enum { HRY_TALLY_CHUNKS = 256, HRY_TALLY_SEGMENT = HRY_TALLY_CHUNKS * HRY_STATS_CHUNK, HRY_TALLY_GROUPS = 4 };

typedef struct hry_tally {
    double count, finite; /* how many values there are: sparse shapes may have more than 64 bits count */
    uint64_t nnz;
    double mean, spread; /* of the finite values; spread is the sum of (x - mean)^2 */
    double min, max;     /* without NaN */
    bool has_nan, has_inf;
    uint8_t most[HRY_TALLY_GROUPS]; /* non-zeros in any aligned group of 4, 8, 16 and 32 */
} hry_tally;

void hry_tally_init(hry_tally *tally);

/* Adds n values, of which bit i of nonzero says whether value i counts as one: a chunk, whole but for the last. */
void hry_tally_chunk(hry_tally *tally, const struct hry_moments *moments, const uint64_t *nonzero, size_t n);

/* Adds what comes behind. */
void hry_tally_merge(hry_tally *tally, const hry_tally *next);

/* Adds zeros that are not stored. */
void hry_tally_zeros(hry_tally *tally, double count);

/* Each value so far occurs so many times. */
void hry_tally_repeat(hry_tally *tally, uint64_t times);

/* Counts groups only: bit i of each word says that element i of 64 in a row is not 0. */
void hry_tally_groups(hry_tally *tally, const uint64_t *words, size_t n);

/*
 * The section that it makes. last is the size of the last dimension, along which the groups of N:M lie: those that do
 * not divide it count for nothing; 0 where the tally knows of no groups. The fields that are not defined (of an empty
 * tensor all but nnz; mean and deviation where an infinity occurs) stay unset in computed_mask.
 */
void hry_tally_statistics(const hry_tally *tally, uint64_t last, hry_statistics *statistics);

#endif
