#include "base/checked.h"
#include "layout/layouts.h"
#include "layout/map.h"

#include <hurray/type.h>

static uint32_t bits_of(const uint8_t *fields, uint32_t k)
{
    return hry_load32(fields + 4 * k);
}

static hry_status parse(hry_draft *f, uint32_t *length)
{
    (void)length;
    for (uint32_t k = 0; k < f->view.rank; k++)
        if (bits_of(f->view.bytes + f->view.layout_offset, k) == 0)
            return hry_draft_fail(f, HRY_RULE_L_MOR_01, HRY_SECTION_LAYOUT, f->view.layout_offset + 4 * k, 0);
    return HRY_OK;
}

/*
 * The last element that the layout stores: the highest code of the sum of bits, or the code of the last index when
 * unequal bits push it beyond (layouts, section 5). False when it does not fit 64 bits. shape NULL: not known.
 */
static bool last_element(const uint32_t *bits, uint32_t rank, const uint64_t *shape, uint64_t *last)
{
    uint64_t sum = 0, code = 0;
    for (uint32_t k = 0; k < rank; k++)
        sum += bits[k];
    if (sum > 64)
        return false;
    for (uint32_t k = 0; shape && k < rank; k++)
        for (uint32_t j = 0; j < bits[k]; j++) {
            if (!((shape[k] - 1) >> j & 1))
                continue;
            if ((uint64_t)j * rank + k > 63)
                return false;
            code |= (uint64_t)1 << (j * rank + k);
        }
    uint64_t highest = sum == 0 ? 0 : UINT64_MAX >> (64 - sum);
    *last = code > highest ? code : highest;
    return true;
}

static hry_status verify(hry_draft *f)
{
    uint32_t bits[HRY_RANK_MAX];
    uint64_t shape[HRY_RANK_MAX], before, after;
    hry_reach reach = { 0, 0 };
    for (uint32_t k = 0; k < f->view.rank; k++) {
        bits[k] = bits_of(f->view.bytes + f->view.layout_offset, k);
        shape[k] = hry_draft_dim(f, k);
        if (shape[k] != HRY_DYNAMIC && bits[k] < 64 && shape[k] > (uint64_t)1 << bits[k])
            return hry_draft_fail(f, HRY_RULE_L_MOR_02, HRY_SECTION_LAYOUT, f->view.layout_offset + 4 * k, shape[k]);
    }
    if (f->view.state & HRY_DESC_EMPTY)
        return HRY_OK;
    bool dynamic = f->view.state & HRY_DESC_HAS_DYNAMIC;
    if (!last_element(bits, f->view.rank, dynamic ? NULL : shape, &reach.above) ||
        !hry_reach_bytes(&reach, f->bits, &before, &after))
        return hry_draft_fail(f, HRY_RULE_L_MOR_03, HRY_SECTION_LAYOUT, f->view.layout_offset, 0);
    if (dynamic)
        return HRY_OK;
    return f->count_overflows ? hry_layout_check_unreachable(f) : hry_layout_check_reach(f, reach);
}

static bool get(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store)
{
    for (uint32_t k = 0; k < rank; k++)
        store->words[k] = bits_of(fields, k);
    layout->morton_bits = store->words;
    return true;
}

/* The smallest number of bits that serves every dimension: with equal ones there are no gaps. */
static uint32_t common_bits(uint32_t rank, const uint64_t *shape)
{
    uint32_t bits = 1;
    for (uint32_t k = 0; k < rank; k++)
        while (shape[k] != HRY_DYNAMIC && bits < 63 && shape[k] > (uint64_t)1 << bits)
            bits++;
    return bits;
}

static void put(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields)
{
    uint32_t common = common_bits(rank, shape);
    for (uint32_t k = 0; k < rank; k++)
        hry_store32(fields + 4 * k, layout->morton_bits ? layout->morton_bits[k] : common);
}

static bool buffer_size(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes)
{
    (void)i;
    uint64_t count, before;
    if (!hry_shape_product(shape, rank, &count))
        return false;
    *nbytes = 0;
    if (count == 0)
        return true;
    uint32_t morton_bits[HRY_RANK_MAX], common = common_bits(rank, shape);
    for (uint32_t k = 0; k < rank; k++)
        morton_bits[k] = layout->morton_bits ? layout->morton_bits[k] : common;
    hry_reach reach = { 0, 0 };
    return last_element(morton_bits, rank, shape, &reach.above) && hry_reach_bytes(&reach, bits, &before, nbytes);
}

/* A digit a bit, as many as the last index has. */
static void map_morton(const hry_layout *layout, uint32_t rank, const uint64_t *shape, hry_map *map)
{
    (void)layout;
    for (uint32_t k = 0; k < rank; k++) {
        hry_map_axis(map, shape[k]);
        uint32_t bit = k;
        for (uint64_t rest = shape[k] - 1; rest > 1; rest >>= 1, bit += rank)
            hry_map_digit(map, 2, (int64_t)((uint64_t)1 << bit));
        hry_map_digit(map, HRY_DIGIT_REST, bit < 64 ? (int64_t)((uint64_t)1 << bit) : 0);
    }
}

const hry_layout_row hry_layout_morton = {
    .name = "morton",
    .tag = HRY_LAYOUT_MORTON,
    .tier = 1,
    .category = HRY_DENSE,
    .buffers = 1,
    .fields_per_dim = 4,
    .parse = parse,
    .verify = verify,
    .get = get,
    .put = put,
    .buffer_size = buffer_size,
    .map = map_morton,
};
