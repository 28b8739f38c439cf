#include "tensor/sparse_groups.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "tensor/ordering.h"
#include "tensor/stored.h"

#include <string.h>

enum { BLOCK = 32 };  /* the largest group: all smaller ones lie within */
enum { WORDS = 256 }; /* pairs of blocks that are counted at a time */
#define NO_BLOCK UINT64_MAX

/* The non-zeros of blocks of rows: bits of an element each. */
typedef struct blocks {
    hry_tally *tally;
    uint64_t number; /* of the one that is being filled, in its row */
    size_t at;       /* where that one is */
    union {
        uint32_t bits[2 * WORDS + 1];
        uint64_t pairs[WORDS];
    } of;
} blocks;

static void start(blocks *b, hry_tally *tally)
{
    b->tally = tally;
    b->number = NO_BLOCK;
    b->at = 0;
    b->of.bits[0] = 0;
}

/* In a row, indices ascend. */
static inline void add(blocks *b, uint64_t i)
{
    /* Where blocks end follows no pattern that a branch could. */
    bool next = i / BLOCK != b->number;
    b->number = i / BLOCK;
    b->at += next;
    b->of.bits[b->at] = (next ? 0 : b->of.bits[b->at]) | (uint32_t)1 << i % BLOCK;
    if (b->at == 2 * WORDS) {
        hry_tally_groups(b->tally, b->of.pairs, WORDS);
        b->of.bits[0] = b->of.bits[2 * WORDS];
        b->at = 0;
    }
}

static inline void end_row(blocks *b)
{
    b->number = NO_BLOCK;
}

static void end(blocks *b)
{
    size_t n = b->at / 2 + 1;
    if (b->at % 2 == 0)
        b->of.bits[b->at + 1] = 0;
    hry_tally_groups(b->tally, b->of.pairs, n);
}

static inline bool is_set(const uint64_t *nonzero, uint64_t i)
{
    return nonzero[i / 64] >> i % 64 & 1;
}

/* CSR, and CSF whose innermost level is the last dimension: the children of a node are a row, in storage order. */
static void add_rows(const hry_sparse *s, const uint64_t *nonzero, blocks *b)
{
    uint32_t level = s->rank - 1;
    bool tree = s->tag == HRY_LAYOUT_CSF;
    const hry_index_array *along = &s->index[tree ? 2 * level + 1 : 0];
    uint64_t low, high = 0, pointers = s->index[tree ? 2 * level : 1].count;
    for (uint64_t row = 0; high < s->nnz && row + 1 < pointers; row++) {
        hry_sparse_children(s, level, row, &low, &high);
        for (uint64_t i = low; i < high; i++)
            if (is_set(nonzero, i))
                add(b, hry_index_at(along, i));
        end_row(b);
    }
}

static bool same_row(const hry_sparse *s, uint64_t i, uint64_t j)
{
    const hry_index_array *coordinates = &s->index[0];
    for (uint32_t k = s->rank - 1; k-- > 0;)
        if (hry_index_at(coordinates, i * s->rank + k) != hry_index_at(coordinates, j * s->rank + k))
            return false;
    return true;
}

static void add_sorted(const hry_sparse *s, const uint64_t *nonzero, blocks *b)
{
    for (uint64_t i = 0; i < s->nnz; i++) {
        if (i > 0 && !same_row(s, i, i - 1))
            end_row(b);
        if (is_set(nonzero, i))
            add(b, hry_index_at(&s->index[0], i * s->rank + s->rank - 1));
    }
}

/* ---- Other orders of storage ---- */

static void take_stored(hry_stored *stored, hry_ordering *order, uint64_t *indices)
{
    uint64_t n = 0;
    uint32_t rank = order->rank;
    while (n < order->count && hry_stored_step(stored)) {
        hry_entry *entry = &order->entries[n++];
        *entry = (hry_entry){ .position = stored->position };
        if (!order->wide)
            entry->key = hry_ordering_key(order, stored->index);
        for (uint32_t k = 0; k < rank && order->wide; k++)
            indices[stored->position * rank + k] = stored->index[k];
    }
}

static void add_ordered(const hry_ordering *order, const uint64_t *nonzero, blocks *b)
{
    uint32_t last = order->rank - 1;
    for (uint64_t i = 0; i < order->count; i++) {
        if (i > 0 && hry_ordering_differs(order, i) < last)
            end_row(b);
        if (is_set(nonzero, order->entries[i].position))
            add(b, hry_ordering_index(order, i, last));
    }
}

static hry_status sort_and_add(const hry_values *v, hry_stored *stored, const uint64_t *nonzero, blocks *b,
                               hry_error *err)
{
    const hry_sparse *s = &stored->sparse;
    hry_ordering order;
    uint64_t entries, numbers = 0;
    uint64_t *indices = NULL;
    hry_ordering_init(&order, s->rank, s->shape, NULL);
    if (!hry_mul(s->nnz, 2, &entries) || (order.wide && !hry_mul(s->nnz, s->rank, &numbers)))
        return hry_fail_memory(err, UINT64_MAX);
    order.entries = hry_alloc_array(v->allocator, entries, sizeof(hry_entry), _Alignof(hry_entry));
    if (order.wide)
        order.indices = indices = hry_alloc_array(v->allocator, numbers, sizeof *indices, _Alignof(uint64_t));
    bool room = order.entries && (indices || !order.wide);
    if (room) {
        order.count = s->nnz;
        hry_stored_start(stored, &v->whole);
        take_stored(stored, &order, indices);
        hry_ordering_sort(&order, s->tag == HRY_LAYOUT_COO ? NULL : s->mode);
        add_ordered(&order, nonzero, b);
    }
    hry_free(v->allocator, indices, (size_t)numbers * sizeof *indices, _Alignof(uint64_t));
    hry_free(v->allocator, order.entries, (size_t)entries * sizeof(hry_entry), _Alignof(hry_entry));
    return room ? HRY_OK : hry_fail_memory(err, entries * sizeof(hry_entry));
}

hry_status hry_sparse_groups(const hry_values *values, const uint64_t *nonzero, hry_tally *tally, hry_error *err)
{
    hry_stored stored;
    hry_sparse *s = &stored.sparse;
    blocks b;
    hry_status status = HRY_OK;
    hry_sparse_of(values->tensor, s);
    memset(tally->most, 0, sizeof tally->most);
    if (s->nnz == 0 || values->last % 4 != 0)
        return HRY_OK; /* no group to look at */
    start(&b, tally);
    if (s->tag == HRY_LAYOUT_CSR || (s->tag == HRY_LAYOUT_CSF && s->mode[s->rank - 1] == s->rank - 1))
        add_rows(s, nonzero, &b);
    else if (s->tag == HRY_LAYOUT_COO && s->is_sorted)
        add_sorted(s, nonzero, &b);
    else
        status = sort_and_add(values, &stored, nonzero, &b, err);
    end(&b);
    return status;
}
