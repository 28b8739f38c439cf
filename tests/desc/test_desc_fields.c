/* The conformance table of decoded fields, compared through the accessors. */
#include "desc/conformance_table.h"
#include "support/shared_data.h"

#include <hurray/desc.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS(array) (YAJL_GET_ARRAY(array)->len)
#define ITEM(array, i) (YAJL_GET_ARRAY(array)->values[i])

static yajl_val find(yajl_val object, const char *key)
{
    return yajl_tree_get(object, (const char *[]){ key, NULL }, yajl_t_any);
}

static void same_u64(yajl_val object, const char *key, uint64_t got)
{
    uint64_t expected = json_u64(json_at(object, key));
    if (got != expected)
        fail_msg("%s: %" PRIu64 ", not %" PRIu64, key, got, expected);
}

static void same_f64(yajl_val object, const char *key, double got)
{
    yajl_val value = json_at(object, key);
    if (YAJL_IS_STRING(value)) {
        assert_string_equal(YAJL_GET_STRING(value), "NaN");
        assert_true(isnan(got));
        return;
    }
    assert_true(YAJL_IS_NUMBER(value));
    double expected = strtod(YAJL_GET_NUMBER(value), NULL);
    if (memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("%s: %.17g, not %.17g", key, got, expected);
}

static void same_bool(yajl_val object, const char *key, unsigned got)
{
    yajl_val value = json_at(object, key);
    if (YAJL_IS_NUMBER(value)) { /* neither 0 nor 1, where a reader only lints */
        assert_int_equal(got, json_u64(value));
        return;
    }
    assert_true(YAJL_IS_TRUE(value) || YAJL_IS_FALSE(value));
    assert_int_equal(got, YAJL_IS_TRUE(value));
}

static void same_text(yajl_val object, const char *key, const char *got)
{
    const char *expected = YAJL_GET_STRING(json_at(object, key));
    assert_non_null(expected);
    assert_string_equal(got, expected);
}

/* null stands for a dynamic dimension. */
static void same_u64s(yajl_val array, const uint64_t *got, uint32_t n)
{
    assert_int_equal(ITEMS(array), n);
    for (uint32_t k = 0; k < n; k++)
        assert_int_equal(got[k], YAJL_IS_NULL(ITEM(array, k)) ? HRY_DYNAMIC : json_u64(ITEM(array, k)));
}

static void same_i64s(yajl_val array, const int64_t *got, uint32_t n)
{
    assert_int_equal(ITEMS(array), n);
    for (uint32_t k = 0; k < n; k++)
        assert_int_equal(got[k], json_i64(ITEM(array, k)));
}

static void same_u32s(yajl_val array, const uint32_t *got, uint32_t n)
{
    assert_int_equal(ITEMS(array), n);
    for (uint32_t k = 0; k < n; k++)
        assert_int_equal(got[k], json_u64(ITEM(array, k)));
}

static void check_tiling(yajl_val fields, const hry_layout *l, uint32_t rank)
{
    same_u64s(json_at(fields, "tile_shape"), l->tile_shape, rank);
    same_u64(fields, "outer_layout", l->outer_layout);
    same_u64(fields, "inner_layout", l->inner_layout);
    assert_int_equal(l->outer_strides != NULL, find(fields, "outer_strides") != NULL);
    if (l->outer_strides)
        same_i64s(json_at(fields, "outer_strides"), l->outer_strides, rank);
    assert_int_equal(l->inner_strides != NULL, find(fields, "inner_strides") != NULL);
    if (l->inner_strides)
        same_i64s(json_at(fields, "inner_strides"), l->inner_strides, rank);
    assert_int_equal(l->inner != NULL, find(fields, "inner") != NULL);
    if (l->inner)
        check_tiling(json_at(fields, "inner"), l->inner, rank);
}

static void check_layout(yajl_val fields, const hry_layout *l, uint32_t rank)
{
    switch (l->tag) {
    case HRY_LAYOUT_STRIDED:
        same_i64s(json_at(fields, "strides"), l->strides, rank);
        return;
    case HRY_LAYOUT_TILED:
        check_tiling(fields, l, rank);
        return;
    case HRY_LAYOUT_MORTON:
        same_u32s(json_at(fields, "morton_bits"), l->morton_bits, rank);
        return;
    case HRY_LAYOUT_CSF:
        same_u32s(json_at(fields, "mode_order"), l->mode_order, rank);
        same_u64(fields, "nnz", l->nnz);
        return;
    case HRY_LAYOUT_COO:
        same_u64(fields, "is_sorted", l->is_sorted);
        same_u64(fields, "nnz", l->nnz);
        return;
    case HRY_LAYOUT_CSR:
    case HRY_LAYOUT_CSC:
        same_u64(fields, "nnz", l->nnz);
        return;
    case HRY_LAYOUT_BLOCK_PAGED:
        same_u64(fields, "page_size", l->page_size);
        same_u64(fields, "num_pages", l->num_pages);
        same_u64(fields, "paged_axis", l->paged_axis);
        same_u64(fields, "num_seqs", l->num_seqs);
        same_u64(fields, "kv_role", l->kv_role);
        same_u64(fields, "layer_index", l->layer_index);
        same_u64(fields, "block_table_index_type", l->block_table_index_type);
        return;
    case HRY_LAYOUT_COMPOSITE:
        same_u64(fields, "composition_rule", l->composition_rule);
        same_u64(fields, "combine_op", l->combine_op);
        same_u64(fields, "member_count", l->member_count);
        return;
    case HRY_LAYOUT_HILBERT:
        same_u64(fields, "hilbert_order", l->hilbert_order);
        same_u64(fields, "hilbert_rank", l->hilbert_rank);
        return;
    default:
        if (l->tag < HRY_LAYOUT_PRIVATE_FIRST) {
            assert_int_equal(fields->u.object.len, 0);
            return;
        }
        size_t n;
        uint8_t *data = conformance_hex(YAJL_GET_STRING(json_at(fields, "extension_data")), &n);
        same_u64(fields, "extension_layout_id", l->extension_layout_id);
        assert_int_equal(l->extension_data_length, n);
        assert_memory_equal(l->extension_data, data, n);
        free(data);
    }
}

static void check_buffers(yajl_val rows, const hry_desc *desc)
{
    hry_buffer b;
    uint64_t total = 0, got = 0;
    assert_int_equal(hry_desc_buffer_count(desc), ITEMS(rows));
    for (uint32_t i = 0; i < ITEMS(rows); i++) {
        assert_true(hry_desc_buffer(desc, i, &b));
        same_u64(ITEM(rows, i), "byte_size", b.byte_size);
        same_u64(ITEM(rows, i), "alignment", b.alignment);
        same_u64(ITEM(rows, i), "device_tag", b.device_tag);
        same_u64(ITEM(rows, i), "sync_mode", b.sync_mode);
        same_u64(ITEM(rows, i), "memory_class", b.memory_class);
        if (b.device_tag < 0xF0)
            same_text(ITEM(rows, i), "device", hry_device_name(b.device_tag));
        total += b.byte_size;
    }
    assert_false(hry_desc_buffer(desc, (uint32_t)ITEMS(rows), &b));
    if (hry_desc_data_size(desc, &got)) /* of the sizes that do not fit there are few */
        assert_int_equal(got, total);
}

static void check_quantization(yajl_val expected, const hry_desc *desc)
{
    hry_quantization q;
    assert_int_equal(hry_desc_quantization(desc, &q), !YAJL_IS_NULL(expected));
    if (YAJL_IS_NULL(expected))
        return;
    same_u64(expected, "scheme_tag", q.scheme);
    same_u64(expected, "version", q.version);
    same_u64(expected, "flags", q.flags);
    if (YAJL_IS_NULL(json_at(expected, "scheme"))) {
        assert_in_range(q.scheme, 0xF0, 0xFE);
        return;
    }
    same_text(expected, "scheme", hry_scheme_name(q.scheme));
    if (q.scheme == HRY_SCHEME_PER_TENSOR) {
        same_f64(expected, "scale", (double)q.scale);
        assert_int_equal(json_i64(json_at(expected, "zero_point")), q.zero_point);
        return;
    }
    same_u64(expected, "axis", q.axis);
    same_u64(expected, "scale_buffer_index", q.scale_buffer_index);
    if (q.scheme != HRY_SCHEME_PER_CHANNEL)
        same_u64(expected, "block_size", q.block_size);
    if (q.scheme == HRY_SCHEME_PER_CHANNEL || q.scheme == HRY_SCHEME_PER_BLOCK) {
        same_u64(expected, "zero_point_buffer_index", q.zero_point_buffer_index);
        same_u64(expected, "scale_type_tag", q.scale_type_tag);
    }
}

static void check_statistics(yajl_val expected, const hry_desc *desc)
{
    hry_statistics s;
    assert_int_equal(hry_desc_statistics(desc, &s), !YAJL_IS_NULL(expected));
    if (YAJL_IS_NULL(expected))
        return;
    assert_int_equal((s.computed_mask & HRY_STATS_NNZ) != 0, find(expected, "nnz") != NULL);
    if (s.computed_mask & HRY_STATS_NNZ)
        same_u64(expected, "nnz", s.nnz);
    assert_int_equal((s.computed_mask & HRY_STATS_SPARSITY) != 0, find(expected, "sparsity_ratio") != NULL);
    if (s.computed_mask & HRY_STATS_SPARSITY)
        same_f64(expected, "sparsity_ratio", s.sparsity_ratio);
    assert_int_equal((s.computed_mask & HRY_STATS_RANGE) != 0, find(expected, "value_min") != NULL);
    if (s.computed_mask & HRY_STATS_RANGE) {
        same_f64(expected, "value_min", s.value_min);
        same_f64(expected, "value_max", s.value_max);
        same_f64(expected, "value_abs_max", s.value_abs_max);
    }
    assert_int_equal((s.computed_mask & HRY_STATS_VALUES) != 0, find(expected, "value_mean") != NULL);
    if (s.computed_mask & HRY_STATS_VALUES) {
        same_f64(expected, "value_mean", s.value_mean);
        same_f64(expected, "value_stddev", s.value_stddev);
    }
    assert_int_equal((s.computed_mask & HRY_STATS_NM) != 0, find(expected, "nm_n") != NULL);
    if (s.computed_mask & HRY_STATS_NM) {
        same_u64(expected, "nm_n", s.nm_n);
        same_u64(expected, "nm_m", s.nm_m);
    }
    assert_int_equal((s.computed_mask & HRY_STATS_NAN_INF) != 0, find(expected, "has_nan") != NULL);
    if (s.computed_mask & HRY_STATS_NAN_INF) {
        same_bool(expected, "has_nan", s.has_nan);
        same_bool(expected, "has_inf", s.has_inf);
    }
}

static void check_extension_type(yajl_val expected, const hry_desc *desc)
{
    hry_extension_type e;
    assert_int_equal(hry_desc_extension_type(desc, &e), !YAJL_IS_NULL(expected));
    if (YAJL_IS_NULL(expected))
        return;
    same_u64(expected, "bit_width", e.bit_width);
    same_u64(expected, "bit_width", hry_desc_bits(desc));
    same_u64(expected, "packing_factor", e.packing_factor);
    same_bool(expected, "is_float", e.is_float);
    same_bool(expected, "is_signed", e.is_signed);
    same_u64(expected, "sign_bits", e.sign_bits);
    same_u64(expected, "exponent_bits", e.exponent_bits);
    same_u64(expected, "mantissa_bits", e.mantissa_bits);
    same_u64(expected, "exponent_bias", e.exponent_bias);
    same_bool(expected, "has_nan", e.has_nan);
    same_bool(expected, "has_inf", e.has_inf);
}

static void check_shard(yajl_val expected, const hry_desc *desc)
{
    uint64_t parent_shape[HRY_RANK_MAX], shard_offset[HRY_RANK_MAX];
    assert_int_equal(hry_desc_shard(desc, parent_shape, shard_offset), !YAJL_IS_NULL(expected));
    if (YAJL_IS_NULL(expected))
        return;
    same_u64s(json_at(expected, "parent_shape"), parent_shape, hry_desc_rank(desc));
    same_u64s(json_at(expected, "shard_offset"), shard_offset, hry_desc_rank(desc));
}

static void check_member(yajl_val expected, const hry_desc *desc)
{
    uint8_t role;
    assert_int_equal(hry_desc_composite_member(desc, &role), !YAJL_IS_NULL(expected));
    if (!YAJL_IS_NULL(expected))
        same_text(expected, "role", role == 1 ? "base" : "correction");
}

static void check_header(yajl_val t, const hry_desc *desc)
{
    uint64_t shape[HRY_RANK_MAX];
    char version[16];
    uint32_t rank = hry_desc_rank(desc);
    snprintf(version, sizeof version, "%u.%u", hry_desc_version_major(desc), hry_desc_version_minor(desc));
    same_text(t, "version", version);
    same_u64(t, "type_tag", hry_desc_type(desc));
    same_text(t, "type", hry_desc_type(desc) < 0xF0 ? hry_type_name(hry_desc_type(desc)) : "extension");
    same_u64(t, "layout_tag", hry_desc_layout(desc));
    same_text(t, "layout", hry_desc_layout(desc) < 0xF0 ? hry_layout_name(hry_desc_layout(desc)) : "extension");
    hry_desc_shape(desc, shape);
    same_u64s(json_at(t, "shape"), shape, rank);
    for (uint32_t k = 0; k < rank; k++)
        assert_int_equal(hry_desc_dim(desc, k), shape[k]);
    assert_int_equal(hry_desc_dim(desc, rank), 0);
    same_u64(t, "byte_offset", hry_desc_byte_offset(desc));
    size_t nbytes;
    assert_ptr_equal(hry_desc_bytes(desc, &nbytes), desc->bytes);
    same_u64(t, "descriptor_length", nbytes);
}

static void check_tensor(const conformance_row *row, yajl_val t)
{
    static hry_layout_store store;
    static const hry_allow all_private = { .all = true };
    hry_parse_options options = { .allow = row->all_private ? &all_private : NULL };
    hry_desc desc;
    hry_layout layout;
    assert_int_equal(hry_desc_parse(row->bytes, row->nbytes, &options, &desc, NULL), HRY_OK);
    check_header(t, &desc);
    assert_true(hry_desc_layout_get(&desc, &layout, &store));
    assert_int_equal(layout.tag, hry_desc_layout(&desc));
    check_layout(json_at(t, "layout_fields"), &layout, hry_desc_rank(&desc));
    check_buffers(json_at(t, "buffers"), &desc);
    check_quantization(json_at(t, "quantization"), &desc);
    check_shard(json_at(t, "shard"), &desc);
    check_statistics(json_at(t, "statistics"), &desc);
    check_extension_type(json_at(t, "extension_type"), &desc);
    check_member(json_at(t, "composite_member"), &desc);
}

static void test_fields(void **state)
{
    (void)state;
    conformance_table table = conformance_read();
    size_t nbytes, count = 0;
    char *text = (char *)shared_read("conformance/descriptors.jsonl", &nbytes), *line = text;
    for (char *end; *line && (end = strchr(line, '\n')); line = end + 1, count++) {
        char message[256] = "";
        *end = 0;
        yajl_val entry = yajl_tree_parse(line, message, sizeof message);
        if (!entry)
            fail_msg("line %zu: %s", count, message);
        const char *name = YAJL_GET_STRING(json_at(entry, "name"));
        print_message("%s\n", name);
        check_tensor(conformance_find(&table, name), json_at(entry, "tensor"));
        yajl_tree_free(entry);
    }
    free(text);
    conformance_free(&table);
    assert_in_range(count, 500, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_fields) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
