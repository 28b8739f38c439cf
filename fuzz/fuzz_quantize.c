/*
 * Any tensor to codes and back: what comes of it passes verification, sparse and paged tensors stay what they are, and
 * the values with the same parameters give the same codes.
 */
#include "small_blocks.h"
#include "tensor_input.h"

#include <hurray/quantize.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SEQUENCES = 8 };

static void choose_quantizer(tensor_input *in, hry_quantizer *q)
{
    static const uint8_t types[] = { 0,
                                     HRY_TYPE_INT8,
                                     HRY_TYPE_UINT8,
                                     HRY_TYPE_INT16,
                                     HRY_TYPE_UINT16,
                                     HRY_TYPE_INT32,
                                     HRY_TYPE_UINT32,
                                     HRY_TYPE_INT4,
                                     HRY_TYPE_UINT4,
                                     HRY_TYPE_INT2,
                                     HRY_TYPE_UINT2,
                                     HRY_TYPE_FLOAT8_E4M3,
                                     HRY_TYPE_FLOAT8_E5M2,
                                     HRY_TYPE_FLOAT6_E2M3,
                                     HRY_TYPE_FLOAT6_E3M2,
                                     HRY_TYPE_FLOAT4_E2M1 };
    static const uint8_t scales[] = { 0, HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16, HRY_TYPE_FLOAT32 };
    *q = (hry_quantizer){ .scheme = (uint8_t)(1 + choose(in, 5)),
                          .storage = types[choose(in, sizeof types)],
                          .scale_type = scales[choose(in, sizeof scales)],
                          .symmetric = choose(in, 2),
                          .axis = (uint32_t)choose(in, 4),
                          .block = choose(in, 2) ? 0 : 1u << choose(in, 6),
                          .ceil = choose(in, 2),
                          .optimize = choose(in, 2),
                          .allocator = &small_blocks,
                          .shared = choose(in, 2) };
}

static bool is_listed(const hry_tensor *t)
{
    uint8_t tag = hry_tensor_desc(t)->layout;
    return tag >= HRY_LAYOUT_COO && tag <= HRY_LAYOUT_BLOCK_PAGED;
}

/* Section 11.2: for codes of up to 16 bits. */
static void check_again(const hry_tensor *quantized, const hry_tensor *values, hry_quantizer *q)
{
    uint64_t count, na, nb;
    hry_tensor *again = NULL;
    if (hry_desc_bits(hry_tensor_desc(quantized)) > 16)
        return;
    REQUIRE(hry_tensor_parameter_count(quantized, &count, NULL) == HRY_OK && count <= SMALL_BLOCK);
    float *scales = malloc((size_t)count * sizeof *scales + 1);
    int32_t *zero_points = malloc((size_t)count * sizeof *zero_points + 1);
    REQUIRE(scales && zero_points);
    REQUIRE(hry_tensor_parameters(quantized, 0, (size_t)count, scales, zero_points, NULL) == HRY_OK);
    q->scales = scales;
    q->zero_points = q->symmetric || q->scheme > HRY_SCHEME_PER_BLOCK ? NULL : zero_points;
    hry_status status = hry_tensor_quantize(values, q, &again, NULL);
    REQUIRE(status == HRY_OK || status == HRY_E_MEMORY || status == HRY_E_UNSUPPORTED);
    if (again) {
        const void *a = hry_tensor_buffer(quantized, 0, &na), *b = hry_tensor_buffer(again, 0, &nb);
        REQUIRE(na == nb && (na == 0 || memcmp(a, b, (size_t)na) == 0));
    }
    hry_tensor_release(again);
    free(scales);
    free(zero_points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tensor_input in;
    hry_quantizer q;
    hry_error err;
    hry_tensor *quantized = NULL, *values = NULL;
    uint64_t counts[SEQUENCES];
    hry_layout layout;
    hry_layout_store store;
    if (!tensor_input_start(&in, data, size))
        return 0;
    choose_quantizer(&in, &q);
    hry_relayout_options options = { .allocator = &small_blocks };
    for (size_t i = 0; i < SEQUENCES; i++)
        counts[i] = choose(&in, 8);
    if (hry_desc_layout_get(hry_tensor_desc(in.tensor), &layout, &store) && layout.num_seqs <= SEQUENCES &&
        choose(&in, 2))
        options.token_counts = counts;
    q.token_counts = options.token_counts;
    if (hry_tensor_quantize(in.tensor, &q, &quantized, &err) == HRY_OK) {
        REQUIRE(hry_tensor_verify(quantized, HRY_VERIFY_DEEP, &err) == HRY_OK || err.rule == hry_rule_find("L-COO-22"));
        REQUIRE(!is_listed(in.tensor) || hry_tensor_desc(quantized)->layout == hry_tensor_desc(in.tensor)->layout);
    }
    const hry_tensor *from = quantized ? quantized : in.tensor;
    if (hry_tensor_dequantize(from, HRY_TYPE_FLOAT32, &options, &values, &err) == HRY_OK) {
        REQUIRE(!is_listed(from) || hry_tensor_desc(values)->layout == hry_tensor_desc(from)->layout);
        if (quantized)
            check_again(quantized, values, &q);
    }
    hry_tensor_release(values);
    hry_tensor_release(quantized);
    tensor_input_end(&in);
    return 0;
}
