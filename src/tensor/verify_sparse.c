#include "base/checked.h"
#include "tensor/sparse.h"
#include "tensor/verify.h"

/* ---- COO ---- */

static hry_status verify_coo(hry_verifier *v, const hry_sparse *s)
{
    const uint8_t *entry = s->index[0].bytes;
    size_t length = 8 * (size_t)s->rank;
    for (uint64_t i = 0; i < s->nnz; i++, entry += length) {
        bool above = false, decided = !s->is_sorted || i == 0; /* against the entry before */
        for (uint32_t k = 0; k < s->rank; k++) {
            uint64_t at = hry_load64(entry + 8 * k);
            if (at >= s->shape[k])
                return hry_verify_fail(v, HRY_RULE_L_COO_20, 1, i * length + 8 * k, at);
            if (!decided) {
                uint64_t before = hry_load64(entry - length + 8 * k);
                above = at > before;
                decided = at != before;
            }
        }
        if (s->is_sorted && i > 0 && !above)
            return hry_verify_fail(v, HRY_RULE_L_COO_21, 1, i * length, i);
    }
    return HRY_OK;
}

/* ---- CSR and CSC ---- */

typedef struct compressed_rules {
    enum hry_rule ends, falls, order, range;
} compressed_rules;

static const compressed_rules csr_rules = { HRY_RULE_L_CSR_20, HRY_RULE_L_CSR_21, HRY_RULE_L_CSR_22,
                                            HRY_RULE_L_CSR_23 };
static const compressed_rules csc_rules = { HRY_RULE_L_CSC_20, HRY_RULE_L_CSC_21, HRY_RULE_L_CSC_22,
                                            HRY_RULE_L_CSC_23 };

/* Whether count numbers ascend strictly. Eight comparisons a step, so that there is nothing to guess. */
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

static hry_status slice_fault(hry_verifier *v, const compressed_rules *rules, const hry_sparse *s, uint64_t low,
                              uint64_t high, uint64_t most)
{
    for (uint64_t i = low; i < high; i++) {
        uint64_t at = hry_index_at(&s->index[0], i);
        if (at >= most)
            return hry_verify_fail(v, rules->range, 1, 8 * i, at);
        if (i > low && at <= hry_index_at(&s->index[0], i - 1))
            return hry_verify_fail(v, rules->order, 1, 8 * i, at);
    }
    return HRY_OK;
}

static hry_status verify_compressed(hry_verifier *v, const hry_sparse *s)
{
    const compressed_rules *rules = s->tag == HRY_LAYOUT_CSR ? &csr_rules : &csc_rules;
    const hry_index_array *pointers = &s->index[1];
    uint64_t slices = s->shape[s->mode[0]], most = s->shape[s->mode[1]];
    if (hry_index_at(pointers, 0) != 0)
        return hry_verify_fail(v, rules->ends, 2, 0, hry_index_at(pointers, 0));
    for (uint64_t x = 0; x < slices; x++)
        if (hry_index_at(pointers, x + 1) < hry_index_at(pointers, x))
            return hry_verify_fail(v, rules->falls, 2, 8 * (x + 1), hry_index_at(pointers, x + 1));
    if (hry_index_at(pointers, slices) != s->nnz)
        return hry_verify_fail(v, rules->ends, 2, 8 * slices, hry_index_at(pointers, slices));
    for (uint64_t x = 0; x < slices; x++) {
        uint64_t low = hry_index_at(pointers, x), high = hry_index_at(pointers, x + 1);
        if (low == high)
            continue;
        /* In ascending order the last is the largest. */
        if (!ascend(s->index[0].bytes + 8 * low, high - low) || hry_index_at(&s->index[0], high - 1) >= most)
            return slice_fault(v, rules, s, low, high, most);
    }
    return HRY_OK;
}

/* ---- CSF ---- */

static uint32_t pointers_of(uint32_t level)
{
    return 2 * level + 1; /* the buffer of pos_L; crd_L is the next */
}

/* Top-down: the pointers of a level, then what they point to, whose number is known by then. */
static hry_status verify_level(hry_verifier *v, const hry_sparse *s, uint32_t level, uint64_t *nodes)
{
    const hry_index_array *pointers = &s->index[2 * level], *coordinates = &s->index[2 * level + 1];
    uint32_t buffer = pointers_of(level);
    bool leaf = level == s->rank - 1;
    uint64_t parents = *nodes, most = s->shape[s->mode[level]];
    if (pointers->count <= parents)
        return hry_verify_fail(v, HRY_RULE_L_CSF_22, buffer, 8 * pointers->count, parents);
    if (hry_index_at(pointers, 0) != 0)
        return hry_verify_fail(v, HRY_RULE_L_CSF_20, buffer, 0, hry_index_at(pointers, 0));
    for (uint64_t p = 0; p < parents; p++)
        if (hry_index_at(pointers, p + 1) < hry_index_at(pointers, p))
            return hry_verify_fail(v, HRY_RULE_L_CSF_21, buffer, 8 * (p + 1), hry_index_at(pointers, p + 1));
    uint64_t count = hry_index_at(pointers, parents);
    if (count > coordinates->count || (leaf && count != s->nnz))
        return hry_verify_fail(v, HRY_RULE_L_CSF_22, buffer, 8 * parents, count);
    for (uint64_t p = 0; p < parents; p++) {
        uint64_t low = hry_index_at(pointers, p), high = hry_index_at(pointers, p + 1);
        for (uint64_t i = low; i < high; i++) {
            uint64_t at = hry_index_at(coordinates, i);
            if (at >= most)
                return hry_verify_fail(v, HRY_RULE_L_CSF_24, buffer + 1, 8 * i, at);
            if (i > low && at <= hry_index_at(coordinates, i - 1))
                return hry_verify_fail(v, HRY_RULE_L_CSF_23, buffer + 1, 8 * i, at);
        }
    }
    *nodes = count;
    return HRY_OK;
}

hry_status hry_verify_sparse(hry_verifier *v)
{
    hry_sparse s;
    uint64_t nodes = 1;
    hry_status status = HRY_OK;
    hry_sparse_of(v->tensor, &s);
    if (s.tag == HRY_LAYOUT_COO)
        return verify_coo(v, &s);
    if (s.tag != HRY_LAYOUT_CSF)
        return verify_compressed(v, &s);
    for (uint32_t level = 0; level < s.rank && !status; level++)
        status = verify_level(v, &s, level, &nodes);
    return status;
}
