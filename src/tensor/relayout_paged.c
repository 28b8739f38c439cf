/* Into pages: one sequence, its pages in order. */
#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "tensor/relayout.h"

#include <string.h>

static hry_status measure(hry_relayout *r, uint64_t *sizes, hry_error *err)
{
    hry_layout *layout = &r->layout;
    uint64_t item = layout->block_table_index_type ? 8 : 4, elements;
    if (r->rank != 3 || layout->page_size == 0)
        return hry_fail_usage(err, "pages need a tensor of rank 3 (tokens, heads, head size) and a page_size");
    uint64_t pages = hry_ceil_div(r->shape[0], layout->page_size);
    if (layout->num_seqs > 1 || (layout->num_pages && layout->num_pages < pages) ||
        (pages > UINT32_MAX && !layout->block_table_index_type))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 0, pages,
                        "pages are made for one sequence, as many as it takes");
    layout->num_pages = layout->num_pages ? layout->num_pages : pages;
    layout->num_seqs = pages ? 1 : 0;
    if (!hry_mul(layout->num_pages, layout->page_size, &elements) || !hry_mul(elements, r->shape[1], &elements) ||
        !hry_mul(elements, r->shape[2], &elements) || !hry_type_size(r->bits, elements, &sizes[0]))
        return hry_fail_memory(err, UINT64_MAX);
    sizes[1] = pages * item;
    sizes[2] = (layout->num_seqs + 1) * item;
    return HRY_OK;
}

static void put(void *array, uint64_t i, uint64_t value, bool wide)
{
    if (wide)
        hry_store64((uint8_t *)array + 8 * i, value);
    else
        hry_store32((uint8_t *)array + 4 * i, (uint32_t)value);
}

hry_status hry_relayout_paged(hry_relayout *r, hry_tensor **out, hry_error *err)
{
    uint64_t sizes[3] = { 0 };
    void *buffers[255];
    hry_tensor *t;
    hry_map map;
    hry_status status = measure(r, sizes, err);
    if (!status)
        status = hry_relayout_alloc(r, sizes, &t, buffers, err);
    if (status)
        return status;
    bool wide = r->layout.block_table_index_type;
    uint64_t pages = sizes[1] / (wide ? 8 : 4);
    for (uint64_t page = 0; page < pages; page++)
        put(buffers[1], page, page, wide);
    put(buffers[2], 0, 0, wide);
    if (r->layout.num_seqs)
        put(buffers[2], 1, pages, wide);
    if (sizes[0]) {
        memset(buffers[0], 0, (size_t)sizes[0]);
        hry_map_packed(&map, r->rank, r->shape);
        status = hry_relayout_read(r, buffers[0], &map, err);
    }
    if (status) {
        hry_tensor_release(t);
        return status;
    }
    *out = t;
    return HRY_OK;
}
