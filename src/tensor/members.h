/* A composite head with its members: the rules of phase P4. (composite, 2 and 3; layouts, L-CMP-20 .. L-CMP-31) */
#ifndef HRY_TENSOR_MEMBERS_H
#define HRY_TENSOR_MEMBERS_H

#include "base/bytes.h"

#include <hurray/tensor.h>

enum { HRY_COMPOSITE_PARTITION = 1, HRY_COMPOSITE_OVERLAY = 2, HRY_COMPOSITE_GROUP = 3 };
enum { HRY_COMPOSITE_DEPTH_MAX = 8 }; /* heads on one path, the outermost counted */

static inline uint8_t hry_composite_rule(const hry_desc *head)
{
    return head->bytes[head->layout_offset];
}

static inline uint32_t hry_composite_member_count(const hry_desc *head)
{
    return hry_load32(head->bytes + head->layout_offset + 4);
}

/* Member number i, as soon as its descriptor is known: L-CMP-20 .. -26 and -31. Offsets count from the member's first
 * byte. */
hry_status hry_composite_check_member(const hry_desc *head, size_t i, const hry_desc *member, hry_error *err);

/* Where a member that passed the check above lies in its head: rank entries each. */
void hry_composite_box(const hry_desc *member, uint64_t *offset, uint64_t *size);
/* Where in its descriptor the member's shard_offset stands. */
static inline uint64_t hry_composite_box_at(const hry_desc *member)
{
    return member->shard_offset + 8 * (uint64_t)member->rank;
}

/*
 * After the last member: L-CMP-27 and -28 for a partition, by the members' boxes (count * rank entries, which are
 * rearranged). Offsets count from the shard_offset field of member *which, or from the head's first byte when it is
 * SIZE_MAX. HRY_E_LIMIT for boxes so many and so entangled that the answer would take too long.
 */
hry_status hry_composite_check_boxes(const hry_desc *head, uint64_t *offset, uint64_t *size, size_t count,
                                     const hry_allocator *allocator, size_t *which, hry_error *err);

/* Heads on the longest path below and including a tensor: 0 for one that is no composite. */
uint32_t hry_composite_depth(const hry_tensor *tensor);

#endif
