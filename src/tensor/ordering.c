#include "tensor/ordering.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "layout/map.h"
#include "tensor/entry_sort.h"
#include "tensor/ranges.h"

enum { GRAIN = 1 << 14 }; /* elements that are worth handing to another thread */
enum { BLOCK = 256 };     /* numbers that are made at a time */

void hry_ordering_init(hry_ordering *order, uint32_t rank, const uint64_t *shape, const uint32_t *mode)
{
    uint32_t total = 0;
    *order = (hry_ordering){ .rank = rank };
    for (uint32_t level = rank; level-- > 0;) {
        uint32_t k = mode ? mode[level] : level;
        uint32_t bits = shape[k] < 2 ? 0 : 64 - (uint32_t)__builtin_clzll(shape[k] - 1);
        order->mode[level] = k;
        order->bits[level] = bits;
        order->shift[level] = total;
        total += bits;
    }
    order->wide = total > 64;
}

hry_status hry_ordering_alloc(hry_ordering *order, uint64_t count, const hry_allocator *allocator, hry_error *err)
{
    uint64_t nbytes = UINT64_MAX;
    if (!hry_mul_add(count, 2 * sizeof(hry_entry), HRY_ENTRY_SORT_ROOM, &nbytes) ||
        !hry_to_size(nbytes, &order->block_size) ||
        !(order->block = hry_alloc(allocator, order->block_size, _Alignof(hry_entry))))
        return hry_fail_memory(err, nbytes);
    order->count = count;
    order->entries = order->block;
    return HRY_OK;
}

void hry_ordering_fini(hry_ordering *order, const hry_allocator *allocator)
{
    hry_free(allocator, order->own_indices, (size_t)order->count * order->rank * sizeof(uint64_t), 8);
    hry_free(allocator, order->block, order->block_size, _Alignof(hry_entry));
}

uint32_t hry_ordering_differs(const hry_ordering *order, uint64_t i)
{
    uint32_t level = 0;
    if (!order->wide && order->entries[i].key == order->entries[i - 1].key)
        return order->rank;
    while (level < order->rank && hry_ordering_index(order, i, level) == hry_ordering_index(order, i - 1, level))
        level++;
    return level;
}

static uint64_t look_for_equal(const void *ctx, uint64_t first, uint64_t end)
{
    const hry_ordering *order = ctx;
    for (uint64_t i = first ? first : 1; i < end; i++)
        if (hry_ordering_differs(order, i) == order->rank)
            return i;
    return end;
}

uint64_t hry_ordering_first_equal(const hry_ordering *order, const hry_executor *executor)
{
    return hry_first_in_ranges(order->count, GRAIN, executor, look_for_equal, order);
}

/* ---- Entries from stored elements ---- */

typedef struct taking {
    hry_ordering *order;
    const hry_sparse *sparse;
    hry_box whole;
    hry_form form; /* keys */
    hry_load_fn *load;
    const void *ctx;
    _Atomic uint64_t taken;
} taking;

static void take_range(void *ctx, uint64_t first, uint64_t end)
{
    taking *t = ctx;
    hry_stored stored = { .sparse = *t->sparse };
    uint64_t keys[BLOCK], from, taken = 0;
    size_t n;
    hry_stored_start(&stored, &t->whole);
    hry_stored_within(&stored, first, end);
    while ((n = hry_stored_numbers(&stored, &t->form, BLOCK, keys, &from)) > 0) {
        hry_entry *entries = t->order->entries + from;
        for (size_t i = 0; i < n; i++)
            entries[i].key = keys[i];
        t->load(t->ctx, from, n, entries);
        taken += n;
    }
    atomic_fetch_add_explicit(&t->taken, taken, memory_order_relaxed);
}

/* Positions, and the indices that they stand for: those of COO are there. */
static hry_status take_wide(taking *t, const hry_allocator *allocator, hry_error *err)
{
    hry_ordering *order = t->order;
    hry_stored stored = { .sparse = *t->sparse };
    uint64_t numbers, taken = 0;
    for (uint64_t i = 0; i < order->count; i++)
        order->entries[i] = (hry_entry){ .load = i };
    atomic_store(&t->taken, order->count);
    order->indices = t->sparse->index[0].bytes;
    if (t->sparse->tag == HRY_LAYOUT_COO)
        return HRY_OK;
    if (!hry_mul(order->count, order->rank, &numbers) ||
        !(order->own_indices = hry_alloc_array(allocator, numbers, sizeof(uint64_t), 8)))
        return hry_fail_array(err, order->count, order->rank * sizeof(uint64_t));
    order->indices = order->own_indices;
    hry_stored_start(&stored, &t->whole);
    for (; hry_stored_step(&stored); taken++)
        for (uint32_t k = 0; k < order->rank; k++)
            hry_store64((uint8_t *)order->own_indices + 8 * (stored.position * order->rank + k), stored.index[k]);
    atomic_store(&t->taken, taken);
    return HRY_OK;
}

/* ---- In order ---- */

/* Level first and below are the dimensions of before, in its order, without those of the levels above. */
static bool follows(const hry_ordering *order, const uint32_t *before, uint32_t first)
{
    uint32_t level = first;
    for (uint32_t i = 0; i < order->rank; i++) {
        bool above = false;
        for (uint32_t j = 0; j < first; j++)
            above |= order->mode[j] == before[i];
        if (!above && order->mode[level++] != before[i])
            return false;
    }
    return true;
}

/* The number of levels that have to be sorted by: entries that ascend by the levels of the source and are moved stably
 * have the levels below in order then. */
static uint32_t unsorted_levels(const hry_ordering *order, const hry_sparse *sparse)
{
    bool none = sparse->tag == HRY_LAYOUT_COO && !sparse->is_sorted;
    for (uint32_t first = 0; !none && first < order->rank; first++)
        if (follows(order, sparse->mode, first))
            return first;
    return order->rank;
}

static void sort(hry_ordering *order, const hry_sparse *sparse, const hry_executor *executor)
{
    uint32_t levels = unsorted_levels(order, sparse);
    if (levels == 0 || order->count < 2)
        return;
    if (!order->wide) {
        uint32_t low = order->shift[levels - 1], high = order->shift[0] + order->bits[0];
        if (low == high) /* levels of one index each */
            return;
        order->entries = hry_sort_entries(order->block, order->entries, order->count, low, high, executor);
        return;
    }
    while (levels-- > 0) { /* a level at a time, the innermost first */
        for (uint64_t i = 0; i < order->count; i++)
            order->entries[i].key = hry_ordering_index(order, i, levels);
        order->entries = hry_sort_entries(order->block, order->entries, order->count, 0, order->bits[levels], executor);
    }
}

hry_status hry_ordering_fill(hry_ordering *order, const hry_sparse *sparse, hry_load_fn *load, const void *ctx,
                             const hry_executor *executor, const hry_allocator *allocator, hry_error *err)
{
    taking t = { .order = order, .sparse = sparse, .load = load, .ctx = ctx };
    hry_status status = hry_ordering_alloc(order, sparse->nnz, allocator, err);
    if (!status)
        status = hry_box_resolve(NULL, sparse->rank, sparse->shape, &t.whole, err);
    if (status)
        return status;
    if (order->wide) {
        status = take_wide(&t, allocator, err);
    } else {
        t.form = hry_ordering_form(order);
        hry_in_ranges(order->count, GRAIN, executor, take_range, &t);
    }
    if (status)
        return status;
    if (atomic_load(&t.taken) != order->count)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_DATA, 0, 0, "index arrays have changed since they were verified");
    sort(order, sparse, executor);
    return HRY_OK;
}
