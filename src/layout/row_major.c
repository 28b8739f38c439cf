#include "base/checked.h"
#include "layout/layouts.h"
#include "layout/map.h"
#include "type/types.h"

/* Both orders use the elements 0 .. count-1, whatever the shape. */
static hry_status verify(hry_draft *f)
{
    uint64_t end;
    f->order = f->view.layout;
    if (f->count_overflows)
        return hry_layout_check_unreachable(f);
    /* Most descriptors end here, empty and dynamic ones too, which count 0 elements. */
    if (f->bits >= 8 && hry_mul_add(f->count, f->bits / 8, f->byte_offset, &end) && end <= hry_draft_buffer_size(f, 0))
        return HRY_OK;
    return f->count == 0 ? HRY_OK : hry_layout_check_reach(f, (hry_reach){ 0, f->count - 1 });
}

static bool buffer_size(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes)
{
    (void)layout, (void)i;
    uint64_t count;
    return hry_shape_product(shape, rank, &count) && hry_size_of(bits, count, nbytes);
}

/* The product of the dimensions that vary faster; what wraps is multiplied with nothing but 0. */
static void map_row_major(const hry_layout *layout, uint32_t rank, const uint64_t *shape, hry_map *map)
{
    (void)layout;
    uint64_t strides[HRY_RANK_MAX], stride = 1;
    for (uint32_t k = rank; k-- > 0; stride *= shape[k])
        strides[k] = stride;
    for (uint32_t k = 0; k < rank; k++) {
        hry_map_axis(map, shape[k]);
        hry_map_digit(map, HRY_DIGIT_REST, (int64_t)strides[k]);
    }
}

static void map_column_major(const hry_layout *layout, uint32_t rank, const uint64_t *shape, hry_map *map)
{
    (void)layout;
    uint64_t stride = 1;
    for (uint32_t k = 0; k < rank; k++, stride *= shape[k - 1]) {
        hry_map_axis(map, shape[k]);
        hry_map_digit(map, HRY_DIGIT_REST, (int64_t)stride);
    }
}

const hry_layout_row hry_layout_row_major = {
    .name = "row-major",
    .tag = HRY_LAYOUT_ROW_MAJOR,
    .tier = 1,
    .category = HRY_DENSE,
    .buffers = 1,
    .verify = verify,
    .buffer_size = buffer_size,
    .map = map_row_major,
};

const hry_layout_row hry_layout_column_major = {
    .name = "column-major",
    .tag = HRY_LAYOUT_COLUMN_MAJOR,
    .tier = 1,
    .category = HRY_DENSE,
    .buffers = 1,
    .verify = verify,
    .buffer_size = buffer_size,
    .map = map_column_major,
};
