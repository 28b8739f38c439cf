/* Boxes of sparse tensors: zeros, and what is stored put into its place. Nothing outside of the box is visited where
 * the layout can tell. */
#include "tensor/access.h"

#include "base/status.h"
#include "kern/kern.h"
#include "tensor/move.h"
#include "tensor/ranges.h"
#include "tensor/spread.h"
#include "tensor/stored_values.h"
#include "tensor/verify.h"

enum { GRAIN = 1 << 14 }; /* stored elements that are worth handing to another thread */
enum { BATCH = 128 };

typedef struct put {
    const hry_sparse *sparse;
    const hry_decoder *decoder;
    const hry_value_sink *sink;
    const hry_box *box;
    const uint8_t *values;
    uint8_t *to;      /* where the first element of the box goes */
    hry_form form;    /* the elements between it and each */
    uint64_t count;   /* packed: all that are written */
    bool stream;      /* packed */
    atomic_bool lost; /* some value has no counterpart */
} put;

static bool is_unsorted(const hry_sparse *sparse)
{
    return sparse->tag == HRY_LAYOUT_COO && !sparse->is_sorted;
}

/* ---- One by one: bits, and places that no form describes ---- */

typedef struct batch {
    const put *put;
    size_t count;
    int64_t from[BATCH], to[BATCH];
} batch;

static bool flush(batch *b)
{
    _Alignas(16) uint8_t codes[BATCH * 16], values[BATCH * 16];
    const hry_decoder *decoder = b->put->decoder;
    const hry_value_sink *sink = b->put->sink;
    size_t n = b->count;
    b->count = 0;
    if (n == 0) /* there may be no values to point to */
        return true;
    if (decoder->plain) {
        hry_move_list(decoder->bits, b->put->values, b->from, sink->bytes, b->to, n);
        return true;
    }
    int64_t packed[BATCH];
    for (size_t i = 0; i < n; i++)
        packed[i] = (int64_t)i;
    hry_move_list(decoder->bits, b->put->values, b->from, codes, packed, n);
    bool all = hry_decoder_run(decoder, codes, n, NULL, 0, 1, values);
    hry_move_list(sink->bits, values, packed, sink->bytes, b->to, n);
    return all;
}

/* One element whose value depends on its index. */
static bool put_one(const put *p, const uint64_t *index, int64_t from, int64_t to)
{
    _Alignas(16) uint8_t code[16], value[16];
    int64_t first = 0;
    hry_move_list(p->decoder->bits, p->values, &from, code, &first, 1);
    bool good = hry_decoder_run(p->decoder, code, 1, index, p->sparse->rank - 1, 1, value);
    hry_move_list(p->sink->bits, value, &first, p->sink->bytes, &to, 1);
    return good;
}

static void put_each(put *p)
{
    hry_stored stored = { .sparse = *p->sparse };
    batch b = { .put = p };
    uint64_t at[HRY_RANK_MAX];
    bool all = true;
    hry_stored_start(&stored, p->box);
    /* Where an unsorted list names an element twice, unlooked at, the first is the one that a lookup finds. */
    stored.backwards = is_unsorted(p->sparse);
    while (hry_stored_step(&stored)) {
        for (uint32_t k = 0; k < stored.sparse.rank; k++)
            hry_box_position(&stored.box, k, stored.index[k], &at[k]);
        int64_t to = hry_map_offset(&p->sink->map, at);
        if (p->decoder->needs_index) {
            all &= put_one(p, stored.index, (int64_t)stored.position, to);
            continue;
        }
        b.from[b.count] = (int64_t)stored.position;
        b.to[b.count++] = to;
        if (b.count == BATCH)
            all &= flush(&b);
    }
    if (!flush(&b) || !all)
        atomic_store_explicit(&p->lost, true, memory_order_relaxed);
}

/* ---- Many at a time ---- */

/* Whether offsets in the sink are numbers of a form. */
static bool find_form(put *p)
{
    const hry_map *map = &p->sink->map;
    bool whole = true;
    if (map->hilbert_order || p->sink->bits < 8)
        return false;
    p->to = p->sink->bytes + map->base * (int64_t)(p->sink->bits / 8);
    p->form.base = 0;
    for (uint32_t k = 0; k < p->sparse->rank; k++) {
        int64_t step = p->box->step[k];
        bool single = p->box->count[k] == 1;
        if (!hry_map_is_affine(map, k) || (step != 1 && step != -1 && !single))
            return false;
        uint64_t stride = single ? 0 : (uint64_t)hry_map_stride(map, k);
        p->form.weight[k] = step == -1 ? 0 - stride : stride;
        p->form.base -= p->box->start[k] * p->form.weight[k];
        whole &= p->box->count[k] == p->sparse->shape[k];
    }
    return whole || !is_unsorted(p->sparse);
}

/* Whether elements come in the order of their offsets, which leave nothing out. */
static bool is_packed(put *p)
{
    uint64_t apart = 1;
    if (is_unsorted(p->sparse))
        return false;
    for (uint32_t level = p->sparse->rank; level-- > 0;) {
        uint32_t k = p->sparse->mode[level];
        if (p->box->count[k] > 1 && p->form.weight[k] != apart)
            return false;
        apart *= p->box->count[k];
    }
    p->count = apart;
    return true;
}

/* Elements of a range: their offsets, and their values as they are or decoded to room. */
typedef struct cursor {
    put *put;
    hry_stored stored;
    hry_stored_values by_index; /* goes on in step, where values depend on their indices */
    size_t n;
    uint64_t numbers[HRY_SPREAD_MOST];
    const uint8_t *values;
    _Alignas(16) uint8_t codes[HRY_SPREAD_MOST * 16], room[HRY_SPREAD_MOST * 16];
} cursor;

static void start(cursor *c, put *p, uint64_t first, uint64_t end)
{
    c->put = p;
    c->stored.sparse = *p->sparse;
    hry_stored_start(&c->stored, p->box);
    hry_stored_within(&c->stored, first, end);
    if (p->decoder->needs_index)
        hry_stored_values_start(&c->by_index, p->decoder, p->box, first, end);
}

static bool decode(cursor *c, uint64_t first)
{
    const hry_decoder *decoder = c->put->decoder;
    uint64_t bit = first * decoder->bits;
    const uint8_t *from = c->put->values + bit / 8;
    c->values = c->room;
    if (decoder->needs_index) {
        hry_stored_values_next(&c->by_index, c->n, c->room);
        return c->by_index.all;
    }
    if (decoder->plain) {
        c->values = from;
        return true;
    }
    if (bit % 8) {
        hry_move_piece(decoder->bits, c->put->values, (int64_t)first, 1, c->codes, 0, 1, c->n);
        from = c->codes;
    }
    return hry_decoder_run(decoder, from, c->n, NULL, 0, 1, c->room);
}

static bool next(cursor *c)
{
    uint64_t first;
    c->n = hry_stored_numbers(&c->stored, &c->put->form, HRY_SPREAD_MOST, c->numbers, &first);
    if (c->n > 0 && !decode(c, first))
        atomic_store_explicit(&c->put->lost, true, memory_order_relaxed);
    return c->n > 0;
}

static void put_range(void *ctx, uint64_t first, uint64_t end)
{
    put *p = ctx;
    cursor c;
    for (start(&c, p, first, end); next(&c);)
        hry_spread(p->sink->bits / 8, p->to, c.numbers, c.n, c.values);
}

/* From the last to the first, as they are put one by one. */
static void put_unsorted(put *p)
{
    for (uint64_t end = p->sparse->nnz, n; end > 0; end -= n) {
        n = end < HRY_SPREAD_MOST ? end : HRY_SPREAD_MOST;
        put_range(p, end - n, end);
    }
}

/* The offset of the element at a position, or of the next one in the box; the end when there is none. */
static uint64_t offset_of(const put *p, uint64_t position)
{
    hry_stored stored = { .sparse = *p->sparse };
    uint64_t number, from;
    hry_stored_start(&stored, p->box);
    hry_stored_within(&stored, position, p->sparse->nnz);
    bool found = hry_stored_numbers(&stored, &p->form, 1, &number, &from) > 0;
    return found && number < p->count ? number : p->count;
}

/* From the first element of the range to that of the next one, zeros included. */
static void fill_range(void *ctx, uint64_t first, uint64_t end)
{
    put *p = ctx;
    cursor c;
    hry_window window;
    hry_window_init(&window, p->to, p->sink->bits / 8, first ? offset_of(p, first) : 0,
                    end < p->sparse->nnz ? offset_of(p, end) : p->count, p->stream);
    for (start(&c, p, first, end); next(&c);)
        hry_window_put(&window, c.numbers, c.n, c.values);
    hry_window_end(&window);
}

/* ---- Calls ---- */

static hry_status begin(put *p, hry_sparse *sparse, hry_decoder *decoder, const hry_tensor *tensor, const hry_box *box,
                        const hry_value_sink *sink, hry_error *err)
{
    hry_status status = hry_verify_once(tensor, sink->executor, err);
    if (!status)
        status = hry_decoder_init(decoder, tensor, &sink->want, err);
    if (status)
        return status;
    hry_sparse_of(tensor, sparse);
    p->sparse = sparse;
    p->decoder = decoder;
    p->sink = sink;
    p->box = box;
    p->values = hry_tensor_first(tensor);
    atomic_init(&p->lost, false);
    return HRY_OK;
}

static hry_status end(const put *p, hry_error *err)
{
    return atomic_load(&p->lost) ? hry_fail_no_value(p->sink, err) : HRY_OK;
}

hry_status hry_put_sparse(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_error *err)
{
    hry_decoder decoder;
    hry_sparse sparse;
    put p;
    hry_status status = begin(&p, &sparse, &decoder, tensor, box, sink, err);
    if (status)
        return status;
    if (!find_form(&p))
        put_each(&p);
    else if (is_unsorted(&sparse))
        put_unsorted(&p);
    else
        hry_in_ranges(sparse.nnz, GRAIN, sink->executor, put_range, &p);
    return end(&p, err);
}

hry_status hry_read_sparse(const hry_tensor *tensor, const hry_box *box, const hry_value_sink *sink, hry_error *err)
{
    hry_decoder decoder;
    hry_sparse sparse;
    hry_map to;
    put p;
    hry_status status = begin(&p, &sparse, &decoder, tensor, box, sink, err);
    if (status)
        return status;
    if (sparse.nnz > 0 && find_form(&p) && is_packed(&p)) {
        p.stream = hry_streams(p.count * (sink->bits / 8));
        hry_in_ranges(sparse.nnz, GRAIN, sink->executor, fill_range, &p);
        return end(&p, err);
    }
    hry_map_copy(&to, &sink->map);
    hry_move_zeros(sink->bits, sink->bytes, &to, sink->executor);
    return hry_put_sparse(tensor, box, sink, err);
}
