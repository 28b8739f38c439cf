#include "tensor/sparse_source.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/bits.h"
#include "tensor/sparse.h"
#include "tensor/stored.h"
#include "tensor/verify.h"

#include <hurray/type.h>
#include <string.h>

void hry_sparse_source_fini(const hry_relayout *r, hry_sparse_source *s)
{
    const hry_allocator *allocator = r->options.allocator;
    hry_free(allocator, s->order.entries, 2 * (size_t)s->order.count * sizeof(hry_entry), _Alignof(hry_entry));
    hry_free(allocator, s->indices, (size_t)s->order.count * r->rank * sizeof(uint64_t), _Alignof(uint64_t));
    hry_free(allocator, s->dense, s->dense_bytes, 64);
}

/* Room for count entries, and for as many again to sort; for their indices as well where keys are too short. */
static hry_status make_room(const hry_relayout *r, hry_sparse_source *s, uint64_t count, hry_error *err)
{
    uint64_t twice, numbers;
    const hry_allocator *allocator = r->options.allocator;
    if (!hry_mul(count, 2, &twice) || !hry_mul(count, r->rank, &numbers))
        return hry_fail_memory(err, UINT64_MAX);
    s->order.entries = hry_alloc_array(allocator, twice, sizeof(hry_entry), _Alignof(hry_entry));
    if (s->order.entries)
        s->order.count = count;
    if (s->order.wide && s->order.entries)
        s->indices = hry_alloc_array(allocator, numbers, sizeof(uint64_t), _Alignof(uint64_t));
    s->order.indices = s->indices;
    return s->order.entries && (s->indices || !s->order.wide) ? HRY_OK : hry_fail_memory(err, count);
}

/* ---- From a sparse tensor ---- */

/* The rows (columns) of a compressed matrix: no search and no box, as every element is wanted. */
static void take_compressed(const hry_sparse *sparse, hry_sparse_source *s)
{
    uint64_t index[2], n = 0;
    uint32_t outer = sparse->mode[0], inner = sparse->mode[1];
    for (uint64_t slice = 0; slice < sparse->shape[outer]; slice++) {
        uint64_t low, high;
        hry_sparse_children(sparse, 1, slice, &low, &high);
        index[outer] = slice;
        for (uint64_t i = low; i < high && n < s->order.count; i++) {
            index[inner] = hry_index_at(&sparse->index[0], i);
            s->order.entries[n++] = (hry_entry){ hry_ordering_key(&s->order, index), i };
        }
    }
}

static void take_coordinates(const hry_sparse *sparse, hry_sparse_source *s)
{
    uint64_t index[HRY_RANK_MAX];
    for (uint64_t i = 0; i < s->order.count; i++) {
        for (uint32_t k = 0; k < sparse->rank; k++)
            index[k] = hry_index_at(&sparse->index[0], i * sparse->rank + k);
        s->order.entries[i] = (hry_entry){ hry_ordering_key(&s->order, index), i };
    }
}

/* Any layout, and keys of any length. */
static void take_stored(const hry_relayout *r, hry_sparse_source *s)
{
    hry_stored stored;
    hry_box whole;
    uint64_t n = 0;
    uint64_t *indices = s->indices;
    if (hry_box_resolve(NULL, r->rank, r->shape, &whole, NULL) || !hry_sparse_of(r->tensor, &stored.sparse))
        return;
    hry_stored_start(&stored, &whole);
    while (n < s->order.count && hry_stored_step(&stored)) {
        hry_entry entry = { 0, stored.position };
        if (s->order.wide)
            memcpy(indices + stored.position * r->rank, stored.index, r->rank * sizeof *indices);
        else
            entry.key = hry_ordering_key(&s->order, stored.index);
        s->order.entries[n++] = entry;
    }
}

static hry_status from_sparse(const hry_relayout *r, const hry_sparse *sparse, hry_sparse_source *s, hry_error *err)
{
    hry_status status = hry_verify_once(r->tensor, r->options.executor, err);
    if (!status)
        status = make_room(r, s, sparse->nnz, err);
    if (status)
        return status;
    if (s->order.wide || sparse->tag == HRY_LAYOUT_CSF)
        take_stored(r, s);
    else if (sparse->tag == HRY_LAYOUT_COO)
        take_coordinates(sparse, s);
    else
        take_compressed(sparse, s);
    uint32_t identity[HRY_RANK_MAX];
    for (uint32_t k = 0; k < r->rank; k++)
        identity[k] = k;
    bool coo = sparse->tag == HRY_LAYOUT_COO;
    const uint32_t *before = !coo ? sparse->mode : sparse->is_sorted ? identity : NULL;
    hry_ordering_sort(&s->order, before);
    s->in_order = before && memcmp(before, s->order.mode, r->rank * sizeof *before) == 0;
    s->values = r->tensor->buffers[0];
    return HRY_OK;
}

/* ---- From any other tensor ---- */

static bool is_zero(const uint8_t *dense, uint32_t bits, uint64_t i)
{
    static const uint8_t zeros[16];
    if (bits < 8)
        return hry_bits_get(bits, dense, (int64_t)(i * bits)) == 0;
    return memcmp(dense + i * (bits / 8), zeros, bits / 8) == 0;
}

/* The elements whose bits are not all 0, from one on; count when there is no more. */
static uint64_t next_nonzero(const uint8_t *dense, uint32_t bits, uint64_t i, uint64_t count)
{
    while (i < count) {
        /* Eight bytes of zeros at a time, where an element starts with them. */
        uint64_t bit = i * bits;
        if (bit % 8 == 0 && 64 % bits == 0 && count - i >= 64 / bits && hry_load64(dense + bit / 8) == 0)
            i += 64 / bits;
        else if (is_zero(dense, bits, i))
            i++;
        else
            return i;
    }
    return count;
}

/* All elements in the order of the target, packed. */
static hry_status read_in_order(const hry_relayout *r, hry_sparse_source *s, uint64_t count, hry_error *err)
{
    int64_t strides[HRY_RANK_MAX];
    uint64_t nbytes, step = 1; /* it may wrap where a dimension is 0, and no stride counts */
    hry_map map;
    if (!hry_type_size(r->bits, count, &nbytes) || !hry_to_size(nbytes, &s->dense_bytes) ||
        !(s->dense = hry_alloc_zeroed(r->options.allocator, s->dense_bytes, 64))) {
        s->dense_bytes = 0;
        return hry_fail_memory(err, count);
    }
    s->values = s->dense;
    for (uint32_t level = r->rank; level-- > 0;) {
        strides[s->order.mode[level]] = (int64_t)step;
        step *= r->shape[s->order.mode[level]];
    }
    hry_map_strided(&map, r->rank, r->shape, strides);
    return hry_relayout_read(r, s->dense, &map, err);
}

/* The entries of the elements that are not 0, with their places as positions. */
static void take_nonzero(const hry_relayout *r, hry_sparse_source *s, uint64_t count)
{
    uint64_t index[HRY_RANK_MAX] = { 0 }, n = 0, before = 0;
    uint32_t last = r->rank - 1;
    uint64_t *indices = s->indices;
    for (uint64_t i = next_nonzero(s->values, r->bits, 0, count); i < count;
         i = next_nonzero(s->values, r->bits, i + 1, count)) {
        /* Onwards by i - before: mostly within the innermost level. */
        uint64_t add = i - before;
        before = i;
        for (uint32_t level = last;; level--) {
            uint32_t k = s->order.mode[level];
            index[k] += add;
            if (index[k] < r->shape[k] || level == 0)
                break;
            add = index[k] / r->shape[k];
            index[k] %= r->shape[k];
        }
        hry_entry entry = { 0, i };
        if (s->order.wide) { /* indices are by entry here, and positions come to mean places below */
            memcpy(indices + n * r->rank, index, r->rank * sizeof *indices);
            entry.key = i;
            entry.position = n;
        } else {
            entry.key = hry_ordering_key(&s->order, index);
        }
        s->order.entries[n++] = entry;
    }
}

static hry_status from_dense(const hry_relayout *r, hry_sparse_source *s, hry_error *err)
{
    uint64_t count, nnz = 0;
    if (!hry_shape_product(r->shape, r->rank, &count) || count > INT64_MAX)
        return hry_fail_memory(err, UINT64_MAX);
    hry_status status = read_in_order(r, s, count, err);
    if (status)
        return status;
    for (uint64_t i = next_nonzero(s->values, r->bits, 0, count); i < count;
         i = next_nonzero(s->values, r->bits, i + 1, count))
        nnz++;
    status = make_room(r, s, nnz, err);
    if (!status)
        take_nonzero(r, s, count);
    return status;
}

hry_status hry_sparse_source_init(const hry_relayout *r, hry_sparse_source *s, hry_error *err)
{
    hry_sparse sparse;
    return hry_sparse_of(r->tensor, &sparse) ? from_sparse(r, &sparse, s, err) : from_dense(r, s, err);
}
