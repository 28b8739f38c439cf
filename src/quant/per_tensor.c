#include "quant/schemes.h"

#include <hurray/type.h>
#include <math.h>

enum { SCALE = 4, ZERO_POINT = 8, RESERVED = 12, SIZE = 16 };

static hry_status verify(hry_draft *f)
{
    const uint8_t *payload = hry_draft_payload(f);
    float scale = hry_load_f32(payload + SCALE);
    int32_t zero_point = (int32_t)hry_load32(payload + ZERO_POINT);
    int64_t lowest, highest;
    if (!isfinite(scale) || scale == 0.0f)
        return hry_payload_fail(f, HRY_RULE_Q_PT_01, SCALE, hry_load32(payload + SCALE));
    if (!hry_storage_range(f->view.type, &lowest, &highest) || zero_point < lowest || zero_point > highest)
        return hry_payload_fail(f, HRY_RULE_Q_PT_02, ZERO_POINT, (uint64_t)zero_point);
    return hry_draft_reserved(f, HRY_RULE_Q_PT_03, HRY_SECTION_QUANTIZATION, f->view.quantization_offset + 4 + RESERVED,
                              SIZE - RESERVED);
}

static void get(const uint8_t *payload, hry_quantization *q)
{
    q->scale = hry_load_f32(payload + SCALE);
    q->zero_point = (int32_t)hry_load32(payload + ZERO_POINT);
}

static void put(const hry_quantization *q, uint8_t *payload)
{
    hry_store_f32(payload + SCALE, q->scale);
    hry_store32(payload + ZERO_POINT, (uint32_t)q->zero_point);
}

const hry_scheme_row hry_scheme_per_tensor = {
    .name = "per-tensor-affine",
    .tag = HRY_SCHEME_PER_TENSOR,
    .tier = 1,
    .version = 1,
    .payload = SIZE,
    .storage = (const uint8_t[]){ HRY_TYPE_INT8, HRY_TYPE_UINT8, HRY_TYPE_INT16, HRY_TYPE_UINT16, HRY_TYPE_INT32,
                                  HRY_TYPE_UINT32, HRY_TYPE_INT4, HRY_TYPE_UINT4, HRY_TYPE_INT2, HRY_TYPE_UINT2, 0 },
    .verify = verify,
    .get = get,
    .put = put,
};
