#include "layout/layouts.h"

#include <hurray/type.h>

/* Both orders use the elements 0 .. count-1, whatever the shape. */
static hry_status verify(hry_frame *f)
{
    f->order = f->layout == HRY_LAYOUT_ROW_MAJOR ? HRY_ORDER_ROW : HRY_ORDER_COLUMN;
    if (f->has_dynamic || f->empty)
        return HRY_OK;
    if (f->count_overflows)
        return hry_layout_check_unreachable(f);
    return hry_layout_check_reach(f, &(hry_reach){ 0, f->count - 1 });
}

static bool buffer_size(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes)
{
    (void)layout, (void)i;
    uint64_t count;
    return hry_shape_product(shape, rank, &count) && hry_type_size(bits, count, nbytes);
}

const hry_layout_row hry_layout_row_major = {
    .name = "row-major",
    .tag = HRY_LAYOUT_ROW_MAJOR,
    .tier = 1,
    .category = HRY_DENSE,
    .buffers = 1,
    .verify = verify,
    .buffer_size = buffer_size,
};

const hry_layout_row hry_layout_column_major = {
    .name = "column-major",
    .tag = HRY_LAYOUT_COLUMN_MAJOR,
    .tier = 1,
    .category = HRY_DENSE,
    .buffers = 1,
    .verify = verify,
    .buffer_size = buffer_size,
};
