#include "base/checked.h"
#include "layout/layouts.h"

#include <hurray/type.h>

enum { NNZ = 0, IS_SORTED = 8, RESERVED = 9, SIZE = 16 };

static hry_status parse(hry_draft *f, uint32_t *length)
{
    (void)length;
    uint8_t is_sorted = f->view.bytes[f->view.layout_offset + IS_SORTED];
    if (is_sorted > 1)
        return hry_draft_fail(f, HRY_RULE_L_COO_01, HRY_SECTION_LAYOUT, f->view.layout_offset + IS_SORTED, is_sorted);
    return hry_draft_reserved(f, HRY_RULE_L_COO_02, HRY_SECTION_LAYOUT, f->view.layout_offset + RESERVED,
                              SIZE - RESERVED);
}

static hry_status verify(hry_draft *f)
{
    uint64_t nnz = hry_load64(f->view.bytes + f->view.layout_offset + NNZ), indices;
    hry_status status = hry_layout_check_nnz(f, HRY_RULE_L_COO_03);
    if (!status)
        status = hry_layout_check_no_offset(f);
    if (!status)
        status = hry_layout_check_buffer(f, 0, nnz, f->bits);
    if (status)
        return status;
    return hry_mul(nnz, f->view.rank, &indices) ? hry_layout_check_buffer(f, 1, indices, 64)
                                                : hry_layout_check_oversize(f, 1);
}

static bool get(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store)
{
    (void)rank, (void)store;
    layout->nnz = hry_load64(fields + NNZ);
    layout->is_sorted = fields[IS_SORTED] == 1;
    return true;
}

static void put(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields)
{
    (void)rank, (void)shape;
    memset(fields, 0, SIZE);
    hry_store64(fields + NNZ, layout->nnz);
    fields[IS_SORTED] = layout->is_sorted;
}

static bool buffer_size(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes)
{
    (void)shape;
    uint64_t indices;
    if (i == 0)
        return hry_type_size(bits, layout->nnz, nbytes);
    return hry_mul(layout->nnz, rank, &indices) && hry_type_size(64, indices, nbytes);
}

const hry_layout_row hry_layout_coo = {
    .name = "coo",
    .tag = HRY_LAYOUT_COO,
    .tier = 1,
    .category = HRY_SPARSE,
    .buffers = 2,
    .fields = SIZE,
    .parse = parse,
    .verify = verify,
    .get = get,
    .put = put,
    .buffer_size = buffer_size,
};
