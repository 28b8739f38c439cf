/*
 * Index arrays. Each rule is about one number and the one before it, so that ranges are looked at in any order: what
 * counts is the first place that is wrong, and what is wrong there is said when all have been looked at.
 */
#include "base/checked.h"
#include "tensor/ranges.h"
#include "tensor/sparse.h"
#include "tensor/verify.h"

enum { GRAIN = 1 << 16 }; /* numbers of a range */

/* Pointers, and the coordinates that they cut into slices. */
typedef struct slices {
    const hry_index_array *pointers, *coordinates;
    uint64_t count, most; /* of slices; coordinates are below most */
} slices;

/* ---- COO ---- */

static uint64_t look_at_list(const void *ctx, uint64_t first, uint64_t end)
{
    const hry_sparse *s = ctx;
    size_t length = 8 * (size_t)s->rank;
    const uint8_t *entry = s->index[0].bytes + (size_t)first * length;
    for (uint64_t i = first; i < end; i++, entry += length) {
        bool good = true, above = false, decided = !s->is_sorted || i == 0; /* against the entry before */
        for (uint32_t k = 0; k < s->rank; k++) {
            uint64_t at = hry_load64(entry + 8 * k);
            good &= at < s->shape[k];
            if (!decided) {
                uint64_t before = hry_load64(entry - length + 8 * k);
                above = at > before;
                decided = at != before;
            }
        }
        if (!good || (s->is_sorted && i > 0 && !above))
            return i;
    }
    return end;
}

static hry_status verify_coo(hry_verifier *v, const hry_sparse *s)
{
    uint64_t i = hry_first_in_ranges(s->nnz, GRAIN, v->executor, look_at_list, s);
    if (i == s->nnz)
        return HRY_OK;
    for (uint32_t k = 0; k < s->rank; k++) {
        uint64_t at = hry_index_at(&s->index[0], i * s->rank + k);
        if (at >= s->shape[k])
            return hry_verify_fail(v, HRY_RULE_L_COO_20, 1, 8 * (i * s->rank + k), at);
    }
    return hry_verify_fail(v, HRY_RULE_L_COO_21, 1, 8 * i * s->rank, i);
}

/* ---- Pointers and what they point to: CSR, CSC, and each level of CSF ---- */

typedef struct slice_rules {
    enum hry_rule starts, falls, ends, order, range;
} slice_rules;

static const slice_rules csr_rules = { HRY_RULE_L_CSR_20, HRY_RULE_L_CSR_21, HRY_RULE_L_CSR_20, HRY_RULE_L_CSR_22,
                                       HRY_RULE_L_CSR_23 };
static const slice_rules csc_rules = { HRY_RULE_L_CSC_20, HRY_RULE_L_CSC_21, HRY_RULE_L_CSC_20, HRY_RULE_L_CSC_22,
                                       HRY_RULE_L_CSC_23 };
static const slice_rules csf_rules = { HRY_RULE_L_CSF_20, HRY_RULE_L_CSF_21, HRY_RULE_L_CSF_22, HRY_RULE_L_CSF_23,
                                       HRY_RULE_L_CSF_24 };

static uint64_t look_at_pointers(const void *ctx, uint64_t first, uint64_t end)
{
    const slices *f = ctx;
    while (first < end && hry_index_at(f->pointers, first + 1) >= hry_index_at(f->pointers, first))
        first++;
    return first;
}

/* Whether count numbers ascend strictly. A comparison a step, so that there is nothing to guess. */
static bool ascend(const uint8_t *p, uint64_t count)
{
    bool bad = false;
    uint64_t before = count ? hry_load64(p) : 0;
    for (uint64_t i = 1; i < count; i++) {
        uint64_t at = hry_load64(p + 8 * i);
        bad |= at <= before;
        before = at;
    }
    return !bad;
}

/* The first wrong one of coordinates low..high-1 of a slice that starts at start. In ascending order the last is the
 * largest. */
static uint64_t look_at_slice(const slices *f, uint64_t start, uint64_t low, uint64_t high)
{
    const hry_index_array *coordinates = f->coordinates;
    uint64_t before = low - (low > start);
    if (ascend(coordinates->bytes + 8 * before, high - before) && hry_index_at(coordinates, high - 1) < f->most)
        return high;
    for (; low < high; low++) {
        uint64_t at = hry_index_at(coordinates, low);
        if (at >= f->most || (low > start && at <= hry_index_at(coordinates, low - 1)))
            break;
    }
    return low;
}

/* The pointers are right: slices follow one another and end where the coordinates do. */
static uint64_t look_at_slices(const void *ctx, uint64_t first, uint64_t end)
{
    const slices *f = ctx;
    uint64_t slice = hry_index_search(f->pointers, 0, f->count + 1, first + 1) - 1;
    for (; first < end && slice < f->count; slice++) {
        uint64_t start = hry_index_at(f->pointers, slice), high = hry_index_at(f->pointers, slice + 1);
        high = high < end ? high : end;
        if (high <= first)
            continue;
        first = look_at_slice(f, start, first, high);
        if (first < high)
            return first;
    }
    return end;
}

/* nnz: how many coordinates there must be; UINT64_MAX: as many as the pointers say and the buffer holds. */
static hry_status verify_slices(hry_verifier *v, const slices *f, const slice_rules *rules, uint32_t pointers,
                                uint32_t coordinates, uint64_t nnz)
{
    if (hry_index_at(f->pointers, 0) != 0)
        return hry_verify_fail(v, rules->starts, pointers, 0, hry_index_at(f->pointers, 0));
    uint64_t x = hry_first_in_ranges(f->count, GRAIN, v->executor, look_at_pointers, f);
    if (x < f->count)
        return hry_verify_fail(v, rules->falls, pointers, 8 * (x + 1), hry_index_at(f->pointers, x + 1));
    uint64_t count = hry_index_at(f->pointers, f->count);
    if (count > f->coordinates->count || (nnz != UINT64_MAX && count != nnz))
        return hry_verify_fail(v, rules->ends, pointers, 8 * f->count, count);
    uint64_t i = hry_first_in_ranges(count, GRAIN, v->executor, look_at_slices, f);
    if (i == count)
        return HRY_OK;
    uint64_t at = hry_index_at(f->coordinates, i);
    return hry_verify_fail(v, at >= f->most ? rules->range : rules->order, coordinates, 8 * i, at);
}

static hry_status verify_compressed(hry_verifier *v, const hry_sparse *s)
{
    slices f = { .pointers = &s->index[1],
                 .coordinates = &s->index[0],
                 .count = s->shape[s->mode[0]],
                 .most = s->shape[s->mode[1]] };
    return verify_slices(v, &f, s->tag == HRY_LAYOUT_CSR ? &csr_rules : &csc_rules, 2, 1, s->nnz);
}

/* Top-down: the number of nodes of a level is known when the next is looked at. */
static hry_status verify_tree(hry_verifier *v, const hry_sparse *s)
{
    uint64_t nodes = 1;
    hry_status status = HRY_OK;
    for (uint32_t level = 0; level < s->rank && !status; level++) {
        slices f = { .pointers = &s->index[2 * level],
                     .coordinates = &s->index[2 * level + 1],
                     .count = nodes,
                     .most = s->shape[s->mode[level]] };
        uint32_t buffer = 2 * level + 1; /* of pos_L; crd_L is the next */
        if (f.pointers->count <= nodes)
            return hry_verify_fail(v, HRY_RULE_L_CSF_22, buffer, 8 * f.pointers->count, nodes);
        status = verify_slices(v, &f, &csf_rules, buffer, buffer + 1, level == s->rank - 1 ? s->nnz : UINT64_MAX);
        nodes = status ? 0 : hry_index_at(f.pointers, nodes);
    }
    return status;
}

hry_status hry_verify_sparse(hry_verifier *v)
{
    hry_sparse s;
    hry_sparse_of(v->tensor, &s);
    if (s.tag == HRY_LAYOUT_COO)
        return verify_coo(v, &s);
    return s.tag == HRY_LAYOUT_CSF ? verify_tree(v, &s) : verify_compressed(v, &s);
}
