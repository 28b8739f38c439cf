#include "desc/touch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t mix(uint64_t digest, uint64_t x)
{
    return (digest ^ x) * 0x100000001B3 + (digest >> 29);
}

static uint64_t mix_bytes(uint64_t digest, const void *bytes, size_t nbytes)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < nbytes; i++)
        digest = mix(digest, p[i]);
    return digest;
}

static uint64_t mix_layout(uint64_t x, const hry_layout *l, uint32_t rank)
{
    for (; l; l = l->inner) {
        const uint64_t numbers[] = { l->tag,          l->outer_layout,
                                     l->inner_layout, l->is_sorted,
                                     l->kv_role,      l->block_table_index_type,
                                     l->combine_op,   l->composition_rule,
                                     l->nnz,          l->num_pages,
                                     l->page_size,    l->paged_axis,
                                     l->num_seqs,     l->layer_index,
                                     l->member_count, l->hilbert_order,
                                     l->hilbert_rank, l->extension_layout_id,
                                     l->strides != 0, l->extension_data_length };
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            x = mix(x, numbers[i]);
        const void *arrays[] = { l->strides, l->tile_shape, l->outer_strides, l->inner_strides };
        for (size_t i = 0; i < 4; i++)
            x = arrays[i] ? mix_bytes(x, arrays[i], 8 * (size_t)rank) : mix(x, 1);
        x = l->morton_bits ? mix_bytes(x, l->morton_bits, 4 * (size_t)rank) : mix(x, 2);
        x = l->mode_order ? mix_bytes(x, l->mode_order, 4 * (size_t)rank) : mix(x, 3);
        x = mix_bytes(x, l->extension_data, l->extension_data_length);
    }
    return x;
}

static uint64_t mix_sections(uint64_t x, const hry_desc *desc)
{
    uint64_t parent_shape[HRY_RANK_MAX], shard_offset[HRY_RANK_MAX];
    hry_quantization q;
    hry_statistics s = { 0 };
    hry_extension_type e = { 0 };
    uint8_t role = 0xAA;
    if (hry_desc_quantization(desc, &q)) {
        x = mix_bytes(x, q.payload, q.payload_length);
        x = mix(mix(mix(x, q.scheme), q.version), q.flags);
        x = mix(mix(mix_bytes(x, &q.scale, sizeof q.scale), (uint64_t)q.zero_point), q.axis);
        x = mix(mix(mix(x, q.block_size), q.scale_buffer_index), q.zero_point_buffer_index);
        x = mix(x, q.scale_type_tag);
    }
    if (hry_desc_shard(desc, parent_shape, shard_offset)) {
        x = mix_bytes(x, parent_shape, 8 * (size_t)desc->rank);
        x = mix_bytes(x, shard_offset, 8 * (size_t)desc->rank);
    }
    if (hry_desc_statistics(desc, &s)) {
        x = mix(mix(x, s.computed_mask), s.nnz);
        x = mix_bytes(x, &s.sparsity_ratio, 6 * sizeof(double));
        x = mix(mix(mix(mix(x, s.nm_n), s.nm_m), s.has_nan), s.has_inf);
    }
    if (hry_desc_extension_type(desc, &e)) {
        x = mix(mix(mix(x, e.bit_width), e.packing_factor), e.exponent_bias);
        x = mix(mix(mix(x, e.is_float), e.is_signed), e.sign_bits);
        x = mix(mix(mix(mix(x, e.exponent_bits), e.mantissa_bits), e.has_nan), e.has_inf);
    }
    return hry_desc_composite_member(desc, &role) ? mix(x, role) : mix(x, 4);
}

static void on_lint(void *ctx, uint16_t rule, uint64_t offset, const char *message)
{
    uint64_t *x = ctx;
    *x = mix_bytes(mix(mix(*x, rule), offset), message, strlen(message));
}

uint64_t touch_all(const hry_desc *desc)
{
    static hry_layout_store store;
    uint64_t shape[HRY_RANK_MAX], x = 14695981039346656037u, number = 0;
    hry_layout layout;
    hry_buffer b;
    size_t nbytes;
    const void *bytes = hry_desc_bytes(desc, &nbytes);
    x = mix_bytes(x, bytes, nbytes);
    hry_desc_shape(desc, shape);
    for (uint32_t k = 0; k <= desc->rank; k++)
        x = mix(mix(x, k < desc->rank ? shape[k] : 0), hry_desc_dim(desc, k));
    x = mix(mix(mix(x, hry_desc_type(desc)), hry_desc_layout(desc)), hry_desc_byte_offset(desc));
    x = mix(mix(mix(x, hry_desc_flags(desc)), hry_desc_bits(desc)), hry_desc_is_opaque(desc));
    x = mix(mix(x, hry_desc_version_major(desc)), hry_desc_version_minor(desc));
    x = mix(mix(x, hry_desc_count(desc, &number)), number);
    x = mix(mix(x, hry_desc_data_size(desc, &number)), number);
    for (uint32_t i = 0; hry_desc_buffer(desc, i, &b); i++)
        x = mix(mix(x, b.byte_size), b.alignment ^ (uint64_t)b.device_tag << 32 ^ (uint64_t)b.sync_mode << 40 ^
                                         (uint64_t)b.memory_class << 48);
    if (hry_desc_layout_get(desc, &layout, &store))
        x = mix_layout(x, &layout, desc->rank);
    x = mix_sections(x, desc);
    hry_desc_lint(desc, on_lint, &x);
    return x;
}

/* Member by member: padding may hold anything. */
static void assert_same_view(const hry_desc *a, const hry_desc *b)
{
    assert_ptr_equal(a->bytes, b->bytes);
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->layout, b->layout);
    assert_int_equal(a->rank, b->rank);
    assert_int_equal(a->buffer_count, b->buffer_count);
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->layout_offset, b->layout_offset);
    assert_int_equal(a->buffers_offset, b->buffers_offset);
    assert_int_equal(a->quantization_offset, b->quantization_offset);
    assert_int_equal(a->shard_offset, b->shard_offset);
    assert_int_equal(a->statistics_offset, b->statistics_offset);
    assert_int_equal(a->extension_type_offset, b->extension_type_offset);
    assert_int_equal(a->composite_member_offset, b->composite_member_offset);
    assert_int_equal(a->end, b->end);
}

/* The same answer, whether or not the short way through the parser may be taken. */
static hry_status parse_twice(const uint8_t *bytes, size_t nbytes, const hry_allow *allow, bool permissive,
                              hry_desc *desc)
{
    /* A registry with a row that means nothing, which the short way does not look into. */
    static const hry_registry_row row = { .space = HRY_SPACE_KV_TYPE, .value = 0x7E, .name = "nothing" };
    static const hry_profile profile = { .scheme_version = 1, .extra = &row, .extra_count = 1 };
    const hry_parse_options plain = { .allow = allow, .permissive = permissive };
    const hry_parse_options other = { .allow = allow, .permissive = permissive, .profile = &profile };
    hry_desc again;
    hry_error err, same;
    memset(&err, 0, sizeof err);
    memset(&same, 0, sizeof same);
    hry_status status = hry_desc_parse(bytes, nbytes, &plain, desc, &err);
    assert_int_equal(hry_desc_parse(bytes, nbytes, &other, &again, &same), status);
    if (!status)
        assert_same_view(desc, &again);
    assert_memory_equal(&err, &same, sizeof err);
    return status;
}

static bool is_lint(const hry_error *err)
{
    return strcmp(hry_rule_id(err->rule), "D-57") == 0 || strcmp(hry_rule_id(err->rule), "D-68") == 0;
}

/* What is taken apart and built again is the same, but for what nobody read. */
static void check_built_again(const hry_desc *desc, const hry_allow *allow)
{
    static hry_desc_store store;
    static uint8_t bytes[1 << 16];
    const hry_parse_options options = { .allow = allow };
    hry_desc_spec spec;
    hry_desc built;
    hry_error err;
    if (desc->length > sizeof bytes || !hry_desc_unpack(desc, &spec, &store))
        return;
    hry_status status = hry_desc_encode(&spec, &options, bytes, sizeof bytes, &built, &err);
    if (status) {
        assert_true(is_lint(&err));
        return;
    }
    assert_in_range(built.length, 1, desc->length);
    assert_int_equal(bytes[5], 0);
    if (built.length == desc->length && hry_desc_version_minor(desc) == 0)
        assert_memory_equal(bytes, desc->bytes, desc->length);
    else
        assert_true(hry_desc_version_minor(desc) > 0 || desc->quantization_offset != 0);
}

bool touch_both_ways(const uint8_t *bytes, size_t nbytes, const hry_allow *allow)
{
    hry_desc strict, permissive;
    bool accepted = parse_twice(bytes, nbytes, allow, false, &strict) == HRY_OK;
    if (parse_twice(bytes, nbytes, allow, true, &permissive) == HRY_OK)
        touch_all(&permissive);
    else
        assert_false(accepted); /* permissive readers take all that strict ones do */
    if (!accepted)
        return false;
    assert_same_view(&strict, &permissive); /* and nothing else of it: it is not opaque */
    assert_int_equal(touch_all(&strict), touch_all(&permissive));
    check_built_again(&strict, allow);
    return true;
}
