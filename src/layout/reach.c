#include "base/checked.h"
#include "layout/layouts.h"

#include <hurray/type.h>

static uint64_t distance(int64_t stride)
{
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

bool hry_reach_stride(hry_reach *reach, int64_t stride, uint64_t count)
{
    uint64_t *side = stride < 0 ? &reach->below : &reach->above;
    return hry_mul_add(distance(stride), count - 1, *side, side);
}

bool hry_strides_apart(uint32_t rank, const int64_t *strides, const uint64_t *counts)
{
    bool done[HRY_RANK_MAX] = { false };
    uint64_t reach = 0; /* the largest offset of the dimensions so far */
    for (uint32_t n = 0; n < rank; n++) {
        uint32_t least = rank;
        for (uint32_t k = 0; k < rank; k++)
            if (!done[k] && counts[k] > 1 && (least == rank || distance(strides[k]) <= distance(strides[least])))
                least = k;
        if (least == rank)
            return true;
        done[least] = true;
        uint64_t step = distance(strides[least]);
        if (step <= reach || !hry_mul_add(step, counts[least] - 1, reach, &reach))
            return false;
    }
    return true;
}

bool hry_reach_bytes(const hry_reach *reach, uint32_t bits, uint64_t *before, uint64_t *after)
{
    if (bits >= 8)
        return hry_mul(reach->below, bits / 8, before) && hry_mul(reach->above, bits / 8, after) &&
               hry_add(*after, bits / 8, after);
    if (bits == 6) { /* whole groups of four */
        *before = hry_ceil_div(reach->below, 4) * 3;
        *after = reach->above / 4 * 3 + 3;
        return true;
    }
    *before = hry_ceil_div(reach->below, 8 / bits);
    *after = reach->above / (8 / bits) + 1;
    return true;
}

static HRY_COLD hry_status out_of_buffer(hry_draft *f, uint64_t before, uint64_t need)
{
    if (f->options->permissive) {
        f->view.state |= HRY_DESC_OPAQUE;
        return HRY_OK;
    }
    uint64_t have = hry_draft_buffer_size(f, 0), at = hry_draft_handle(f, 0);
    if (before > f->byte_offset)
        return hry_fail_rule_because(f->err, HRY_RULE_D_37, HRY_SECTION_BUFFERS, at, have,
                                     "elements lie up to %llu bytes before byte_offset, which is %llu",
                                     (unsigned long long)before, (unsigned long long)f->byte_offset);
    return hry_fail_rule_because(f->err, HRY_RULE_D_37, HRY_SECTION_BUFFERS, at, have,
                                 "buffer 0 of %llu bytes is too small for the elements, which need %llu bytes",
                                 (unsigned long long)have, (unsigned long long)need);
}

hry_status hry_layout_check_reach(hry_draft *f, hry_reach reach)
{
    uint64_t before, after, need;
    if (!hry_reach_bytes(&reach, f->bits, &before, &after) || !hry_add(f->byte_offset, after, &need))
        return out_of_buffer(f, 0, UINT64_MAX);
    if (before > f->byte_offset || need > hry_draft_buffer_size(f, 0))
        return out_of_buffer(f, before, need);
    return HRY_OK;
}

hry_status hry_layout_check_unreachable(hry_draft *f)
{
    return out_of_buffer(f, 0, UINT64_MAX);
}

static hry_status too_small(hry_draft *f, uint32_t i, uint64_t need)
{
    if (f->options->permissive) {
        f->view.state |= HRY_DESC_OPAQUE;
        return HRY_OK;
    }
    return hry_fail_rule_because(f->err, HRY_RULE_D_38, HRY_SECTION_BUFFERS, hry_draft_handle(f, i),
                                 hry_draft_buffer_size(f, i), "buffer %u of %llu bytes is too small: it needs %llu", i,
                                 (unsigned long long)hry_draft_buffer_size(f, i), (unsigned long long)need);
}

hry_status hry_layout_check_buffer(hry_draft *f, uint32_t i, uint64_t count, uint32_t item_bits)
{
    uint64_t need;
    if (i >= f->view.buffer_count) /* D-22 speaks of it */
        return HRY_OK;
    if (!hry_type_size(item_bits, count, &need))
        return too_small(f, i, UINT64_MAX);
    return need > hry_draft_buffer_size(f, i) ? too_small(f, i, need) : HRY_OK;
}

hry_status hry_layout_check_oversize(hry_draft *f, uint32_t i)
{
    return i < f->view.buffer_count ? too_small(f, i, UINT64_MAX) : HRY_OK;
}

hry_status hry_layout_check_no_offset(const hry_draft *f)
{
    return f->byte_offset == 0
               ? HRY_OK
               : hry_draft_fail(f, HRY_RULE_D_36, HRY_SECTION_SHAPE, hry_draft_byte_offset_field(f), f->byte_offset);
}

hry_status hry_layout_check_nnz(hry_draft *f, enum hry_rule rule)
{
    uint64_t nnz = hry_load64(f->view.bytes + f->view.layout_offset);
    return hry_draft_countable(f) && nnz > f->count
               ? hry_draft_soft_fail(f, rule, HRY_SECTION_LAYOUT, f->view.layout_offset, nnz)
               : HRY_OK;
}

hry_status hry_layout_check_no_shard(const hry_draft *f, enum hry_rule rule)
{
    return f->view.shard_offset ? hry_draft_fail(f, rule, HRY_SECTION_SHARD, f->view.shard_offset,
                                                 hry_load64(f->view.bytes + f->view.shard_offset))
                                : HRY_OK;
}

bool hry_shape_product(const uint64_t *shape, uint32_t n, uint64_t *product)
{
    uint64_t total = 1;
    for (uint32_t k = 0; k < n; k++) {
        if (shape[k] == HRY_DYNAMIC)
            return false;
        if (shape[k] == 0 || !hry_mul(total, shape[k], &total)) { /* a later dimension may be dynamic, or 0 */
            for (uint32_t i = k; i < n; i++)
                if (shape[i] == HRY_DYNAMIC)
                    return false;
            return hry_product(shape, n, product);
        }
    }
    *product = total;
    return true;
}
