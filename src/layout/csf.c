#include "layout/layouts.h"

#include <hurray/type.h>

/* nnz u64, mode_order u32[r], reserved u8[8] */
enum { NNZ = 0, MODE_ORDER = 8, RESERVED_SIZE = 8, FIXED_SIZE = 16 };

static hry_status parse(hry_draft *f, uint32_t *length)
{
    (void)length;
    uint64_t seen = 0;
    for (uint32_t k = 0; k < f->view.rank; k++) {
        uint32_t at = f->view.layout_offset + MODE_ORDER + 4 * k, mode = hry_load32(f->view.bytes + at);
        if (mode >= f->view.rank || seen >> mode & 1) {
            hry_status status = hry_draft_soft_fail(f, HRY_RULE_L_CSF_02, HRY_SECTION_LAYOUT, at, mode);
            if (status)
                return status;
            break;
        }
        seen |= (uint64_t)1 << mode;
    }
    return hry_draft_reserved(f, HRY_RULE_L_CSF_03, HRY_SECTION_LAYOUT,
                              f->view.layout_offset + MODE_ORDER + 4u * f->view.rank, RESERVED_SIZE);
}

static hry_status verify(hry_draft *f)
{
    uint64_t nnz = hry_load64(f->view.bytes + f->view.layout_offset + NNZ);
    if (f->view.rank < 3)
        return hry_draft_fail(f, HRY_RULE_L_CSF_01, HRY_SECTION_HEADER, HRY_DRAFT_RANK, f->view.rank);
    hry_status status = hry_layout_check_no_shard(f, HRY_RULE_L_CSF_04);
    if (!status)
        status = hry_layout_check_nnz(f, HRY_RULE_L_CSF_05);
    if (!status)
        status = hry_layout_check_no_offset(f);
    if (!status)
        status = hry_layout_check_buffer(f, 0, nnz, f->bits);
    if (!status)
        status = hry_layout_check_buffer(f, 1, 2, 64);                               /* pos_0 */
    return status ? status : hry_layout_check_buffer(f, 2u * f->view.rank, nnz, 64); /* the leaves' coordinates */
}

static bool get(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store)
{
    layout->nnz = hry_load64(fields + NNZ);
    for (uint32_t k = 0; k < rank; k++)
        store->words[k] = hry_load32(fields + MODE_ORDER + 4 * k);
    layout->mode_order = store->words;
    return true;
}

static void put(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields)
{
    (void)shape;
    hry_store64(fields + NNZ, layout->nnz);
    for (uint32_t k = 0; k < rank; k++)
        hry_store32(fields + MODE_ORDER + 4 * k, layout->mode_order ? layout->mode_order[k] : k);
    memset(fields + MODE_ORDER + 4 * rank, 0, RESERVED_SIZE);
}

/* How many nodes an inner level has is in the data; its pos has one entry at least, its crd none. */
static bool buffer_size(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes)
{
    (void)shape;
    uint64_t items = i == 1 ? 2 : i == 0 || i == 2 * rank ? layout->nnz : i % 2;
    return hry_type_size(i == 0 ? bits : 64, items, nbytes);
}

const hry_layout_row hry_layout_csf = {
    .name = "csf",
    .tag = HRY_LAYOUT_CSF,
    .tier = 1,
    .category = HRY_SPARSE,
    .buffers = 1,
    .buffers_per_dim = 2,
    .fields = FIXED_SIZE,
    .fields_per_dim = 4,
    .parse = parse,
    .verify = verify,
    .get = get,
    .put = put,
    .buffer_size = buffer_size,
};
