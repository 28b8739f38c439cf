#include "cli/cli_inspect.h"
#include "cli/cli_tensor.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

typedef struct name {
    char text[48];
} name;

static CLI_PRINTF(1, 2) name named(const char *format, ...)
{
    name out;
    va_list args;
    va_start(args, format);
    vsnprintf(out.text, sizeof out.text, format, args);
    va_end(args);
    return out;
}

/* "quantization, statistics" for a descriptor's flags. */
static void put_flags(char *text, size_t size, uint32_t flags)
{
    static const char *const names[] = { "quantization", "shard", "extension type", "statistics", "composite member" };
    size_t n = (size_t)snprintf(text, size, "0x%" PRIx32, flags);
    const char *join = " ";
    for (int bit = 0; bit < 32; bit++) {
        if (!(flags >> bit & 1))
            continue;
        n += (size_t)snprintf(text + n, size - n, "%s%s", join, bit < 5 ? names[bit] : "reserved bit");
        join = ", ";
        if (bit >= 5)
            break;
    }
}

/* A dimension, or "dynamic". */
static void walk_dims(cli_walk *w, const char *field, uint32_t rank)
{
    for (uint32_t k = 0; k < rank && !w->cut; k++) {
        uint64_t dim = cli_walk_peek(w, 8);
        if (dim == HRY_DYNAMIC)
            cli_walk_bytes(w, 8, named("%s[%" PRIu32 "]", field, k).text, "dynamic");
        else
            cli_walk_uint(w, 8, named("%s[%" PRIu32 "]", field, k).text);
    }
}

static void walk_strides(cli_walk *w, const char *field, uint32_t rank)
{
    for (uint32_t k = 0; k < rank && !w->cut; k++)
        cli_walk_bytes(w, 8, named("%s[%" PRIu32 "]", field, k).text, "%" PRId64, (int64_t)cli_walk_peek(w, 8));
}

static void walk_words(cli_walk *w, const char *field, uint32_t rank)
{
    for (uint32_t k = 0; k < rank && !w->cut; k++)
        cli_walk_uint(w, 4, named("%s[%" PRIu32 "]", field, k).text);
}

static const char *one_of(const char *const *names, size_t count, uint64_t value)
{
    return value < count && names[value] ? names[value] : "not assigned";
}

#define ONE_OF(value, ...) \
    one_of((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), value)

/* A one-byte enumeration. Returns its value. */
#define WALK_ENUM(w, field, ...) \
    cli_walk_bytes(w, 1, field, "%" PRIu64 " %s", cli_walk_peek(w, 1), ONE_OF(cli_walk_peek(w, 1), __VA_ARGS__))

static void walk_tiled(cli_walk *w, uint32_t rank)
{
    char prefix[32] = "";
    for (int level = 0; level < 64 && !w->cut; level++) {
        walk_dims(w, named("%stile_shape", prefix).text, rank);
        uint64_t outer = cli_walk_peek(w, 1);
        WALK_ENUM(w, named("%souter_layout", prefix).text, NULL, "row-major", "column-major", "strided");
        uint64_t inner = cli_walk_peek(w, 1);
        WALK_ENUM(w, named("%sinner_layout", prefix).text, NULL, "row-major", "column-major", "strided", "tiled");
        cli_walk_reserved(w, 2, named("%sreserved", prefix).text);
        if (outer == 3)
            walk_strides(w, named("%souter_strides", prefix).text, rank);
        if (inner == 3)
            walk_strides(w, named("%sinner_strides", prefix).text, rank);
        if (inner != 4)
            return;
        snprintf(prefix, sizeof prefix, level ? "inner(%d)." : "inner.", level + 1);
    }
}

static void walk_block_paged(cli_walk *w)
{
    cli_walk_uint(w, 4, "page_size");
    cli_walk_uint(w, 8, "num_pages");
    cli_walk_uint(w, 4, "paged_axis");
    cli_walk_uint(w, 4, "num_seqs");
    WALK_ENUM(w, "kv_role", "key", "value", "fused or other");
    if (cli_walk_peek(w, 4) == UINT32_MAX)
        cli_walk_bytes(w, 4, "layer_index", "none");
    else
        cli_walk_uint(w, 4, "layer_index");
    WALK_ENUM(w, "block_table_index_type", "uint32", "uint64");
    cli_walk_reserved(w, 6, "reserved");
}

static void walk_private(cli_walk *w)
{
    uint64_t id = cli_walk_peek(w, 8);
    cli_walk_bytes(w, 8, "extension_layout_id", "0x%" PRIx64, id);
    uint64_t length = cli_walk_uint(w, 4, "extension_data_length");
    if (length)
        cli_walk_bytes(w, (size_t)length, "extension_data", "%" PRIu64 " bytes", length);
}

/* False for a layout whose fields cannot be told. */
static bool walk_layout(cli_walk *w, uint8_t tag, uint32_t rank)
{
    switch (tag) {
    case HRY_LAYOUT_ROW_MAJOR:
    case HRY_LAYOUT_COLUMN_MAJOR:
        return true;
    case HRY_LAYOUT_STRIDED:
        walk_strides(w, "strides", rank);
        return true;
    case HRY_LAYOUT_TILED:
        walk_tiled(w, rank);
        return true;
    case HRY_LAYOUT_MORTON:
        walk_words(w, "morton_bits", rank);
        return true;
    case HRY_LAYOUT_COO:
        cli_walk_uint(w, 8, "nnz");
        cli_walk_uint(w, 1, "is_sorted");
        cli_walk_reserved(w, 7, "reserved");
        return true;
    case HRY_LAYOUT_CSR:
    case HRY_LAYOUT_CSC:
        cli_walk_uint(w, 8, "nnz");
        cli_walk_reserved(w, 8, "reserved");
        return true;
    case HRY_LAYOUT_CSF:
        cli_walk_uint(w, 8, "nnz");
        walk_words(w, "mode_order", rank);
        cli_walk_reserved(w, 8, "reserved");
        return true;
    case HRY_LAYOUT_BLOCK_PAGED:
        walk_block_paged(w);
        return true;
    case HRY_LAYOUT_COMPOSITE:
        WALK_ENUM(w, "composition_rule", NULL, "partition", "overlay", "group");
        WALK_ENUM(w, "combine_op", "none", "replace", "add");
        cli_walk_reserved(w, 2, "reserved");
        cli_walk_uint(w, 4, "member_count");
        return true;
    case HRY_LAYOUT_HILBERT:
        cli_walk_uint(w, 4, "hilbert_order");
        cli_walk_uint(w, 4, "hilbert_rank");
        return true;
    default:
        if (tag < HRY_LAYOUT_PRIVATE_FIRST || tag > HRY_LAYOUT_PRIVATE_LAST)
            return false;
        walk_private(w);
        return true;
    }
}

/* What a buffer of the table holds. */
static name buffer_role(uint8_t layout, uint32_t rank, uint32_t k)
{
    static const char *const coo[] = { "values", "indices" };
    static const char *const csr[] = { "values", "col_indices", "row_ptr" };
    static const char *const csc[] = { "values", "row_indices", "col_ptr" };
    static const char *const paged[] = { "page_pool", "block_table", "seq_ptr" };
    if (layout == HRY_LAYOUT_COO && k < 2)
        return named("%s", coo[k]);
    if (layout == HRY_LAYOUT_CSR && k < 3)
        return named("%s", csr[k]);
    if (layout == HRY_LAYOUT_CSC && k < 3)
        return named("%s", csc[k]);
    if (layout == HRY_LAYOUT_BLOCK_PAGED && k < 3)
        return named("%s", paged[k]);
    if (layout == HRY_LAYOUT_CSF && k && k <= 2 * rank)
        return named("%s_%" PRIu32, k % 2 ? "pos" : "crd", (k - 1) / 2);
    return named("%s", k ? "parameters" : layout == HRY_LAYOUT_CSF ? "values" : "data");
}

static void walk_buffers(cli_walk *w, uint8_t layout, uint32_t rank)
{
    uint64_t count = cli_walk_uint(w, 1, "buffer_count");
    for (uint32_t k = 0; k < count && !w->cut; k++) {
        name buffer = named("buffer[%" PRIu32 "]", k);
        cli_walk_bytes(w, 8, named("%s.byte_size", buffer.text).text, "%" PRIu64 " (%s)", cli_walk_peek(w, 8),
                       buffer_role(layout, rank, k).text);
        cli_walk_uint(w, 4, named("%s.alignment", buffer.text).text);
        uint8_t device = (uint8_t)cli_walk_peek(w, 1);
        cli_walk_bytes(w, 1, named("%s.device_tag", buffer.text).text, "0x%02x %s", device, hry_device_name(device));
        WALK_ENUM(w, named("%s.sync_mode", buffer.text).text, "producer-synced", "event", "consumer stream");
        WALK_ENUM(w, named("%s.memory_class", buffer.text).text, "standard", "host-pinned", "unified", "peer");
        cli_walk_reserved(w, 1, named("%s.reserved", buffer.text).text);
    }
}

static void walk_buffer_index(cli_walk *w, const char *field)
{
    if (cli_walk_peek(w, 4) == HRY_NO_BUFFER)
        cli_walk_bytes(w, 4, field, "none");
    else
        cli_walk_uint(w, 4, field);
}

static void walk_scale_type(cli_walk *w)
{
    uint8_t tag = (uint8_t)cli_walk_peek(w, 1);
    cli_walk_bytes(w, 1, "scale_type_tag", "0x%02x %s", tag, cli_type_name(tag));
    cli_walk_reserved(w, 3, "reserved");
}

static void walk_scheme(cli_walk *w, uint8_t scheme)
{
    uint32_t bits = (uint32_t)cli_walk_peek(w, 4);
    float scale;
    if (scheme == HRY_SCHEME_PER_TENSOR) {
        memcpy(&scale, &bits, sizeof scale);
        cli_walk_bytes(w, 4, "scale", "%s", cli_f64_text((double)scale, 9).text);
        cli_walk_bytes(w, 4, "zero_point", "%" PRId32, (int32_t)(uint32_t)cli_walk_peek(w, 4));
        cli_walk_reserved(w, 4, "reserved");
    } else if (scheme >= HRY_SCHEME_PER_CHANNEL && scheme <= HRY_SCHEME_MXFP) {
        cli_walk_uint(w, 4, "axis");
        if (scheme != HRY_SCHEME_PER_CHANNEL)
            cli_walk_uint(w, 4, "block_size");
        walk_buffer_index(w, "scale_buffer_index");
        if (scheme <= HRY_SCHEME_PER_BLOCK) {
            walk_buffer_index(w, "zero_point_buffer_index");
            walk_scale_type(w);
        }
    }
}

static void walk_quantization(cli_walk *w)
{
    uint64_t length = cli_walk_uint(w, 4, "quantization_length");
    if (w->cut)
        return;
    size_t left = w->size - w->pos;
    cli_walk payload = *w;
    payload.size = w->pos + (length < left ? (size_t)length : left);
    uint8_t scheme = (uint8_t)cli_walk_peek(&payload, 1);
    cli_walk_bytes(&payload, 1, "scheme_tag", "0x%02x %s", scheme, hry_scheme_name(scheme));
    cli_walk_uint(&payload, 1, "scheme_version");
    uint64_t flags = cli_walk_peek(&payload, 2);
    cli_walk_bytes(&payload, 2, "quantization flags", "0x%" PRIx64 "%s", flags, flags & 1 ? " symmetric" : "");
    walk_scheme(&payload, scheme);
    if (!payload.cut && payload.pos < payload.size)
        cli_walk_bytes(&payload, payload.size - payload.pos, "rest of the payload", "%zu bytes",
                       payload.size - payload.pos);
    w->pos = payload.size;
    w->cut = length > left;
}

static void walk_f64(cli_walk *w, const char *field, bool valid)
{
    uint64_t bits = cli_walk_peek(w, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (valid)
        cli_walk_bytes(w, 8, field, "%s", cli_f64_text(value, 17).text);
    else
        cli_walk_bytes(w, 8, field, "not set");
}

static void walk_byte(cli_walk *w, const char *field, bool valid)
{
    if (valid)
        cli_walk_uint(w, 1, field);
    else
        cli_walk_bytes(w, 1, field, "not set");
}

static void walk_statistics(cli_walk *w)
{
    uint64_t mask = cli_walk_peek(w, 4);
    cli_walk_bytes(w, 4, "computed_mask", "0x%" PRIx64, mask);
    cli_walk_reserved(w, 4, "reserved");
    if (mask & HRY_STATS_NNZ)
        cli_walk_uint(w, 8, "nnz");
    else
        cli_walk_bytes(w, 8, "nnz", "not set");
    walk_f64(w, "sparsity_ratio", mask & HRY_STATS_SPARSITY);
    walk_f64(w, "value_min", mask & HRY_STATS_RANGE);
    walk_f64(w, "value_max", mask & HRY_STATS_RANGE);
    walk_f64(w, "value_abs_max", mask & HRY_STATS_RANGE);
    walk_f64(w, "value_mean", mask & HRY_STATS_VALUES);
    walk_f64(w, "value_stddev", mask & HRY_STATS_VALUES);
    walk_byte(w, "nm_n", mask & HRY_STATS_NM);
    walk_byte(w, "nm_m", mask & HRY_STATS_NM);
    walk_byte(w, "has_nan", mask & HRY_STATS_NAN_INF);
    walk_byte(w, "has_inf", mask & HRY_STATS_NAN_INF);
    cli_walk_reserved(w, 4, "reserved2");
}

static void walk_extension_type(cli_walk *w)
{
    cli_walk_uint(w, 4, "bit_width");
    cli_walk_uint(w, 1, "packing_factor");
    cli_walk_uint(w, 1, "is_float");
    cli_walk_uint(w, 1, "is_signed");
    cli_walk_uint(w, 1, "sign_bits");
    cli_walk_uint(w, 1, "exponent_bits");
    cli_walk_uint(w, 1, "mantissa_bits");
    cli_walk_reserved(w, 2, "reserved");
    cli_walk_uint(w, 4, "exponent_bias");
    cli_walk_uint(w, 1, "has_nan");
    cli_walk_uint(w, 1, "has_inf");
    cli_walk_reserved(w, 2, "reserved2");
}

static void walk_sections(cli_walk *w, uint32_t flags, uint32_t rank)
{
    if (flags & HRY_HAS_QUANTIZATION)
        walk_quantization(w);
    if (flags & HRY_HAS_SHARD) {
        walk_dims(w, "parent_shape", rank);
        walk_dims(w, "shard_offset", rank);
    }
    if (flags & HRY_HAS_STATISTICS)
        walk_statistics(w);
    if (flags & HRY_HAS_EXTENSION_TYPE)
        walk_extension_type(w);
    if (flags & HRY_HAS_COMPOSITE_MEMBER) {
        WALK_ENUM(w, "member_role", "correction", "base");
        cli_walk_reserved(w, 15, "reserved");
    }
}

/* Magic to rank. False when what follows cannot be told. */
static bool walk_header(cli_walk *w, uint32_t *flags, uint8_t *layout, uint32_t *rank)
{
    char text[160];
    cli_walk_text(w, 4, "magic");
    cli_walk_uint(w, 1, "version_major");
    cli_walk_uint(w, 1, "version_minor");
    cli_walk_uint(w, 4, "descriptor_length");
    *flags = (uint32_t)cli_walk_peek(w, 4);
    put_flags(text, sizeof text, *flags);
    cli_walk_bytes(w, 4, "flags", "%s", text);
    uint8_t type = (uint8_t)cli_walk_peek(w, 1);
    cli_walk_bytes(w, 1, "type_tag", "0x%02x %s", type, cli_type_name(type));
    *layout = (uint8_t)cli_walk_peek(w, 1);
    cli_walk_bytes(w, 1, "layout_tag", "0x%02x %s", *layout, cli_layout_name(*layout));
    *rank = (uint32_t)cli_walk_uint(w, 4, "rank");
    return !w->cut && *rank <= HRY_RANK_MAX;
}

static void walk_rest(cli_walk *w, const char *meaning)
{
    if (!w->cut && w->pos < w->size)
        cli_walk_bytes(w, w->size - w->pos, "rest of the descriptor", "%s", meaning);
}

void cli_inspect_descriptor(cli_dump *dump, const uint8_t *bytes, size_t nbytes, uint64_t base, uint32_t buffers_offset)
{
    cli_walk w = { .dump = dump, .bytes = bytes, .size = nbytes, .base = base };
    uint32_t flags, rank;
    uint8_t layout;
    if (!walk_header(&w, &flags, &layout, &rank)) {
        walk_rest(&w, "not told: the rank is out of range");
        return;
    }
    walk_dims(&w, "shape", rank);
    cli_walk_uint(&w, 8, "byte_offset");
    if (!walk_layout(&w, layout, rank)) {
        if (buffers_offset <= w.pos || buffers_offset > w.size) {
            walk_rest(&w, "not told: the layout is unknown");
            return;
        }
        cli_walk_bytes(&w, buffers_offset - w.pos, "layout fields", "of an unknown layout");
    }
    walk_buffers(&w, layout, rank);
    walk_sections(&w, flags, rank);
    walk_rest(&w, "not known to this version");
}
