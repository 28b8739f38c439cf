/* Reading a view: every field at its fixed place. */
#include "base/bytes.h"
#include "base/checked.h"
#include "layout/layouts.h"
#include "quant/schemes.h"

#include <hurray/desc.h>

enum { VERSION_MAJOR = 4, VERSION_MINOR = 5, SHAPE = 20 };

const void *hry_desc_bytes(const hry_desc *desc, size_t *nbytes)
{
    *nbytes = desc->length;
    return desc->bytes;
}

uint8_t hry_desc_type(const hry_desc *desc)
{
    return desc->type;
}

uint8_t hry_desc_layout(const hry_desc *desc)
{
    return desc->layout;
}

uint32_t hry_desc_rank(const hry_desc *desc)
{
    return desc->rank;
}

uint64_t hry_desc_dim(const hry_desc *desc, uint32_t k)
{
    return k < desc->rank ? hry_load64(desc->bytes + SHAPE + 8 * k) : 0;
}

static void load_words(const uint8_t *from, uint32_t n, uint64_t *to)
{
    for (uint32_t k = 0; k < n; k++)
        to[k] = hry_load64(from + 8 * k);
}

void hry_desc_shape(const hry_desc *desc, uint64_t *shape)
{
    load_words(desc->bytes + SHAPE, desc->rank, shape);
}

uint64_t hry_desc_byte_offset(const hry_desc *desc)
{
    return hry_load64(desc->bytes + SHAPE + 8u * desc->rank);
}

uint8_t hry_desc_version_major(const hry_desc *desc)
{
    return desc->bytes[VERSION_MAJOR];
}

uint8_t hry_desc_version_minor(const hry_desc *desc)
{
    return desc->bytes[VERSION_MINOR];
}

uint32_t hry_desc_flags(const hry_desc *desc)
{
    return desc->flags;
}

bool hry_desc_is_opaque(const hry_desc *desc)
{
    return desc->state & HRY_DESC_OPAQUE;
}

bool hry_desc_count(const hry_desc *desc, uint64_t *count)
{
    uint64_t shape[HRY_RANK_MAX], product;
    hry_desc_shape(desc, shape);
    if (!hry_shape_product(shape, desc->rank, &product))
        return false;
    *count = product;
    return true;
}

uint32_t hry_desc_bits(const hry_desc *desc)
{
    const hry_type_info *info = hry_type_find(desc->type);
    if (info)
        return info->bits;
    return desc->extension_type_offset ? hry_load32(desc->bytes + desc->extension_type_offset) : 0;
}

uint32_t hry_desc_buffer_count(const hry_desc *desc)
{
    return desc->buffer_count;
}

bool hry_desc_buffer(const hry_desc *desc, uint32_t i, hry_buffer *buffer)
{
    if (i >= desc->buffer_count)
        return false;
    const uint8_t *h = desc->bytes + desc->buffers_offset + 1 + 16 * i;
    *buffer = (hry_buffer){
        .byte_size = hry_load64(h),
        .alignment = hry_load32(h + 8),
        .device_tag = h[12],
        .sync_mode = h[13],
        .memory_class = h[14],
    };
    return true;
}

bool hry_desc_data_size(const hry_desc *desc, uint64_t *nbytes)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < desc->buffer_count; i++)
        if (!hry_add(total, hry_load64(desc->bytes + desc->buffers_offset + 1 + 16 * i), &total))
            return false;
    *nbytes = total;
    return true;
}

bool hry_desc_layout_get(const hry_desc *desc, hry_layout *layout, hry_layout_store *store)
{
    const hry_layout_row *row = hry_layout_row_of(desc->layout);
    hry_layout got = { .tag = desc->layout };
    if (!row || desc->state & HRY_DESC_UNKNOWN_LAYOUT ||
        (row->get && !row->get(desc->bytes + desc->layout_offset, desc->rank, &got, store)))
        return false;
    got.tag = desc->layout;
    *layout = got;
    return true;
}

bool hry_desc_quantization(const hry_desc *desc, hry_quantization *quantization)
{
    if (!desc->quantization_offset)
        return false;
    const uint8_t *payload = desc->bytes + desc->quantization_offset + 4;
    uint32_t length = hry_load32(desc->bytes + desc->quantization_offset);
    const hry_scheme_row *row = hry_scheme_row_of(payload[0]);
    hry_quantization q = {
        .scheme = payload[0],
        .version = payload[1],
        .flags = hry_load16(payload + 2),
        .scale_buffer_index = HRY_NO_BUFFER,
        .zero_point_buffer_index = HRY_NO_BUFFER,
        .payload = row ? payload : payload + 4,
        .payload_length = row ? length : length - 4,
    };
    if (row && length >= row->payload) /* a permissive reader may have kept a shorter one of a newer version */
        row->get(payload, &q);
    *quantization = q;
    return true;
}

bool hry_desc_shard(const hry_desc *desc, uint64_t *parent_shape, uint64_t *shard_offset)
{
    if (!(desc->flags & HRY_HAS_SHARD) || desc->state & HRY_DESC_NO_BUFFERS)
        return false;
    load_words(desc->bytes + desc->shard_offset, desc->rank, parent_shape);
    load_words(desc->bytes + desc->shard_offset + 8u * desc->rank, desc->rank, shard_offset);
    return true;
}

bool hry_desc_statistics(const hry_desc *desc, hry_statistics *statistics)
{
    if (!desc->statistics_offset)
        return false;
    const uint8_t *p = desc->bytes + desc->statistics_offset;
    *statistics = (hry_statistics){
        .computed_mask = hry_load32(p),
        .nnz = hry_load64(p + 8),
        .sparsity_ratio = hry_load_f64(p + 16),
        .value_min = hry_load_f64(p + 24),
        .value_max = hry_load_f64(p + 32),
        .value_abs_max = hry_load_f64(p + 40),
        .value_mean = hry_load_f64(p + 48),
        .value_stddev = hry_load_f64(p + 56),
        .nm_n = p[64],
        .nm_m = p[65],
        .has_nan = p[66],
        .has_inf = p[67],
    };
    return true;
}

bool hry_desc_extension_type(const hry_desc *desc, hry_extension_type *extension_type)
{
    if (!desc->extension_type_offset)
        return false;
    const uint8_t *p = desc->bytes + desc->extension_type_offset;
    *extension_type = (hry_extension_type){
        .bit_width = hry_load32(p),
        .packing_factor = p[4],
        .is_float = p[5],
        .is_signed = p[6],
        .sign_bits = p[7],
        .exponent_bits = p[8],
        .mantissa_bits = p[9],
        .exponent_bias = hry_load32(p + 12),
        .has_nan = p[16],
        .has_inf = p[17],
    };
    return true;
}

bool hry_desc_composite_member(const hry_desc *desc, uint8_t *member_role)
{
    if (!desc->composite_member_offset)
        return false;
    *member_role = desc->bytes[desc->composite_member_offset];
    return true;
}
