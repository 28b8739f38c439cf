#include "layout/layouts.h"
#include "layout/map.h"

#include <hurray/type.h>

enum { ORDER = 0, RANK = 4, SIZE = 8 };

static hry_status parse(hry_draft *f, uint32_t *length)
{
    (void)length;
    const uint8_t *fields = f->view.bytes + f->view.layout_offset;
    if (hry_load32(fields + ORDER) == 0)
        return hry_draft_fail(f, HRY_RULE_L_HIL_01, HRY_SECTION_LAYOUT, f->view.layout_offset + ORDER, 0);
    if (hry_load32(fields + RANK) < 2)
        return hry_draft_fail(f, HRY_RULE_L_HIL_03, HRY_SECTION_LAYOUT, f->view.layout_offset + RANK,
                              hry_load32(fields + RANK));
    return HRY_OK;
}

static hry_status verify(hry_draft *f)
{
    const uint8_t *fields = f->view.bytes + f->view.layout_offset;
    uint32_t order = hry_load32(fields + ORDER), rank = hry_load32(fields + RANK);
    if (rank != f->view.rank)
        return hry_draft_fail(f, HRY_RULE_L_HIL_02, HRY_SECTION_LAYOUT, f->view.layout_offset + RANK, rank);
    if ((uint64_t)rank * order > 63)
        return hry_draft_fail(f, HRY_RULE_L_HIL_05, HRY_SECTION_LAYOUT, f->view.layout_offset + RANK, rank);
    for (uint32_t k = 0; k < rank; k++)
        if (hry_draft_dim(f, k) != (uint64_t)1 << order)
            return hry_draft_fail(f, HRY_RULE_L_HIL_04, HRY_SECTION_LAYOUT, f->view.layout_offset + ORDER,
                                  hry_draft_dim(f, k));
    return hry_layout_check_reach(f, (hry_reach){ 0, f->count - 1 });
}

static bool get(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store)
{
    (void)rank, (void)store;
    layout->hilbert_order = hry_load32(fields + ORDER);
    layout->hilbert_rank = hry_load32(fields + RANK);
    return true;
}

/* The order that holds the first dimension; a shape that is no cube of a power of two fails verification. */
static uint32_t order_of(const hry_layout *layout, const uint64_t *shape)
{
    if (layout->hilbert_order)
        return layout->hilbert_order;
    uint32_t order = 1;
    while (order < 63 && shape[0] > (uint64_t)1 << order)
        order++;
    return order;
}

static void put(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields)
{
    hry_store32(fields + ORDER, rank ? order_of(layout, shape) : layout->hilbert_order);
    hry_store32(fields + RANK, layout->hilbert_rank ? layout->hilbert_rank : rank);
}

static bool buffer_size(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes)
{
    (void)layout, (void)i;
    uint64_t count;
    return hry_shape_product(shape, rank, &count) && hry_type_size(bits, count, nbytes);
}

static void map_hilbert(const hry_layout *layout, uint32_t rank, const uint64_t *shape, hry_map *map)
{
    for (uint32_t k = 0; k < rank; k++)
        hry_map_axis(map, shape[k]);
    map->hilbert_order = order_of(layout, shape);
}

const hry_layout_row hry_layout_hilbert = {
    .name = "hilbert",
    .tag = HRY_LAYOUT_HILBERT,
    .tier = 2,
    .category = HRY_DENSE,
    .buffers = 1,
    .fields = SIZE,
    .parse = parse,
    .verify = verify,
    .get = get,
    .put = put,
    .buffer_size = buffer_size,
    .map = map_hilbert,
};
