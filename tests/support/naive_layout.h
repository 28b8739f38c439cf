/* Where elements lie by the format's text, element by element: what the library's maps are compared with. */
#ifndef HRY_TESTS_NAIVE_LAYOUT_H
#define HRY_TESTS_NAIVE_LAYOUT_H

#include <hurray/layout.h>

/* The element offset of an index of a dense layout, all of whose fields are given. (layouts, sections 2 to 6) */
int64_t naive_offset(const hry_layout *layout, uint32_t rank, const uint64_t *shape, const uint64_t *index);

/* To the next index of shape in row-major order; false behind the last. */
bool naive_next(uint32_t rank, const uint64_t *shape, uint64_t *index);

/* A generator of its own, so that a failing case can be made again from its seed. */
uint64_t naive_random(uint64_t *seed);
/* From 0 to n - 1. */
uint64_t naive_below(uint64_t *seed, uint64_t n);

/*
 * A random dense layout (any tag but Hilbert's where the shape is no cube of a power of two) of a shape whose
 * dimensions are from 1 to largest. shape, layout and what it points to are in *store.
 */
typedef struct naive_tensor {
    uint32_t rank;
    uint64_t shape[HRY_RANK_MAX];
    hry_layout layout;
    hry_layout_store store;
} naive_tensor;

void naive_make(naive_tensor *t, uint64_t *seed, uint8_t tag, uint32_t rank, uint64_t largest);

#endif
