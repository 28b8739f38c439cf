/* NF4 and MXFP: the same fields (axis, block_size, one buffer of scales), with different bounds. */
#include "base/checked.h"
#include "quant/schemes.h"

#include <hurray/type.h>

enum { AXIS = 4, BLOCK_SIZE = 8, SCALES = 12, SIZE = 16 };

static hry_status check_blocks(const hry_draft *f, uint32_t scale_size, uint32_t axis)
{
    uint64_t count = 0;
    bool known = false;
    hry_status status = hry_payload_others(f, axis);
    if (!status)
        status = hry_payload_blocks(f, axis, BLOCK_SIZE, &count, &known);
    return status ? status : hry_payload_buffers(f, scale_size, count, known);
}

/* L-BP-10: what a scale of pages would belong to is not defined. */
static hry_status check_unpaged(hry_draft *f)
{
    return f->paged ? hry_draft_soft_fail(f, HRY_RULE_L_BP_10, HRY_SECTION_QUANTIZATION,
                                          f->view.quantization_offset + 4, hry_draft_payload(f)[0])
                    : HRY_OK;
}

static hry_status verify_nf4(hry_draft *f)
{
    const uint8_t *payload = hry_draft_payload(f);
    uint32_t axis = hry_load32(payload + AXIS), block_size = hry_load32(payload + BLOCK_SIZE);
    uint64_t size;
    hry_status status = hry_payload_axis(f, &size);
    if (!status)
        status = check_unpaged(f);
    if (status)
        return status;
    if (!hry_is_pow2(block_size) || block_size < 8)
        return hry_payload_fail(f, HRY_RULE_Q_NF4_01, BLOCK_SIZE, block_size);
    if (size > 0 && block_size > size)
        return hry_payload_fail(f, HRY_RULE_Q_NF4_02, BLOCK_SIZE, block_size);
    status = check_blocks(f, 4, axis);
    return status ? status : hry_payload_partial(f, HRY_RULE_Q_NF4_05, axis, BLOCK_SIZE);
}

static hry_status verify_mxfp(hry_draft *f)
{
    const uint8_t *payload = hry_draft_payload(f);
    uint32_t axis = hry_load32(payload + AXIS), block_size = hry_load32(payload + BLOCK_SIZE);
    uint64_t size;
    hry_status status = hry_payload_axis(f, &size);
    if (!status)
        status = check_unpaged(f);
    if (status)
        return status;
    if (!hry_is_pow2(block_size) || block_size < 16 || block_size > 2048)
        return hry_payload_fail(f, HRY_RULE_Q_MX_01, BLOCK_SIZE, block_size);
    if (size == 0 || size % block_size != 0)
        return hry_payload_fail(f, HRY_RULE_Q_MX_02, BLOCK_SIZE, size);
    return check_blocks(f, 1, axis);
}

static void get(const uint8_t *payload, hry_quantization *q)
{
    q->axis = hry_load32(payload + AXIS);
    q->block_size = hry_load32(payload + BLOCK_SIZE);
    q->scale_buffer_index = hry_load32(payload + SCALES);
}

static void put(const hry_quantization *q, uint8_t *payload)
{
    hry_store32(payload + AXIS, q->axis);
    hry_store32(payload + BLOCK_SIZE, q->block_size);
    hry_store32(payload + SCALES, q->scale_buffer_index);
}

const hry_scheme_row hry_scheme_nf4 = {
    .name = "nf4",
    .tag = HRY_SCHEME_NF4,
    .tier = 2,
    .version = 1,
    .payload = SIZE,
    .scale_field = SCALES,
    .storage = (const uint8_t[]){ HRY_TYPE_UINT4, 0 },
    .verify = verify_nf4,
    .get = get,
    .put = put,
};

const hry_scheme_row hry_scheme_mxfp = {
    .name = "mxfp",
    .tag = HRY_SCHEME_MXFP,
    .tier = 2,
    .version = 1,
    .payload = SIZE,
    .scale_field = SCALES,
    .storage = (const uint8_t[]){ HRY_TYPE_FLOAT4_E2M1, HRY_TYPE_FLOAT8_E4M3, HRY_TYPE_FLOAT8_E5M2,
                                  HRY_TYPE_FLOAT6_E2M3, HRY_TYPE_FLOAT6_E3M2, HRY_TYPE_INT8, HRY_TYPE_INT4, 0 },
    .verify = verify_mxfp,
    .get = get,
    .put = put,
};
