/* Values of any tensor as plain ones; parameters as arrays. */
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/access.h"
#include "tensor/dequant.h"
#include "tensor/listed.h"

#include <hurray/quantize.h>
#include <string.h>

enum { DESC_ROOM = 8192 };

static hry_status describe_dense(const hry_tensor *t, uint8_t type, uint8_t *bytes, size_t room, hry_desc *desc,
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

/* A sparse or block-paged tensor stays one. */
static hry_status describe_listed(const hry_tensor *t, uint8_t type, uint8_t *bytes, size_t room, hry_desc *desc,
                                  hry_error *err)
{
    const hry_parse_options options = { .allow = &(hry_allow){ .all = true } };
    hry_desc_spec spec;
    hry_desc_store store;
    uint64_t count, nbytes;
    const hry_type_info *info = hry_type_find(type);
    if (!info || !hry_desc_unpack(&t->desc, &spec, &store))
        return hry_fail_usage(err, "there are no values of type 0x%02x", type);
    if (!hry_list_count(t, &count) || !hry_type_size(info->bits, count, &nbytes))
        return hry_fail_memory(err, UINT64_MAX);
    spec.buffer_count = hry_layout_own_buffers(hry_layout_row_of(t->desc.layout), t->desc.rank);
    for (uint32_t i = 0; i < spec.buffer_count; i++)
        store.buffers[i] = (hry_buffer){ .byte_size = i ? store.buffers[i].byte_size : nbytes };
    spec.buffers = store.buffers;
    spec.type = type;
    spec.byte_offset = 0;
    spec.quantization = NULL;
    spec.statistics = NULL;
    spec.extension_type = NULL;
    return hry_desc_encode(&spec, &options, bytes, room, desc, err);
}

static hry_status fill_dense(const hry_tensor *t, const hry_desc *desc, hry_value_sink *sink, hry_error *err)
{
    uint64_t shape[HRY_RANK_MAX];
    hry_box whole;
    hry_desc_shape(desc, shape);
    hry_map_packed(&sink->map, desc->rank, shape);
    hry_status status = hry_box_resolve(NULL, desc->rank, shape, &whole, err);
    return status ? status : hry_read_into(t, &whole, sink, err);
}

static hry_status fill(const hry_tensor *t, const hry_tensor *made, const hry_relayout_options *options,
                       void *const *buffers, hry_error *err)
{
    const hry_desc *desc = hry_tensor_desc(made);
    uint64_t nbytes;
    bool listed = hry_is_listed(desc);
    hry_value_sink sink = { .bytes = buffers[0],
                            .want = { .type = desc->type, .raw = true },
                            .bits = hry_desc_bits(desc),
                            .token_counts = options ? options->token_counts : NULL,
                            .executor = options ? options->executor : NULL };
    hry_tensor_buffer(made, 0, &nbytes);
    if (listed)
        hry_copy_index(t, buffers);
    if (nbytes == 0)
        return HRY_OK;
    if (listed || hry_desc_bits(desc) < 8) /* slots without a token, and the end of the last byte */
        memset(buffers[0], 0, (size_t)nbytes);
    return listed ? hry_read_list(t, &sink, err) : fill_dense(t, desc, &sink, err);
}

hry_status hry_tensor_dequantize(const hry_tensor *tensor, uint8_t type, const hry_relayout_options *options,
                                 hry_tensor **out, hry_error *err)
{
    uint8_t bytes[DESC_ROOM];
    hry_desc desc;
    hry_tensor *t;
    void *buffers[255] = { NULL };
    hry_status status = hry_tensor_check_readable(tensor, err);
    type = type ? type : (uint8_t)HRY_TYPE_FLOAT32;
    if (!status)
        status = hry_is_listed(&tensor->desc) ? describe_listed(tensor, type, bytes, sizeof bytes, &desc, err)
                                              : describe_dense(tensor, type, bytes, sizeof bytes, &desc, err);
    if (!status)
        status = hry_tensor_alloc(&desc, options ? options->allocator : NULL, &t, buffers, err);
    if (status)
        return status;
    status = fill(tensor, t, options, buffers, err);
    if (status)
        hry_tensor_release(t);
    else
        *out = t;
    return status;
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
