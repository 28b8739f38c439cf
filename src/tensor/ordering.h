/*
 * The stored elements of a tensor, put in another order: by level 0 first, level 1 next, and so on, where level L is
 * dimension mode[L].
 */
#ifndef HRY_TENSOR_ORDERING_H
#define HRY_TENSOR_ORDERING_H

#include "tensor/stored.h"

/* The index of an element as one number: each level has as many bits as its dimension needs, the outermost highest. */
typedef struct hry_entry {
    uint64_t key;
    uint64_t load; /* what goes along: the bits of the value, or its position */
} hry_entry;

typedef struct hry_ordering {
    uint32_t rank;
    uint32_t mode[HRY_RANK_MAX];
    uint32_t bits[HRY_RANK_MAX], shift[HRY_RANK_MAX]; /* of each level in a key */
    bool wide; /* all levels together need more than 64 bits: loads are positions, by which indices are found */
    uint64_t count;
    hry_entry *entries;
    const uint8_t *indices; /* wide: the index of each position, rank numbers in the order of the dimensions */
    void *block, *own_indices;
    size_t block_size;
} hry_ordering;

/* mode NULL: 0, 1, 2, ... No entries yet. */
void hry_ordering_init(hry_ordering *order, uint32_t rank, const uint64_t *shape, const uint32_t *mode);

/* Room for count entries, 32 bytes each. Whatever is returned, hry_ordering_fini gives back what there is. */
hry_status hry_ordering_alloc(hry_ordering *order, uint64_t count, const hry_allocator *allocator, hry_error *err);
void hry_ordering_fini(hry_ordering *order, const hry_allocator *allocator);

/* Sets the loads of n entries, those of positions first, first + 1, ... Called by several threads. */
typedef void hry_load_fn(const void *ctx, uint64_t first, size_t n, hry_entry *entries);

/*
 * All stored elements of a sparse tensor, sorted; equal ones stay in the order of storage. Linear in their number for
 * every 11 bits of what has to be looked at. Index arrays are verified. Where wide, load is not called.
 */
hry_status hry_ordering_fill(hry_ordering *order, const hry_sparse *sparse, hry_load_fn *load, const void *ctx,
                             const hry_executor *executor, const hry_allocator *allocator, hry_error *err);

/* The key of an index; not for wide orders. */
static inline uint64_t hry_ordering_key(const hry_ordering *order, const uint64_t *index)
{
    uint64_t key = 0;
    for (uint32_t level = 0; level < order->rank; level++)
        if (order->bits[level])
            key |= index[order->mode[level]] << order->shift[level];
    return key;
}

/* The same as a form. */
static inline hry_form hry_ordering_form(const hry_ordering *order)
{
    hry_form form = { 0 };
    for (uint32_t level = 0; level < order->rank; level++)
        form.weight[order->mode[level]] = order->bits[level] ? (uint64_t)1 << order->shift[level] : 0;
    return form;
}

/* The index of entry i at a level. */
static inline uint64_t hry_ordering_index(const hry_ordering *order, uint64_t i, uint32_t level)
{
    if (order->wide)
        return hry_load64(order->indices + 8 * (order->entries[i].load * order->rank + order->mode[level]));
    uint32_t bits = order->bits[level];
    return bits == 0 ? 0 : order->entries[i].key >> order->shift[level] & (UINT64_MAX >> (64 - bits));
}

/* The first level at which entry i differs from the one before; rank when it is the same. i is not 0. */
uint32_t hry_ordering_differs(const hry_ordering *order, uint64_t i);

/* The first entry that has the index of the one before; count when there is none. */
uint64_t hry_ordering_first_equal(const hry_ordering *order, const hry_executor *executor);

#endif
