#include "tensor/in_order.h"

#include "tensor/sparse.h"

uint64_t hry_box_in_order(const hry_box *whole, uint32_t rank, uint64_t first, uint64_t n, hry_box *box)
{
    uint64_t size = 1;
    uint32_t k = rank;
    *box = *whole;
    for (uint32_t i = rank; i-- > 0; first /= whole->count[i])
        box->start[i] = first % whole->count[i];
    for (; k > 0 && box->start[k - 1] == 0 && n / size >= box->count[k - 1]; k--)
        size *= box->count[k - 1];
    if (k == 0)
        return size;
    for (uint32_t i = 0; i < k - 1; i++)
        box->count[i] = 1;
    uint64_t left = box->count[k - 1] - box->start[k - 1];
    box->count[k - 1] = n / size < left ? n / size : left;
    return size * box->count[k - 1];
}

uint64_t hry_tensor_box_cost(const hry_tensor *tensor)
{
    hry_layout layout;
    hry_layout_store store;
    uint64_t cost = tensor->member_count;
    hry_sparse sparse;
    for (size_t i = 0; i < tensor->member_count; i++) {
        uint64_t one = hry_tensor_box_cost(tensor->members[i]);
        cost = cost > UINT64_MAX - one ? UINT64_MAX : cost + one;
    }
    if (tensor->desc.layout == HRY_LAYOUT_BLOCK_PAGED && hry_desc_layout_get(&tensor->desc, &layout, &store))
        return layout.num_seqs;
    if (!hry_sparse_of(tensor, &sparse))
        return cost;
    if (sparse.tag == HRY_LAYOUT_CSC)
        return sparse.shape[1];
    bool found_by_search = sparse.tag == HRY_LAYOUT_CSR || (sparse.tag == HRY_LAYOUT_CSF && sparse.mode[0] == 0);
    return found_by_search ? 0 : sparse.nnz;
}
