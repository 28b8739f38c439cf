#include "tensor/sparse_groups.h"

#include "base/status.h"
#include "tensor/ordering.h"
#include "tensor/ranges.h"
#include "tensor/stored.h"

#include <stdatomic.h>
#include <string.h>

enum { GRAIN = 1 << 16 }; /* elements that are worth handing to another thread */
enum { BLOCK = 32 };      /* the largest group: all smaller ones lie within */
enum { WORDS = 256 };     /* pairs of blocks that are counted at a time */
enum { KEYS = 256 };      /* that are made at a time */
#define NO_BLOCK UINT64_MAX

/* What ranges share. */
typedef struct grouping {
    hry_ordering order; /* that of storage, without entries, or one that was made; the last dimension is innermost */
    hry_sparse sparse;
    hry_box whole;
    const uint64_t *nonzero;
    _Atomic uint8_t most[HRY_TALLY_GROUPS];
} grouping;

/* The non-zeros of blocks of rows: bits of an element each. */
typedef struct blocks {
    hry_tally tally;
    uint64_t number; /* of the one that is being filled, in its row */
    size_t at;       /* where that one is */
    union {
        uint32_t bits[2 * WORDS + 1];
        uint64_t pairs[WORDS];
    } of;
} blocks;

static void start(blocks *b)
{
    hry_tally_init(&b->tally);
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
        hry_tally_groups(&b->tally, b->of.pairs, WORDS);
        b->of.bits[0] = b->of.bits[2 * WORDS];
        b->at = 0;
    }
}

static inline void end_row(blocks *b)
{
    b->number = NO_BLOCK;
}

/* Maxima: it does not matter which range is the first. */
static void end(blocks *b, grouping *g)
{
    size_t n = b->at / 2 + 1;
    if (b->at % 2 == 0)
        b->of.bits[b->at + 1] = 0;
    hry_tally_groups(&b->tally, b->of.pairs, n);
    for (unsigned i = 0; i < HRY_TALLY_GROUPS; i++) {
        uint8_t most = atomic_load_explicit(&g->most[i], memory_order_relaxed);
        while (b->tally.most[i] > most && !atomic_compare_exchange_weak(&g->most[i], &most, b->tally.most[i]))
            ;
    }
}

static inline bool is_set(const uint64_t *nonzero, uint64_t i)
{
    return nonzero[i / 64] >> i % 64 & 1;
}

/* ---- Rows that start in a range, to their ends ---- */

typedef struct rows {
    blocks blocks;
    uint32_t bits; /* of the last dimension in a key */
    uint64_t last; /* no row starts here or behind */
    uint64_t row;
    bool any, skips; /* the first row is not this range's */
} rows;

/* False when all rows are through. */
static inline bool take(rows *r, uint64_t key, uint64_t i, bool is_set)
{
    uint64_t row = r->bits < 64 ? key >> r->bits : 0, place = r->bits < 64 ? key & (((uint64_t)1 << r->bits) - 1) : key;
    if (!r->any || row != r->row) {
        if (i >= r->last)
            return false;
        r->skips &= !r->any;
        r->any = true;
        r->row = row;
        end_row(&r->blocks);
    }
    if (is_set && !r->skips)
        add(&r->blocks, place);
    return true;
}

static void start_rows(rows *r, const grouping *g, uint64_t first, uint64_t last)
{
    start(&r->blocks);
    r->bits = g->order.bits[g->order.rank - 1];
    r->last = last;
    r->row = 0;
    r->any = false;
    r->skips = first > 0;
}

/* In the order of storage. */
static void add_stored(void *ctx, uint64_t first, uint64_t last)
{
    grouping *g = ctx;
    hry_stored stored = { .sparse = g->sparse };
    hry_form form = hry_ordering_form(&g->order);
    uint64_t keys[KEYS], from;
    bool more = true;
    rows r;
    start_rows(&r, g, first, last);
    hry_stored_start(&stored, &g->whole);
    hry_stored_within(&stored, first - r.skips, g->sparse.nnz);
    for (size_t n; more && (n = hry_stored_numbers(&stored, &form, KEYS, keys, &from)) > 0;)
        for (size_t i = 0; i < n && more; i++)
            more = take(&r, keys[i], from + i, is_set(g->nonzero, from + i));
    end(&r.blocks, g);
}

/* In the order that was made, where entries carry whether they are 0. */
static void add_entries(void *ctx, uint64_t first, uint64_t last)
{
    grouping *g = ctx;
    const hry_entry *entries = g->order.entries;
    rows r;
    start_rows(&r, g, first, last);
    for (uint64_t i = first - r.skips; i < g->order.count && take(&r, entries[i].key, i, entries[i].load); i++)
        ;
    end(&r.blocks, g);
}

/* The same where indices are no keys. */
static void add_wide(grouping *g)
{
    const hry_ordering *order = &g->order;
    uint32_t last = order->rank - 1;
    blocks b;
    start(&b);
    for (uint64_t i = 0; i < order->count; i++) {
        if (i > 0 && hry_ordering_differs(order, i) < last)
            end_row(&b);
        if (is_set(g->nonzero, order->entries[i].load))
            add(&b, hry_ordering_index(order, i, last));
    }
    end(&b, g);
}

static void load_nonzero(const void *nonzero, uint64_t first, size_t n, hry_entry *entries)
{
    for (size_t i = 0; i < n; i++)
        entries[i].load = is_set(nonzero, first + i);
}

/* Whether the elements are stored row by row. */
static bool has_rows(const hry_sparse *s)
{
    bool unsorted = s->tag == HRY_LAYOUT_COO && !s->is_sorted;
    return !unsorted && s->mode[s->rank - 1] == s->rank - 1;
}

static hry_status group_others(grouping *g, const hry_values *v, hry_error *err)
{
    hry_ordering_init(&g->order, g->sparse.rank, g->sparse.shape, NULL);
    hry_status status =
        hry_ordering_fill(&g->order, &g->sparse, load_nonzero, g->nonzero, v->executor, v->allocator, err);
    if (!status && g->order.wide)
        add_wide(g);
    else if (!status)
        hry_in_ranges(g->order.count, GRAIN, v->executor, add_entries, g);
    hry_ordering_fini(&g->order, v->allocator);
    return status;
}

hry_status hry_sparse_groups(const hry_values *values, const uint64_t *nonzero, hry_tally *tally, hry_error *err)
{
    grouping g = { .whole = values->whole, .nonzero = nonzero };
    hry_status status = HRY_OK;
    hry_sparse_of(values->tensor, &g.sparse);
    memset(tally->most, 0, sizeof tally->most);
    if (g.sparse.nnz == 0 || values->last % 4 != 0)
        return HRY_OK; /* no group to look at */
    hry_ordering_init(&g.order, g.sparse.rank, g.sparse.shape, g.sparse.mode);
    if (has_rows(&g.sparse) && !g.order.wide)
        hry_in_ranges(g.sparse.nnz, GRAIN, values->executor, add_stored, &g);
    else
        status = group_others(&g, values, err);
    for (unsigned i = 0; i < HRY_TALLY_GROUPS; i++)
        tally->most[i] = atomic_load(&g.most[i]);
    return status;
}
