#include "interop/gguf/gguf_forms.h"
#include "interop/gguf/gguf_half.h"

#include <hurray/quant.h>
#include <hurray/type.h>

#define HALVES .scheme = HRY_SCHEME_PER_BLOCK, .scale_type = HRY_TYPE_FLOAT16, .scales = 2
#define ONE_AT(place, bits) .scale_at = (place), .one = (bits)
#define FLOATS(n) .scheme = HRY_SCHEME_PER_BLOCK, .scale_type = HRY_TYPE_FLOAT32, .scales = 4 * (n)
#define ONE_ZERO_POINT .zero_point = 1, .zeros = 4
#define TAKE(codes_of, scales_of) .take_codes = hry_gguf_codes_##codes_of, .take_scales = hry_gguf_scales_##scales_of

/* Q1_0, Q2_0 and IQ4_NL keep their scale where Q4_0 does, in blocks of the same size. */
static const hry_gguf_form forms[HRY_GGUF_TYPES] = {
    [HRY_GGUF_Q8_0] = { HALVES, .storage = HRY_TYPE_INT8, .block = 32, .codes = 32, TAKE(q8_0, q8_0),
                        ONE_AT(0, HRY_GGUF_HALF_ONE), .give = hry_gguf_give_q8_0 },
    [HRY_GGUF_Q4_0] = { HALVES, .storage = HRY_TYPE_INT4, .block = 32, .codes = 16, TAKE(q4_0, q4_0),
                        ONE_AT(0, HRY_GGUF_HALF_ONE), .give = hry_gguf_give_q4_0 },
    [HRY_GGUF_Q5_0] = { HALVES, .storage = HRY_TYPE_INT8, .block = 32, .codes = 32, TAKE(q5_0, q5_0),
                        ONE_AT(0, HRY_GGUF_HALF_ONE), .takes = hry_gguf_takes_q5_0, .give = hry_gguf_give_q5_0 },
    [HRY_GGUF_MXFP4] = { .scheme = HRY_SCHEME_MXFP,
                         .storage = HRY_TYPE_FLOAT4_E2M1,
                         .block = 32,
                         .codes = 16,
                         .scales = 1,
                         TAKE(mxfp4, mxfp4),
                         ONE_AT(0, 0x7F),
                         .give = hry_gguf_give_mxfp4 },
    [HRY_GGUF_Q1_0] = { HALVES, .storage = HRY_TYPE_INT2, .block = 128, .codes = 32, TAKE(q1_0, q4_0),
                        .takes = hry_gguf_takes_q1_0, .give = hry_gguf_give_q1_0 },
    [HRY_GGUF_Q2_0] = { HALVES, ONE_ZERO_POINT, .storage = HRY_TYPE_UINT2, .block = 64, .codes = 16, TAKE(q2_0, q4_0),
                        ONE_AT(0, HRY_GGUF_HALF_ONE), .give = hry_gguf_give_q2_0 },
    [HRY_GGUF_TQ2_0] = { HALVES, ONE_ZERO_POINT, .storage = HRY_TYPE_UINT2, .block = 256, .codes = 64,
                         TAKE(tq2_0, tq2_0), ONE_AT(64, HRY_GGUF_HALF_ONE), .give = hry_gguf_give_tq2_0 },
    [HRY_GGUF_TQ1_0] = { HALVES, .storage = HRY_TYPE_INT2, .block = 256, .codes = 64, TAKE(tq1_0, tq1_0),
                         ONE_AT(52, HRY_GGUF_HALF_ONE), .takes = hry_gguf_takes_tq1_0, .give = hry_gguf_give_tq1_0 },
    [HRY_GGUF_IQ4_NL] = { HALVES, .storage = HRY_TYPE_INT8, .block = 32, .codes = 32, TAKE(iq4_nl, q4_0),
                          .takes = hry_gguf_takes_iq4_nl, .give = hry_gguf_give_iq4_nl },
    [HRY_GGUF_IQ4_XS] = { FLOATS(8), .storage = HRY_TYPE_INT8, .block = 32, .codes = 256, TAKE(iq4_xs, iq4_xs) },
    [HRY_GGUF_Q3_K] = { FLOATS(16), .storage = HRY_TYPE_INT4, .block = 16, .codes = 128, TAKE(q3_k, q3_k) },
    [HRY_GGUF_Q6_K] = { FLOATS(16), .storage = HRY_TYPE_INT8, .block = 16, .codes = 256, TAKE(q6_k, q6_k) },
    [HRY_GGUF_Q8_K] = { FLOATS(1), .storage = HRY_TYPE_INT8, .block = 256, .codes = 256, TAKE(q8_k, q8_k),
                        ONE_AT(0, 0x3F800000), .give = hry_gguf_give_q8_k },
    [HRY_GGUF_NVFP4] = { FLOATS(4), .storage = HRY_TYPE_INT8, .block = 16, .codes = 64, TAKE(nvfp4, nvfp4),
                         ONE_AT(0, 0x40), .takes = hry_gguf_takes_nvfp4, .give = hry_gguf_give_nvfp4 },
};

const hry_gguf_form *hry_gguf_form_of(uint32_t id)
{
    return id < HRY_GGUF_TYPES && forms[id].storage ? &forms[id] : NULL;
}

const char *hry_gguf_form_objection(uint32_t id)
{
    return id == HRY_GGUF_MXFP4 ? "the scale is no e8m0 of this format's: 0xff, or 0 with codes that are not"
                                : "the scale is infinite or NaN";
}
