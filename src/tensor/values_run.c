/* Handing out the values of a tensor, segment by segment. */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "tensor/in_order.h"
#include "tensor/stored_values.h"
#include "tensor/values.h"
#include "type/types.h"

#include <stdatomic.h>

/* What tasks share. A unit is what a task does: the segments that are read at a time, mostly one. */
typedef struct run {
    const hry_values *values;
    const hry_values_user *user;
    size_t size;         /* bytes of a value */
    uint64_t unit;       /* segments of a unit */
    uint64_t first_unit; /* of the batch */
    uint8_t *rooms;      /* for boxes: one for each task that may run at a time */
    atomic_bool *taken;
    size_t room_count, room_size;
    atomic_bool failed;
    hry_status status; /* of the first that failed */
    hry_error *err;
} run;

static void hand_out(const run *r, uint64_t first, const uint8_t *values, uint64_t n)
{
    uint64_t batch = r->first_unit * r->unit;
    for (uint64_t done = 0; done < n; done += r->values->chunk) {
        size_t some = n - done < r->values->chunk ? (size_t)(n - done) : r->values->chunk;
        size_t slot = (size_t)((first + done) / HRY_TALLY_SEGMENT - batch);
        r->user->chunk(r->user->ctx, slot, first + done, values + (size_t)done * r->size, some);
    }
}

static void hand_out_codes(const run *r, uint64_t first, uint64_t n)
{
    _Alignas(64) uint8_t room[HRY_STATS_CHUNK * sizeof(double)];
    const hry_values *v = r->values;
    for (uint64_t done = 0; done < n; done += v->chunk) {
        size_t some = n - done < v->chunk ? (size_t)(n - done) : v->chunk;
        const uint8_t *codes = v->codes + (first + done) * v->decoder.bits / 8;
        hry_decoder_run(&v->decoder, codes, some, NULL, 0, 1, room);
        hand_out(r, first + done, room, some);
    }
}

/* Stored elements whose values depend on their indices. */
static void hand_out_stored(const run *r, uint64_t first, uint64_t n)
{
    _Alignas(64) uint8_t room[HRY_STATS_CHUNK * sizeof(float)];
    const hry_values *v = r->values;
    hry_stored_values stored;
    hry_stored_values_start(&stored, &v->decoder, &v->whole, first, first + n);
    for (uint64_t done = 0; done < n; done += v->chunk) {
        size_t some = n - done < v->chunk ? (size_t)(n - done) : v->chunk;
        hry_stored_values_next(&stored, some, room);
        hand_out(r, first + done, room, some);
    }
}

/* ---- Boxes ---- */

static hry_status read_range(const run *r, uint64_t first, uint64_t n, uint8_t *room, hry_error *err)
{
    const hry_values *v = r->values;
    hry_status status = HRY_OK;
    for (uint64_t done = 0, some; done < n && !status; done += some) {
        hry_box box;
        hry_value_sink sink = { .bytes = room + (size_t)done * r->size,
                                .want = { .type = v->type },
                                .bits = (uint32_t)r->size * 8,
                                .token_counts = v->token_counts,
                                .executor = r->room_count > 1 ? NULL : v->executor };
        some = hry_box_in_order(&v->whole, v->rank, first + done, n - done, &box);
        hry_map_packed(&sink.map, v->rank, box.count);
        status = hry_read_into(v->tensor, &box, &sink, err);
    }
    return status;
}

static hry_status hand_out_boxes(run *r, uint64_t first, uint64_t n, hry_error *err)
{
    hry_status status = HRY_OK;
    size_t i = 0;
    /* No more tasks run at a time than there are rooms. */
    while (atomic_exchange_explicit(&r->taken[i], true, memory_order_acquire))
        i = (i + 1) % r->room_count;
    uint8_t *room = r->rooms + i * r->room_size;
    for (uint64_t done = 0, piece = r->values->piece; done < n && !status; done += piece) {
        uint64_t some = n - done < piece ? n - done : piece;
        status = read_range(r, first + done, some, room, err);
        if (!status)
            hand_out(r, first + done, room, some);
    }
    atomic_store_explicit(&r->taken[i], false, memory_order_release);
    return status;
}

static bool reads_boxes(const hry_values *v)
{
    return !v->direct && !v->codes && !v->by_index;
}

/* One block: the rooms, then their flags. */
static hry_status make_rooms(run *r, uint64_t units, size_t *nbytes, hry_error *err)
{
    const hry_values *v = r->values;
    size_t width = v->executor ? v->executor->width : 1;
    uint64_t room = v->piece < v->count ? v->piece : v->count, total;
    r->room_count = units < width ? (size_t)units : width;
    if (!hry_mul(room, r->size, &room) || !hry_align_up(room, 64, &room) ||
        !hry_mul_add(r->room_count, room, r->room_count * sizeof *r->taken, &total) || !hry_to_size(total, nbytes))
        return hry_fail_memory(err, UINT64_MAX);
    r->room_size = (size_t)room;
    r->rooms = hry_alloc(v->allocator, *nbytes, 64);
    if (!r->rooms)
        return hry_fail_memory(err, total);
    r->taken = (atomic_bool *)(r->rooms + r->room_count * r->room_size);
    for (size_t i = 0; i < r->room_count; i++)
        atomic_init(&r->taken[i], false);
    return HRY_OK;
}

/* ---- All of them ---- */

static void do_unit(void *arg, size_t i)
{
    run *r = arg;
    const hry_values *v = r->values;
    uint64_t length = r->unit * HRY_TALLY_SEGMENT, first = (r->first_unit + i) * length;
    uint64_t n = v->count - first < length ? v->count - first : length;
    hry_status status = HRY_OK;
    hry_error err;
    if (v->direct)
        hand_out(r, first, v->direct + (size_t)first * r->size, n);
    else if (v->codes)
        hand_out_codes(r, first, n);
    else if (v->by_index)
        hand_out_stored(r, first, n);
    else
        status = hand_out_boxes(r, first, n, &err);
    if (status && !atomic_exchange(&r->failed, true)) {
        r->status = status;
        if (r->err)
            *r->err = err;
    }
}

static void run_batches(run *r, uint64_t units)
{
    const hry_values *v = r->values;
    size_t batch = HRY_VALUES_BATCH / (size_t)r->unit;
    uint64_t segments = hry_ceil_div(v->count, HRY_TALLY_SEGMENT);
    for (; r->first_unit < units && !atomic_load(&r->failed); r->first_unit += batch) {
        size_t n = units - r->first_unit < batch ? (size_t)(units - r->first_unit) : batch;
        if (v->executor && n > 1)
            v->executor->run(v->executor->ctx, n, do_unit, r);
        else
            for (size_t i = 0; i < n; i++)
                do_unit(r, i);
        uint64_t left = segments - r->first_unit * r->unit, slots = n * r->unit;
        if (r->user->batch && !atomic_load(&r->failed))
            r->user->batch(r->user->ctx, (size_t)(left < slots ? left : slots));
    }
}

hry_status hry_values_run(const hry_values *values, const hry_values_user *user, hry_error *err)
{
    run r = { .values = values, .user = user, .size = hry_type_table[values->type].bits / 8u, .unit = 1, .err = err };
    size_t nbytes = 0;
    atomic_init(&r.failed, false);
    if (values->count == 0)
        return HRY_OK;
    if (reads_boxes(values) && values->piece > HRY_TALLY_SEGMENT)
        r.unit = values->piece / HRY_TALLY_SEGMENT;
    uint64_t units = hry_ceil_div(hry_ceil_div(values->count, HRY_TALLY_SEGMENT), r.unit);
    hry_status status = reads_boxes(values) ? make_rooms(&r, units, &nbytes, err) : HRY_OK;
    if (status)
        return status;
    run_batches(&r, units);
    hry_free(values->allocator, r.rooms, nbytes, 64);
    return r.status;
}
