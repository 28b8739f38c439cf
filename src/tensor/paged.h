/* Block-paged tensors: which token lies in which slot of the pool. Every number is checked before it is used. */
#ifndef HRY_TENSOR_PAGED_H
#define HRY_TENSOR_PAGED_H

#include "base/bytes.h"
#include "tensor/object.h"

typedef struct hry_paged {
    const uint8_t *table, *pointers; /* block_table, seq_ptr */
    uint64_t table_count;            /* entries that the buffer holds */
    bool wide;                       /* both are uint64, else uint32 */
    uint32_t num_seqs, page_size;
    uint64_t num_pages, tokens, heads, dim;
} hry_paged;

/* False for other layouts. The tensor is readable. */
bool hry_paged_of(const hry_tensor *tensor, hry_paged *paged);

static inline uint64_t hry_paged_number(const hry_paged *paged, const uint8_t *array, uint64_t i)
{
    return paged->wide ? hry_load64(array + 8 * (size_t)i) : hry_load32(array + 4 * (size_t)i);
}

/* The entries of the block table that are a sequence's: first and one past the last. Empty where the pointers are not
 * what they should be. */
void hry_paged_pages(const hry_paged *paged, uint64_t sequence, uint64_t *low, uint64_t *high);

/* The slot of a token, page * page_size + place; false when there is none. */
bool hry_paged_slot(const hry_paged *paged, uint64_t sequence, uint64_t token, uint64_t *slot);

/*
 * L-BP-24 for the caller's token counts, num_seqs of them. NULL counts: HRY_E_UNSUPPORTED, unless there is only one
 * sequence, or none, which needs none.
 */
hry_status hry_paged_check_counts(const hry_paged *paged, const uint64_t *counts, hry_error *err);
/* The tokens of a sequence. */
static inline uint64_t hry_paged_count(const hry_paged *paged, const uint64_t *counts, uint64_t sequence)
{
    return counts ? counts[sequence] : paged->tokens;
}

struct hry_value_sink;

/*
 * The values of all tokens, slot by slot, from the sink's bytes on: [num_pages * page_size, heads, dim]; its map is
 * not looked at. Slots that hold no token are left as they are.
 */
hry_status hry_paged_read_slots(const hry_tensor *tensor, const struct hry_value_sink *sink, hry_error *err);

#endif
