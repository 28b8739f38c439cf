#include "base/checked.h"
#include "tensor/paged.h"
#include "tensor/verify.h"

/* The fewest tokens that need the pages that the sequences have: all full but the last of each. */
static bool fewest_tokens(const hry_paged *p, uint64_t *tokens)
{
    *tokens = 0;
    for (uint64_t s = 0; s < p->num_seqs; s++) {
        uint64_t low, high, some;
        hry_paged_pages(p, s, &low, &high);
        if (high > low && (!hry_mul_add(high - low - 1, p->page_size, 1, &some) || !hry_add(*tokens, some, tokens)))
            return false;
    }
    return true;
}

hry_status hry_verify_paged(hry_verifier *v)
{
    hry_paged p;
    uint64_t before = 0, most, fewest;
    hry_paged_of(v->tensor, &p);
    unsigned size = p.wide ? 8 : 4;
    for (uint64_t s = 0; s <= p.num_seqs; s++) {
        uint64_t at = hry_paged_number(&p, p.pointers, s);
        if (s == 0 && at != 0)
            return hry_verify_fail(v, HRY_RULE_L_BP_20, 2, 0, at);
        if (at < before)
            return hry_verify_fail(v, HRY_RULE_L_BP_21, 2, s * size, at);
        before = at;
    }
    if (before > p.table_count)
        return hry_verify_fail(v, HRY_RULE_L_BP_20, 2, (uint64_t)p.num_seqs * size, before);
    for (uint64_t k = 0; k < before; k++) {
        uint64_t page = hry_paged_number(&p, p.table, k);
        if (page >= p.num_pages)
            return hry_verify_fail(v, HRY_RULE_L_BP_22, 1, k * size, page);
    }
    if ((hry_mul(before, p.page_size, &most) && p.tokens > most) || !fewest_tokens(&p, &fewest) || p.tokens < fewest)
        return hry_verify_fail(v, HRY_RULE_L_BP_23, 2, (uint64_t)p.num_seqs * size, p.tokens);
    return HRY_OK;
}
