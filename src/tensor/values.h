/*
 * All values of a tensor one after the other, as floating-point numbers: in row-major order of the logical shape, those
 * of a sparse layout in the order of storage, without what is not stored. Never the whole tensor in memory.
 */
#ifndef HRY_TENSOR_VALUES_H
#define HRY_TENSOR_VALUES_H

#include "tensor/access.h"
#include "tensor/tally.h"

/* Values are handed out in chunks; HRY_TALLY_SEGMENT of them make a segment, whose chunks come in order; segments run
 * in parallel, in batches of as many. */
enum { HRY_VALUES_BATCH = 256 };

typedef struct hry_values {
    const hry_tensor *tensor;
    const hry_executor *executor;
    const hry_allocator *allocator;
    const uint64_t *token_counts;
    uint8_t type;      /* that they are handed out as: float32, float64, complex64 or complex128 */
    uint32_t chunk;    /* HRY_STATS_CHUNK; half of it for complex numbers, which are two values each */
    uint64_t count;    /* how many there are to go through */
    uint64_t times;    /* how often each of them occurs in the tensor: axes of stride 0 are gone along once */
    double zeros;      /* elements of a sparse layout that are not stored */
    uint64_t last;     /* the size of the last dimension; 0 for a scalar */
    bool last_repeats; /* that one is among the axes of stride 0 */
    bool sparse;

    /* Where they come from: one of these. */
    const uint8_t *direct; /* values of the type, aligned */
    const uint8_t *codes;  /* packed codes */
    bool by_index;         /* stored elements, one by one: their values depend on their indices */
    hry_decoder decoder;   /* of codes and by_index */
    hry_box whole;         /* else boxes of this one */
    uint32_t rank;
    uint64_t piece; /* values that are read at a time, segments whole or parts of one */
} hry_values;

typedef struct hry_values_user {
    /* n values from number `first` on, in segment `slot` of the batch. Called by several threads, for a segment by one.
     */
    void (*chunk)(void *ctx, size_t slot, uint64_t first, const void *values, size_t n);
    /* A batch is through; its segments are 0..slots-1. May be NULL. */
    void (*batch)(void *ctx, size_t slots);
    void *ctx;
} hry_values_user;

/*
 * HRY_E_UNSUPPORTED where the values cannot be had as numbers, or are more than 64 bits count; and the failures of
 * reading. allocator and executor may be NULL.
 */
hry_status hry_values_init(hry_values *values, const hry_tensor *tensor, const hry_statistics_options *options,
                           hry_error *err);

/* Hands out all of them. */
hry_status hry_values_run(const hry_values *values, const hry_values_user *user, hry_error *err);

#endif
