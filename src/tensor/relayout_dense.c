/* Into dense layouts: the elements are read straight to where they belong. */
#include "base/checked.h"
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/access.h"
#include "tensor/relayout.h"

#include <string.h>

/* Some orders of inner or outer strides overlap as well; they are nobody's target. */
static bool is_strided_tiling(const hry_layout *layout)
{
    for (; layout; layout = layout->inner)
        if (layout->outer_layout == HRY_LAYOUT_STRIDED || layout->inner_layout == HRY_LAYOUT_STRIDED)
            return true;
    return false;
}

static hry_status check_target(const hry_relayout *r, hry_error *err)
{
    if ((r->layout.tag == HRY_LAYOUT_STRIDED && r->layout.strides &&
         !hry_strides_apart(r->rank, r->layout.strides, r->shape)) ||
        (r->layout.tag == HRY_LAYOUT_TILED && is_strided_tiling(&r->layout)))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 0, 0,
                        "strides that may give two elements one place are no target");
    return HRY_OK;
}

/* The bytes of the result, and where in them its first element is. */
static hry_status measure(hry_relayout *r, uint64_t *nbytes, hry_error *err)
{
    const hry_layout_row *row = hry_layout_row_of(r->layout.tag);
    hry_reach reach = { 0, 0 };
    uint64_t fields_length, count, after;
    if (row->length && !row->length(&r->layout, r->rank, &fields_length))
        return hry_fail_usage(err, "the %s layout lacks an array", row->name);
    bool fits = row->buffer_size(&r->layout, r->rank, r->shape, r->bits, 0, nbytes);
    bool strided = r->layout.tag == HRY_LAYOUT_STRIDED && hry_shape_product(r->shape, r->rank, &count) && count > 0;
    for (uint32_t k = 0; fits && strided && k < r->rank; k++)
        fits = hry_reach_stride(&reach, r->layout.strides[k], r->shape[k]);
    if (fits && strided)
        fits = hry_reach_bytes(&reach, r->bits, &r->byte_offset, &after) && hry_add(*nbytes, r->byte_offset, nbytes);
    return fits ? HRY_OK : hry_fail_memory(err, UINT64_MAX);
}

/* Whether there are bits that belong to no element. */
static bool has_gaps(const hry_relayout *r, uint64_t nbytes)
{
    uint64_t count, plain;
    return r->bits < 8 || !hry_shape_product(r->shape, r->rank, &count) || !hry_type_size(r->bits, count, &plain) ||
           plain != nbytes;
}

hry_status hry_relayout_dense(hry_relayout *r, hry_tensor **out, hry_error *err)
{
    uint64_t nbytes = 0;
    void *buffers[255];
    hry_tensor *t;
    hry_status status = check_target(r, err);
    if (!status)
        status = measure(r, &nbytes, err);
    if (!status)
        status = hry_relayout_alloc(r, &nbytes, &t, buffers, err);
    if (status)
        return status;
    if (nbytes && has_gaps(r, nbytes))
        memset(buffers[0], 0, (size_t)nbytes);
    hry_map map;
    if (nbytes && hry_tensor_map(t, &map))
        status = hry_relayout_read(r, (uint8_t *)buffers[0] + r->byte_offset, &map, err);
    if (status) {
        hry_tensor_release(t);
        return status;
    }
    *out = t;
    return HRY_OK;
}
