#include "tensor/listed.h"

#include "base/checked.h"
#include "layout/layouts.h"
#include "tensor/access.h"
#include "tensor/paged.h"
#include "tensor/stored.h"
#include "tensor/verify.h"
#include "type/types.h"

#include <string.h>

bool hry_is_listed(const hry_desc *desc)
{
    const hry_layout_row *row = hry_layout_row_of(desc->layout);
    return row && (row->category == HRY_SPARSE || row->category == HRY_INDIRECT);
}

/* ---- The values that a sparse tensor stores ---- */

/* Parameters for each of the next n elements, as their indices tell. */
static void collect(const hry_dequant *d, hry_stored *stored, size_t n, float *scales, int32_t *zero_points)
{
    for (size_t i = 0; i < n && hry_stored_step(stored); i++) {
        uint64_t number = stored->index[d->axis] / d->block;
        for (uint32_t k = 0; k < d->rank; k++)
            number += k == d->axis ? 0 : d->step[k] * stored->index[k];
        hry_dequant_scales(d, number, 1, 1, &scales[i]);
        if (d->zero_points)
            hry_dequant_zero_points(d, number, 1, 1, &zero_points[i]);
    }
}

/* Element by element to floats, and these to what is wanted. */
static bool decode_each(const hry_decoder *decoder, hry_stored *stored, const uint8_t *codes, uint8_t *to,
                        uint32_t bits)
{
    enum { PIECE = 512 }; /* codes and values that fill whole bytes */
    const hry_dequant *d = &decoder->dequant;
    float scales[PIECE] = { 0 }, floats[PIECE];
    int32_t zero_points[PIECE] = { 0 };
    bool all = true;
    for (uint64_t done = 0; done < stored->sparse.nnz; done += PIECE) {
        uint64_t left = stored->sparse.nnz - done;
        size_t n = left < PIECE ? (size_t)left : PIECE;
        collect(d, stored, n, scales, zero_points);
        d->kernel(codes + done * d->bits / 8, n, 1, scales, d->zero_points ? zero_points : NULL, floats, false);
        if (HRY_HOST_SWAPS)
            hry_swap_elements(HRY_TYPE_FLOAT32, floats, n);
        all &= hry_convert_run(&decoder->convert, floats, n, to + done * bits / 8);
    }
    return all;
}

static hry_status read_stored(const hry_tensor *tensor, const hry_value_sink *sink, hry_error *err)
{
    hry_decoder decoder;
    hry_stored stored;
    hry_box whole;
    bool all = true;
    hry_status status = hry_decoder_init(&decoder, tensor, &sink->want, err);
    if (!status)
        status = hry_verify_once(tensor, sink->executor, err);
    if (status)
        return status;
    hry_sparse_of(tensor, &stored.sparse);
    hry_box_resolve(NULL, stored.sparse.rank, stored.sparse.shape, &whole, NULL);
    hry_stored_start(&stored, &whole);
    const uint8_t *values = hry_tensor_first(tensor);
    if (!decoder.needs_index && values)
        all = hry_decoder_run(&decoder, values, (size_t)stored.sparse.nnz, NULL, 0, 1, sink->bytes);
    else if (values)
        all = decode_each(&decoder, &stored, values, sink->bytes, sink->bits);
    return all ? HRY_OK : hry_fail_no_value(sink, err);
}

/* ---- Both ---- */

hry_status hry_read_list(const hry_tensor *tensor, uint8_t type, bool raw, const uint64_t *token_counts, void *values,
                         hry_error *err)
{
    hry_value_sink sink = { .bytes = values,
                            .want = { .type = type, .raw = raw },
                            .bits = hry_type_table[type].bits,
                            .token_counts = token_counts };
    return tensor->desc.layout == HRY_LAYOUT_BLOCK_PAGED ? hry_paged_read_slots(tensor, &sink, err)
                                                         : read_stored(tensor, &sink, err);
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
