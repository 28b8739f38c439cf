/* Reading dense tensors: bits are moved, or gathered, decoded and put into place. */
#include "tensor/access.h"

#include "base/checked.h"
#include "base/status.h"
#include "kern/kern.h"
#include "layout/blocks.h"
#include "layout/layouts.h"
#include "tensor/move.h"
#include "type/types.h"

#include <stdatomic.h>

enum { CHUNK = 256 }; /* elements that are decoded at a time where they cannot be decoded in place */

/*
 * With a partial last block, row- and column-major storage either ignores it or is laid out as if the block were whole;
 * the size of the data says which (quantization, section 8.3). False for the plain way.
 */
static bool padded_shape(const hry_desc *desc, const uint64_t *shape, uint64_t *storage)
{
    hry_quantization q;
    hry_buffer data;
    uint64_t plain, plain_bytes, padded, padded_bytes;
    uint32_t bits = hry_desc_bits(desc);
    if (desc->layout > HRY_LAYOUT_COLUMN_MAJOR || !hry_desc_quantization(desc, &q) ||
        (q.scheme != HRY_SCHEME_PER_BLOCK && q.scheme != HRY_SCHEME_NF4) || shape[q.axis] % q.block_size == 0 ||
        !hry_desc_buffer(desc, 0, &data))
        return false;
    for (uint32_t k = 0; k < desc->rank; k++)
        storage[k] = shape[k];
    storage[q.axis] = hry_ceil_div(shape[q.axis], q.block_size) * q.block_size;
    uint64_t have = data.byte_size - hry_desc_byte_offset(desc);
    return hry_shape_product(shape, desc->rank, &plain) && hry_type_size(bits, plain, &plain_bytes) &&
           have != plain_bytes && hry_shape_product(storage, desc->rank, &padded) &&
           hry_type_size(bits, padded, &padded_bytes) && have == padded_bytes;
}

bool hry_tensor_map(const hry_tensor *tensor, hry_map *map)
{
    return hry_desc_map(&tensor->desc, map);
}

bool hry_desc_map(const hry_desc *desc, hry_map *map)
{
    hry_layout layout;
    hry_layout_store store;
    uint64_t shape[HRY_RANK_MAX], storage[HRY_RANK_MAX];
    hry_desc_shape(desc, shape);
    return hry_desc_layout_get(desc, &layout, &store) &&
           hry_map_layout(map, &layout, desc->rank, shape, padded_shape(desc, shape, storage) ? storage : NULL);
}

const uint8_t *hry_tensor_first(const hry_tensor *tensor)
{
    const uint8_t *data = hry_tensor_buffer(tensor, 0, NULL);
    return data ? data + hry_desc_byte_offset(&tensor->desc) : NULL;
}

typedef struct job {
    const hry_decoder *decoder;
    const uint8_t *src;
    uint8_t *dst;
    const hry_box *box;
    uint32_t to_bits;
    atomic_bool failed;
} job;

/* A row that is being decoded. */
typedef struct row {
    const job *job;
    const hry_walk *from, *to;
    uint32_t last;
    bool from_listed, to_listed;  /* by a list of offsets, else in pieces */
    uint64_t index[HRY_RANK_MAX]; /* of the row's first element, where the decoder needs it */
} row;

static bool is_aligned(const void *p, uint32_t bits)
{
    return bits < 8 || (uintptr_t)p % (bits < 128 ? bits / 8 : 16) == 0;
}

static void list_line(const hry_walk *walk, uint64_t j, size_t n, int64_t *offsets)
{
    uint64_t at[HRY_RANK_MAX];
    uint32_t last = walk->map->rank - 1;
    for (uint32_t k = 0; k < last; k++)
        at[k] = walk->at[k];
    at[last] = j;
    hry_map_line(walk->map, at, n, offsets);
}

static void count_up(size_t n, int64_t *numbers)
{
    for (size_t i = 0; i < n; i++)
        numbers[i] = (int64_t)i;
}

/* The codes of up to *n elements from position j on, in a row: where they are, or gathered in room. */
static const void *codes_at(const row *r, uint64_t j, size_t *n, uint8_t *room)
{
    const job *w = r->job;
    int64_t bits = w->decoder->bits, offset, stride;
    if (r->from_listed) {
        int64_t offsets[CHUNK], places[CHUNK];
        *n = *n < CHUNK ? *n : CHUNK;
        list_line(r->from, j, *n, offsets);
        count_up(*n, places);
        hry_move_list((uint32_t)bits, w->src, offsets, room, places, *n);
        return room;
    }
    uint64_t piece = hry_map_piece(r->from->map, r->last, j, &offset, &stride);
    offset += r->from->row;
    *n = piece < *n ? (size_t)piece : *n;
    if (stride == 1 && offset * bits % 8 == 0)
        return w->src + (bits < 8 ? offset * bits / 8 : offset * (bits / 8));
    *n = *n < CHUNK ? *n : CHUNK;
    hry_move_piece((uint32_t)bits, w->src, offset, stride, room, 0, 1, *n);
    return room;
}

/* Decodes and puts into place the elements from position j of a row on; how many there were. */
static uint64_t decode_some(const row *r, uint64_t j, bool *all)
{
    _Alignas(16) uint8_t codes_room[CHUNK * 16], values_room[CHUNK * 16];
    const job *w = r->job;
    int64_t offset = 0, stride = 0, size = w->to_bits / 8;
    size_t n = CHUNK;
    if (!r->to_listed)
        n = (size_t)hry_map_piece(r->to->map, r->last, j, &offset, &stride);
    else if (r->to->map->axis[r->last].count - j < CHUNK)
        n = (size_t)(r->to->map->axis[r->last].count - j);
    offset += r->to->row;
    bool in_place = stride == 1 && size && is_aligned(w->dst + offset * size, w->to_bits);
    if (!in_place && n > CHUNK)
        n = CHUNK;
    const void *codes = codes_at(r, j, &n, codes_room);
    void *values = in_place ? w->dst + offset * size : values_room;
    uint64_t index[HRY_RANK_MAX];
    int64_t step = 1;
    if (w->decoder->needs_index) {
        step = w->box->step[r->last];
        for (uint32_t k = 0; k <= r->last; k++)
            index[k] = r->index[k];
        index[r->last] += j * (uint64_t)step;
    }
    *all &= hry_decoder_run(w->decoder, codes, n, index, r->last, step, values);
    if (r->to_listed) {
        int64_t offsets[CHUNK], places[CHUNK];
        list_line(r->to, j, n, offsets);
        count_up(n, places);
        hry_move_list(w->to_bits, values_room, places, w->dst, offsets, n);
    } else if (!in_place) {
        hry_move_piece(w->to_bits, values_room, 0, 1, w->dst, offset, stride, n);
    }
    return n;
}

static bool decode_rows(const job *w, const hry_map *from, const hry_map *to, const uint64_t *at)
{
    hry_walk source, target;
    row r = { .job = w,
              .from = &source,
              .to = &target,
              .last = from->rank - 1,
              .from_listed = !hry_map_long_runs(from),
              .to_listed = !hry_map_long_runs(to) };
    bool all = true, more = hry_walk_init(&source, from) && hry_walk_init(&target, to);
    while (more) {
        for (uint32_t k = 0; w->decoder->needs_index && k <= r.last; k++)
            r.index[k] = w->box->start[k] + (at[k] + source.at[k]) * (uint64_t)w->box->step[k];
        for (uint64_t j = 0; j < from->axis[r.last].count;)
            j += decode_some(&r, j, &all);
        more = hry_walk_row(&source) && hry_walk_row(&target);
    }
    return all;
}

/* A curve's codes are moved into rows, and values of one out of rows, a brick at a time. False: not a curve. */
static bool decode_bricks(const job *w, const hry_map *from, const hry_map *to, const uint64_t *at, bool *all)
{
    enum { BRICK = 4096, ROOM = 1 << 14 };
    _Alignas(64) uint8_t codes[ROOM], values[ROOM];
    bool gets = hry_map_in_blocks(from), puts = hry_map_in_blocks(to);
    const hry_map *lead = gets ? from : to;
    uint32_t bits = w->decoder->bits > w->to_bits ? w->decoder->bits : w->to_bits;
    uint64_t most = bits > 32 ? (uint64_t)ROOM * 8 / bits : BRICK;
    job inner = { .decoder = w->decoder,
                  .src = gets ? codes : w->src,
                  .dst = puts ? values : w->dst,
                  .box = w->box,
                  .to_bits = w->to_bits };
    hry_brick brick;
    if (!(gets || puts) || !hry_brick_first(&brick, lead, most))
        return false;
    do {
        hry_map source, target, packed;
        uint64_t first[HRY_BLOCK_RANK_MAX] = { 0 };
        for (uint32_t k = 0; k < lead->rank; k++)
            first[k] = at[k] + hry_brick_position(&brick, lead, k);
        hry_brick_cut(&brick, lead, from, &source);
        hry_brick_cut(&brick, lead, to, &target);
        hry_map_packed(&packed, lead->rank, brick.count);
        if (gets)
            hry_move(w->decoder->bits, w->src, &source, codes, &packed, NULL);
        hry_map_packed(&packed, lead->rank, brick.count); /* a move uses maps up */
        *all &= decode_rows(&inner, gets ? &packed : &source, puts ? &packed : &target, first);
        if (puts)
            hry_move(w->to_bits, values, &packed, w->dst, &target, NULL);
    } while (hry_brick_next(&brick, lead, lead->rank));
    return true;
}

static void decode_part(void *ctx, hry_map *from, hry_map *to, const uint64_t *at)
{
    job *w = ctx;
    bool all = true;
    if (!decode_bricks(w, from, to, at, &all))
        all = decode_rows(w, from, to, at);
    if (w->decoder->convert.stream || w->decoder->dequant.stream)
        hry_kern()->stream_end();
    if (!all)
        atomic_store_explicit(&w->failed, true, memory_order_relaxed);
}

/* Results larger than this leave the caches before they are used: in long rows they may as well go past them. */
static bool goes_past_caches(const uint8_t *bytes, const hry_map *to, uint32_t bits)
{
    enum { LONG = 1 << 12 }; /* bytes */
    uint32_t last = to->rank - 1;
    uint64_t count, line = to->axis[last].count;
    bool in_place =
        !to->hilbert_order && hry_map_is_affine(to, last) && hry_map_stride(to, last) == 1 && is_aligned(bytes, bits);
    return in_place && hry_map_count(to, &count) && hry_streams(count / 8 * bits) && line >= (uint64_t)LONG * 8 / bits;
}

hry_status hry_fail_no_value(const hry_value_sink *sink, hry_error *err)
{
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_DATA, 0, sink->want.type, "some value cannot be a %s",
                    hry_type_name(sink->want.type));
}

hry_status hry_read_dense(const hry_decoder *decoder, const uint8_t *first, hry_map *from, const hry_box *box,
                          const hry_value_sink *sink, hry_error *err)
{
    hry_map to;
    hry_map_copy(&to, &sink->map);
    if (decoder->plain) {
        hry_move(decoder->bits, first, from, sink->bytes, &to, sink->executor);
        return HRY_OK;
    }
    if (!decoder->needs_index)
        hry_map_join(from, &to);
    hry_decoder streaming = *decoder;
    streaming.convert.stream = goes_past_caches(sink->bytes, &to, sink->bits);
    streaming.dequant.stream = decoder->floats && streaming.convert.stream;
    job w = { .decoder = &streaming, .src = first, .dst = sink->bytes, .box = box, .to_bits = sink->bits };
    atomic_init(&w.failed, false);
    hry_in_parts(from, &to, sink->bits, sink->executor, decode_part, &w);
    return atomic_load(&w.failed) ? hry_fail_no_value(sink, err) : HRY_OK;
}
