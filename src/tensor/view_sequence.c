/* One sequence of a block-paged tensor, over the same pool. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "tensor/paged.h"
#include "tensor/verify.h"

/* What the view of a sequence has of its own: its seq_ptr. */
typedef struct sequence_block {
    hry_tensor *parent;
    hry_allocator allocator;
    uint8_t pointers[16];
} sequence_block;

static void release_sequence(void *ctx)
{
    sequence_block *own = ctx;
    hry_allocator allocator = own->allocator;
    hry_tensor_release(own->parent);
    hry_free(&allocator, own, sizeof *own, _Alignof(sequence_block));
}

static hry_status make_sequence(hry_tensor *tensor, const hry_paged *paged, uint64_t first, uint64_t pages,
                                uint64_t tokens, sequence_block *own, hry_tensor **result, hry_error *err)
{
    uint8_t bytes[1024]; /* rank 3, and at most five buffers */
    hry_desc made;
    hry_desc_spec spec;
    hry_desc_store store;
    const void *buffers[255];
    unsigned size = paged->wide ? 8 : 4;
    hry_desc_unpack(&tensor->desc, &spec, &store);
    store.shape[0] = tokens;
    store.layout.num_seqs = 1;
    store.buffers[1].byte_size = pages * size;
    store.buffers[2].byte_size = 2 * size;
    spec.statistics = NULL;
    for (uint32_t i = 0; i < spec.buffer_count; i++)
        buffers[i] = tensor->buffers[i];
    buffers[1] = pages ? paged->table + first * size : NULL;
    buffers[2] = own->pointers;
    memset(own->pointers, 0, sizeof own->pointers);
    if (paged->wide)
        hry_store64(own->pointers + 8, pages);
    else
        hry_store32(own->pointers + 4, (uint32_t)pages);
    hry_parse_options options = { .allow = &(hry_allow){ .all = true } };
    hry_status status = hry_desc_encode(&spec, &options, bytes, sizeof bytes, &made, err);
    return status ? status
                  : hry_tensor_create_stored(&made, buffers, release_sequence, own, &tensor->allocator, result, err);
}

hry_status hry_tensor_sequence(hry_tensor *tensor, uint64_t sequence, uint64_t tokens, hry_tensor **result,
                               hry_error *err)
{
    hry_paged paged;
    uint64_t low, high;
    hry_status status = hry_tensor_check_readable(tensor, err);
    if (!status)
        status = hry_verify_once(tensor, NULL, err);
    if (status)
        return status;
    if (!hry_paged_of(tensor, &paged))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, tensor->desc.layout,
                        "a %s tensor has no sequences", hry_layout_name(tensor->desc.layout));
    if (sequence >= paged.num_seqs)
        return hry_fail_usage(err, "there are %u sequences, and no number %llu", paged.num_seqs,
                              (unsigned long long)sequence);
    hry_paged_pages(&paged, sequence, &low, &high);
    uint64_t pages = hry_ceil_div(tokens, paged.page_size);
    if (pages > high - low)
        return hry_fail_rule(err, HRY_RULE_L_BP_24, HRY_SECTION_DATA, 0, tokens);
    sequence_block *own = hry_alloc(&tensor->allocator, sizeof *own, _Alignof(sequence_block));
    if (!own)
        return hry_fail_memory(err, sizeof *own);
    own->allocator = tensor->allocator;
    own->parent = tensor;
    status = make_sequence(tensor, &paged, low, pages, tokens, own, result, err);
    if (status)
        hry_free(&tensor->allocator, own, sizeof *own, _Alignof(sequence_block));
    else
        hry_tensor_retain(tensor);
    return status;
}
