/* The builder: what it makes of random valid specs, and which specs it refuses. */
#include "desc/bad_descs.h"
#include "desc/random_spec.h"
#include "desc/touch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const hry_allow all_private = { .all = true };
static const hry_parse_options allowing = { .allow = &all_private };

/* ---- Valid specs ---- */

static void same_words(const void *a, const void *b, size_t nbytes)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a && nbytes)
        assert_memory_equal(a, b, nbytes);
}

static void check_layout(const hry_layout *given, const hry_layout *got, uint32_t rank)
{
    bool tiled = given->tag == HRY_LAYOUT_TILED;
    assert_int_equal(got->tag, given->tag);
    same_words(given->strides, got->strides, 8 * (size_t)rank);
    same_words(given->tile_shape, got->tile_shape, 8 * (size_t)rank);
    same_words(given->morton_bits, got->morton_bits, 4 * (size_t)rank);
    if (tiled) {
        assert_int_equal(got->outer_layout, given->outer_layout);
        assert_int_equal(got->inner_layout, given->inner_layout);
        if (given->outer_layout == 3)
            same_words(given->outer_strides, got->outer_strides, 8 * (size_t)rank);
        if (given->inner_layout == 3)
            same_words(given->inner_strides, got->inner_strides, 8 * (size_t)rank);
        if (given->inner_layout == 4)
            check_layout(given->inner, got->inner, rank);
    }
    if (given->tag == HRY_LAYOUT_CSF)
        for (uint32_t k = 0; k < rank; k++)
            assert_int_equal(got->mode_order[k], given->mode_order ? given->mode_order[k] : k);
    const uint64_t numbers[][2] = {
        { given->nnz, got->nnz },
        { given->is_sorted, got->is_sorted },
        { given->kv_role, got->kv_role },
        { given->block_table_index_type, got->block_table_index_type },
        { given->composition_rule, got->composition_rule },
        { given->combine_op, got->combine_op },
        { given->num_pages, got->num_pages },
        { given->page_size, got->page_size },
        { given->num_seqs, got->num_seqs },
        { given->layer_index, got->layer_index },
        { given->member_count, got->member_count },
        { given->hilbert_order, got->hilbert_order },
        { given->hilbert_rank, got->hilbert_rank },
        { given->extension_layout_id, got->extension_layout_id },
        { given->extension_data_length, got->extension_data_length },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(numbers[i][0], numbers[i][1]);
    if (given->extension_data_length)
        assert_memory_equal(given->extension_data, got->extension_data, given->extension_data_length);
}

static void check_quantization(const hry_quantization *given, const hry_desc *desc)
{
    hry_quantization q;
    assert_int_equal(hry_desc_quantization(desc, &q), given != NULL);
    if (!given)
        return;
    assert_int_equal(q.scheme, given->scheme);
    assert_int_equal(q.version, given->version || given->scheme >= 0xF0 ? given->version : 1);
    assert_int_equal(q.flags, given->flags);
    if (given->scheme >= 0xF0) {
        assert_int_equal(q.payload_length, given->payload_length);
        if (q.payload_length)
            assert_memory_equal(q.payload, given->payload, q.payload_length);
        return;
    }
    if (given->scheme == HRY_SCHEME_PER_TENSOR) {
        assert_true(q.scale == given->scale);
        assert_int_equal(q.zero_point, given->zero_point);
        return;
    }
    assert_int_equal(q.axis, given->axis);
    assert_int_equal(q.scale_buffer_index, given->scale_buffer_index);
    assert_int_equal(q.block_size, given->block_size);
    if (given->scheme <= HRY_SCHEME_PER_BLOCK) {
        assert_int_equal(q.zero_point_buffer_index, given->zero_point_buffer_index);
        assert_int_equal(q.scale_type_tag, given->scale_type_tag ? given->scale_type_tag : HRY_TYPE_FLOAT32);
    }
}

static void check_sections(const hry_desc_spec *spec, const hry_desc *desc)
{
    uint64_t parent_shape[HRY_RANK_MAX], shard_offset[HRY_RANK_MAX];
    hry_statistics s = { 0 };
    hry_extension_type e = { 0 };
    uint8_t role = 0xFF;
    assert_int_equal(hry_desc_shard(desc, parent_shape, shard_offset), spec->parent_shape != NULL);
    if (spec->parent_shape && spec->rank) {
        assert_memory_equal(parent_shape, spec->parent_shape, 8 * (size_t)spec->rank);
        assert_memory_equal(shard_offset, spec->shard_offset, 8 * (size_t)spec->rank);
    }
    assert_int_equal(hry_desc_statistics(desc, &s), spec->statistics != NULL);
    if (spec->statistics) {
        assert_int_equal(s.computed_mask, spec->statistics->computed_mask);
        assert_int_equal(s.nnz, spec->statistics->nnz);
        assert_memory_equal(&s.sparsity_ratio, &spec->statistics->sparsity_ratio, 6 * sizeof(double));
        assert_memory_equal(&s.nm_n, &spec->statistics->nm_n, 4);
    }
    assert_int_equal(hry_desc_extension_type(desc, &e), spec->extension_type != NULL);
    if (spec->extension_type) {
        assert_int_equal(e.bit_width, spec->extension_type->bit_width);
        assert_int_equal(e.exponent_bias, spec->extension_type->exponent_bias);
        assert_memory_equal(&e.packing_factor, &spec->extension_type->packing_factor, 6);
        assert_int_equal(e.has_nan | e.has_inf << 1,
                         spec->extension_type->has_nan | spec->extension_type->has_inf << 1);
    }
    assert_int_equal(hry_desc_composite_member(desc, &role), spec->member_role != NULL);
    if (spec->member_role)
        assert_int_equal(role, *spec->member_role);
}

static void check_buffers(const hry_desc_spec *spec, const hry_desc *desc)
{
    uint64_t sizes[140];
    uint32_t count = spec_buffers(spec, sizes);
    assert_int_equal(hry_desc_buffer_count(desc), count);
    for (uint32_t i = 0; i < count; i++) {
        hry_buffer b, given = spec->buffers ? spec->buffers[i] : (hry_buffer){ .byte_size = sizes[i] };
        assert_true(hry_desc_buffer(desc, i, &b));
        assert_int_equal(b.byte_size, given.byte_size);
        assert_int_equal(b.alignment, given.alignment                      ? given.alignment
                                      : given.device_tag == HRY_DEVICE_CPU ? 64
                                                                           : 4096);
        assert_int_equal(b.device_tag, given.device_tag);
        assert_int_equal(b.sync_mode, given.sync_mode);
        assert_int_equal(b.memory_class, given.memory_class);
    }
}

static void check_made(const hry_desc_spec *spec, const hry_desc *desc)
{
    static hry_layout_store store;
    hry_layout layout;
    assert_int_equal(hry_desc_version_major(desc), 1); /* W1: the lowest that covers it */
    assert_int_equal(hry_desc_version_minor(desc), 0);
    assert_int_equal(hry_desc_type(desc), spec->type);
    assert_int_equal(hry_desc_bits(desc), spec_bits(spec));
    assert_int_equal(hry_desc_rank(desc), spec->rank);
    for (uint32_t k = 0; k < spec->rank; k++)
        assert_int_equal(hry_desc_dim(desc, k), spec->shape[k]);
    assert_int_equal(hry_desc_byte_offset(desc), spec->byte_offset);
    assert_true(hry_desc_layout_get(desc, &layout, &store));
    if (spec->layout)
        check_layout(spec->layout, &layout, spec->rank);
    else
        assert_int_equal(layout.tag, HRY_LAYOUT_ROW_MAJOR);
    check_buffers(spec, desc);
    check_quantization(spec->quantization, desc);
    check_sections(spec, desc);
}

static void make(const hry_desc_spec *spec, uint64_t seed)
{
    static hry_desc_store store;
    size_t nbytes = 0;
    hry_error err = { 0 };
    hry_desc desc, again;
    hry_desc_spec unpacked;
    assert_int_equal(hry_desc_encoded_length(spec, &nbytes, &err), HRY_OK);
    uint8_t *bytes = malloc(nbytes), *second = malloc(nbytes); /* exactly: a sanitizer sees a byte too many */
    assert_non_null(bytes);
    assert_non_null(second);
    memset(bytes, 0xA5, nbytes);
    if (hry_desc_encode(spec, &allowing, bytes, nbytes, &desc, &err))
        fail_msg("seed %llx: %s %s at %llu", (unsigned long long)seed, hry_rule_id(err.rule), err.message,
                 (unsigned long long)err.offset);
    assert_int_equal(desc.length, nbytes);
    assert_int_equal(desc.state & ~(unsigned)(HRY_DESC_EMPTY | HRY_DESC_HAS_DYNAMIC), 0);
    check_made(spec, &desc);
    assert_true(touch_both_ways(bytes, nbytes, &all_private));
    assert_true(hry_desc_unpack(&desc, &unpacked, &store));
    memset(second, 0x5A, nbytes);
    assert_int_equal(hry_desc_encode(&unpacked, &allowing, second, nbytes, &again, &err), HRY_OK);
    assert_memory_equal(bytes, second, nbytes);
    free(bytes);
    free(second);
}

/* CMake's seeds are the same each time; a failing one can be made again. */
static void test_random(void **state)
{
    (void)state;
    static random_spec r;
    bool layouts[256] = { false }, schemes[256] = { false };
    size_t sections[6] = { 0 };
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t seed = i, before = seed;
        random_spec_make(&r, &seed);
        make(&r.spec, before);
        random_buffers(&r, &seed);
        make(&r.spec, before);
        layouts[r.tensor.layout.tag] = true;
        if (r.spec.quantization)
            schemes[r.spec.quantization->scheme] = true;
        sections[0] += r.spec.quantization != NULL;
        sections[1] += r.spec.parent_shape != NULL;
        sections[2] += r.spec.statistics != NULL;
        sections[3] += r.spec.extension_type != NULL;
        sections[4] += r.spec.member_role != NULL;
        sections[5] += r.spec.byte_offset != 0;
    }
    for (unsigned tag = 1; tag <= 11; tag++)
        assert_true(layouts[tag]);
    assert_true(layouts[0x40] && layouts[0xF0] && layouts[0xFE]);
    for (unsigned scheme = 1; scheme <= 5; scheme++)
        assert_true(schemes[scheme]);
    for (size_t i = 0; i < 6; i++)
        assert_in_range(sections[i], 1000, 20000);
}

/* ---- Refusals ---- */

static void refuse_for(const hry_desc_spec *spec, const hry_parse_options *options, const char *rule)
{
    uint8_t bytes[1024];
    hry_error err = { 0 };
    hry_desc desc = { .length = 12345 };
    hry_status status = hry_desc_encode(spec, options, bytes, sizeof bytes, &desc, &err);
    if (!status)
        fail_msg("built, where %s was expected", rule ? rule : "a wrong call");
    assert_int_equal(err.status, status);
    assert_int_equal(status, rule ? HRY_E_INPUT : HRY_E_USAGE);
    assert_string_equal(hry_rule_id(err.rule), rule ? rule : "");
    assert_true(err.message[0]);
    assert_int_equal(desc.length, 12345);
    assert_int_equal(hry_desc_encode(spec, options, bytes, sizeof bytes, &desc, NULL), status);
}

static void refuse(const hry_desc_spec *spec, const char *rule)
{
    refuse_for(spec, &allowing, rule);
}

static const uint64_t shape[] = { 3, 4 };

#define SPEC_OF(tag, dims, ...) (&(hry_desc_spec){ .type = tag, .rank = 2, .shape = dims, __VA_ARGS__ })
#define SPEC(...) SPEC_OF(HRY_TYPE_INT8, shape, __VA_ARGS__)
#define LAYOUT_OF(...)      \
    .layout = &(hry_layout) \
    {                       \
        __VA_ARGS__         \
    }
#define QUANTIZED(...)                  \
    .quantization = &(hry_quantization) \
    {                                   \
        __VA_ARGS__                     \
    }

static void test_incomplete(void **state)
{
    (void)state;
    const hry_buffer buffer = { .byte_size = 12 };
    size_t nbytes = 77;
    refuse(&(hry_desc_spec){ .type = 3, .rank = 65, .shape = shape }, NULL);
    refuse(&(hry_desc_spec){ .type = 3, .rank = 2 }, NULL);
    refuse(SPEC(.buffer_count = 1), NULL);
    refuse(SPEC(.buffer_count = 256, .buffers = &buffer), NULL);
    refuse(SPEC(.parent_shape = shape), NULL);
    refuse(SPEC(.shard_offset = shape), NULL);
    refuse(SPEC(LAYOUT_OF(.tag = 0x0C)), NULL);
    refuse(SPEC(LAYOUT_OF(.tag = 0xFF)), NULL);
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_STRIDED)), NULL);
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_TILED)), NULL);
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_TILED, .tile_shape = shape, .outer_layout = 3)), NULL);
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_TILED, .tile_shape = shape, .inner_layout = 3)), NULL);
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_TILED, .tile_shape = shape, .inner_layout = 4)), NULL);
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_TILED, .tile_shape = shape, .inner = &(hry_layout){ 0 })), NULL);
    hry_layout endless = { .tag = HRY_LAYOUT_TILED, .tile_shape = shape };
    endless.inner = &endless;
    refuse(SPEC(.layout = &endless), NULL);
    refuse(SPEC(LAYOUT_OF(.tag = 0xF0, .extension_data_length = 1)), NULL);
    refuse(SPEC(QUANTIZED(.scheme = 0)), NULL);
    refuse(SPEC(QUANTIZED(.scheme = 0x40)), NULL);
    refuse(SPEC(QUANTIZED(.scheme = 0xFF)), NULL);
    refuse(SPEC(QUANTIZED(.scheme = 0xF0, .payload_length = 1)), NULL);
    refuse(SPEC(QUANTIZED(.scheme = 0xF0, .payload = shape, .payload_length = UINT32_MAX)), NULL);
    assert_int_equal(hry_desc_encoded_length(SPEC(.buffer_count = 1), &nbytes, NULL), HRY_E_USAGE);
    refuse(SPEC(LAYOUT_OF(.tag = 0xF0, .extension_data = shape, .extension_data_length = UINT32_MAX)), NULL);
    assert_int_equal(nbytes, 77);
}

static void test_invalid(void **state)
{
    (void)state;
    static const uint64_t zero[] = { 0, 0 }, dynamic[] = { HRY_DYNAMIC, 4 }, far[] = { UINT64_MAX - 1, 2 };
    const hry_buffer small = { .byte_size = 11 };
    const uint8_t role = 2;
    refuse(SPEC_OF(0, shape, .byte_offset = 0), "D-08");
    refuse(SPEC_OF(0x47, shape, .byte_offset = 0), "D-09");
    refuse(SPEC_OF(0xF0, shape, .byte_offset = 0), "D-11");
    refuse(SPEC(.extension_type = &(hry_extension_type){ .bit_width = 8, .packing_factor = 1 }), "D-11");
    refuse(SPEC_OF(0xF0, shape, .extension_type = &(hry_extension_type){ .bit_width = 12, .packing_factor = 1 }),
           "D-63");
    refuse_for(SPEC(LAYOUT_OF(.tag = 0xF0)), NULL, "D-14");
    refuse(&(hry_desc_spec){ .type = 3, LAYOUT_OF(.tag = HRY_LAYOUT_COO) }, "D-16");
    refuse(SPEC(.buffers = &small), "D-20");
    refuse(SPEC(.buffers = (const hry_buffer[]){ { .byte_size = 12 }, { 0 } }, .buffer_count = 2), "D-22");
    refuse(SPEC(.buffers = &(hry_buffer){ .byte_size = 12, .device_tag = 9 }, .buffer_count = 1), "D-25");
    refuse(SPEC(.buffers = &(hry_buffer){ .byte_size = 12, .sync_mode = 1 }, .buffer_count = 1), "D-27");
    refuse(SPEC(.buffers = &(hry_buffer){ .byte_size = 12, .alignment = 48 }, .buffer_count = 1), "D-30");
    refuse(SPEC(.buffers = &small, .buffer_count = 1), "D-37");
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_COO, .nnz = 1), .byte_offset = 1), "D-36");
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_COO, .nnz = 13)), "L-COO-03");
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_STRIDED, .strides = (const int64_t[]){ -4, 1 })), "D-37");
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_TILED, .tile_shape = zero)), "L-TIL-01");
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_MORTON, .morton_bits = (const uint32_t[]){ 1, 2 })), "L-MOR-02");
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_HILBERT)), "L-HIL-04");
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_CSF)), "L-CSF-01");
    refuse(SPEC(LAYOUT_OF(.tag = HRY_LAYOUT_COMPOSITE)), "L-CMP-01");
    refuse(SPEC_OF(HRY_TYPE_INT8, far, .byte_offset = 0), "D-37");
    refuse(SPEC(QUANTIZED(.scheme = HRY_SCHEME_PER_TENSOR)), "Q-PT-01");
    refuse(SPEC(QUANTIZED(.scheme = HRY_SCHEME_PER_TENSOR, .scale = 1.0f, .version = 2)), "D-43");
    refuse(SPEC(QUANTIZED(.scheme = HRY_SCHEME_PER_TENSOR, .scale = 1.0f, .flags = 2)), "D-44");
    refuse(SPEC(QUANTIZED(.scheme = HRY_SCHEME_PER_CHANNEL, .axis = 2, .scale_buffer_index = 1)), "Q-09");
    refuse(SPEC(QUANTIZED(.scheme = HRY_SCHEME_PER_CHANNEL, .scale_buffer_index = 5, .zero_point_buffer_index = 5)),
           "Q-BUF-01");
    refuse(SPEC(QUANTIZED(.scheme = HRY_SCHEME_PER_CHANNEL)), "Q-BUF-02");
    refuse(SPEC(QUANTIZED(.scheme = HRY_SCHEME_PER_BLOCK, .scale_buffer_index = 1, .zero_point_buffer_index = 2)),
           "Q-PB-01");
    refuse(SPEC_OF(HRY_TYPE_INT8, dynamic,
                   QUANTIZED(.scheme = HRY_SCHEME_PER_CHANNEL, .scale_buffer_index = 1, .flags = HRY_QUANT_SYMMETRIC,
                             .zero_point_buffer_index = HRY_NO_BUFFER)),
           "Q-10");
    refuse(SPEC(.parent_shape = shape, .shard_offset = shape), "D-50");
    refuse(SPEC(.statistics = &(hry_statistics){ .computed_mask = 0x40 }), "D-55");
    refuse(SPEC(.member_role = &role), "D-70");
    refuse_for(SPEC(QUANTIZED(.scheme = 0xF0)), NULL, "D-42");
    refuse_for(SPEC(.buffers = &(hry_buffer){ .byte_size = 12, .device_tag = 0xF0 }, .buffer_count = 1), NULL, "D-33");
}

/* A permissive caller reads what is broken; nobody writes it. */
static void test_permissive_writer(void **state)
{
    (void)state;
    static desc_bytes d;
    static hry_desc_store store;
    const hry_parse_options permissive = { .allow = &all_private, .permissive = true };
    size_t count = 0;
    for (size_t i = 0; i < bad_input_count; i++) {
        const bad_input *b = &bad_inputs[i];
        uint32_t offset;
        hry_desc desc;
        hry_desc_spec spec;
        if (b->how != ALLOW || strcmp(b->rule, "L-CMP-02") == 0)
            continue;
        bad_input_make(b, &d, &offset);
        if (hry_desc_parse(d.bytes, d.n, &permissive, &desc, NULL) || !hry_desc_unpack(&desc, &spec, &store))
            continue;
        print_message("%s by %s\n", b->rule, b->base);
        if (strcmp(b->rule, "D-42") == 0) /* a scheme that this library does not know */
            refuse_for(&spec, &permissive, NULL);
        else
            refuse_for(&spec, &permissive, b->rule);
        count++;
    }
    assert_in_range(count, 20, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random), cmocka_unit_test(test_incomplete),
                                        cmocka_unit_test(test_invalid), cmocka_unit_test(test_permissive_writer) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
