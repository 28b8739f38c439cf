/* Duplicates in unsorted coordinates (L-COO-22): sorting finds them, however they were chosen. */
#include "tensor/ordering.h"
#include "tensor/verify.h"

static void load_positions(const void *ctx, uint64_t first, size_t n, hry_entry *entries)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++)
        entries[i].load = first + i;
}

hry_status hry_verify_unsorted(hry_verifier *v)
{
    const hry_allocator *allocator = &v->tensor->allocator;
    hry_ordering order;
    hry_sparse s;
    if (!hry_sparse_of(v->tensor, &s) || s.tag != HRY_LAYOUT_COO || s.is_sorted || s.nnz < 2)
        return HRY_OK;
    hry_ordering_init(&order, s.rank, s.shape, NULL);
    hry_status status = hry_ordering_fill(&order, &s, load_positions, NULL, v->executor, allocator, v->err);
    uint64_t i = status ? 0 : hry_ordering_first_equal(&order, v->executor);
    if (!status && i < order.count) /* equal ones are in the order of storage */
        status = hry_verify_fail(v, HRY_RULE_L_COO_22, 1, order.entries[i].load * s.rank * 8, order.entries[i].load);
    hry_ordering_fini(&order, allocator);
    return status;
}
