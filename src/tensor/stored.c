#include "tensor/stored.h"

#include "base/alloc.h"
#include "base/status.h"
#include "layout/map.h"
#include "tensor/verify.h"

static bool in_box(const hry_stored *s, uint32_t k, uint64_t i)
{
    uint64_t position;
    return hry_box_position(&s->box, k, i, &position);
}

/* Positions low..high-1 of ascending coordinates, less those outside of the box's bounds. */
static void clip(hry_stored *s, uint32_t level, const hry_index_array *coordinates, uint32_t k, uint64_t low,
                 uint64_t high)
{
    if (s->box.count[k] < s->sparse.shape[k]) {
        low = hry_index_search(coordinates, low, high, s->least[k]);
        if (s->most[k] != UINT64_MAX)
            high = hry_index_search(coordinates, low, high, s->most[k] + 1);
    }
    s->next[level] = low;
    s->end[level] = high;
}

void hry_stored_start(hry_stored *s, const hry_box *box)
{
    const hry_sparse *sparse = &s->sparse;
    s->box = *box;
    s->ended = s->backwards = false;
    s->level = 0;
    for (uint32_t k = 0; k < sparse->rank; k++) {
        uint64_t last = box->start[k] + (box->count[k] - 1) * (uint64_t)box->step[k];
        s->ended |= box->count[k] == 0;
        s->least[k] = box->step[k] < 0 ? last : box->start[k];
        s->most[k] = box->step[k] < 0 ? box->start[k] : last;
    }
    if (s->ended)
        return;
    uint64_t low, high;
    switch (sparse->tag) {
    case HRY_LAYOUT_COO:
        s->next[0] = sparse->is_sorted ? hry_coo_search(sparse, &s->least[0], 1) : 0;
        s->end[0] = sparse->nnz;
        break;
    case HRY_LAYOUT_CSF:
        hry_sparse_children(sparse, 0, 0, &low, &high);
        clip(s, 0, &sparse->index[1], sparse->mode[0], low, high);
        break;
    default:
        s->next[0] = s->least[sparse->mode[0]];
        s->end[0] = s->most[sparse->mode[0]] + 1;
        s->next[1] = s->end[1] = 0;
        break;
    }
}

static bool step_coo(hry_stored *s)
{
    const hry_sparse *sparse = &s->sparse;
    uint32_t rank = sparse->rank;
    while (s->next[0] < s->end[0]) {
        uint64_t i = s->backwards ? --s->end[0] : s->next[0]++;
        bool in = true;
        for (uint32_t k = 0; k < rank && in; k++) {
            s->index[k] = hry_index_at(&sparse->index[0], i * rank + k);
            in = in_box(s, k, s->index[k]);
        }
        if (in) {
            s->position = i;
            return true;
        }
        if (sparse->is_sorted && !s->backwards && s->index[0] > s->most[0])
            return false;
    }
    return false;
}

static bool step_compressed(hry_stored *s)
{
    const hry_sparse *sparse = &s->sparse;
    uint32_t slice = sparse->mode[0], along = sparse->mode[1];
    for (;;) {
        while (s->next[1] < s->end[1]) {
            s->position = s->next[1]++;
            s->index[along] = hry_index_at(&sparse->index[0], s->position);
            if (in_box(s, along, s->index[along]))
                return true;
        }
        do {
            if (s->next[0] >= s->end[0])
                return false;
            s->index[slice] = s->next[0]++;
        } while (!in_box(s, slice, s->index[slice]));
        uint64_t low, high;
        hry_sparse_children(sparse, 1, s->index[slice], &low, &high);
        clip(s, 1, &sparse->index[0], along, low, high);
    }
}

/* Depth first. */
static bool step_tree(hry_stored *s)
{
    const hry_sparse *sparse = &s->sparse;
    for (;;) {
        uint32_t level = s->level;
        if (s->next[level] >= s->end[level]) {
            if (level == 0)
                return false;
            s->level--;
            continue;
        }
        uint64_t p = s->next[level]++, low, high;
        uint32_t k = sparse->mode[level];
        s->index[k] = hry_index_at(&sparse->index[2 * level + 1], p);
        if (!in_box(s, k, s->index[k]))
            continue;
        if (level == sparse->rank - 1) {
            s->position = p;
            return true;
        }
        hry_sparse_children(sparse, level + 1, p, &low, &high);
        s->level = ++level;
        clip(s, level, &sparse->index[2 * level + 1], sparse->mode[level], low, high);
    }
}

bool hry_stored_step(hry_stored *s)
{
    bool more = !s->ended;
    if (more && s->sparse.tag == HRY_LAYOUT_COO)
        more = step_coo(s);
    else if (more)
        more = s->sparse.tag == HRY_LAYOUT_CSF ? step_tree(s) : step_compressed(s);
    s->ended = !more;
    return more;
}

static hry_status not_sparse(const hry_tensor *tensor, hry_error *err)
{
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, tensor->desc.layout,
                    "a %s tensor has no list of stored elements", hry_layout_name(tensor->desc.layout));
}

hry_status hry_stored_create(const hry_tensor *tensor, const hry_box *box, hry_stored **stored, hry_error *err)
{
    hry_box whole;
    uint64_t shape[HRY_RANK_MAX];
    hry_status status = hry_tensor_check_readable(tensor, err);
    hry_desc_shape(&tensor->desc, shape);
    if (!status)
        status = hry_box_resolve(box, tensor->desc.rank, shape, &whole, err);
    if (!status)
        status = hry_verify_once(tensor, err);
    if (status)
        return status;
    hry_stored *s = hry_alloc(&tensor->allocator, sizeof *s, _Alignof(hry_stored));
    if (!s)
        return hry_fail_memory(err, sizeof *s);
    s->allocator = tensor->allocator;
    if (!hry_sparse_of(tensor, &s->sparse)) {
        hry_stored_destroy(s);
        return not_sparse(tensor, err);
    }
    hry_stored_start(s, &whole);
    *stored = s;
    return HRY_OK;
}

bool hry_stored_next(hry_stored *stored, uint64_t *index, uint64_t *position)
{
    if (!hry_stored_step(stored))
        return false;
    for (uint32_t k = 0; k < stored->sparse.rank; k++)
        index[k] = stored->index[k];
    *position = stored->position;
    return true;
}

void hry_stored_destroy(hry_stored *stored)
{
    if (!stored)
        return;
    hry_allocator allocator = stored->allocator;
    hry_free(&allocator, stored, sizeof *stored, _Alignof(hry_stored));
}

hry_status hry_tensor_find(const hry_tensor *tensor, const uint64_t *index, bool *found, uint64_t *position,
                           hry_error *err)
{
    hry_sparse sparse;
    hry_status status = hry_tensor_check_readable(tensor, err);
    if (!status)
        status = hry_verify_once(tensor, err);
    if (status)
        return status;
    if (!hry_sparse_of(tensor, &sparse))
        return not_sparse(tensor, err);
    for (uint32_t k = 0; k < sparse.rank; k++)
        if (index[k] >= sparse.shape[k])
            return hry_fail_usage(err, "index %llu leaves dimension %u, which has %llu elements",
                                  (unsigned long long)index[k], k, (unsigned long long)sparse.shape[k]);
    *found = hry_sparse_find(&sparse, index, position);
    return HRY_OK;
}
