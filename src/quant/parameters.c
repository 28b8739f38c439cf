#include "base/checked.h"
#include "quant/schemes.h"

#include <hurray/type.h>

enum { AXIS = 4 };

hry_status hry_payload_fail(const hry_frame *f, enum hry_rule rule, uint32_t field, uint64_t value)
{
    return hry_frame_fail(f, rule, HRY_SECTION_QUANTIZATION, f->quantization_offset + 4 + field, value);
}

hry_status hry_payload_axis(const hry_frame *f, uint64_t *size)
{
    uint32_t axis = hry_load32(hry_frame_payload(f) + AXIS);
    if (axis >= f->rank)
        return hry_payload_fail(f, HRY_RULE_Q_09, AXIS, axis);
    *size = hry_frame_dim(f, axis);
    return *size == UINT64_MAX ? hry_payload_fail(f, HRY_RULE_Q_10, AXIS, axis) : HRY_OK;
}

hry_status hry_payload_blocks(const hry_frame *f, uint32_t axis, uint64_t block_size, uint64_t *blocks, bool *known)
{
    uint64_t total = hry_ceil_div(hry_frame_dim(f, axis), block_size);
    bool fits = true, empty = total == 0;
    *known = true;
    for (uint32_t k = 0; k < f->rank; k++) {
        uint64_t dim = hry_frame_dim(f, k);
        if (k == axis)
            continue;
        if (dim == UINT64_MAX) {
            *known = false;
            return f->stored ? hry_payload_fail(f, HRY_RULE_Q_11, AXIS, k) : HRY_OK;
        }
        empty |= dim == 0;
        fits = fits && hry_mul(total, dim, &total);
    }
    *blocks = empty ? 0 : total;
    return fits || empty ? HRY_OK : hry_payload_fail(f, HRY_RULE_Q_12, AXIS, axis);
}

static hry_status check_index(const hry_frame *f, uint32_t field)
{
    uint32_t index = hry_load32(hry_frame_payload(f) + field);
    if (index >= f->buffer_count)
        return hry_payload_fail(f, HRY_RULE_Q_BUF_01, field, index);
    return index < f->own_buffers ? hry_payload_fail(f, HRY_RULE_Q_BUF_02, field, index) : HRY_OK;
}

static hry_status check_exact(const hry_frame *f, uint32_t field, uint64_t count, uint32_t item)
{
    uint32_t index = hry_load32(hry_frame_payload(f) + field);
    uint64_t need, have = hry_frame_buffer_size(f, index);
    if (!hry_mul(count, item, &need))
        return hry_payload_fail(f, HRY_RULE_Q_12, field, count);
    if (have == need || (f->permissive && have > need))
        return HRY_OK;
    return hry_frame_fail(f, HRY_RULE_Q_BUF_04, HRY_SECTION_BUFFERS, hry_frame_handle(f, index), have);
}

static hry_status check_shared(const hry_frame *f, const hry_parameters *p)
{
    uint32_t index = hry_load32(hry_frame_payload(f) + p->scale_field);
    uint64_t need, have = hry_frame_buffer_size(f, index);
    if (!hry_mul(p->count, p->scale_bytes + 4u, &need))
        return hry_payload_fail(f, HRY_RULE_Q_12, p->scale_field, p->count);
    return have < need ? hry_frame_fail(f, HRY_RULE_Q_BUF_05, HRY_SECTION_BUFFERS, hry_frame_handle(f, index), have)
                       : HRY_OK;
}

hry_status hry_payload_buffers(hry_frame *f, const hry_parameters *p)
{
    const uint8_t *payload = hry_frame_payload(f);
    bool zero_points = p->zero_point_field && !(hry_load16(payload + 2) & HRY_QUANT_SYMMETRIC);
    hry_status status = check_index(f, p->scale_field);
    if (!status && zero_points)
        status = check_index(f, p->zero_point_field);
    if (status || !p->known)
        return status;
    if (zero_points && hry_load32(payload + p->scale_field) == hry_load32(payload + p->zero_point_field))
        return check_shared(f, p);
    status = check_exact(f, p->scale_field, p->count, p->scale_bytes);
    return status || !zero_points ? status : check_exact(f, p->zero_point_field, p->count, 4);
}

/* Nothing outside axis is traversed slower: then padding of the last block lies behind all data. */
static bool axis_is_slowest(const hry_frame *f, uint32_t axis)
{
    uint32_t from = f->order == HRY_ORDER_ROW ? 0 : axis + 1, to = f->order == HRY_ORDER_ROW ? axis : f->rank;
    for (uint32_t k = from; k < to; k++)
        if (hry_frame_dim(f, k) > 1)
            return false;
    return true;
}

hry_status hry_payload_partial(hry_frame *f, enum hry_rule rule, uint32_t axis, uint64_t block_size)
{
    uint64_t size = hry_frame_dim(f, axis), padded = 1, plain_bytes, padded_bytes, dim;
    if (f->order == HRY_ORDER_OTHER || !hry_frame_countable(f) || f->empty || size % block_size == 0 ||
        axis_is_slowest(f, axis))
        return HRY_OK;
    uint64_t have = hry_frame_buffer_size(f, 0) - f->byte_offset; /* D-35 came first */
    if (hry_type_size(f->bits, f->count, &plain_bytes) && have == plain_bytes)
        return HRY_OK;
    bool fits = true;
    for (uint32_t k = 0; k < f->rank; k++) {
        dim = k == axis ? hry_ceil_div(size, block_size) : hry_frame_dim(f, k);
        fits = fits && hry_mul(padded, dim, &padded);
    }
    fits = fits && hry_mul(padded, block_size, &padded) && hry_type_size(f->bits, padded, &padded_bytes);
    if ((fits && have == padded_bytes) || f->permissive)
        return HRY_OK;
    return hry_frame_fail(f, rule, HRY_SECTION_BUFFERS, hry_frame_handle(f, 0), have);
}
