/*
 * One descriptor from untrusted bytes, read strictly and permissively, with and without private values; everything is
 * asked of what was accepted, and built again. What a strict reader takes, a permissive one takes too; what is built
 * again is the same, but for bytes that nobody read; what a reader refuses, the builder does not make.
 */
#include <hurray/desc.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

/* Reads every byte, for a sanitizer to see. */
static void read_bytes(const void *bytes, size_t nbytes)
{
    static volatile uint8_t sink;
    for (size_t i = 0; bytes && i < nbytes; i++)
        sink = ((const uint8_t *)bytes)[i];
    (void)sink;
}

static void on_lint(void *ctx, uint16_t rule, uint64_t offset, const char *message)
{
    const hry_desc *desc = ctx;
    REQUIRE(rule && offset < desc->length && message[0]);
}

static void touch_layout(const hry_desc *desc)
{
    static hry_layout_store store;
    hry_layout layout;
    if (!hry_desc_layout_get(desc, &layout, &store))
        return;
    for (const hry_layout *l = &layout; l; l = l->inner) {
        read_bytes(l->strides, 8 * (size_t)desc->rank);
        read_bytes(l->tile_shape, 8 * (size_t)desc->rank);
        read_bytes(l->outer_strides, 8 * (size_t)desc->rank);
        read_bytes(l->inner_strides, 8 * (size_t)desc->rank);
        read_bytes(l->morton_bits, 4 * (size_t)desc->rank);
        read_bytes(l->mode_order, 4 * (size_t)desc->rank);
        read_bytes(l->extension_data, l->extension_data_length);
    }
}

static void touch(const hry_desc *desc)
{
    uint64_t parent_shape[HRY_RANK_MAX], shard_offset[HRY_RANK_MAX], shape[HRY_RANK_MAX], number;
    hry_quantization q;
    hry_statistics s;
    hry_extension_type e;
    hry_buffer b;
    uint8_t role;
    size_t nbytes;
    hry_desc_shape(desc, shape);
    for (uint32_t k = 0; k < desc->rank; k++)
        REQUIRE(shape[k] == hry_desc_dim(desc, k));
    uint32_t count = hry_desc_buffer_count(desc);
    for (uint32_t i = 0; i < count; i++)
        REQUIRE(hry_desc_buffer(desc, i, &b));
    REQUIRE(!hry_desc_buffer(desc, count, &b));
    hry_desc_byte_offset(desc);
    hry_desc_bits(desc);
    hry_desc_count(desc, &number);
    hry_desc_data_size(desc, &number);
    touch_layout(desc);
    if (hry_desc_quantization(desc, &q))
        read_bytes(q.payload, q.payload_length);
    hry_desc_shard(desc, parent_shape, shard_offset);
    hry_desc_statistics(desc, &s);
    hry_desc_extension_type(desc, &e);
    hry_desc_composite_member(desc, &role);
    hry_desc_lint(desc, on_lint, (void *)(uintptr_t)desc);
    const void *bytes = hry_desc_bytes(desc, &nbytes);
    read_bytes(bytes, nbytes);
}

static void build_again(const hry_desc *desc, const hry_parse_options *options, bool accepted)
{
    static hry_desc_store store;
    hry_desc_spec spec;
    hry_desc built;
    hry_error err = { 0 };
    size_t nbytes;
    if (!hry_desc_unpack(desc, &spec, &store))
        return;
    if (hry_desc_encoded_length(&spec, &nbytes, &err)) {
        REQUIRE(!accepted);
        return;
    }
    uint8_t *bytes = malloc(nbytes);
    REQUIRE(bytes);
    hry_status status = hry_desc_encode(&spec, options, bytes, nbytes, &built, &err);
    if (status) /* what a reader only advises against, a writer refuses */
        REQUIRE(!accepted || err.rule == hry_rule_find("D-57") || err.rule == hry_rule_find("D-68"));
    else if (accepted && nbytes == desc->length && hry_desc_version_minor(desc) == 0)
        REQUIRE(memcmp(bytes, desc->bytes, nbytes) == 0);
    if (!status) {
        REQUIRE(!hry_desc_is_opaque(&built) || built.layout == HRY_LAYOUT_COMPOSITE);
        touch(&built);
    }
    free(bytes);
}

static void read_all_ways(const uint8_t *data, size_t size, const hry_allow *allow)
{
    const hry_parse_options strict = { .allow = allow }, permissive = { .allow = allow, .permissive = true };
    const hry_parse_options stored = { .allow = allow, .stored = true };
    hry_desc desc;
    hry_error err = { 0 };
    bool accepted = hry_desc_parse(data, size, &strict, &desc, &err) == HRY_OK;
    if (accepted) {
        touch(&desc);
        build_again(&desc, &strict, true);
    } else {
        REQUIRE(err.rule && err.offset <= size && err.message[0]);
    }
    hry_status status = hry_desc_parse(data, size, &permissive, &desc, &err);
    REQUIRE(!accepted || status == HRY_OK);
    if (!status) {
        REQUIRE(accepted || hry_desc_is_opaque(&desc) || desc.quantization_offset);
        touch(&desc);
        build_again(&desc, &permissive, false);
    }
    REQUIRE(hry_desc_parse(data, size, &stored, &desc, NULL) || accepted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hry_allow all = { .all = true };
    uint32_t length;
    read_all_ways(data, size, NULL);
    read_all_ways(data, size, &all);
    REQUIRE(hry_desc_length(data, size, &length, NULL) || length >= 20);
    return 0;
}
