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

/* The level whose positions are those of the elements. */
static uint32_t last_level(const hry_sparse *sparse)
{
    return sparse->tag == HRY_LAYOUT_COO ? 0 : sparse->rank - 1;
}

/* The coordinates of a level; a compressed matrix has none of its slices. */
static const hry_index_array *coordinates_of(const hry_sparse *sparse, uint32_t level)
{
    return &sparse->index[sparse->tag == HRY_LAYOUT_CSF ? 2 * level + 1 : 0];
}

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Positions low..high-1 of ascending coordinates, less those outside of the box's bounds and of the range. */
static void clip(hry_stored *s, uint32_t level, uint64_t low, uint64_t high)
{
    const hry_index_array *coordinates = coordinates_of(&s->sparse, level);
    uint32_t k = s->sparse.mode[level];
    if (s->box.count[k] < s->sparse.shape[k]) {
        low = hry_index_search(coordinates, low, high, s->least[k]);
        if (s->most[k] != UINT64_MAX)
            high = hry_index_search(coordinates, low, high, s->most[k] + 1);
    }
    s->next[level] = low > s->from[level] ? low : s->from[level];
    s->end[level] = lower(high, s->to[level]);
}

void hry_stored_start(hry_stored *s, const hry_box *box)
{
    const hry_sparse *sparse = &s->sparse;
    s->box = *box;
    s->ended = s->backwards = false;
    for (uint32_t k = 0; k < sparse->rank; k++) {
        uint64_t last = box->start[k] + (box->count[k] - 1) * (uint64_t)box->step[k];
        s->ended |= box->count[k] == 0;
        s->least[k] = box->step[k] < 0 ? last : box->start[k];
        s->most[k] = box->step[k] < 0 ? box->start[k] : last;
        s->next[k] = s->end[k] = s->from[k] = 0;
        s->to[k] = UINT64_MAX;
    }
    if (s->ended)
        return;
    uint64_t low, high;
    switch (sparse->tag) {
    case HRY_LAYOUT_COO:
        s->next[0] = sparse->is_sorted ? hry_coo_search(sparse, &s->least[0], 1) : 0;
        high = s->most[0] + 1;
        s->end[0] = sparse->is_sorted && high ? hry_coo_search(sparse, &high, 1) : sparse->nnz;
        break;
    case HRY_LAYOUT_CSF:
        hry_sparse_children(sparse, 0, 0, &low, &high);
        clip(s, 0, low, high);
        break;
    default:
        s->next[0] = s->least[sparse->mode[0]];
        s->end[0] = s->most[sparse->mode[0]] + 1;
        break;
    }
}

/* The node of the level above whose children hold position p of a level; nodes is how many there are. */
static uint64_t parent_of(const hry_sparse *sparse, uint32_t level, uint64_t nodes, uint64_t p)
{
    const hry_index_array *pointers = &sparse->index[sparse->tag == HRY_LAYOUT_CSF ? 2 * level : 1];
    uint64_t child = hry_index_search(pointers, 0, lower(nodes + 1, pointers->count), p + 1);
    return child ? child - 1 : 0;
}

/* How many nodes each level above the last has. */
static void count_nodes(const hry_sparse *sparse, uint64_t *nodes)
{
    uint64_t above = 1;
    nodes[0] = sparse->shape[sparse->mode[0]];
    for (uint32_t level = 0; sparse->tag == HRY_LAYOUT_CSF && level + 1 < sparse->rank; level++) {
        const hry_index_array *pointers = &sparse->index[2 * level];
        above = nodes[level] = above < pointers->count ? hry_index_at(pointers, above) : 0;
    }
}

void hry_stored_within(hry_stored *s, uint64_t first, uint64_t end)
{
    uint64_t nodes[HRY_RANK_MAX] = { 0 };
    uint32_t level = last_level(&s->sparse);
    s->ended |= first >= end;
    if (s->ended)
        return;
    if (level > 0)
        count_nodes(&s->sparse, nodes);
    s->from[level] = first;
    s->to[level] = end;
    for (; level > 0; level--) {
        s->from[level - 1] = parent_of(&s->sparse, level, nodes[level - 1], s->from[level]);
        s->to[level - 1] = parent_of(&s->sparse, level, nodes[level - 1], s->to[level] - 1) + 1;
    }
    s->next[0] = s->next[0] > s->from[0] ? s->next[0] : s->from[0];
    s->end[0] = lower(s->end[0], s->to[0]);
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
    }
    return false;
}

/*
 * To the next slice that has something in the box: the children of a node of the last level but one, which are next to
 * end of the last. Depth first; a compressed matrix is a tree whose first level has every index.
 */
static bool next_slice(hry_stored *s)
{
    const hry_sparse *sparse = &s->sparse;
    uint32_t last = sparse->rank - 1, level = last - 1;
    for (;;) {
        if (s->next[level] >= s->end[level]) {
            if (level == 0)
                return false;
            level--;
            continue;
        }
        uint64_t p = s->next[level]++, low, high;
        uint32_t k = sparse->mode[level];
        s->index[k] = sparse->tag == HRY_LAYOUT_CSF ? hry_index_at(coordinates_of(sparse, level), p) : p;
        if (!in_box(s, k, s->index[k]))
            continue;
        hry_sparse_children(sparse, ++level, p, &low, &high);
        clip(s, level, low, high);
        if (level == last && s->next[last] < s->end[last])
            return true;
        level -= level == last;
    }
}

static bool step_slice(hry_stored *s)
{
    uint32_t last = s->sparse.rank - 1, k = s->sparse.mode[last];
    do {
        while (s->next[last] < s->end[last]) {
            s->position = s->next[last]++;
            s->index[k] = hry_index_at(coordinates_of(&s->sparse, last), s->position);
            if (in_box(s, k, s->index[k]))
                return true;
        }
    } while (next_slice(s));
    return false;
}

bool hry_stored_step(hry_stored *s)
{
    bool more = !s->ended && (s->sparse.tag == HRY_LAYOUT_COO ? step_coo(s) : step_slice(s));
    s->ended = !more;
    return more;
}

/* ---- Numbers ---- */

/* Of the elements of a slice from the next on, up to the first that is not in the box. */
static size_t number_slice(const hry_stored *s, const hry_form *form, size_t n, uint64_t *numbers)
{
    const hry_sparse *sparse = &s->sparse;
    uint32_t last = sparse->rank - 1, k = sparse->mode[last];
    const uint8_t *p = coordinates_of(sparse, last)->bytes + 8 * (size_t)s->next[last];
    uint64_t base = form->base, weight = form->weight[k], least = s->least[k], count = s->box.count[k];
    for (uint32_t level = 0; level < last; level++)
        base += form->weight[sparse->mode[level]] * s->index[sparse->mode[level]];
    size_t i = 0;
    for (; i < n; i++) {
        uint64_t at = hry_load64(p + 8 * i);
        if (at - least >= count)
            break;
        numbers[i] = base + weight * at;
    }
    return i;
}

/* The same of a list. The rank is a constant to the compiler where it matters. */
static inline size_t number_list(const hry_stored *s, const hry_form *form, uint32_t rank, size_t n, uint64_t *numbers)
{
    const uint8_t *p = s->sparse.index[0].bytes + 8 * (size_t)(s->next[0] * rank);
    size_t i = 0;
    for (; i < n; i++, p += 8 * (size_t)rank) {
        uint64_t number = form->base;
        bool in = true;
        for (uint32_t k = 0; k < rank; k++) {
            uint64_t at = hry_load64(p + 8 * (size_t)k);
            in &= at - s->least[k] < s->box.count[k];
            number += form->weight[k] * at;
        }
        if (!in)
            break;
        numbers[i] = number;
    }
    return i;
}

static size_t number_some(const hry_stored *s, const hry_form *form, size_t n, uint64_t *numbers)
{
    if (s->sparse.tag != HRY_LAYOUT_COO)
        return number_slice(s, form, n, numbers);
    return s->sparse.rank == 2 ? number_list(s, form, 2, n, numbers) : number_list(s, form, s->sparse.rank, n, numbers);
}

size_t hry_stored_numbers(hry_stored *s, const hry_form *form, size_t most, uint64_t *numbers, uint64_t *first)
{
    bool list = s->sparse.tag == HRY_LAYOUT_COO;
    uint32_t last = last_level(&s->sparse);
    uint64_t *next = &s->next[last];
    size_t n = 0;
    while (!s->ended && n < most) {
        if (*next >= s->end[last] && (list || !next_slice(s))) {
            s->ended = true;
            break;
        }
        if (n > 0 && *next != *first + n)
            break;
        uint64_t start = *next, left = s->end[last] - start;
        size_t wanted = left < most - n ? (size_t)left : most - n, taken = number_some(s, form, wanted, numbers + n);
        if (n == 0)
            *first = start;
        n += taken;
        *next += taken + (taken < wanted); /* over one that is not in the box */
        if (taken < wanted && n > 0)
            break;
    }
    return n;
}

/* ---- For callers ---- */

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
        status = hry_verify_once(tensor, NULL, err);
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
        status = hry_verify_once(tensor, NULL, err);
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
