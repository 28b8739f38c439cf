#include "base/checked.h"
#include "quant/schemes.h"

#include <hurray/type.h>

#undef hry_payload_fail
hry_status hry_payload_fail(const hry_draft *f, enum hry_rule rule, uint32_t field, uint64_t value)
{
    return hry_draft_fail(f, rule, HRY_SECTION_QUANTIZATION, f->view.quantization_offset + 4 + field, value);
}

hry_status hry_payload_axis(const hry_draft *f, uint64_t *size)
{
    uint32_t axis = hry_load32(hry_draft_payload(f) + HRY_PAYLOAD_AXIS);
    if (axis >= f->view.rank)
        return hry_payload_fail(f, HRY_RULE_Q_09, HRY_PAYLOAD_AXIS, axis);
    *size = hry_draft_dim(f, axis);
    return *size == UINT64_MAX ? hry_payload_fail(f, HRY_RULE_Q_10, HRY_PAYLOAD_AXIS, axis) : HRY_OK;
}

hry_status hry_payload_others(const hry_draft *f, uint32_t axis)
{
    if (!(f->view.state & HRY_DESC_HAS_DYNAMIC) || !f->options->stored)
        return HRY_OK;
    for (uint32_t k = 0; k < f->view.rank; k++)
        if (k != axis && hry_draft_dim(f, k) == HRY_DYNAMIC)
            return hry_payload_fail(f, HRY_RULE_Q_11, HRY_PAYLOAD_AXIS, k);
    return HRY_OK;
}

hry_status hry_payload_blocks(const hry_draft *f, uint32_t axis, uint32_t block_field, uint64_t *blocks, bool *known)
{
    uint32_t block_size = hry_load32(hry_draft_payload(f) + block_field);
    uint64_t factors[HRY_RANK_MAX];
    *known = !(f->view.state & HRY_DESC_HAS_DYNAMIC);
    if (!*known)
        return HRY_OK;
    for (uint32_t k = 0; k < f->view.rank; k++)
        factors[k] = k == axis ? hry_ceil_div(hry_draft_dim(f, k), block_size) : hry_draft_dim(f, k);
    return hry_product(factors, f->view.rank, blocks) ? HRY_OK
                                                      : hry_payload_fail(f, HRY_RULE_Q_12, block_field, block_size);
}

static uint32_t index_at(const hry_draft *f, uint32_t field)
{
    return hry_load32(hry_draft_payload(f) + field);
}

static HRY_COLD hry_status wrong_index(const hry_draft *f, uint32_t field)
{
    uint32_t index = index_at(f, field);
    return hry_payload_fail(f, index >= f->view.buffer_count ? HRY_RULE_Q_BUF_01 : HRY_RULE_Q_BUF_02, field, index);
}

static HRY_COLD hry_status wrong_size(const hry_draft *f, enum hry_rule rule, uint32_t field, uint64_t need)
{
    uint64_t have = hry_draft_buffer_size(f, index_at(f, field));
    return hry_fail_rule_because(f->err, rule, HRY_SECTION_QUANTIZATION, f->view.quantization_offset + 4 + field, have,
                                 "parameter buffer %u has %llu bytes, where %llu are needed", index_at(f, field),
                                 (unsigned long long)have, (unsigned long long)need);
}

/* The buffer named by field holds count items exactly; shared by scales and zero points, at least so many. */
static inline hry_status check_size(const hry_draft *f, uint32_t field, uint64_t count, uint32_t item, bool shared)
{
    uint64_t need, have = hry_draft_buffer_size(f, index_at(f, field));
    if (!hry_mul(count, item, &need))
        return hry_payload_fail(f, HRY_RULE_Q_12, field, count);
    if (have == need || (have > need && (shared || f->options->permissive)))
        return HRY_OK;
    return wrong_size(f, shared ? HRY_RULE_Q_BUF_05 : HRY_RULE_Q_BUF_04, field, need);
}

hry_status hry_payload_buffers(const hry_draft *f, uint32_t scale_size, uint64_t count, bool known)
{
    uint32_t own = f->own_buffers, others = f->view.buffer_count - own; /* wraps where there are fewer: wrong anyway */
    uint32_t scales = f->scheme->scale_field, zero_points = f->scheme->zero_point_field;
    if (f->view.buffer_count < own || index_at(f, scales) - own >= others)
        return wrong_index(f, scales);
    if (zero_points && hry_payload_is_symmetric(hry_draft_payload(f)))
        zero_points = 0;
    if (zero_points && index_at(f, zero_points) - own >= others)
        return wrong_index(f, zero_points);
    if (!known)
        return HRY_OK;
    if (zero_points && index_at(f, scales) == index_at(f, zero_points))
        return check_size(f, zero_points, count, scale_size + 4, true);
    hry_status status = check_size(f, scales, count, scale_size, false);
    return status || !zero_points ? status : check_size(f, zero_points, count, 4, false);
}

/* Nothing outside axis is traversed slower: then padding of the last block lies behind all data. */
static bool axis_is_slowest(const hry_draft *f, uint32_t axis)
{
    uint32_t from = f->order == HRY_ORDER_ROW ? 0 : axis + 1, to = f->order == HRY_ORDER_ROW ? axis : f->view.rank;
    for (uint32_t k = from; k < to; k++)
        if (hry_draft_dim(f, k) > 1)
            return false;
    return true;
}

/* The bytes of the shape with axis padded to whole blocks. */
static bool padded_size(const hry_draft *f, uint32_t axis, uint64_t block_size, uint64_t *nbytes)
{
    uint64_t factors[HRY_RANK_MAX], total;
    for (uint32_t k = 0; k < f->view.rank; k++)
        factors[k] = k == axis ? hry_ceil_div(hry_draft_dim(f, k), block_size) : hry_draft_dim(f, k);
    return hry_product(factors, f->view.rank, &total) && hry_mul(total, block_size, &total) &&
           hry_type_size(f->bits, total, nbytes);
}

hry_status hry_payload_partial(const hry_draft *f, enum hry_rule rule, uint32_t axis, uint32_t block_field)
{
    uint64_t plain, padded, block_size = hry_load32(hry_draft_payload(f) + block_field);
    if (f->order == HRY_ORDER_OTHER || !hry_draft_countable(f) || f->view.state & HRY_DESC_EMPTY ||
        hry_draft_dim(f, axis) % block_size == 0 || axis_is_slowest(f, axis))
        return HRY_OK;
    uint64_t have = hry_draft_buffer_size(f, 0) - f->byte_offset; /* D-35 came first */
    if (hry_type_size(f->bits, f->count, &plain) && have == plain)
        return HRY_OK;
    if ((padded_size(f, axis, block_size, &padded) && have == padded) || f->options->permissive)
        return HRY_OK;
    return hry_payload_fail(f, rule, block_field, have);
}
