/* Reading values out of tensors of any layout. */
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/access.h"
#include "tensor/move.h"
#include "type/types.h"

#include <string.h>

static hry_status read_dense_tensor(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink,
                                    hry_error *err)
{
    hry_decoder decoder;
    hry_map from;
    hry_status status = hry_decoder_init(&decoder, tensor, &sink->want, err);
    if (status)
        return status;
    if (!hry_tensor_map(tensor, &from))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, tensor->desc.layout,
                        "elements of the %s layout cannot be found", hry_layout_name(tensor->desc.layout));
    hry_map_select(&from, box);
    return hry_read_dense(&decoder, hry_tensor_first(tensor), &from, box, sink, err);
}

hry_status hry_read_into(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_error *err)
{
    const hry_layout_row *layout = hry_layout_row_of(tensor->desc.layout);
    if (sink->map.empty)
        return HRY_OK;
    switch (layout ? layout->category : HRY_PRIVATE) {
    case HRY_SPARSE:
        return hry_read_sparse(tensor, box, sink, err);
    case HRY_INDIRECT:
        return hry_read_paged(tensor, box, sink, err);
    case HRY_VIRTUAL:
        return hry_read_composite(tensor, box, sink, err);
    default:
        return read_dense_tensor(tensor, box, sink, err);
    }
}

/* The type that 0 stands for. */
static uint8_t own_type(const hry_tensor *tensor, bool stored)
{
    return tensor->desc.flags & HRY_HAS_QUANTIZATION && !stored ? (uint8_t)HRY_TYPE_FLOAT32 : tensor->desc.type;
}

static hry_status make_sink(const hry_tensor *tensor, const hry_box *box, uint8_t type, const int64_t *strides,
                            const hry_read_options *options, void *dst, hry_value_sink *sink, hry_error *err)
{
    uint32_t rank = tensor->desc.rank;
    sink->bytes = dst;
    bool stored = options && options->stored;
    sink->want = (hry_want){ .type = type ? type : own_type(tensor, stored), .stored = stored, .raw = stored };
    sink->token_counts = options ? options->token_counts : NULL;
    sink->executor = options ? options->executor : NULL;
    sink->bits =
        sink->want.type == tensor->desc.type ? hry_desc_bits(&tensor->desc) : hry_type_table[sink->want.type].bits;
    if (sink->bits == 0)
        return hry_fail_usage(err, "values cannot be read as type 0x%02x", sink->want.type);
    if (strides && rank)
        hry_map_strided(&sink->map, rank, box->count, strides);
    else
        hry_map_packed(&sink->map, rank, box->count);
    return HRY_OK;
}

/* What is packed ends with a whole byte, or with a whole group of three: the bits behind the last element are 0. */
static void clear_end(const hry_value_sink *sink)
{
    uint64_t count, nbytes;
    if (sink->bits >= 8 || !hry_map_count(&sink->map, &count) || !hry_type_size(sink->bits, count, &nbytes) || !nbytes)
        return;
    size_t unit = sink->bits == 6 ? 3 : 1;
    memset(sink->bytes + nbytes - unit, 0, unit);
}

hry_status hry_tensor_read_with(const hry_tensor *tensor, const hry_box *box, uint8_t type, const int64_t *strides,
                                const hry_read_options *options, void *dst, hry_error *err)
{
    uint64_t shape[HRY_RANK_MAX];
    hry_box whole;
    hry_value_sink sink;
    hry_status status = hry_tensor_check_readable(tensor, err);
    hry_desc_shape(&tensor->desc, shape);
    if (!status)
        status = hry_box_resolve(box, tensor->desc.rank, shape, &whole, err);
    if (!status)
        status = make_sink(tensor, &whole, type, strides, options, dst, &sink, err);
    if (status)
        return status;
    if (!strides)
        clear_end(&sink);
    return hry_read_into(tensor, &whole, &sink, err);
}

hry_status hry_tensor_read(const hry_tensor *tensor, const hry_box *box, uint8_t type, const int64_t *strides,
                           void *dst, hry_error *err)
{
    return hry_tensor_read_with(tensor, box, type, strides, NULL, dst, err);
}

/* An element of a plain dense tensor, without the machinery of boxes. False where that is not what it is. */
static bool get_plain(const hry_tensor *tensor, const uint64_t *index, uint8_t type, void *value)
{
    const hry_desc *desc = &tensor->desc;
    hry_map map;
    hry_convert convert;
    _Alignas(16) uint8_t result[16] = { 0 };
    int64_t first = 0;
    if (desc->layout > HRY_LAYOUT_STRIDED || desc->state || desc->flags & HRY_HAS_QUANTIZATION || !tensor->in_host ||
        !hry_convert_init(&convert, desc->type, type ? type : desc->type) || !hry_tensor_map(tensor, &map))
        return false;
    uint32_t bits = hry_type_table[desc->type].bits, to_bits = hry_type_table[convert.to].bits;
    for (uint32_t k = 0; k < desc->rank; k++)
        if (index[k] >= hry_desc_dim(desc, k))
            return false;
    uint64_t code[2];
    int64_t offset = hry_map_offset(&map, index);
    hry_move_list(bits, hry_tensor_first(tensor), &offset, (uint8_t *)code, &first, 1);
    if (!hry_convert_run(&convert, code, 1, result))
        return false;
    if (to_bits >= 8)
        memcpy(value, result, to_bits / 8);
    else
        *(uint8_t *)value = (uint8_t)(result[0] & ((1u << to_bits) - 1));
    return true;
}

hry_status hry_tensor_get(const hry_tensor *tensor, const uint64_t *index, uint8_t type, void *value, hry_error *err)
{
    hry_box box;
    if (get_plain(tensor, index, type, value))
        return HRY_OK;
    for (uint32_t k = 0; k < tensor->desc.rank; k++) {
        box.start[k] = index[k];
        box.count[k] = 1;
        box.step[k] = 1;
    }
    return hry_tensor_read_with(tensor, &box, type, NULL, NULL, value, err);
}
