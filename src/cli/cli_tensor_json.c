#include "cli/cli_tensor.h"

#include <inttypes.h>

static void put_u64s(cli_json *json, const char *key, const uint64_t *values, uint32_t count)
{
    cli_json_open_array(json, key);
    for (uint32_t k = 0; k < count; k++)
        cli_json_u64(json, NULL, values[k]);
    cli_json_close_array(json);
}

static void put_i64s(cli_json *json, const char *key, const int64_t *values, uint32_t count)
{
    cli_json_open_array(json, key);
    for (uint32_t k = 0; k < count; k++)
        cli_json_i64(json, NULL, values[k]);
    cli_json_close_array(json);
}

static void put_u32s(cli_json *json, const char *key, const uint32_t *values, uint32_t count)
{
    cli_json_open_array(json, key);
    for (uint32_t k = 0; k < count; k++)
        cli_json_u64(json, NULL, values[k]);
    cli_json_close_array(json);
}

/* Dynamic dimensions are null. */
static void put_shape(cli_json *json, const char *key, const uint64_t *shape, uint32_t rank)
{
    cli_json_open_array(json, key);
    for (uint32_t k = 0; k < rank; k++) {
        if (shape[k] == HRY_DYNAMIC)
            cli_json_null(json, NULL);
        else
            cli_json_u64(json, NULL, shape[k]);
    }
    cli_json_close_array(json);
}

static void put_buffer_index(cli_json *json, const char *key, uint32_t index)
{
    if (index == HRY_NO_BUFFER)
        cli_json_null(json, key);
    else
        cli_json_u64(json, key, index);
}

static void put_tiled(cli_json *json, const hry_layout *layout, uint32_t rank)
{
    put_u64s(json, "tile_shape", layout->tile_shape, rank);
    cli_json_u64(json, "outer_layout", layout->outer_layout);
    cli_json_u64(json, "inner_layout", layout->inner_layout);
    if (layout->outer_strides)
        put_i64s(json, "outer_strides", layout->outer_strides, rank);
    if (layout->inner_strides)
        put_i64s(json, "inner_strides", layout->inner_strides, rank);
    if (layout->inner) {
        cli_json_open(json, "inner");
        put_tiled(json, layout->inner, rank);
        cli_json_close(json);
    }
}

static void put_block_paged(cli_json *json, const hry_layout *layout)
{
    cli_json_u64(json, "page_size", layout->page_size);
    cli_json_u64(json, "num_pages", layout->num_pages);
    cli_json_u64(json, "paged_axis", layout->paged_axis);
    cli_json_u64(json, "num_seqs", layout->num_seqs);
    cli_json_u64(json, "kv_role", layout->kv_role);
    cli_json_u64(json, "layer_index", layout->layer_index);
    cli_json_u64(json, "block_table_index_type", layout->block_table_index_type);
}

static void put_layout_fields(cli_json *json, const hry_layout *layout, uint32_t rank)
{
    switch (layout->tag) {
    case HRY_LAYOUT_STRIDED:
        put_i64s(json, "strides", layout->strides, rank);
        break;
    case HRY_LAYOUT_TILED:
        put_tiled(json, layout, rank);
        break;
    case HRY_LAYOUT_MORTON:
        put_u32s(json, "morton_bits", layout->morton_bits, rank);
        break;
    case HRY_LAYOUT_COO:
        cli_json_u64(json, "nnz", layout->nnz);
        cli_json_u64(json, "is_sorted", layout->is_sorted);
        break;
    case HRY_LAYOUT_CSR:
    case HRY_LAYOUT_CSC:
        cli_json_u64(json, "nnz", layout->nnz);
        break;
    case HRY_LAYOUT_CSF:
        cli_json_u64(json, "nnz", layout->nnz);
        put_u32s(json, "mode_order", layout->mode_order, rank);
        break;
    case HRY_LAYOUT_BLOCK_PAGED:
        put_block_paged(json, layout);
        break;
    case HRY_LAYOUT_COMPOSITE:
        cli_json_u64(json, "composition_rule", layout->composition_rule);
        cli_json_u64(json, "combine_op", layout->combine_op);
        cli_json_u64(json, "member_count", layout->member_count);
        break;
    case HRY_LAYOUT_HILBERT:
        cli_json_u64(json, "hilbert_order", layout->hilbert_order);
        cli_json_u64(json, "hilbert_rank", layout->hilbert_rank);
        break;
    default:
        if (layout->tag < HRY_LAYOUT_PRIVATE_FIRST)
            break;
        cli_json_u64(json, "extension_layout_id", layout->extension_layout_id);
        cli_json_hex(json, "extension_data", layout->extension_data, layout->extension_data_length);
    }
}

static void put_layout(cli_json *json, const hry_desc *desc)
{
    hry_layout layout;
    hry_layout_store store;
    cli_json_open(json, "layout_fields");
    if (hry_desc_layout_get(desc, &layout, &store))
        put_layout_fields(json, &layout, hry_desc_rank(desc));
    cli_json_close(json);
}

static void put_buffers(cli_json *json, const hry_desc *desc)
{
    hry_buffer buffer;
    cli_json_open_array(json, "buffers");
    for (uint32_t k = 0; hry_desc_buffer(desc, k, &buffer); k++) {
        cli_json_open(json, NULL);
        cli_json_u64(json, "byte_size", buffer.byte_size);
        cli_json_u64(json, "alignment", buffer.alignment);
        cli_json_str(json, "device", hry_device_name(buffer.device_tag));
        cli_json_u64(json, "device_tag", buffer.device_tag);
        cli_json_u64(json, "sync_mode", buffer.sync_mode);
        cli_json_u64(json, "memory_class", buffer.memory_class);
        cli_json_close(json);
    }
    cli_json_close_array(json);
}

static void put_scheme_fields(cli_json *json, const hry_quantization *q)
{
    if (q->scheme == HRY_SCHEME_PER_TENSOR) {
        cli_json_f64(json, "scale", (double)q->scale);
        cli_json_i64(json, "zero_point", q->zero_point);
        return;
    }
    if (q->scheme < HRY_SCHEME_PER_CHANNEL || q->scheme > HRY_SCHEME_MXFP)
        return;
    cli_json_u64(json, "axis", q->axis);
    if (q->scheme != HRY_SCHEME_PER_CHANNEL)
        cli_json_u64(json, "block_size", q->block_size);
    put_buffer_index(json, "scale_buffer_index", q->scale_buffer_index);
    if (q->scheme == HRY_SCHEME_PER_CHANNEL || q->scheme == HRY_SCHEME_PER_BLOCK) {
        put_buffer_index(json, "zero_point_buffer_index", q->zero_point_buffer_index);
        cli_json_u64(json, "scale_type_tag", q->scale_type_tag);
    }
}

static void put_quantization(cli_json *json, const hry_desc *desc)
{
    hry_quantization q;
    if (!hry_desc_quantization(desc, &q)) {
        cli_json_null(json, "quantization");
        return;
    }
    bool named = q.scheme >= HRY_SCHEME_PER_TENSOR && q.scheme <= HRY_SCHEME_MXFP;
    cli_json_open(json, "quantization");
    cli_json_str(json, "scheme", named ? hry_scheme_name(q.scheme) : NULL);
    cli_json_u64(json, "scheme_tag", q.scheme);
    cli_json_u64(json, "version", q.version);
    cli_json_u64(json, "flags", q.flags);
    put_scheme_fields(json, &q);
    cli_json_close(json);
}

static void put_shard(cli_json *json, const hry_desc *desc)
{
    uint64_t parent[HRY_RANK_MAX], offset[HRY_RANK_MAX];
    if (!hry_desc_shard(desc, parent, offset)) {
        cli_json_null(json, "shard");
        return;
    }
    cli_json_open(json, "shard");
    put_shape(json, "parent_shape", parent, hry_desc_rank(desc));
    put_u64s(json, "shard_offset", offset, hry_desc_rank(desc));
    cli_json_close(json);
}

/* A reader accepts other values than 0 and 1 here (D-57), and shows them. */
static void put_flag(cli_json *json, const char *key, uint8_t value)
{
    if (value > 1)
        cli_json_u64(json, key, value);
    else
        cli_json_bool(json, key, value);
}

static void put_statistics(cli_json *json, const hry_desc *desc)
{
    hry_statistics s;
    if (!hry_desc_statistics(desc, &s)) {
        cli_json_null(json, "statistics");
        return;
    }
    cli_json_open(json, "statistics");
    if (s.computed_mask & HRY_STATS_NNZ)
        cli_json_u64(json, "nnz", s.nnz);
    if (s.computed_mask & HRY_STATS_SPARSITY)
        cli_json_f64(json, "sparsity_ratio", s.sparsity_ratio);
    if (s.computed_mask & HRY_STATS_RANGE) {
        cli_json_f64(json, "value_min", s.value_min);
        cli_json_f64(json, "value_max", s.value_max);
        cli_json_f64(json, "value_abs_max", s.value_abs_max);
    }
    if (s.computed_mask & HRY_STATS_VALUES) {
        cli_json_f64(json, "value_mean", s.value_mean);
        cli_json_f64(json, "value_stddev", s.value_stddev);
    }
    if (s.computed_mask & HRY_STATS_NM) {
        cli_json_u64(json, "nm_n", s.nm_n);
        cli_json_u64(json, "nm_m", s.nm_m);
    }
    if (s.computed_mask & HRY_STATS_NAN_INF) {
        put_flag(json, "has_nan", s.has_nan);
        put_flag(json, "has_inf", s.has_inf);
    }
    cli_json_close(json);
}

static void put_extension_type(cli_json *json, const hry_desc *desc)
{
    hry_extension_type e;
    if (!hry_desc_extension_type(desc, &e)) {
        cli_json_null(json, "extension_type");
        return;
    }
    cli_json_open(json, "extension_type");
    cli_json_u64(json, "bit_width", e.bit_width);
    cli_json_u64(json, "packing_factor", e.packing_factor);
    cli_json_bool(json, "is_float", e.is_float);
    cli_json_bool(json, "is_signed", e.is_signed);
    cli_json_u64(json, "sign_bits", e.sign_bits);
    cli_json_u64(json, "exponent_bits", e.exponent_bits);
    cli_json_u64(json, "mantissa_bits", e.mantissa_bits);
    cli_json_u64(json, "exponent_bias", e.exponent_bias);
    cli_json_bool(json, "has_nan", e.has_nan);
    cli_json_bool(json, "has_inf", e.has_inf);
    cli_json_close(json);
}

static void put_composite_member(cli_json *json, const hry_desc *desc)
{
    uint8_t role;
    if (!hry_desc_composite_member(desc, &role)) {
        cli_json_null(json, "composite_member");
        return;
    }
    cli_json_open(json, "composite_member");
    cli_json_str(json, "role", role ? "base" : "correction");
    cli_json_close(json);
}

static void put_desc(cli_json *json, const hry_desc *desc)
{
    uint64_t shape[HRY_RANK_MAX];
    char version[16];
    snprintf(version, sizeof version, "%u.%u", hry_desc_version_major(desc), hry_desc_version_minor(desc));
    hry_desc_shape(desc, shape);
    cli_json_str(json, "version", version);
    cli_json_str(json, "type", cli_type_name(hry_desc_type(desc)));
    cli_json_u64(json, "type_tag", hry_desc_type(desc));
    cli_json_str(json, "layout", cli_layout_name(hry_desc_layout(desc)));
    cli_json_u64(json, "layout_tag", hry_desc_layout(desc));
    put_shape(json, "shape", shape, hry_desc_rank(desc));
    cli_json_u64(json, "byte_offset", hry_desc_byte_offset(desc));
    put_layout(json, desc);
    put_buffers(json, desc);
    put_quantization(json, desc);
    put_shard(json, desc);
    put_statistics(json, desc);
    put_extension_type(json, desc);
    put_composite_member(json, desc);
    if (hry_desc_is_opaque(desc))
        cli_json_bool(json, "opaque", true);
}

static void put_error(cli_json *json, const hry_error *err)
{
    cli_json_open(json, "error");
    cli_json_str(json, "rule", err->rule ? hry_rule_id(err->rule) : NULL);
    cli_json_u64(json, "offset", err->offset);
    cli_json_str(json, "message", err->message);
    cli_json_close(json);
}

void cli_tensor_json(cli_json *json, const hry_desc *desc, const hry_file_entry *entry, const hry_error *err)
{
    cli_json_open(json, NULL);
    if (entry)
        cli_json_text(json, "name", entry->name.ptr, entry->name.len);
    else
        cli_json_null(json, "name");
    if (desc)
        put_desc(json, desc);
    else
        put_error(json, err);
    cli_json_u64(json, "descriptor_length", desc ? desc->length : entry ? entry->descriptor_length : 0);
    cli_json_u64(json, "descriptor_offset", entry ? entry->descriptor_offset : 0);
    if (entry) {
        cli_json_u64(json, "data_offset", entry->data_offset);
        cli_json_u64(json, "data_length", entry->data_length);
    } else {
        cli_json_null(json, "data_offset");
        cli_json_null(json, "data_length");
    }
    cli_json_close(json);
}
