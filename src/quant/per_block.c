#include "base/checked.h"
#include "quant/schemes.h"

#include <hurray/type.h>

enum { AXIS = 4, BLOCK_SIZE = 8, SCALES = 12, ZERO_POINTS = 16, SCALE_TYPE = 20, RESERVED = 21, SIZE = 24 };

static hry_status check_fields(hry_draft *f, uint64_t size)
{
    const uint8_t *payload = hry_draft_payload(f);
    uint32_t block_size = hry_load32(payload + BLOCK_SIZE);
    if (f->paged && hry_load32(payload + AXIS) != 0)
        return hry_payload_fail(f, HRY_RULE_L_BP_09, AXIS, hry_load32(payload + AXIS));
    if (!hry_is_pow2(block_size) || block_size < 2)
        return hry_payload_fail(f, HRY_RULE_Q_PB_01, BLOCK_SIZE, block_size);
    if (f->paged && block_size != f->page_size)
        return hry_payload_fail(f, HRY_RULE_L_BP_09, BLOCK_SIZE, block_size);
    if (!f->paged && size > 0 && block_size > size)
        return hry_payload_fail(f, HRY_RULE_Q_PB_02, BLOCK_SIZE, block_size);
    if (payload[SCALE_TYPE] < HRY_TYPE_FLOAT16 || payload[SCALE_TYPE] > HRY_TYPE_FLOAT32)
        return hry_payload_fail(f, HRY_RULE_Q_PB_03, SCALE_TYPE, payload[SCALE_TYPE]);
    hry_status status = hry_draft_reserved(f, HRY_RULE_Q_PB_04, HRY_SECTION_QUANTIZATION,
                                           f->view.quantization_offset + 4 + RESERVED, SIZE - RESERVED);
    if (status)
        return status;
    if (hry_payload_is_symmetric(payload) && !f->options->permissive &&
        hry_load32(payload + ZERO_POINTS) != HRY_NO_BUFFER)
        return hry_payload_fail(f, HRY_RULE_Q_PB_05, ZERO_POINTS, hry_load32(payload + ZERO_POINTS));
    return HRY_OK;
}

static hry_status verify(hry_draft *f)
{
    uint64_t size;
    hry_status status = hry_payload_axis(f, &size);
    if (!status)
        status = check_fields(f, size);
    if (status)
        return status;
    uint32_t axis = hry_load32(hry_draft_payload(f) + AXIS);
    uint64_t count = f->slots;
    bool known = true;
    status = hry_payload_others(f, axis);
    if (!status && !f->paged)
        status = hry_payload_blocks(f, axis, BLOCK_SIZE, &count, &known);
    if (!status)
        status = hry_payload_buffers(f, hry_scheme_scale_size(hry_draft_payload(f)), count, known);
    return status || f->paged ? status : hry_payload_partial(f, HRY_RULE_Q_PB_07, axis, BLOCK_SIZE);
}

static void get(const uint8_t *payload, hry_quantization *q)
{
    q->axis = hry_load32(payload + AXIS);
    q->block_size = hry_load32(payload + BLOCK_SIZE);
    q->scale_buffer_index = hry_load32(payload + SCALES);
    q->zero_point_buffer_index = hry_load32(payload + ZERO_POINTS);
    q->scale_type_tag = payload[SCALE_TYPE];
}

static void put(const hry_quantization *q, uint8_t *payload)
{
    hry_store32(payload + AXIS, q->axis);
    hry_store32(payload + BLOCK_SIZE, q->block_size);
    hry_store32(payload + SCALES, q->scale_buffer_index);
    hry_store32(payload + ZERO_POINTS, q->zero_point_buffer_index);
    payload[SCALE_TYPE] = q->scale_type_tag ? q->scale_type_tag : HRY_TYPE_FLOAT32;
}

const hry_scheme_row hry_scheme_per_block = {
    .name = "per-block-affine",
    .tag = HRY_SCHEME_PER_BLOCK,
    .tier = 1,
    .version = 1,
    .payload = SIZE,
    .flags = HRY_QUANT_SYMMETRIC,
    .scale_field = SCALES,
    .zero_point_field = ZERO_POINTS,
    .storage = (const uint8_t[]){ HRY_TYPE_INT8, HRY_TYPE_UINT8, HRY_TYPE_INT4, HRY_TYPE_UINT4, HRY_TYPE_INT2,
                                  HRY_TYPE_UINT2, 0 },
    .verify = verify,
    .get = get,
    .put = put,
};
