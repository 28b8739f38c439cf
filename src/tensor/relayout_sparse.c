/*
 * Into sparse layouts. The stored elements become entries in the order of the target, whose index arrays are then
 * written from front to back; from what is not sparse into compressed matrices, they are written without entries.
 */
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/entry_values.h"
#include "tensor/sparse_target.h"
#include "tensor/verify.h"

/* ---- From a sparse tensor ---- */

/* Equal neighbours, in an order that has none. Only unsorted lists have not been looked through for them. */
static hry_status check_distinct(const hry_relayout *r, const hry_sparse *sparse, const hry_ordering *order,
                                 hry_error *err)
{
    bool unsorted = sparse->tag == HRY_LAYOUT_COO && !sparse->is_sorted;
    if (!unsorted || hry_ordering_first_equal(order, r->options.executor) == order->count)
        return HRY_OK;
    hry_verifier v = { .tensor = r->tensor, .executor = r->options.executor, .err = err };
    return hry_verify_unsorted(&v); /* says which */
}

static hry_status from_sparse(hry_relayout *r, const hry_sparse *sparse, hry_ordering *order, hry_tensor **out,
                              hry_error *err)
{
    const uint8_t *values = r->tensor->buffers[0];
    hry_entry_values loads = hry_entry_values_of(order, values, r->bits);
    hry_status status = hry_verify_once(r->tensor, r->options.executor, err);
    if (!status)
        status = hry_ordering_fill(order, sparse, hry_entry_values_load, &loads, r->options.executor,
                                   r->options.allocator, err);
    if (!status)
        status = check_distinct(r, sparse, order, err);
    return status ? status : hry_target_from_entries(r, order, values, out, err);
}

/* ---- From any other tensor ---- */

/* The index of the next slice. */
static void next_slice(const hry_relayout *r, const hry_ordering *order, uint64_t *index)
{
    for (uint32_t level = r->rank - 1; level-- > 0;) {
        uint32_t k = order->mode[level];
        if (++index[k] < r->shape[k])
            return;
        index[k] = 0;
    }
}

static void take_nonzeros(const hry_relayout *r, const hry_nonzeros *z, hry_ordering *order)
{
    hry_entry_values loads = hry_entry_values_of(order, z->values, r->bits);
    hry_entry *entry = order->entries;
    uint64_t index[HRY_RANK_MAX] = { 0 }, list[HRY_NONZEROS_SPAN + 3], values[HRY_NONZEROS_SPAN + 3];
    for (uint64_t slice = 0; slice < z->slices; slice++, next_slice(r, order, index)) {
        uint64_t outer = hry_ordering_key(order, index);
        for (uint64_t j = 0; j < z->length; j += HRY_NONZEROS_SPAN) {
            size_t n = hry_nonzeros_pick(z, slice, j, list, values);
            for (size_t i = 0; i < n; i++, entry++) {
                entry->key = outer | list[i]; /* the innermost level is the lowest */
                hry_entry_values_load(&loads, slice * z->length + list[i], 1, entry);
            }
        }
    }
}

static hry_status from_others(hry_relayout *r, hry_ordering *order, hry_tensor **out, hry_error *err)
{
    hry_nonzeros z = { 0 };
    hry_status status = hry_nonzeros_init(r, order->mode, &z, err);
    if (!status && r->layout.tag != HRY_LAYOUT_COO && r->layout.tag != HRY_LAYOUT_CSF) {
        status = hry_target_from_nonzeros(r, &z, out, err);
    } else if (!status) {
        /* Elements that are all there are no more than 64 bits count, and where dimensions have so few of a power of
         * two that their indices take more, they do not fit any memory. */
        uint64_t found = hry_nonzeros_found(&z);
        status = order->wide && found ? hry_fail_array(err, found, 2 * sizeof(hry_entry))
                                      : hry_ordering_alloc(order, found, r->options.allocator, err);
        if (!status && found)
            take_nonzeros(r, &z, order);
        if (!status)
            status = hry_target_from_entries(r, order, z.values, out, err);
    }
    hry_nonzeros_fini(r, &z);
    return status;
}

/* ---- */

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
    hry_ordering order;
    hry_sparse sparse;
    hry_status status = check_rank(r, err);
    if (status)
        return status;
    const uint32_t columns_first[] = { 1, 0 };
    const uint32_t *mode = r->layout.tag == HRY_LAYOUT_CSC   ? columns_first
                           : r->layout.tag == HRY_LAYOUT_CSF ? r->layout.mode_order
                                                             : NULL;
    hry_ordering_init(&order, r->rank, r->shape, mode);
    status = hry_sparse_of(r->tensor, &sparse) ? from_sparse(r, &sparse, &order, out, err)
                                               : from_others(r, &order, out, err);
    hry_ordering_fini(&order, r->options.allocator);
    return status;
}
