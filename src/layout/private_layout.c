/* Layouts agreed out of band: an id and a payload that this library carries and never looks into. */
#include "base/checked.h"
#include "layout/layouts.h"

enum { ID = 0, LENGTH = 8, DATA = 12 };

static hry_status parse(hry_draft *f, uint32_t *length)
{
    uint32_t n = hry_load32(f->view.bytes + f->view.layout_offset + LENGTH);
    if (f->view.length - f->view.layout_offset - DATA < n)
        return hry_draft_fail(f, HRY_RULE_D_06, HRY_SECTION_LAYOUT, f->view.layout_offset + DATA, n);
    *length = DATA + n;
    return HRY_OK;
}

static hry_status verify(hry_draft *f)
{
    (void)f;
    return HRY_OK;
}

static bool get(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store)
{
    (void)rank, (void)store;
    layout->extension_layout_id = hry_load64(fields + ID);
    layout->extension_data_length = hry_load32(fields + LENGTH);
    layout->extension_data = fields + DATA;
    return true;
}

static bool length(const hry_layout *layout, uint32_t rank, uint64_t *nbytes)
{
    (void)rank;
    *nbytes = (uint64_t)DATA + layout->extension_data_length;
    return layout->extension_data || layout->extension_data_length == 0;
}

static void put(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields)
{
    (void)rank, (void)shape;
    hry_store64(fields + ID, layout->extension_layout_id);
    hry_store32(fields + LENGTH, layout->extension_data_length);
    if (layout->extension_data_length)
        memcpy(fields + DATA, layout->extension_data, layout->extension_data_length);
}

const hry_layout_row hry_layout_private = {
    .name = "private",
    .tag = HRY_LAYOUT_PRIVATE_FIRST,
    .category = HRY_PRIVATE,
    .buffers = 1,
    .fields = DATA,
    .parse = parse,
    .verify = verify,
    .get = get,
    .length = length,
    .put = put,
};
