/*
 * Heads whose members are still to come, while tensors pass by in write order: what a file, read at random or in one
 * go, and a stream have in common. (composite, 2.3; L-CMP-20 .. L-CMP-31)
 */
#ifndef HRY_TENSOR_MEMBER_STACK_H
#define HRY_TENSOR_MEMBER_STACK_H

#include "tensor/members.h"

/* A head, and of a partition the members' boxes. */
typedef struct hry_open_head {
    uint8_t *bytes; /* a copy of the descriptor */
    hry_desc desc;
    uint64_t base; /* where it stands in the file or stream */
    uint32_t expected, have;
    uint64_t *offset, *size, *places; /* places: of the shard_offset fields */
    size_t offset_room, size_room, places_room;
} hry_open_head;

typedef struct hry_member_stack {
    const hry_allocator *allocator;
    uint64_t member_count; /* limits */
    uint32_t composite_depth;
    uint32_t depth;
    hry_open_head heads[HRY_COMPOSITE_DEPTH_MAX];
} hry_member_stack;

/* allocator must outlive the stack; limits may be NULL. */
void hry_member_stack_init(hry_member_stack *stack, const hry_limits *limits, const hry_allocator *allocator);

/* The next tensor, whose descriptor stands at base. Offsets in *err count like base. */
hry_status hry_member_stack_feed(hry_member_stack *stack, const hry_desc *desc, uint64_t base, hry_error *err);

/* Are members still missing? */
static inline bool hry_member_stack_is_open(const hry_member_stack *stack)
{
    return stack->depth > 0;
}

/* No tensor comes any more: L-CMP-29 when members are missing. */
hry_status hry_member_stack_finish(const hry_member_stack *stack, hry_error *err);

/* Forgets all heads; the stack can be used again. */
void hry_member_stack_clear(hry_member_stack *stack);

#endif
