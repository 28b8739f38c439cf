/*
 * Into sparse layouts. The stored elements become entries in the order of the target, whose index arrays are then
 * written from front to back.
 */
#include "base/bytes.h"
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/bits.h"
#include "tensor/sparse_source.h"

#include <hurray/type.h>
#include <string.h>

/* Equal neighbours, in an order that has none. */
static hry_status check_distinct(const hry_relayout *r, const hry_sparse_source *s, hry_error *err)
{
    for (uint64_t i = 1; i < s->order.count; i++)
        if (hry_ordering_differs(&s->order, i) == r->rank)
            return hry_fail_rule_because(err, HRY_RULE_L_COO_22, HRY_SECTION_DATA, 0, s->order.entries[i].position,
                                         "two stored elements have the same index");
    return HRY_OK;
}

/* The nodes of each level of CSF: entries that differ from the one before at that level or above. */
static void count_nodes(const hry_relayout *r, const hry_sparse_source *s, uint64_t *nodes)
{
    for (uint32_t level = 0; level < r->rank; level++)
        nodes[level] = s->order.count > 0;
    for (uint64_t i = 1; i < s->order.count; i++)
        for (uint32_t level = hry_ordering_differs(&s->order, i); level < r->rank; level++)
            nodes[level]++;
}

static hry_status measure(hry_relayout *r, const hry_sparse_source *s, uint64_t *nodes, uint64_t *sizes, hry_error *err)
{
    const hry_layout_row *row = hry_layout_row_of(r->layout.tag);
    r->layout.nnz = s->order.count;
    r->layout.is_sorted = true;
    for (uint32_t i = 0; i < hry_layout_own_buffers(row, r->rank); i++)
        if (!row->buffer_size(&r->layout, r->rank, r->shape, r->bits, i, &sizes[i]))
            return hry_fail_memory(err, UINT64_MAX);
    if (r->layout.tag != HRY_LAYOUT_CSF)
        return HRY_OK;
    count_nodes(r, s, nodes);
    for (uint32_t level = 0; level < r->rank; level++) {
        sizes[2 * level + 1] = 8 * ((level ? nodes[level - 1] : 1) + 1);
        sizes[2 * level + 2] = 8 * nodes[level];
    }
    return HRY_OK;
}

static void put_coordinates(const hry_ordering *order, uint8_t *indices)
{
    for (uint64_t i = 0; i < order->count; i++)
        for (uint32_t k = 0; k < order->rank; k++)
            hry_store64(indices + 8 * (i * order->rank + k), hry_ordering_index(order, i, k));
}

/* pointers[x]: the entries whose outer index is below x. */
static void put_compressed(const hry_ordering *order, uint64_t slices, uint8_t *indices, uint8_t *pointers)
{
    uint64_t slice = 0;
    for (uint64_t i = 0; i < order->count; i++) {
        for (uint64_t outer = hry_ordering_index(order, i, 0); slice <= outer; slice++)
            hry_store64(pointers + 8 * slice, i);
        hry_store64(indices + 8 * i, hry_ordering_index(order, i, 1));
    }
    for (; slice <= slices; slice++)
        hry_store64(pointers + 8 * slice, order->count);
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

#define GATHER(type)                                                             \
    for (uint64_t i = 0; i < n; i++) {                                           \
        type x;                                                                  \
        memcpy(&x, values + hry_sparse_source_place(s, i) * sizeof x, sizeof x); \
        memcpy(to + i * sizeof x, &x, sizeof x);                                 \
    }                                                                            \
    break

static void put_values(const hry_relayout *r, const hry_sparse_source *s, uint8_t *to)
{
    const uint8_t *values = s->values;
    uint64_t n = s->order.count, nbytes = 0;
    if (n == 0 || !hry_type_size(r->bits, n, &nbytes))
        return;
    if (s->in_order && r->bits >= 8) {
        memcpy(to, values, (size_t)nbytes);
        return;
    }
    switch (r->bits) {
    case 8:
        GATHER(uint8_t);
    case 16:
        GATHER(uint16_t);
    case 32:
        GATHER(uint32_t);
    case 64:
        GATHER(uint64_t);
    default:
        memset(to, 0, (size_t)nbytes);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t at = hry_sparse_source_place(s, i);
            if (r->bits < 8)
                hry_bits_set(r->bits, to, (int64_t)(i * r->bits),
                             hry_bits_get(r->bits, values, (int64_t)(at * r->bits)));
            else
                memcpy(to + i * (r->bits / 8), values + at * (r->bits / 8), r->bits / 8);
        }
    }
}

static hry_status build(hry_relayout *r, const hry_sparse_source *s, hry_tensor **out, hry_error *err)
{
    uint64_t sizes[2 * HRY_RANK_MAX + 1] = { 0 }, nodes[HRY_RANK_MAX] = { 0 };
    void *buffers[255];
    hry_status status = check_distinct(r, s, err);
    if (!status)
        status = measure(r, s, nodes, sizes, err);
    if (!status)
        status = hry_relayout_alloc(r, sizes, out, buffers, err);
    if (status)
        return status;
    put_values(r, s, buffers[0]);
    switch (r->layout.tag) {
    case HRY_LAYOUT_COO:
        put_coordinates(&s->order, buffers[1]);
        break;
    case HRY_LAYOUT_CSF:
        put_tree(&s->order, buffers);
        break;
    default:
        put_compressed(&s->order, r->shape[s->order.mode[0]], buffers[1], buffers[2]);
    }
    return HRY_OK;
}

static hry_status check_rank(const hry_relayout *r, hry_error *err)
{
    uint8_t tag = r->layout.tag;
    bool matrix = tag == HRY_LAYOUT_CSR || tag == HRY_LAYOUT_CSC;
    if (r->rank == 0 || (matrix && r->rank != 2) || (tag == HRY_LAYOUT_CSF && r->rank < 3))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_HEADER, 16, r->rank, "the %s layout cannot have rank %u",
                        hry_layout_name(tag), r->rank);
    uint64_t seen = 0;
    for (uint32_t k = 0; tag == HRY_LAYOUT_CSF && r->layout.mode_order && k < r->rank; k++) {
        uint32_t mode = r->layout.mode_order[k];
        if (mode >= r->rank || seen >> mode & 1)
            return hry_fail_usage(err, "mode_order is not a permutation of the dimensions");
        seen |= (uint64_t)1 << mode;
    }
    return HRY_OK;
}

hry_status hry_relayout_sparse(hry_relayout *r, hry_tensor **out, hry_error *err)
{
    hry_sparse_source s = { 0 };
    hry_status status = check_rank(r, err);
    if (status)
        return status;
    const uint32_t columns_first[] = { 1, 0 };
    const uint32_t *mode = r->layout.tag == HRY_LAYOUT_CSC   ? columns_first
                           : r->layout.tag == HRY_LAYOUT_CSF ? r->layout.mode_order
                                                             : NULL;
    hry_ordering_init(&s.order, r->rank, r->shape, mode);
    status = hry_sparse_source_init(r, &s, err);
    if (!status)
        status = build(r, &s, out, err);
    hry_sparse_source_fini(r, &s);
    return status;
}
