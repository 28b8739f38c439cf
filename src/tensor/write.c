/* Writing into buffers that are not a tensor yet. */
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/access.h"
#include "tensor/move.h"
#include "type/types.h"

/* Whether each index has a place of its own, as far as strides tell. */
static bool places_are_apart(const hry_map *map)
{
    int64_t strides[HRY_RANK_MAX];
    uint64_t counts[HRY_RANK_MAX];
    for (uint32_t k = 0; k < map->rank; k++) {
        strides[k] = hry_map_stride(map, k);
        counts[k] = map->axis[k].count;
    }
    return hry_strides_apart(map->rank, strides, counts);
}

static hry_status check_writable(const hry_desc *desc, bool stored, hry_map *map, hry_error *err)
{
    hry_buffer row;
    if (desc->state & HRY_DESC_OPAQUE)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, 0, "an opaque tensor has no values to write");
    if (desc->state & HRY_DESC_HAS_DYNAMIC)
        return hry_fail_rule(err, HRY_RULE_F_T04, HRY_SECTION_SHAPE, 20, HRY_DYNAMIC);
    if (hry_desc_buffer(desc, 0, &row) && row.device_tag != HRY_DEVICE_CPU)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_BUFFERS, 0, row.device_tag, "the data are in %s memory",
                        hry_device_name(row.device_tag));
    if (desc->flags & HRY_HAS_QUANTIZATION && !stored)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_QUANTIZATION, 0, 0,
                        "a quantized tensor is written as stored codes; hry_tensor_quantize makes them");
    if (!hry_desc_map(desc, map))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, desc->layout,
                        "elements of the %s layout are not written one by one", hry_layout_name(desc->layout));
    if (desc->layout == HRY_LAYOUT_STRIDED && !map->empty && !places_are_apart(map))
        return hry_fail_usage(err, "elements that share their place cannot be written (layouts, section 3)");
    return HRY_OK;
}

/* From values to what is stored: the decoder of the other direction. */
static hry_status encoder_init(hry_decoder *encoder, uint8_t type, const hry_desc *desc, bool stored, hry_error *err)
{
    uint32_t bits = hry_desc_bits(desc);
    bool same = type == desc->type;
    *encoder = (hry_decoder){ .bits = same ? bits : hry_type_table[type].bits, .type = desc->type };
    encoder->plain = same && (stored || !HRY_HOST_SWAPS || bits <= 8 || hry_type_is_private(type));
    if (encoder->plain || hry_convert_init_store(&encoder->convert, type, desc->type))
        return HRY_OK;
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, type, "%s cannot be written as %s",
                    hry_type_name(type), hry_type_name(desc->type));
}

hry_status hry_desc_write(const hry_desc *desc, const hry_box *box, uint8_t type, const int64_t *strides,
                          const void *src, const hry_write_options *options, void *const *buffers, hry_error *err)
{
    bool stored = options && options->stored;
    uint64_t shape[HRY_RANK_MAX];
    hry_decoder encoder;
    hry_box whole;
    hry_map from;
    hry_value_sink sink = { .want = { .type = desc->type },
                            .bits = hry_desc_bits(desc),
                            .executor = options ? options->executor : NULL };
    hry_status status = check_writable(desc, stored, &sink.map, err);
    hry_desc_shape(desc, shape);
    if (!status)
        status = hry_box_resolve(box, desc->rank, shape, &whole, err);
    if (!status)
        status = encoder_init(&encoder, type ? type : desc->type, desc, stored, err);
    if (status)
        return status;
    hry_map_select(&sink.map, &whole);
    if (sink.map.empty)
        return HRY_OK;
    sink.bytes = (uint8_t *)buffers[0] + hry_desc_byte_offset(desc);
    if (strides && desc->rank)
        hry_map_strided(&from, desc->rank, whole.count, strides);
    else
        hry_map_packed(&from, desc->rank, whole.count);
    return hry_read_dense(&encoder, src, &from, &whole, &sink, err);
}
