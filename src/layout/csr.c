/* CSR and CSC: the same bytes, with the pointers over rows or over columns. */
#include "base/checked.h"
#include "layout/layouts.h"

#include <hurray/type.h>

enum { NNZ = 0, RESERVED = 8, SIZE = 16 };

static hry_status parse(hry_frame *f, uint32_t *length)
{
    (void)length;
    enum hry_rule rule = f->layout == HRY_LAYOUT_CSR ? HRY_RULE_L_CSR_02 : HRY_RULE_L_CSC_02;
    return hry_frame_reserved(f, rule, HRY_SECTION_LAYOUT, f->layout_offset + RESERVED, SIZE - RESERVED);
}

/* pointers: one more than the rows or columns */
static hry_status check_pointers(hry_frame *f, uint64_t slices)
{
    uint64_t pointers;
    if (slices == HRY_DYNAMIC)
        return HRY_OK;
    return hry_add(slices, 1, &pointers) ? hry_layout_check_buffer(f, 2, pointers, 64)
                                         : hry_layout_check_oversize(f, 2);
}

static hry_status verify(hry_frame *f)
{
    bool csr = f->layout == HRY_LAYOUT_CSR;
    uint64_t nnz = hry_load64(f->bytes + f->layout_offset + NNZ);
    if (f->rank != 2)
        return hry_frame_fail(f, csr ? HRY_RULE_L_CSR_01 : HRY_RULE_L_CSC_01, HRY_SECTION_HEADER, 16, f->rank);
    hry_status status = hry_layout_check_nnz(f, csr ? HRY_RULE_L_CSR_03 : HRY_RULE_L_CSC_03);
    if (!status)
        status = hry_layout_check_no_offset(f);
    if (!status)
        status = hry_layout_check_buffer(f, 0, nnz, f->bits);
    if (!status)
        status = hry_layout_check_buffer(f, 1, nnz, 64);
    return status ? status : check_pointers(f, hry_frame_dim(f, csr ? 0 : 1));
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
    uint64_t pointers;
    if (i < 2)
        return hry_type_size(i == 0 ? bits : 64, layout->nnz, nbytes);
    uint32_t k = layout->tag == HRY_LAYOUT_CSR ? 0 : 1;
    return k < rank && shape[k] != HRY_DYNAMIC && hry_add(shape[k], 1, &pointers) &&
           hry_type_size(64, pointers, nbytes);
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
