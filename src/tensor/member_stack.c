#include "tensor/member_stack.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"

#include <inttypes.h>

void hry_member_stack_init(hry_member_stack *stack, const hry_limits *limits, const hry_allocator *allocator)
{
    hry_limits resolved = hry_limits_resolve(limits);
    stack->allocator = allocator;
    stack->member_count = resolved.member_count;
    stack->composite_depth = resolved.composite_depth;
    stack->depth = 0;
}

static void drop(hry_member_stack *stack)
{
    hry_open_head *top = &stack->heads[--stack->depth];
    hry_free(stack->allocator, top->bytes, top->desc.length, 1);
    hry_free(stack->allocator, top->offset, top->offset_room * sizeof(uint64_t), _Alignof(uint64_t));
    hry_free(stack->allocator, top->size, top->size_room * sizeof(uint64_t), _Alignof(uint64_t));
    hry_free(stack->allocator, top->places, top->places_room * sizeof(uint64_t), _Alignof(uint64_t));
}

void hry_member_stack_clear(hry_member_stack *stack)
{
    while (stack->depth > 0)
        drop(stack);
}

static hry_status push(hry_member_stack *stack, const hry_desc *head, uint64_t base, hry_error *err)
{
    uint32_t expected = hry_composite_member_count(head);
    if (stack->depth >= stack->composite_depth)
        return hry_fail_rule(err, HRY_RULE_L_CMP_30, HRY_SECTION_HEADER, base + 15, stack->depth + 1);
    if (expected > stack->member_count)
        return hry_fail(err, HRY_E_LIMIT, HRY_SECTION_LAYOUT, base + head->layout_offset + 4, expected,
                        "a composite of %" PRIu32 " members is above the limit", expected);
    hry_open_head top = {
        .bytes = hry_alloc(stack->allocator, head->length, 1), .desc = *head, .base = base, .expected = expected
    };
    if (!top.bytes)
        return hry_fail_memory(err, head->length);
    memcpy(top.bytes, head->bytes, head->length);
    top.desc.bytes = top.bytes;
    stack->heads[stack->depth++] = top;
    return HRY_OK;
}

static bool grow(hry_member_stack *stack, uint64_t **array, size_t *room, size_t need)
{
    void *grown = *array;
    bool grew = hry_grow(stack->allocator, &grown, room, need, sizeof(uint64_t), _Alignof(uint64_t));
    *array = grown;
    return grew;
}

/* Room comes with the members that are there, not with the number that the head declares. */
static hry_status keep_box(hry_member_stack *stack, hry_open_head *top, const hry_desc *member, uint64_t base,
                           hry_error *err)
{
    uint32_t rank = top->desc.rank;
    size_t used = (size_t)top->have * rank;
    if (!grow(stack, &top->places, &top->places_room, top->have + 1u) ||
        !grow(stack, &top->offset, &top->offset_room, used + rank) ||
        !grow(stack, &top->size, &top->size_room, used + rank))
        return hry_fail_memory(err, used);
    top->places[top->have] = base + hry_composite_box_at(member);
    hry_composite_box(member, top->offset + used, top->size + used);
    return HRY_OK;
}

static hry_status take_member(hry_member_stack *stack, const hry_desc *member, uint64_t base, hry_error *err)
{
    hry_open_head *top = &stack->heads[stack->depth - 1];
    hry_status status = hry_composite_check_member(&top->desc, top->have, member, err);
    if (status)
        hry_error_shift(err, base);
    else if (hry_composite_rule(&top->desc) == HRY_COMPOSITE_PARTITION)
        status = keep_box(stack, top, member, base, err);
    top->have += status == HRY_OK;
    return status;
}

static hry_status close_head(hry_member_stack *stack, hry_error *err)
{
    hry_open_head *top = &stack->heads[stack->depth - 1];
    size_t which = SIZE_MAX;
    hry_status status =
        hry_composite_check_boxes(&top->desc, top->offset, top->size, top->have, stack->allocator, &which, err);
    if (status)
        hry_error_shift(err, which == SIZE_MAX ? top->base : top->places[which]);
    drop(stack);
    return status;
}

hry_status hry_member_stack_feed(hry_member_stack *stack, const hry_desc *desc, uint64_t base, hry_error *err)
{
    hry_status status = HRY_OK;
    if (stack->depth > 0)
        status = take_member(stack, desc, base, err);
    if (!status && desc->layout == HRY_LAYOUT_COMPOSITE)
        status = push(stack, desc, base, err);
    while (!status && stack->depth > 0 &&
           stack->heads[stack->depth - 1].have == stack->heads[stack->depth - 1].expected)
        status = close_head(stack, err);
    return status;
}

hry_status hry_member_stack_finish(const hry_member_stack *stack, hry_error *err)
{
    if (stack->depth == 0)
        return HRY_OK;
    const hry_open_head *inner = &stack->heads[stack->depth - 1];
    return hry_fail_rule_because(
        err, HRY_RULE_L_CMP_29, HRY_SECTION_LAYOUT, inner->base + inner->desc.layout_offset + 4, inner->expected,
        "the composite has %" PRIu32 " members, and %" PRIu32 " are there", inner->expected, inner->have);
}
