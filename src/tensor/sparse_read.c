/* Boxes of sparse tensors: zeros, and what is stored put into its place. Nothing outside of the box is visited where
 * the layout can tell. */
#include "tensor/access.h"

#include "base/status.h"
#include "tensor/move.h"
#include "tensor/stored.h"
#include "tensor/verify.h"

enum { BATCH = 128 };

typedef struct batch {
    const hry_decoder *decoder;
    const hry_sink *sink;
    const uint8_t *values;
    size_t count;
    int64_t from[BATCH], to[BATCH];
} batch;

static bool flush(batch *b)
{
    _Alignas(16) uint8_t codes[BATCH * 16], values[BATCH * 16];
    const hry_decoder *decoder = b->decoder;
    const hry_sink *sink = b->sink;
    size_t n = b->count;
    b->count = 0;
    if (n == 0) /* there may be no values to point to */
        return true;
    if (decoder->plain) {
        hry_move_list(decoder->bits, b->values, b->from, sink->bytes, b->to, n);
        return true;
    }
    int64_t packed[BATCH];
    for (size_t i = 0; i < n; i++)
        packed[i] = (int64_t)i;
    hry_move_list(decoder->bits, b->values, b->from, codes, packed, n);
    bool all = hry_decoder_run(decoder, codes, n, NULL, 0, 1, values);
    hry_move_list(sink->bits, values, packed, sink->bytes, b->to, n);
    return all;
}

/* One element whose value depends on its index. */
static bool put_one(const batch *b, const uint64_t *index, int64_t from, int64_t to, uint32_t rank)
{
    _Alignas(16) uint8_t code[16], value[16];
    int64_t first = 0;
    hry_move_list(b->decoder->bits, b->values, &from, code, &first, 1);
    bool good = hry_decoder_run(b->decoder, code, 1, index, rank - 1, 1, value);
    hry_move_list(b->sink->bits, value, &first, b->sink->bytes, &to, 1);
    return good;
}

static bool put_stored(hry_stored *stored, batch *b)
{
    bool all = true;
    uint64_t at[HRY_RANK_MAX];
    uint32_t rank = stored->sparse.rank;
    while (hry_stored_step(stored)) {
        for (uint32_t k = 0; k < rank; k++)
            hry_box_position(&stored->box, k, stored->index[k], &at[k]);
        int64_t to = hry_map_offset(&b->sink->map, at);
        if (b->decoder->needs_index) {
            all &= put_one(b, stored->index, (int64_t)stored->position, to, rank);
            continue;
        }
        b->from[b->count] = (int64_t)stored->position;
        b->to[b->count++] = to;
        if (b->count == BATCH)
            all &= flush(b);
    }
    return flush(b) && all;
}

hry_status hry_put_sparse(const hry_tensor *tensor, const hry_box *box, const hry_sink *sink, hry_error *err)
{
    hry_decoder decoder;
    hry_stored stored;
    hry_status status = hry_decoder_init(&decoder, tensor, &sink->want, err);
    if (!status)
        status = hry_verify_once(tensor, err);
    if (status)
        return status;
    hry_sparse_of(tensor, &stored.sparse);
    hry_stored_start(&stored, box);
    /* Where an unsorted list names an element twice, unlooked at, the first is the one that a lookup finds. */
    stored.backwards = stored.sparse.tag == HRY_LAYOUT_COO && !stored.sparse.is_sorted;
    batch b = { .decoder = &decoder, .sink = sink, .values = hry_tensor_first(tensor) };
    return put_stored(&stored, &b) ? HRY_OK : hry_fail_no_value(sink, err);
}

hry_status hry_read_sparse(const hry_tensor *tensor, const hry_box *box, const hry_sink *sink, hry_error *err)
{
    hry_map to;
    hry_map_copy(&to, &sink->map);
    hry_status status = hry_verify_once(tensor, err);
    if (status)
        return status;
    hry_move_zeros(sink->bits, sink->bytes, &to, sink->executor);
    return hry_put_sparse(tensor, box, sink, err);
}
