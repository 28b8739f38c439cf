/* CSR and CSC: the same bytes, with the pointers over rows or over columns. */
#include "layout/layouts.h"

#include <hurray/type.h>

enum { NNZ = 0, RESERVED = 8, SIZE = 16 };

static hry_status parse(hry_draft *f, uint32_t *length)
{
    (void)length;
    enum hry_rule rule = f->view.layout == HRY_LAYOUT_CSR ? HRY_RULE_L_CSR_02 : HRY_RULE_L_CSC_02;
    return hry_draft_reserved(f, rule, HRY_SECTION_LAYOUT, f->view.layout_offset + RESERVED, SIZE - RESERVED);
}

/* One more than the rows or columns. */
static hry_status check_pointers(hry_draft *f, uint64_t slices)
{
    return slices == HRY_DYNAMIC ? HRY_OK : hry_layout_check_buffer(f, 2, slices + 1, 64);
}

static hry_status verify(hry_draft *f)
{
    bool csr = f->view.layout == HRY_LAYOUT_CSR;
    uint64_t nnz = hry_load64(f->view.bytes + f->view.layout_offset + NNZ);
    if (f->view.rank != 2)
        return hry_draft_fail(f, csr ? HRY_RULE_L_CSR_01 : HRY_RULE_L_CSC_01, HRY_SECTION_HEADER, HRY_DRAFT_RANK,
                              f->view.rank);
    hry_status status = hry_layout_check_nnz(f, csr ? HRY_RULE_L_CSR_03 : HRY_RULE_L_CSC_03);
    if (!status)
        status = hry_layout_check_no_offset(f);
    if (!status)
        status = hry_layout_check_buffer(f, 0, nnz, f->bits);
    if (!status)
        status = hry_layout_check_buffer(f, 1, nnz, 64);
    return status ? status : check_pointers(f, hry_draft_dim(f, csr ? 0 : 1));
}

static bool get(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store)
{
    (void)rank, (void)store;
    layout->nnz = hry_load64(fields + NNZ);
    return true;
}

static void put(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields)
{
    (void)rank, (void)shape;
    memset(fields, 0, SIZE);
    hry_store64(fields + NNZ, layout->nnz);
}

static bool buffer_size(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes)
{
    if (i < 2)
        return hry_type_size(i == 0 ? bits : 64, layout->nnz, nbytes);
    uint32_t k = layout->tag == HRY_LAYOUT_CSR ? 0 : 1;
    return k < rank && shape[k] != HRY_DYNAMIC && hry_type_size(64, shape[k] + 1, nbytes);
}

const hry_layout_row hry_layout_csr = {
    .name = "csr",
    .tag = HRY_LAYOUT_CSR,
    .tier = 1,
    .category = HRY_SPARSE,
    .buffers = 3,
    .fields = SIZE,
    .parse = parse,
    .verify = verify,
    .get = get,
    .put = put,
    .buffer_size = buffer_size,
};

const hry_layout_row hry_layout_csc = {
    .name = "csc",
    .tag = HRY_LAYOUT_CSC,
    .tier = 1,
    .category = HRY_SPARSE,
    .buffers = 3,
    .fields = SIZE,
    .parse = parse,
    .verify = verify,
    .get = get,
    .put = put,
    .buffer_size = buffer_size,
};
