#include "tensor/members.h"

#include "base/alloc.h"
#include "base/status.h"
#include "tensor/boxes.h"
#include "tensor/object.h"

#include <inttypes.h>

enum { AT_FLAGS = 10, AT_TYPE = 14, AT_LAYOUT = 15, AT_RANK = 16, AT_SHAPE = 20 };

static HRY_COLD hry_status fail_member(hry_error *err, enum hry_rule rule, enum hry_section section, size_t i,
                                       uint64_t at, uint64_t value)
{
    return hry_fail_rule_because(err, rule, section, at, value, "member %zu: %s", i, hry_rule_text((uint16_t)rule));
}

static uint64_t dim_at(const hry_desc *desc, uint32_t section, uint32_t k)
{
    return hry_load64(desc->bytes + section + 8 * (size_t)k);
}

/* L-CMP-20 and -21. That the box lies in its parent is D-50, seen by the parser. */
static hry_status check_box(const hry_desc *head, size_t i, const hry_desc *member, hry_error *err)
{
    if (!member->shard_offset)
        return fail_member(err, HRY_RULE_L_CMP_20, HRY_SECTION_HEADER, i, AT_FLAGS, member->flags);
    if (member->rank != head->rank)
        return fail_member(err, HRY_RULE_L_CMP_21, HRY_SECTION_SHARD, i, member->shard_offset, member->rank);
    for (uint32_t k = 0; k < head->rank; k++) {
        uint64_t parent = dim_at(member, member->shard_offset, k);
        if (parent != hry_desc_dim(head, k))
            return fail_member(err, HRY_RULE_L_CMP_21, HRY_SECTION_SHARD, i, member->shard_offset + 8 * (uint64_t)k,
                               parent);
    }
    return HRY_OK;
}

static bool same_extension_type(const hry_desc *a, const hry_desc *b)
{
    if (!a->extension_type_offset || !b->extension_type_offset)
        return a->extension_type_offset == b->extension_type_offset;
    return memcmp(a->bytes + a->extension_type_offset, b->bytes + b->extension_type_offset, 20) == 0;
}

/* L-CMP-22: what the member decodes to is the head's type. Quantized members decode to float32, which is converted
 * once to a head of a wide float type. */
static hry_status check_type(const hry_desc *head, size_t i, const hry_desc *member, hry_error *err)
{
    bool wide = head->type == HRY_TYPE_FLOAT16 || head->type == HRY_TYPE_BFLOAT16 || head->type == HRY_TYPE_FLOAT32 ||
                head->type == HRY_TYPE_FLOAT64;
    bool fits =
        member->flags & HRY_HAS_QUANTIZATION ? wide : member->type == head->type && same_extension_type(head, member);
    return fits ? HRY_OK : fail_member(err, HRY_RULE_L_CMP_22, HRY_SECTION_HEADER, i, AT_TYPE, member->type);
}

/* L-CMP-24: the first member of an overlay lies under all of the head. */
static hry_status check_base(const hry_desc *head, const hry_desc *member, uint8_t role, hry_error *err)
{
    if (role != 1)
        return fail_member(err, HRY_RULE_L_CMP_24, HRY_SECTION_COMPOSITE_MEMBER, 0, member->composite_member_offset,
                           role);
    for (uint32_t k = 0; k < head->rank; k++) {
        uint32_t offsets = member->shard_offset + 8 * head->rank;
        if (dim_at(member, offsets, k) != 0)
            return fail_member(err, HRY_RULE_L_CMP_24, HRY_SECTION_SHARD, 0, offsets + 8 * (uint64_t)k,
                               dim_at(member, offsets, k));
        if (hry_desc_dim(member, k) != hry_desc_dim(head, k))
            return fail_member(err, HRY_RULE_L_CMP_24, HRY_SECTION_SHAPE, 0, AT_SHAPE + 8 * (uint64_t)k,
                               hry_desc_dim(member, k));
    }
    return HRY_OK;
}

static hry_status check_role(const hry_desc *head, size_t i, const hry_desc *member, hry_error *err)
{
    uint8_t role;
    if (!hry_desc_composite_member(member, &role))
        return fail_member(err, HRY_RULE_L_CMP_23, HRY_SECTION_HEADER, i, AT_FLAGS, member->flags);
    if (i == 0)
        return check_base(head, member, role, err);
    return role == 0 ? HRY_OK
                     : fail_member(err, HRY_RULE_L_CMP_25, HRY_SECTION_COMPOSITE_MEMBER, i,
                                   member->composite_member_offset, role);
}

hry_status hry_composite_check_member(const hry_desc *head, size_t i, const hry_desc *member, hry_error *err)
{
    uint8_t rule = hry_composite_rule(head);
    if (rule > HRY_COMPOSITE_GROUP)
        return HRY_OK; /* private: what it wants of its members is between the caller and the writer */
    if (rule == HRY_COMPOSITE_OVERLAY && member->layout == HRY_LAYOUT_COMPOSITE)
        return fail_member(err, HRY_RULE_L_CMP_31, HRY_SECTION_HEADER, i, AT_LAYOUT, member->layout);
    if (rule != HRY_COMPOSITE_OVERLAY && member->flags & HRY_HAS_COMPOSITE_MEMBER)
        return fail_member(err, HRY_RULE_L_CMP_26, HRY_SECTION_HEADER, i, AT_FLAGS, member->flags);
    if (rule == HRY_COMPOSITE_GROUP)
        return HRY_OK;
    hry_status status = check_box(head, i, member, err);
    if (!status)
        status = check_type(head, i, member, err);
    return status || rule != HRY_COMPOSITE_OVERLAY ? status : check_role(head, i, member, err);
}

void hry_composite_box(const hry_desc *member, uint64_t *offset, uint64_t *size)
{
    for (uint32_t k = 0; k < member->rank; k++) {
        offset[k] = dim_at(member, member->shard_offset + 8 * member->rank, k);
        size[k] = dim_at(member, AT_SHAPE, k);
    }
}

static hry_status cover_status(hry_cover cover, const hry_desc *head, size_t count, const size_t pair[2], size_t *which,
                               hry_error *err)
{
    switch (cover) {
    case HRY_COVER_EXACT:
        return HRY_OK;
    case HRY_COVER_OVERLAP:
        *which = pair[1];
        return hry_fail_rule_because(err, HRY_RULE_L_CMP_27, HRY_SECTION_SHARD, 0, pair[1],
                                     "members %zu and %zu overlap", pair[0], pair[1]);
    case HRY_COVER_GAP:
        return hry_fail_rule_because(err, HRY_RULE_L_CMP_28, HRY_SECTION_SHAPE, AT_SHAPE, count,
                                     "the %zu members leave a gap in the head's shape", count);
    case HRY_COVER_NO_MEMORY:
        return hry_fail_memory(err, count * 16 * (uint64_t)head->rank);
    default:
        return hry_fail(err, HRY_E_LIMIT, HRY_SECTION_COMPOSITE, AT_SHAPE, count,
                        "%zu members lie in a way that would take too long to check", count);
    }
}

hry_status hry_composite_check_boxes(const hry_desc *head, uint64_t *offset, uint64_t *size, size_t count,
                                     const hry_allocator *allocator, size_t *which, hry_error *err)
{
    *which = SIZE_MAX;
    if (hry_composite_rule(head) != HRY_COMPOSITE_PARTITION)
        return HRY_OK;
    uint64_t space[HRY_RANK_MAX];
    size_t pair[2] = { 0 };
    hry_boxes boxes = { head->rank, count, space, offset, size };
    hry_desc_shape(head, space);
    return cover_status(hry_boxes_cover(&boxes, allocator, pair), head, count, pair, which, err);
}

uint32_t hry_composite_depth(const hry_tensor *tensor)
{
    uint32_t deepest = 0;
    if (tensor->desc.layout != HRY_LAYOUT_COMPOSITE)
        return 0;
    for (size_t i = 0; i < tensor->member_count; i++) {
        uint32_t depth = hry_composite_depth(tensor->members[i]);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* The cover of members that are all at hand. */
static hry_status check_cover(const hry_desc *head, hry_tensor *const *members, size_t count,
                              const hry_allocator *allocator, hry_error *err)
{
    size_t which, each = count * head->rank;
    if (hry_composite_rule(head) != HRY_COMPOSITE_PARTITION)
        return HRY_OK;
    uint64_t *boxes = hry_alloc_array(allocator, 2 * (uint64_t)each, sizeof *boxes, _Alignof(uint64_t));
    if (!boxes)
        return hry_fail_memory(err, 2 * each * sizeof *boxes);
    for (size_t i = 0; i < count; i++)
        hry_composite_box(&members[i]->desc, boxes + i * head->rank, boxes + each + i * head->rank);
    hry_status status = hry_composite_check_boxes(head, boxes, boxes + each, count, allocator, &which, err);
    hry_free(allocator, boxes, 2 * each * sizeof *boxes, _Alignof(uint64_t));
    if (status && which != SIZE_MAX)
        hry_error_shift(err, hry_composite_box_at(&members[which]->desc));
    return status;
}

static hry_status check_all(const hry_desc *head, hry_tensor *const *members, size_t count,
                            const hry_allocator *allocator, hry_error *err)
{
    hry_status status = HRY_OK;
    uint32_t deepest = 0;
    if (head->layout != HRY_LAYOUT_COMPOSITE)
        return hry_fail_usage(err, "the descriptor is no composite head");
    uint32_t expected = hry_composite_member_count(head);
    if (count > expected)
        return hry_fail_usage(err, "%zu members for a head that takes %" PRIu32, count, expected);
    if (count < expected)
        return hry_fail_rule_because(err, HRY_RULE_L_CMP_29, HRY_SECTION_LAYOUT, head->layout_offset + 4, expected,
                                     "the head has %" PRIu32 " members, and %zu are there", expected, count);
    for (size_t i = 0; i < count && !status; i++) {
        uint32_t depth = hry_composite_depth(members[i]);
        deepest = depth > deepest ? depth : deepest;
        status = hry_composite_check_member(head, i, &members[i]->desc, err);
    }
    if (!status && deepest >= HRY_COMPOSITE_DEPTH_MAX)
        status = hry_fail_rule(err, HRY_RULE_L_CMP_30, HRY_SECTION_HEADER, AT_LAYOUT, deepest + 1);
    return status ? status : check_cover(head, members, count, allocator, err);
}

hry_status hry_tensor_composite(const hry_desc *head, hry_tensor *const *members, size_t count,
                                const hry_allocator *allocator, hry_tensor **tensor, hry_error *err)
{
    hry_status status = check_all(head, members, count, allocator, err);
    if (!status)
        status = hry_tensor_adopt_members(head, members, count, allocator, tensor, err);
    for (size_t i = 0; i < count && !status; i++)
        hry_tensor_retain(members[i]);
    return status;
}
