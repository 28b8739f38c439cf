#include "base/checked.h"
#include "layout/layouts.h"

#include <hurray/type.h>

enum {
    PAGE_SIZE = 0,
    NUM_PAGES = 4,
    PAGED_AXIS = 12,
    NUM_SEQS = 16,
    KV_ROLE = 20,
    LAYER_INDEX = 21,
    INDEX_TYPE = 25,
    RESERVED = 26,
    SIZE = 32
};

static hry_status parse(hry_draft *f, uint32_t *length)
{
    (void)length;
    const uint8_t *fields = f->view.bytes + f->view.layout_offset;
    if (fields[KV_ROLE] > 2)
        return hry_draft_fail(f, HRY_RULE_L_BP_04, HRY_SECTION_LAYOUT, f->view.layout_offset + KV_ROLE,
                              fields[KV_ROLE]);
    if (fields[INDEX_TYPE] > 1)
        return hry_draft_fail(f, HRY_RULE_L_BP_05, HRY_SECTION_LAYOUT, f->view.layout_offset + INDEX_TYPE,
                              fields[INDEX_TYPE]);
    return hry_draft_reserved(f, HRY_RULE_L_BP_06, HRY_SECTION_LAYOUT, f->view.layout_offset + RESERVED,
                              SIZE - RESERVED);
}

static hry_status check_fields(hry_draft *f)
{
    const uint8_t *fields = f->view.bytes + f->view.layout_offset;
    if (f->view.rank != 3)
        return hry_draft_fail(f, HRY_RULE_L_BP_01, HRY_SECTION_HEADER, HRY_DRAFT_RANK, f->view.rank);
    if (hry_load32(fields + PAGE_SIZE) == 0)
        return hry_draft_fail(f, HRY_RULE_L_BP_02, HRY_SECTION_LAYOUT, f->view.layout_offset + PAGE_SIZE, 0);
    if (hry_load32(fields + PAGED_AXIS) != 0)
        return hry_draft_fail(f, HRY_RULE_L_BP_03, HRY_SECTION_LAYOUT, f->view.layout_offset + PAGED_AXIS,
                              hry_load32(fields + PAGED_AXIS));
    hry_status status = hry_layout_check_no_shard(f, HRY_RULE_L_BP_07);
    if (status)
        return status;
    uint64_t tokens = hry_draft_dim(f, 0);
    if (hry_load32(fields + NUM_SEQS) == 0 && tokens != 0 && tokens != HRY_DYNAMIC)
        return hry_draft_soft_fail(f, HRY_RULE_L_BP_11, HRY_SECTION_LAYOUT, f->view.layout_offset + NUM_SEQS, tokens);
    return HRY_OK;
}

/* Elements of the pool: pages, tokens a page, heads, head size. False when it does not fit. */
static bool pool_elements(uint64_t num_pages, uint64_t page_size, uint64_t heads, uint64_t head_dim, uint64_t *count)
{
    return hry_product((uint64_t[]){ num_pages, page_size, heads, head_dim }, 4, count);
}

static hry_status check_pool(hry_draft *f)
{
    const uint8_t *fields = f->view.bytes + f->view.layout_offset;
    uint64_t heads = hry_draft_dim(f, 1), head_dim = hry_draft_dim(f, 2), count;
    if (heads == HRY_DYNAMIC || head_dim == HRY_DYNAMIC)
        return HRY_OK;
    return pool_elements(hry_load64(fields + NUM_PAGES), hry_load32(fields + PAGE_SIZE), heads, head_dim, &count)
               ? hry_layout_check_buffer(f, 0, count, f->bits)
               : hry_layout_check_oversize(f, 0);
}

static hry_status verify(hry_draft *f)
{
    const uint8_t *fields = f->view.bytes + f->view.layout_offset;
    f->paged = true;
    f->page_size = hry_load32(fields + PAGE_SIZE);
    if (!hry_mul(hry_load64(fields + NUM_PAGES), f->page_size, &f->slots))
        f->slots = UINT64_MAX; /* no buffer of parameters can be that large: Q-12 */
    hry_status status = check_fields(f);
    if (!status)
        status = hry_layout_check_no_offset(f);
    if (!status)
        status = check_pool(f);
    if (status)
        return status;
    return hry_layout_check_buffer(f, 2, (uint64_t)hry_load32(fields + NUM_SEQS) + 1, fields[INDEX_TYPE] ? 64 : 32);
}

static bool get(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store)
{
    (void)rank, (void)store;
    layout->page_size = hry_load32(fields + PAGE_SIZE);
    layout->num_pages = hry_load64(fields + NUM_PAGES);
    layout->paged_axis = hry_load32(fields + PAGED_AXIS);
    layout->num_seqs = hry_load32(fields + NUM_SEQS);
    layout->kv_role = fields[KV_ROLE];
    layout->layer_index = hry_load32(fields + LAYER_INDEX);
    layout->block_table_index_type = fields[INDEX_TYPE];
    return true;
}

static void put(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields)
{
    (void)rank, (void)shape;
    memset(fields, 0, SIZE);
    hry_store32(fields + PAGE_SIZE, layout->page_size);
    hry_store64(fields + NUM_PAGES, layout->num_pages);
    hry_store32(fields + PAGED_AXIS, layout->paged_axis);
    hry_store32(fields + NUM_SEQS, layout->num_seqs);
    fields[KV_ROLE] = layout->kv_role;
    hry_store32(fields + LAYER_INDEX, layout->layer_index);
    fields[INDEX_TYPE] = layout->block_table_index_type;
}

/* The block table's length is in the data: seq_ptr's last entry. */
static bool buffer_size(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes)
{
    uint64_t count = 0;
    if (rank != 3)
        return false;
    if (i == 0)
        return shape[1] != HRY_DYNAMIC && shape[2] != HRY_DYNAMIC &&
               pool_elements(layout->num_pages, layout->page_size, shape[1], shape[2], &count) &&
               hry_type_size(bits, count, nbytes);
    if (i == 2)
        count = (uint64_t)layout->num_seqs + 1;
    return hry_type_size(layout->block_table_index_type ? 64 : 32, count, nbytes);
}

const hry_layout_row hry_layout_block_paged = {
    .name = "block-paged",
    .tag = HRY_LAYOUT_BLOCK_PAGED,
    .tier = 1,
    .category = HRY_INDIRECT,
    .buffers = 3,
    .fields = SIZE,
    .parse = parse,
    .verify = verify,
    .get = get,
    .put = put,
    .buffer_size = buffer_size,
};
