/* Values of any tensor as plain ones; parameters as arrays. */
#include "base/status.h"
#include "tensor/dequant.h"

#include <hurray/quantize.h>

static hry_status make_descriptor(const hry_tensor *t, uint8_t type, uint8_t *bytes, size_t room, hry_desc *desc,
                                  hry_error *err)
{
    uint64_t shape[HRY_RANK_MAX], parent[HRY_RANK_MAX], offset[HRY_RANK_MAX];
    uint8_t role;
    hry_desc_shape(&t->desc, shape);
    hry_desc_spec spec = { .type = type, .rank = t->desc.rank, .shape = shape };
    if (hry_desc_shard(&t->desc, parent, offset)) {
        spec.parent_shape = parent;
        spec.shard_offset = offset;
    }
    if (hry_desc_composite_member(&t->desc, &role))
        spec.member_role = &role;
    return hry_desc_encode(&spec, NULL, bytes, room, desc, err);
}

hry_status hry_tensor_dequantize(const hry_tensor *tensor, uint8_t type, const hry_relayout_options *options,
                                 hry_tensor **out, hry_error *err)
{
    uint8_t bytes[128 + 24 * HRY_RANK_MAX];
    hry_desc desc;
    hry_tensor *t;
    void *buffers[1] = { NULL };
    hry_read_options read = { .executor = options ? options->executor : NULL,
                              .token_counts = options ? options->token_counts : NULL };
    hry_status status = hry_tensor_check_readable(tensor, err);
    if (!status)
        status = make_descriptor(tensor, type ? type : HRY_TYPE_FLOAT32, bytes, sizeof bytes, &desc, err);
    if (!status)
        status = hry_tensor_alloc(&desc, options ? options->allocator : NULL, &t, buffers, err);
    if (status)
        return status;
    if (buffers[0])
        status = hry_tensor_read_with(tensor, NULL, desc.type, NULL, &read, buffers[0], err);
    if (status) {
        hry_tensor_release(t);
        return status;
    }
    *out = t;
    return HRY_OK;
}

static hry_status find(const hry_tensor *tensor, hry_dequant *d, hry_error *err)
{
    hry_status status = hry_tensor_check_readable(tensor, err);
    if (!status && !(tensor->desc.flags & HRY_HAS_QUANTIZATION))
        return hry_fail_usage(err, "the tensor is not quantized");
    return status ? status : hry_dequant_init(d, tensor, err);
}

hry_status hry_tensor_parameter_count(const hry_tensor *tensor, uint64_t *count, hry_error *err)
{
    hry_dequant d;
    hry_status status = find(tensor, &d, err);
    if (!status)
        *count = d.count;
    return status;
}

hry_status hry_tensor_parameters(const hry_tensor *tensor, uint64_t first, size_t count, float *scales,
                                 int32_t *zero_points, hry_error *err)
{
    hry_dequant d;
    hry_status status = find(tensor, &d, err);
    if (status)
        return status;
    if (first > d.count || count > d.count - first)
        return hry_fail_usage(err, "there are %llu parameters", (unsigned long long)d.count);
    if (scales && d.scales)
        hry_dequant_scales(&d, first, 1, count, scales);
    else if (scales && count)
        *scales = d.scale;
    if (zero_points && d.zero_points)
        hry_dequant_zero_points(&d, first, 1, count, zero_points);
    else if (zero_points)
        for (size_t i = 0; i < count; i++)
            zero_points[i] = d.scales ? 0 : d.zero_point;
    return HRY_OK;
}
