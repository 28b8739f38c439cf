#include "tensor/split.h"

#include "base/bytes.h"
#include "tensor/members.h"

/* The second half of the shard section is the offset. */
uint64_t hry_split_start(const hry_tensor *member, uint32_t axis)
{
    const hry_desc *desc = &member->desc;
    return hry_load64(desc->bytes + desc->shard_offset + 8 * (desc->rank + axis));
}

static bool is_partition(const hry_tensor *tensor)
{
    hry_layout layout;
    hry_layout_store store;
    return hry_desc_layout_get(&tensor->desc, &layout, &store) && layout.composition_rule == HRY_COMPOSITE_PARTITION;
}

uint32_t hry_split_axis(const hry_tensor *tensor)
{
    const hry_desc *head = &tensor->desc;
    uint32_t axis = HRY_RANK_MAX;
    uint64_t end = 0;
    if (tensor->member_count < 2 || !is_partition(tensor))
        return HRY_RANK_MAX;
    for (uint32_t k = 0; k < head->rank && axis == HRY_RANK_MAX; k++)
        if (hry_desc_dim(&tensor->members[0]->desc, k) != hry_desc_dim(head, k))
            axis = k;
    for (size_t i = 0; i < tensor->member_count && axis < HRY_RANK_MAX; i++) {
        const hry_desc *member = &tensor->members[i]->desc;
        for (uint32_t k = 0; k < head->rank; k++)
            if (k != axis && hry_desc_dim(member, k) != hry_desc_dim(head, k))
                return HRY_RANK_MAX;
        if (hry_split_start(tensor->members[i], axis) != end)
            return HRY_RANK_MAX;
        end += hry_desc_dim(member, axis);
    }
    return axis;
}

size_t hry_split_find(const hry_tensor *tensor, uint64_t index)
{
    uint32_t axis = tensor->split_axis;
    size_t low = 0, high = tensor->member_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const hry_tensor *member = tensor->members[middle];
        if (hry_split_start(member, axis) + hry_desc_dim(&member->desc, axis) <= index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
