#include "tensor/listed.h"

#include "base/checked.h"
#include "layout/layouts.h"
#include "tensor/paged.h"
#include "tensor/ranges.h"
#include "tensor/stored.h"
#include "tensor/verify.h"

#include <stdatomic.h>
#include <string.h>

bool hry_is_listed(const hry_desc *desc)
{
    const hry_layout_row *row = hry_layout_row_of(desc->layout);
    return row && (row->category == HRY_SPARSE || row->category == HRY_INDIRECT);
}

/* ---- The values that a sparse tensor stores ---- */

enum { GRAIN = 1 << 14 }; /* values that are worth handing to another thread; as many fill whole bytes */

typedef struct reading {
    const hry_decoder *decoder;
    const hry_sparse *sparse;
    const hry_box *whole;
    const uint8_t *codes;
    const hry_value_sink *sink;
    atomic_bool lost; /* some value has no counterpart */
} reading;

/* Each with the parameters that its index tells. */
static bool decode_by_index(const reading *r, uint64_t first, uint64_t end)
{
    enum { PIECE = 512 }; /* codes and values that fill whole bytes */
    hry_stored stored = { .sparse = *r->sparse };
    uint64_t numbers[PIECE] = { 0 };
    bool all = true;
    hry_stored_start(&stored, r->whole);
    hry_stored_within(&stored, first, end);
    for (; first < end; first += PIECE) {
        size_t n = end - first < PIECE ? (size_t)(end - first) : PIECE;
        for (size_t i = 0; i < n && hry_stored_step(&stored); i++)
            numbers[i] = hry_dequant_number(&r->decoder->dequant, stored.index);
        all &= hry_decoder_run_each(r->decoder, r->codes + first * r->decoder->bits / 8, n, numbers,
                                    r->sink->bytes + first * r->sink->bits / 8);
    }
    return all;
}

static void read_range(void *ctx, uint64_t first, uint64_t end)
{
    reading *r = ctx;
    bool all = r->decoder->needs_index
                   ? decode_by_index(r, first, end)
                   : hry_decoder_run(r->decoder, r->codes + first * r->decoder->bits / 8, (size_t)(end - first), NULL,
                                     0, 1, r->sink->bytes + first * r->sink->bits / 8);
    if (!all)
        atomic_store_explicit(&r->lost, true, memory_order_relaxed);
}

static hry_status read_stored(const hry_tensor *tensor, const hry_value_sink *sink, hry_error *err)
{
    hry_decoder decoder;
    hry_sparse sparse;
    hry_box whole;
    hry_status status = hry_decoder_init(&decoder, tensor, &sink->want, err);
    if (!status)
        status = hry_verify_once(tensor, sink->executor, err);
    if (status)
        return status;
    hry_sparse_of(tensor, &sparse);
    hry_box_resolve(NULL, sparse.rank, sparse.shape, &whole, NULL);
    reading r = { &decoder, &sparse, &whole, hry_tensor_first(tensor), sink, false };
    hry_in_ranges(sparse.nnz, GRAIN, sink->executor, read_range, &r);
    return atomic_load(&r.lost) ? hry_fail_no_value(sink, err) : HRY_OK;
}

/* ---- Both ---- */

hry_status hry_read_list(const hry_tensor *tensor, const hry_value_sink *sink, hry_error *err)
{
    return tensor->desc.layout == HRY_LAYOUT_BLOCK_PAGED ? hry_paged_read_slots(tensor, sink, err)
                                                         : read_stored(tensor, sink, err);
}

bool hry_list_count(const hry_tensor *tensor, uint64_t *count)
{
    hry_sparse sparse;
    hry_paged paged;
    if (hry_sparse_of(tensor, &sparse)) {
        *count = sparse.nnz;
        return true;
    }
    return hry_paged_of(tensor, &paged) && hry_mul(paged.num_pages, paged.page_size, count) &&
           hry_mul(*count, paged.heads, count) && hry_mul(*count, paged.dim, count);
}

void hry_copy_index(const hry_tensor *tensor, void *const *buffers)
{
    uint32_t own = hry_layout_own_buffers(hry_layout_row_of(tensor->desc.layout), tensor->desc.rank);
    for (uint32_t i = 1; i < own; i++) {
        uint64_t nbytes;
        const void *from = hry_tensor_buffer(tensor, i, &nbytes);
        if (from)
            memcpy(buffers[i], from, (size_t)nbytes);
    }
}
