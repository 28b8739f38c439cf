/* Going through the stored elements of a sparse tensor that lie in a box, in storage order. */
#ifndef HRY_TENSOR_STORED_H
#define HRY_TENSOR_STORED_H

#include "tensor/sparse.h"

struct hry_stored {
    hry_sparse sparse;
    hry_box box;
    hry_allocator allocator;                          /* of this structure, where it has one */
    uint64_t least[HRY_RANK_MAX], most[HRY_RANK_MAX]; /* of the indices of the box */
    bool ended;
    bool backwards; /* COO: from the last element to the first; set after the start */
    /* For each level of the tree, positions still to come; COO is one level, a compressed matrix has its slices and
     * the positions in one of them. */
    uint64_t next[HRY_RANK_MAX], end[HRY_RANK_MAX];
    uint64_t from[HRY_RANK_MAX], to[HRY_RANK_MAX]; /* the positions of each level that are looked at */
    uint64_t index[HRY_RANK_MAX];                  /* of the element */
    uint64_t position;
};

/* box is from hry_box_resolve. */
void hry_stored_start(hry_stored *stored, const hry_box *box);
/* After the start: only the elements at positions first .. end - 1. */
void hry_stored_within(hry_stored *stored, uint64_t first, uint64_t end);
/* To the next element: its index and position are in *stored. */
bool hry_stored_step(hry_stored *stored);

/* A number for each index: base and the sum of weight[k] * index[k], modulo 2^64. Offsets in affine maps are such
 * numbers, and so are keys to sort by. */
typedef struct hry_form {
    uint64_t base, weight[HRY_RANK_MAX];
} hry_form;

/*
 * The numbers of the next elements, at positions *first, *first + 1, ...: as many as follow each other, most at the
 * most; 0 behind the last. For boxes with steps of 1 and -1, not backwards. Not to be mixed with steps.
 */
size_t hry_stored_numbers(hry_stored *stored, const hry_form *form, size_t most, uint64_t *numbers, uint64_t *first);

/* The position of index i on axis k of a box; false when it is not in the box. */
static inline bool hry_box_position(const hry_box *box, uint32_t k, uint64_t i, uint64_t *position)
{
    int64_t step = box->step[k];
    uint64_t apart = step < 0 ? box->start[k] - i : i - box->start[k];
    if (step != 1 && step != -1) {
        uint64_t stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
        if (step < 0 ? i > box->start[k] : i < box->start[k])
            return false;
        if (apart % stride != 0)
            return false;
        apart /= stride;
    }
    *position = apart;
    return apart < box->count[k]; /* indices on the wrong side of start wrap to large numbers */
}

#endif
