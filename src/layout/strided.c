#include "layout/layouts.h"
#include "layout/map.h"

static hry_status verify(hry_draft *f)
{
    if (f->view.state & (HRY_DESC_HAS_DYNAMIC | HRY_DESC_EMPTY))
        return HRY_OK;
    if (f->count_overflows)
        return hry_layout_check_unreachable(f);
    hry_reach reach = { 0, 0 };
    for (uint32_t k = 0; k < f->view.rank; k++)
        if (!hry_reach_stride(&reach, (int64_t)hry_load64(f->view.bytes + f->view.layout_offset + 8 * k),
                              hry_draft_dim(f, k)))
            return hry_layout_check_unreachable(f);
    return hry_layout_check_reach(f, reach);
}

static bool get(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store)
{
    for (uint32_t k = 0; k < rank; k++)
        store->outer[0][k] = (int64_t)hry_load64(fields + 8 * k);
    layout->strides = store->outer[0];
    return true;
}

static bool length(const hry_layout *layout, uint32_t rank, uint64_t *nbytes)
{
    *nbytes = 8 * (uint64_t)rank;
    return layout->strides != NULL;
}

static void put(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields)
{
    (void)shape;
    for (uint32_t k = 0; k < rank; k++)
        hry_store64(fields + 8 * k, (uint64_t)layout->strides[k]);
}

/* From the byte at byte_offset on; what negative strides need lies before it. */
static bool buffer_size(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes)
{
    (void)i;
    uint64_t count, before;
    hry_reach reach = { 0, 0 };
    if (!hry_shape_product(shape, rank, &count))
        return false;
    *nbytes = 0;
    if (count == 0)
        return true;
    for (uint32_t k = 0; k < rank; k++)
        if (!hry_reach_stride(&reach, layout->strides[k], shape[k]))
            return false;
    return hry_reach_bytes(&reach, bits, &before, nbytes);
}

static void map_strided(const hry_layout *layout, uint32_t rank, const uint64_t *shape, hry_map *map)
{
    for (uint32_t k = 0; k < rank; k++) {
        hry_map_axis(map, shape[k]);
        hry_map_digit(map, HRY_DIGIT_REST, layout->strides[k]);
    }
}

const hry_layout_row hry_layout_strided = {
    .name = "strided",
    .tag = HRY_LAYOUT_STRIDED,
    .tier = 1,
    .category = HRY_DENSE,
    .buffers = 1,
    .fields_per_dim = 8,
    .verify = verify,
    .get = get,
    .length = length,
    .put = put,
    .buffer_size = buffer_size,
    .map = map_strided,
};
