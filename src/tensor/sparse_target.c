#include "tensor/sparse_target.h"

#include "base/bytes.h"
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/bits.h"
#include "tensor/entry_values.h"
#include "tensor/ranges.h"

#include <hurray/type.h>
#include <string.h>

enum { GRAIN = 1 << 14 }; /* entries, or elements: values of as many fill whole bytes */

/* The nodes of each level of CSF: entries that differ from the one before at that level or above. */
static void count_nodes(const hry_ordering *order, uint64_t *nodes)
{
    for (uint32_t level = 0; level < order->rank; level++)
        nodes[level] = order->count > 0;
    for (uint64_t i = 1; i < order->count; i++)
        for (uint32_t level = hry_ordering_differs(order, i); level < order->rank; level++)
            nodes[level]++;
}

/* order is that of a tree, whose nodes say what it takes; others are told by nnz. */
static hry_status make_tensor(hry_relayout *r, uint64_t nnz, const hry_ordering *order, hry_tensor **out,
                              void **buffers, hry_error *err)
{
    const hry_layout_row *row = hry_layout_row_of(r->layout.tag);
    uint64_t sizes[2 * HRY_RANK_MAX + 1] = { 0 }, nodes[HRY_RANK_MAX] = { 0 };
    r->layout.nnz = nnz;
    r->layout.is_sorted = true;
    for (uint32_t i = 0; i < hry_layout_own_buffers(row, r->rank); i++)
        if (!row->buffer_size(&r->layout, r->rank, r->shape, r->bits, i, &sizes[i]))
            return hry_fail_memory(err, UINT64_MAX);
    bool tree = order && r->layout.tag == HRY_LAYOUT_CSF;
    if (tree)
        count_nodes(order, nodes);
    for (uint32_t level = 0; tree && level < r->rank; level++) {
        sizes[2 * level + 1] = 8 * ((level ? nodes[level - 1] : 1) + 1);
        sizes[2 * level + 2] = 8 * nodes[level];
    }
    hry_status status = hry_relayout_alloc(r, sizes, out, buffers, err);
    if (!status && r->bits < 8 && sizes[0])
        memset(buffers[0], 0, (size_t)sizes[0]);
    return status;
}

/* ---- From entries ---- */

typedef struct putting {
    const hry_relayout *r;
    const hry_ordering *order;
    hry_entry_values values;
    void **buffers;
} putting;

static void put_coordinates(const hry_ordering *order, uint64_t first, uint64_t end, uint8_t *indices)
{
    for (uint64_t i = first; i < end; i++)
        for (uint32_t k = 0; k < order->rank; k++)
            hry_store64(indices + 8 * (i * order->rank + k), hry_ordering_index(order, i, k));
}

/* pointers[x]: the entries whose outer index is below x. */
static void put_compressed(const hry_ordering *order, uint64_t first, uint64_t end, uint64_t slices, uint8_t *indices,
                           uint8_t *pointers)
{
    uint64_t slice = first ? hry_ordering_index(order, first - 1, 0) + 1 : 0;
    for (uint64_t i = first; i < end; i++) {
        for (uint64_t outer = hry_ordering_index(order, i, 0); slice <= outer; slice++)
            hry_store64(pointers + 8 * slice, i);
        hry_store64(indices + 8 * i, hry_ordering_index(order, i, 1));
    }
    for (; end == order->count && slice <= slices; slice++)
        hry_store64(pointers + 8 * slice, end);
}

static void put_tree(const hry_ordering *order, void **buffers)
{
    uint64_t nodes[HRY_RANK_MAX] = { 0 };
    hry_store64(buffers[1], 0);
    for (uint64_t i = 0; i < order->count; i++)
        for (uint32_t level = i ? hry_ordering_differs(order, i) : 0; level < order->rank; level++) {
            uint8_t *crd = buffers[2 * level + 2];
            hry_store64(crd + 8 * nodes[level], hry_ordering_index(order, i, level));
            if (level + 1 < order->rank) /* its children start where those so far end */
                hry_store64((uint8_t *)buffers[2 * level + 3] + 8 * nodes[level], nodes[level + 1]);
            nodes[level]++;
        }
    for (uint32_t level = 0; level < order->rank; level++)
        hry_store64((uint8_t *)buffers[2 * level + 1] + 8 * (level ? nodes[level - 1] : 1), nodes[level]);
}

static void put_range(void *ctx, uint64_t first, uint64_t end)
{
    const putting *p = ctx;
    const hry_relayout *r = p->r;
    if (first < end)
        hry_entry_values_put(&p->values, p->order->entries, first, end, p->buffers[0]);
    if (r->layout.tag == HRY_LAYOUT_COO)
        put_coordinates(p->order, first, end, p->buffers[1]);
    else if (r->layout.tag != HRY_LAYOUT_CSF)
        put_compressed(p->order, first, end, r->shape[p->order->mode[0]], p->buffers[1], p->buffers[2]);
}

hry_status hry_target_from_entries(hry_relayout *r, const hry_ordering *order, const uint8_t *values, hry_tensor **out,
                                   hry_error *err)
{
    void *buffers[255];
    putting p = { r, order, hry_entry_values_of(order, values, r->bits), buffers };
    hry_status status = make_tensor(r, order->count, order, out, buffers, err);
    if (status)
        return status;
    if (order->count > 0)
        hry_in_ranges(order->count, GRAIN, r->options.executor, put_range, &p);
    else
        put_range(&p, 0, 0);
    if (r->layout.tag == HRY_LAYOUT_CSF)
        put_tree(order, buffers);
    return HRY_OK;
}

/* ---- From bits ---- */

typedef struct collecting {
    const hry_relayout *r;
    const hry_nonzeros *nonzeros;
    uint8_t *values, *indices;
} collecting;

/* Values that have no size of their own: elements list[i] behind number first to places at, at + 1, ... */
static void gather(const collecting *c, uint64_t first, const uint64_t *list, size_t n, uint64_t at)
{
    uint32_t bits = c->r->bits;
    const uint8_t *values = c->nonzeros->values;
    for (size_t i = 0; i < n; i++)
        if (bits < 8)
            hry_bits_set(bits, c->values, (int64_t)((at + i) * bits),
                         hry_bits_get(bits, values, (int64_t)((first + list[i]) * bits)));
        else
            memcpy(c->values + (size_t)(at + i) * (bits / 8), values + (size_t)(first + list[i]) * (bits / 8),
                   bits / 8);
}

static void collect_range(void *ctx, uint64_t first, uint64_t end)
{
    const collecting *c = ctx;
    const hry_nonzeros *z = c->nonzeros;
    uint64_t list[HRY_NONZEROS_SPAN + 3], values[HRY_NONZEROS_SPAN + 3], at = z->starts[first];
    for (uint64_t slice = first; slice < end; slice++)
        for (uint64_t j = 0; j < z->length; j += HRY_NONZEROS_SPAN) {
            size_t n = hry_nonzeros_pick(z, slice, j, list, values);
            if (n == 0)
                continue;
            for (size_t i = 0; i < n; i++)
                hry_store64(c->indices + 8 * (size_t)(at + i), list[i]);
            if (z->size)
                memcpy(c->values + (size_t)at * z->size, values, n * z->size);
            else
                gather(c, slice * z->length, list, n, at);
            at += n;
        }
}

hry_status hry_target_from_nonzeros(hry_relayout *r, const hry_nonzeros *z, hry_tensor **out, hry_error *err)
{
    void *buffers[255];
    hry_status status = make_tensor(r, hry_nonzeros_found(z), NULL, out, buffers, err);
    if (status)
        return status;
    collecting c = { r, z, buffers[0], buffers[1] };
    for (uint64_t slice = 0; slice <= z->slices; slice++)
        hry_store64((uint8_t *)buffers[2] + 8 * slice, z->starts[slice]);
    /* Elements of less than a byte share bytes with those of the next slice. */
    if (hry_nonzeros_found(z))
        hry_in_ranges(z->slices, GRAIN / z->length + 1, r->bits < 8 ? NULL : r->options.executor, collect_range, &c);
    return HRY_OK;
}
