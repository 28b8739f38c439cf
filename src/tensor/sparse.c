#include "tensor/sparse.h"

#include "base/checked.h"

/* A buffer as numbers; nothing for one that is not there. */
static hry_index_array array_of(const hry_tensor *tensor, uint32_t buffer)
{
    uint64_t nbytes;
    const uint8_t *bytes = hry_tensor_buffer(tensor, buffer, &nbytes);
    return (hry_index_array){ bytes, bytes ? nbytes / 8 : 0 };
}

static void at_most(uint64_t *nnz, uint64_t most)
{
    if (*nnz > most)
        *nnz = most;
}

bool hry_sparse_of(const hry_tensor *tensor, hry_sparse *sparse)
{
    const hry_desc *desc = &tensor->desc;
    hry_layout layout;
    hry_layout_store store;
    uint32_t rank = desc->rank, arrays = 2 * rank;
    if (desc->layout < HRY_LAYOUT_COO || desc->layout > HRY_LAYOUT_CSF || !hry_desc_layout_get(desc, &layout, &store))
        return false;
    if (desc->layout != HRY_LAYOUT_CSF)
        arrays = desc->layout == HRY_LAYOUT_COO ? 1 : 2;
    sparse->tag = desc->layout;
    sparse->is_sorted = layout.is_sorted;
    sparse->rank = rank;
    sparse->nnz = layout.nnz;
    hry_desc_shape(desc, sparse->shape);
    for (uint32_t i = 0; i < arrays; i++)
        sparse->index[i] = array_of(tensor, i + 1);
    for (uint32_t k = 0; k < rank; k++)
        sparse->mode[k] = desc->layout == HRY_LAYOUT_CSF   ? layout.mode_order[k]
                          : desc->layout == HRY_LAYOUT_CSC ? rank - 1 - k
                                                           : k;
    /* The descriptor's rules say that values and leaves are all there (D-38). */
    if (desc->layout == HRY_LAYOUT_COO)
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): only row-major has rank 0 (D-16) */
        at_most(&sparse->nnz, sparse->index[0].count / rank);
    else
        at_most(&sparse->nnz, sparse->index[desc->layout == HRY_LAYOUT_CSF ? 2 * rank - 1 : 0].count);
    return true;
}

void hry_sparse_children(const hry_sparse *sparse, uint32_t level, uint64_t p, uint64_t *low, uint64_t *high)
{
    bool tree = sparse->tag == HRY_LAYOUT_CSF;
    const hry_index_array *pointers = &sparse->index[tree ? 2 * level : 1];
    uint64_t most = !tree || level == sparse->rank - 1 ? sparse->nnz : sparse->index[2 * level + 1].count;
    *low = *high = 0;
    if (pointers->count < 2 || p > pointers->count - 2)
        return;
    uint64_t from = hry_index_at(pointers, p), to = hry_index_at(pointers, p + 1);
    if (from <= to && to <= most) {
        *low = from;
        *high = to;
    }
}

uint64_t hry_index_search(const hry_index_array *array, uint64_t low, uint64_t high, uint64_t value)
{
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (hry_index_at(array, middle) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* -1, 0, 1: coordinates of entry i against index, by the first n dimensions. */
static int compare(const hry_sparse *sparse, uint64_t i, const uint64_t *index, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        uint64_t at = hry_index_at(&sparse->index[0], i * sparse->rank + k);
        if (at != index[k])
            return at < index[k] ? -1 : 1;
    }
    return 0;
}

uint64_t hry_coo_search(const hry_sparse *sparse, const uint64_t *index, uint32_t n)
{
    uint64_t low = 0, high = sparse->nnz;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (compare(sparse, middle, index, n) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool find_coo(const hry_sparse *sparse, const uint64_t *index, uint64_t *position)
{
    uint64_t i = sparse->is_sorted ? hry_coo_search(sparse, index, sparse->rank) : 0;
    uint64_t end = sparse->is_sorted && i < sparse->nnz ? i + 1 : sparse->nnz;
    for (; i < end; i++)
        if (compare(sparse, i, index, sparse->rank) == 0) {
            *position = i;
            return true;
        }
    return false;
}

/* Down the tree; a compressed matrix is one of two levels, the first of which has every row. */
bool hry_sparse_find(const hry_sparse *sparse, const uint64_t *index, uint64_t *position)
{
    if (sparse->tag == HRY_LAYOUT_COO)
        return find_coo(sparse, index, position);
    bool tree = sparse->tag == HRY_LAYOUT_CSF;
    uint64_t p = tree ? 0 : index[sparse->mode[0]], low, high;
    for (uint32_t level = tree ? 0 : 1; level < sparse->rank; level++) {
        const hry_index_array *coordinates = &sparse->index[tree ? 2 * level + 1 : 0];
        uint64_t want = index[sparse->mode[level]];
        hry_sparse_children(sparse, level, p, &low, &high);
        p = hry_index_search(coordinates, low, high, want);
        if (p == high || hry_index_at(coordinates, p) != want)
            return false;
    }
    *position = p;
    return true;
}
