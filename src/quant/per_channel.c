#include "quant/schemes.h"

#include <hurray/type.h>

enum { AXIS = 4, SCALES = 8, ZERO_POINTS = 12, SCALE_TYPE = 16, RESERVED = 17, SIZE = 20 };

static hry_status verify(hry_draft *f)
{
    const uint8_t *payload = hry_draft_payload(f);
    uint64_t channels;
    hry_status status = hry_payload_axis(f, &channels);
    if (status)
        return status;
    if (f->paged && hry_load32(payload + AXIS) == 0)
        return hry_payload_fail(f, HRY_RULE_L_BP_08, AXIS, 0);
    if (payload[SCALE_TYPE] != HRY_TYPE_FLOAT32)
        return hry_payload_fail(f, HRY_RULE_Q_PC_01, SCALE_TYPE, payload[SCALE_TYPE]);
    if (hry_load32(payload + SCALE_TYPE) >> 8 != 0)
        return hry_draft_reserved(f, HRY_RULE_Q_PC_02, HRY_SECTION_QUANTIZATION,
                                  f->view.quantization_offset + 4 + RESERVED, SIZE - RESERVED);
    if (hry_payload_is_symmetric(payload) && hry_load32(payload + ZERO_POINTS) != HRY_NO_BUFFER)
        return hry_payload_fail(f, HRY_RULE_Q_PC_03, ZERO_POINTS, hry_load32(payload + ZERO_POINTS));
    return hry_payload_buffers(f, 4, channels, true);
}

static void get(const uint8_t *payload, hry_quantization *q)
{
    q->axis = hry_load32(payload + AXIS);
    q->scale_buffer_index = hry_load32(payload + SCALES);
    q->zero_point_buffer_index = hry_load32(payload + ZERO_POINTS);
    q->scale_type_tag = payload[SCALE_TYPE];
}

static void put(const hry_quantization *q, uint8_t *payload)
{
    hry_store32(payload + AXIS, q->axis);
    hry_store32(payload + SCALES, q->scale_buffer_index);
    hry_store32(payload + ZERO_POINTS, q->zero_point_buffer_index);
    payload[SCALE_TYPE] = q->scale_type_tag ? q->scale_type_tag : HRY_TYPE_FLOAT32;
}

const hry_scheme_row hry_scheme_per_channel = {
    .name = "per-channel-affine",
    .tag = HRY_SCHEME_PER_CHANNEL,
    .tier = 1,
    .version = 1,
    .payload = SIZE,
    .flags = HRY_QUANT_SYMMETRIC,
    .scale_field = SCALES,
    .zero_point_field = ZERO_POINTS,
    .storage = (const uint8_t[]){ HRY_TYPE_INT8, HRY_TYPE_UINT8, HRY_TYPE_INT16, HRY_TYPE_UINT16, HRY_TYPE_INT32,
                                  HRY_TYPE_UINT32, HRY_TYPE_INT4, HRY_TYPE_UINT4, HRY_TYPE_INT2, HRY_TYPE_UINT2, 0 },
    .verify = verify,
    .get = get,
    .put = put,
};
