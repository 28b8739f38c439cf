/* Codes that stand for nothing (E-02), and parameters that no scheme allows. */
#include "base/bytes.h"
#include "base/checked.h"
#include "tensor/access.h"
#include "tensor/paged.h"
#include "tensor/sparse.h"
#include "tensor/verify.h"
#include "type/types.h"
#include "type/widen.h"

#include <math.h>

static bool is_reserved(uint8_t code)
{
    return code == 0 || code == 0xFF;
}

/* ---- E-02: reserved e8m0 codes, in elements that exist ---- */

/* The first of n reserved codes, stride bytes apart; n when there is none. */
static uint64_t first_reserved(const uint8_t *p, int64_t stride, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (is_reserved(p[(int64_t)i * stride]))
            return i;
    return n;
}

static hry_status reserved_at(hry_verifier *v, const uint8_t *at)
{
    const uint8_t *start = hry_tensor_buffer(v->tensor, 0, NULL);
    return hry_verify_fail(v, HRY_RULE_E_02, 0, (uint64_t)(at - start), *at);
}

static hry_status verify_dense_codes(hry_verifier *v)
{
    const uint8_t *first = hry_tensor_first(v->tensor);
    hry_map map;
    hry_walk walk;
    hry_run run;
    if (!hry_tensor_map(v->tensor, &map))
        return HRY_OK; /* a private layout */
    hry_map_join(&map, NULL);
    hry_walk_init(&walk, &map);
    while (hry_walk_next(&walk, &run)) {
        uint64_t i = first_reserved(first + run.offset, run.stride, run.count);
        if (i < run.count)
            return reserved_at(v, first + run.offset + (int64_t)i * run.stride);
    }
    return HRY_OK;
}

static hry_status verify_listed_codes(hry_verifier *v, uint64_t low, uint64_t count)
{
    const uint8_t *first = hry_tensor_first(v->tensor);
    if (count == 0)
        return HRY_OK;
    uint64_t i = first_reserved(first + low, 1, count);
    return i < count ? reserved_at(v, first + low + i) : HRY_OK;
}

/* Every slot of a sequence's pages but its last is a token; of the last page only the first is sure to be, unless there
 * is one sequence, whose tokens are counted. */
static uint64_t sure_tokens(const hry_paged *p, uint64_t sequence)
{
    uint64_t low, high;
    hry_paged_pages(p, sequence, &low, &high);
    if (p->num_seqs == 1)
        return p->tokens;
    return high > low ? (high - low - 1) * p->page_size + 1 : 0;
}

static hry_status verify_paged_codes(hry_verifier *v)
{
    hry_paged p;
    hry_status status = HRY_OK;
    hry_paged_of(v->tensor, &p);
    uint64_t row = p.heads * p.dim, slot;
    for (uint64_t s = 0; s < p.num_seqs && !status; s++) {
        uint64_t tokens = sure_tokens(&p, s);
        for (uint64_t t = 0; t < tokens && !status; t++)
            if (hry_paged_slot(&p, s, t, &slot))
                status = verify_listed_codes(v, slot * row, row);
    }
    return status;
}

hry_status hry_verify_codes(hry_verifier *v)
{
    const hry_tensor *t = v->tensor;
    hry_sparse s;
    if (t->desc.type != HRY_TYPE_FLOAT8_E8M0 || t->desc.state & HRY_DESC_EMPTY)
        return HRY_OK;
    if (hry_sparse_of(t, &s))
        return verify_listed_codes(v, 0, s.nnz);
    return t->desc.layout == HRY_LAYOUT_BLOCK_PAGED ? verify_paged_codes(v) : verify_dense_codes(v);
}

/* ---- Scales and zero points ---- */

static float scale_at(uint8_t type, const uint8_t *p, uint64_t i)
{
    if (type == HRY_TYPE_FLOAT16)
        return hry_f32_from_bits(hry_widen_float16(hry_load16(p + 2 * i)));
    if (type == HRY_TYPE_BFLOAT16)
        return hry_f32_from_bits(hry_widen_bfloat16(hry_load16(p + 2 * i)));
    return hry_load_f32(p + 4 * i);
}

static bool scale_is_good(uint8_t scheme, float scale)
{
    if (!isfinite(scale))
        return false;
    return scheme == HRY_SCHEME_NF4 ? scale >= 0 : scale != 0;
}

static hry_status verify_scales(hry_verifier *v, const hry_quantization *q, enum hry_rule rule, uint64_t low,
                                uint64_t count)
{
    const uint8_t *p = hry_tensor_buffer(v->tensor, q->scale_buffer_index, NULL);
    uint8_t type = q->scheme == HRY_SCHEME_NF4 ? (uint8_t)HRY_TYPE_FLOAT32 : q->scale_type_tag;
    for (uint64_t i = low; i < low + count; i++) {
        float scale = scale_at(type, p, i);
        if (!scale_is_good(q->scheme, scale))
            return hry_verify_fail(v, rule, q->scale_buffer_index, i * (hry_type_table[type].bits / 8u),
                                   hry_f32_bits(scale));
    }
    return HRY_OK;
}

/* The scales of the slots on pages that some sequence has. */
static hry_status verify_paged_scales(hry_verifier *v, const hry_quantization *q)
{
    hry_paged p;
    hry_status status = HRY_OK;
    hry_paged_of(v->tensor, &p);
    uint64_t pages = hry_paged_number(&p, p.pointers, p.num_seqs);
    for (uint64_t k = 0; k < pages && !status; k++)
        status = verify_scales(v, q, HRY_RULE_Q_PB_06, hry_paged_number(&p, p.table, k) * p.page_size, p.page_size);
    return status;
}

static hry_status verify_zero_points(hry_verifier *v, const hry_quantization *q, uint64_t count)
{
    const hry_type_info *info = &hry_type_table[v->tensor->desc.type];
    bool is_signed = info->kind == HRY_KIND_INT;
    int64_t most = (int64_t)((uint64_t)1 << (info->bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    const uint8_t *p = hry_tensor_buffer(v->tensor, q->zero_point_buffer_index, NULL);
    uint64_t start = q->zero_point_buffer_index == q->scale_buffer_index ? 4 * count : 0;
    if (q->zero_point_buffer_index == HRY_NO_BUFFER || !p)
        return HRY_OK;
    for (uint64_t i = 0; i < count; i++) {
        int32_t zero = (int32_t)hry_load32(p + start + 4 * i);
        if (zero < least || zero > most)
            return hry_verify_fail(v, HRY_RULE_Q_PC_06, q->zero_point_buffer_index, start + 4 * i,
                                   (uint64_t)(int64_t)zero);
    }
    return HRY_OK;
}

/* Scales in a buffer of their own fill it; how many there are of those that share one follows from the shape. */
static uint64_t block_count(const hry_desc *desc, const hry_quantization *q)
{
    uint64_t count = 1;
    for (uint32_t k = 0; k < desc->rank; k++) {
        uint64_t dim = hry_desc_dim(desc, k);
        count *= k == q->axis ? hry_ceil_div(dim, q->block_size) : dim;
    }
    return count;
}

hry_status hry_verify_parameters(hry_verifier *v)
{
    const hry_desc *desc = &v->tensor->desc;
    hry_quantization q;
    if (!hry_desc_quantization(desc, &q))
        return HRY_OK;
    switch (q.scheme) {
    case HRY_SCHEME_PER_CHANNEL: {
        uint64_t channels = hry_desc_dim(desc, q.axis);
        hry_status status = verify_scales(v, &q, HRY_RULE_Q_PC_05, 0, channels);
        return status ? status : verify_zero_points(v, &q, channels);
    }
    case HRY_SCHEME_PER_BLOCK:
        if (desc->layout == HRY_LAYOUT_BLOCK_PAGED)
            return verify_paged_scales(v, &q);
        return verify_scales(v, &q, HRY_RULE_Q_PB_06, 0, block_count(desc, &q));
    case HRY_SCHEME_NF4:
        return verify_scales(v, &q, HRY_RULE_Q_NF4_04, 0, block_count(desc, &q));
    case HRY_SCHEME_MXFP: {
        uint64_t blocks = block_count(desc, &q);
        const uint8_t *p = hry_tensor_buffer(v->tensor, q.scale_buffer_index, NULL);
        uint64_t i = p ? first_reserved(p, 1, blocks) : blocks;
        return i < blocks ? hry_verify_fail(v, HRY_RULE_Q_MX_04, q.scale_buffer_index, i, p[i]) : HRY_OK;
    }
    default:
        return HRY_OK;
    }
}
