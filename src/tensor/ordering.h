/*
 * The stored elements of a sparse tensor, put in another order: by level 0 first, level 1 next, and so on, where level
 * L is dimension mode[L].
 */
#ifndef HRY_TENSOR_ORDERING_H
#define HRY_TENSOR_ORDERING_H

#include <hurray/base.h>
#include <hurray/layout.h>

/* The index of an element as one number: each level has as many bits as its dimension needs, the outermost highest. */
typedef struct hry_entry {
    uint64_t key;
    uint64_t position; /* among the values of the source */
} hry_entry;

typedef struct hry_ordering {
    uint32_t rank;
    uint32_t mode[HRY_RANK_MAX];
    uint32_t bits[HRY_RANK_MAX], shift[HRY_RANK_MAX]; /* of each level in a key */
    bool wide;                                        /* all levels together need more than 64 bits */
    uint64_t count;
    hry_entry *entries;      /* count of them, and as many again as room to sort */
    const uint64_t *indices; /* wide: the index of each position, rank numbers in the order of the dimensions */
} hry_ordering;

/* mode NULL: 0, 1, 2, ... No entries yet. */
void hry_ordering_init(hry_ordering *order, uint32_t rank, const uint64_t *shape, const uint32_t *mode);

/* The key of an index; not for wide orders. */
static inline uint64_t hry_ordering_key(const hry_ordering *order, const uint64_t *index)
{
    uint64_t key = 0;
    for (uint32_t level = 0; level < order->rank; level++)
        if (order->bits[level])
            key |= index[order->mode[level]] << order->shift[level];
    return key;
}

/* The index of entry i at a level. */
static inline uint64_t hry_ordering_index(const hry_ordering *order, uint64_t i, uint32_t level)
{
    if (order->wide)
        return order->indices[order->entries[i].position * order->rank + order->mode[level]];
    uint32_t bits = order->bits[level];
    return bits == 0 ? 0 : order->entries[i].key >> order->shift[level] & (UINT64_MAX >> (64 - bits));
}

/* The first level at which entry i differs from the one before; rank when it is the same. i is not 0. */
uint32_t hry_ordering_differs(const hry_ordering *order, uint64_t i);

/*
 * Sorts the entries, in time linear in their number for every 11 bits of what has to be looked at. before is the mode
 * order by which they ascend already; NULL: none is known. Wide orders need positions only, others keys.
 */
void hry_ordering_sort(hry_ordering *order, const uint32_t *before);

#endif
