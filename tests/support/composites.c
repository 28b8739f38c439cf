#include "support/composites.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { DESCRIPTOR = 4096, MEMBERS = 256 };

hry_tensor *zeros_by_spec(const hry_desc_spec *spec)
{
    static _Alignas(4096) uint8_t zeros[1 << 20];
    uint8_t bytes[DESCRIPTOR];
    const void *buffers[255];
    hry_desc desc;
    hry_error err;
    hry_tensor *t;
    if (hry_desc_encode(spec, NULL, bytes, sizeof bytes, &desc, &err))
        fail_msg("%s: %s", hry_rule_id(err.rule), err.message);
    hry_buffer buffer;
    for (uint32_t k = 0; hry_desc_buffer(&desc, k, &buffer); k++) {
        assert_true(buffer.byte_size <= sizeof zeros);
        buffers[k] = zeros;
    }
    assert_int_equal(hry_tensor_create(&desc, buffers, NULL, NULL, NULL, &t, NULL), HRY_OK);
    return t;
}

static hry_tensor *make(hry_desc_spec *head, const member_spec *members, size_t count, hry_error *err)
{
    hry_tensor *made[MEMBERS], *t = NULL;
    uint8_t bytes[DESCRIPTOR];
    hry_desc desc;
    assert_true(count <= MEMBERS);
    assert_int_equal(hry_desc_encode(head, NULL, bytes, sizeof bytes, &desc, err), HRY_OK);
    for (size_t i = 0; i < count; i++)
        made[i] = members[i].tensor ? hry_tensor_retain(members[i].tensor) : zeros_by_spec(&members[i].spec);
    if (hry_tensor_composite(&desc, made, count, NULL, &t, err))
        t = NULL;
    for (size_t i = 0; i < count; i++)
        hry_tensor_release(made[i]);
    return t;
}

hry_tensor *composite_of(uint8_t type, uint32_t rank, const uint64_t *shape, uint8_t rule, uint8_t op,
                         const member_spec *members, size_t count, uint32_t declared, hry_error *err)
{
    hry_layout layout = {
        .tag = HRY_LAYOUT_COMPOSITE, .composition_rule = rule, .combine_op = op, .member_count = declared
    };
    hry_desc_spec head = { .type = type, .rank = rank, .shape = shape, .layout = &layout };
    return make(&head, members, count, err);
}

hry_tensor *composite_shard_of(uint8_t type, uint32_t rank, const uint64_t *shape, const uint64_t *parent_shape,
                               const uint64_t *shard_offset, const member_spec *members, size_t count, hry_error *err)
{
    hry_layout layout = { .tag = HRY_LAYOUT_COMPOSITE, .composition_rule = 1, .member_count = (uint32_t)count };
    hry_desc_spec head = { .type = type,
                           .rank = rank,
                           .shape = shape,
                           .layout = &layout,
                           .parent_shape = parent_shape,
                           .shard_offset = shard_offset };
    return make(&head, members, count, err);
}
