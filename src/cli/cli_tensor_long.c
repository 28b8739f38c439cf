#include "cli/cli_tensor.h"

#include <inttypes.h>
#include <stdlib.h>

static void label(const char *name)
{
    printf("    %-22s ", name);
}

static void put_u64s(const char *name, const uint64_t *values, uint32_t count)
{
    label(name);
    for (uint32_t k = 0; k < count; k++)
        printf("%s%" PRIu64, k ? "," : "[", values[k]);
    puts("]");
}

static void put_i64s(const char *name, const int64_t *values, uint32_t count)
{
    label(name);
    for (uint32_t k = 0; k < count; k++)
        printf("%s%" PRId64, k ? "," : "[", values[k]);
    puts("]");
}

static void put_u32s(const char *name, const uint32_t *values, uint32_t count)
{
    label(name);
    for (uint32_t k = 0; k < count; k++)
        printf("%s%" PRIu32, k ? "," : "[", values[k]);
    puts("]");
}

static void put_u64(const char *name, uint64_t value)
{
    label(name);
    printf("%" PRIu64 "\n", value);
}

static void put_f64(const char *name, double value, int digits)
{
    label(name);
    puts(cli_f64_text(value, digits).text);
}

static const char *order_name(uint8_t order)
{
    static const char *const names[] = { "", "row-major", "column-major", "strided", "tiled" };
    return order < sizeof names / sizeof *names ? names[order] : "";
}

static void put_tiled(const hry_layout *layout, uint32_t rank)
{
    for (; layout; layout = layout->inner) {
        put_u64s("tile_shape", layout->tile_shape, rank);
        label("tiles, elements");
        printf("%s, %s\n", order_name(layout->outer_layout), order_name(layout->inner_layout));
        if (layout->outer_strides)
            put_i64s("outer_strides", layout->outer_strides, rank);
        if (layout->inner_strides)
            put_i64s("inner_strides", layout->inner_strides, rank);
    }
}

static void put_layout(const hry_desc *desc)
{
    hry_layout layout;
    hry_layout_store store;
    uint32_t rank = hry_desc_rank(desc);
    if (!hry_desc_layout_get(desc, &layout, &store))
        return;
    if (layout.strides && layout.tag == HRY_LAYOUT_STRIDED)
        put_i64s("strides", layout.strides, rank);
    if (layout.tag == HRY_LAYOUT_TILED)
        put_tiled(&layout, rank);
    if (layout.tag == HRY_LAYOUT_MORTON)
        put_u32s("morton_bits", layout.morton_bits, rank);
    if (layout.tag >= HRY_LAYOUT_COO && layout.tag <= HRY_LAYOUT_CSF)
        put_u64("nnz", layout.nnz);
    if (layout.tag == HRY_LAYOUT_COO)
        put_u64("is_sorted", layout.is_sorted);
    if (layout.tag == HRY_LAYOUT_CSF)
        put_u32s("mode_order", layout.mode_order, rank);
    if (layout.tag == HRY_LAYOUT_BLOCK_PAGED) {
        put_u64("page_size", layout.page_size);
        put_u64("num_pages", layout.num_pages);
        put_u64("num_seqs", layout.num_seqs);
        put_u64("kv_role", layout.kv_role);
        put_u64("layer_index", layout.layer_index);
    }
    if (layout.tag == HRY_LAYOUT_HILBERT)
        put_u64("hilbert_order", layout.hilbert_order);
    if (layout.tag >= HRY_LAYOUT_PRIVATE_FIRST) {
        put_u64("extension_layout_id", layout.extension_layout_id);
        put_u64("extension_data_length", layout.extension_data_length);
    }
    char *composite = cli_composite_text(desc);
    if (*composite) {
        label("composite");
        puts(composite);
    }
    free(composite);
}

static void put_buffers(const hry_desc *desc, bool exact)
{
    static const char *const classes[] = { "standard", "host-pinned", "unified", "peer" };
    hry_buffer buffer;
    for (uint32_t k = 0; hry_desc_buffer(desc, k, &buffer); k++) {
        char name[24];
        snprintf(name, sizeof name, "buffer %" PRIu32, k);
        label(name);
        printf("%s, alignment %" PRIu32 ", %s", cli_size_text(buffer.byte_size, exact).text, buffer.alignment,
               hry_device_name(buffer.device_tag));
        if (buffer.memory_class)
            printf(", %s memory", buffer.memory_class < 4 ? classes[buffer.memory_class] : "private");
        if (buffer.sync_mode)
            printf(", sync mode %u", buffer.sync_mode);
        fputc('\n', stdout);
    }
}

static void put_quantization(const hry_desc *desc)
{
    hry_quantization q;
    if (!hry_desc_quantization(desc, &q))
        return;
    label("quantization");
    printf("%s (0x%02x), version %u%s\n", hry_scheme_name(q.scheme), q.scheme, q.version,
           q.flags & HRY_QUANT_SYMMETRIC && q.scheme <= HRY_SCHEME_MXFP ? ", symmetric" : "");
    if (q.scheme == HRY_SCHEME_PER_TENSOR) {
        put_f64("scale", (double)q.scale, 9);
        label("zero_point");
        printf("%" PRId32 "\n", q.zero_point);
    } else if (q.scheme <= HRY_SCHEME_MXFP) {
        put_u64("axis", q.axis);
        if (q.scheme != HRY_SCHEME_PER_CHANNEL)
            put_u64("block_size", q.block_size);
        put_u64("scale_buffer_index", q.scale_buffer_index);
        if (q.scheme <= HRY_SCHEME_PER_BLOCK && q.zero_point_buffer_index != HRY_NO_BUFFER)
            put_u64("zero_point_buffer_index", q.zero_point_buffer_index);
        if (q.scheme <= HRY_SCHEME_PER_BLOCK) {
            label("scale type");
            puts(cli_type_name(q.scale_type_tag));
        }
    }
}

static void put_statistics(const hry_desc *desc)
{
    hry_statistics s;
    if (!hry_desc_statistics(desc, &s))
        return;
    if (s.computed_mask & HRY_STATS_NNZ)
        put_u64("statistics.nnz", s.nnz);
    if (s.computed_mask & HRY_STATS_SPARSITY)
        put_f64("sparsity_ratio", s.sparsity_ratio, 17);
    if (s.computed_mask & HRY_STATS_RANGE) {
        put_f64("value_min", s.value_min, 17);
        put_f64("value_max", s.value_max, 17);
        put_f64("value_abs_max", s.value_abs_max, 17);
    }
    if (s.computed_mask & HRY_STATS_VALUES) {
        put_f64("value_mean", s.value_mean, 17);
        put_f64("value_stddev", s.value_stddev, 17);
    }
    if (s.computed_mask & HRY_STATS_NM) {
        label("N:M sparsity");
        printf("%u:%u\n", s.nm_n, s.nm_m);
    }
    if (s.computed_mask & HRY_STATS_NAN_INF) {
        label("has_nan, has_inf");
        printf("%u, %u\n", s.has_nan, s.has_inf);
    }
}

static void put_sections(const hry_desc *desc)
{
    uint64_t parent[HRY_RANK_MAX], offset[HRY_RANK_MAX];
    hry_extension_type e;
    uint8_t role;
    put_quantization(desc);
    if (hry_desc_shard(desc, parent, offset) && hry_desc_rank(desc)) {
        put_u64s("parent_shape", parent, hry_desc_rank(desc));
        put_u64s("shard_offset", offset, hry_desc_rank(desc));
    }
    put_statistics(desc);
    if (hry_desc_extension_type(desc, &e)) {
        label("extension type");
        printf("%" PRIu32 " bits, %s", e.bit_width, e.is_float ? "float" : e.is_signed ? "signed" : "unsigned");
        if (e.is_float)
            printf(" %u-%u-%u, bias %" PRIu32, e.sign_bits, e.exponent_bits, e.mantissa_bits, e.exponent_bias);
        fputc('\n', stdout);
    }
    if (hry_desc_composite_member(desc, &role)) {
        label("member of an overlay");
        puts(role ? "base" : "correction");
    }
}

void cli_tensor_long(const hry_desc *desc, const hry_file_entry *entry, bool exact)
{
    label("descriptor");
    printf("%u.%u, %" PRIu32 " bytes", hry_desc_version_major(desc), hry_desc_version_minor(desc), desc->length);
    if (entry)
        printf(" at %" PRIu64, entry->descriptor_offset);
    puts(hry_desc_is_opaque(desc) ? ", opaque" : "");
    if (entry && entry->data_length) {
        label("data");
        printf("%" PRIu64 " bytes at %" PRIu64 "\n", entry->data_length, entry->data_offset);
    }
    if (hry_desc_byte_offset(desc))
        put_u64("byte_offset", hry_desc_byte_offset(desc));
    put_layout(desc);
    put_buffers(desc, exact);
    put_sections(desc);
}
