/* Codes for whole tensors: which values share parameters, and where the codes go. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "kern/kern.h"
#include "tensor/quantizing.h"

#include <string.h>

enum { SEGMENT = 1 << 16 }; /* values of a task, a multiple of 8 */

static void run(const hry_quantize *z, size_t tasks, bool parallel, void (*task)(void *arg, size_t i), void *arg)
{
    const hry_executor *executor = z->how->executor;
    if (parallel && executor)
        executor->run(executor->ctx, tasks, task, arg);
    else
        for (size_t i = 0; i < tasks; i++)
            task(arg, i);
}

/* ---- Per tensor ---- */

typedef struct tensor_job {
    hry_quantize *z;
    uint64_t count;
    float *lo, *hi; /* of each segment */
    const char *_Atomic why;
} tensor_job;

static void measure_segment(void *arg, size_t i)
{
    tensor_job *job = arg;
    const struct hry_kern *k = hry_kern();
    uint64_t first = (uint64_t)i * SEGMENT, n = job->count - first < SEGMENT ? job->count - first : SEGMENT;
    const float *x = job->z->x + first;
    bool finite = hry_grid_wants_range(&job->z->grid) ? k->range(x, (size_t)n, (size_t)n, &job->lo[i], &job->hi[i])
                                                      : k->absmax(x, (size_t)n, (size_t)n, &job->hi[i]);
    if (!finite)
        job->why = hry_quantize_not_finite;
    else if (hry_quantize_has_negative(job->z, x, (size_t)n))
        job->why = hry_quantize_negative;
}

static void encode_segment(void *arg, size_t i)
{
    tensor_job *job = arg;
    hry_quantize *z = job->z;
    uint64_t first = (uint64_t)i * SEGMENT, n = job->count - first < SEGMENT ? job->count - first : SEGMENT;
    hry_quantize_put(z, z->x + first, (size_t)n, (size_t)n, &z->scale, z->grid.symmetric ? NULL : &z->zero_point, first,
                     NULL);
}

hry_status hry_quantize_measure(hry_quantize *z, hry_error *err)
{
    tensor_job job = { .z = z, .count = z->outer * z->size * z->inner };
    size_t segments = (size_t)hry_ceil_div(job.count, SEGMENT);
    float lo = 0, hi = 0;
    float *room = hry_alloc_array(z->how->allocator, 2 * (uint64_t)segments, sizeof *room, _Alignof(float));
    if (!room)
        return hry_fail_array(err, segments, 2 * sizeof *room);
    job.lo = room;
    job.hi = room + segments;
    run(z, segments, true, measure_segment, &job);
    for (size_t i = 0; i < segments; i++) {
        lo = hry_grid_wants_range(&z->grid) && job.lo[i] < lo ? job.lo[i] : lo;
        hi = job.hi[i] > hi ? job.hi[i] : hi;
    }
    hry_free(z->how->allocator, room, 2 * segments * sizeof *room, _Alignof(float));
    const char *why = job.why;
    if (z->how->scales) {
        z->scale = z->how->scales[0];
        z->zero_point = z->how->zero_points ? z->how->zero_points[0] : 0;
    } else if (!why)
        why = hry_grid_parameters(&z->grid, &lo, &hi, 1, &z->scale, &z->zero_point);
    return why ? hry_quantize_fail(why, err) : HRY_OK;
}

hry_status hry_quantize_tensor(hry_quantize *z, hry_error *err)
{
    (void)err;
    tensor_job job = { .z = z, .count = z->outer * z->size * z->inner };
    run(z, (size_t)hry_ceil_div(job.count, SEGMENT), true, encode_segment, &job);
    return HRY_OK;
}

/* ---- Rows of parameters: one for each of `inner` columns, or one for each block of a row ---- */

/* Widens the ranges of n columns by one more row; false when a value is not finite. */
static bool measure_row(const hry_quantize *z, const float *x, size_t n, hry_quantize_room *room)
{
    const struct hry_kern *k = hry_kern();
    return hry_grid_wants_range(&z->grid) ? k->range_each(x, n, room->lo, room->hi) : k->absmax_each(x, n, room->hi);
}

typedef struct rows_job {
    hry_quantize *z;
    uint64_t rows; /* of one task */
    const char *_Atomic why;
    _Atomic size_t lacking; /* bytes that could not be had */
} rows_job;

static hry_status end_rows(const rows_job *job, hry_error *err)
{
    if (job->lacking)
        return hry_fail_memory(err, job->lacking);
    const char *why = job->why;
    return why ? hry_quantize_fail(why, err) : HRY_OK;
}

/* ---- Per channel ---- */

/* Channel by channel: runs of inner values, outer of them. */
static void encode_channel(void *arg, size_t s)
{
    rows_job *job = arg;
    hry_quantize *z = job->z;
    const struct hry_kern *k = hry_kern();
    float lo = 0, hi = 0, l = 0, h = 0;
    hry_quantize_room room;
    size_t n = (size_t)z->inner;
    if (!hry_quantize_take_room(z, 1, n + 8, &room)) {
        job->lacking = room.nbytes;
        return;
    }
    for (uint64_t o = 0; o < z->outer; o++) {
        const float *x = z->x + (o * z->size + s) * z->inner;
        bool finite = hry_grid_wants_range(&z->grid) ? k->range(x, n, n, &l, &h) : k->absmax(x, n, n, &h);
        if (!finite)
            job->why = hry_quantize_not_finite;
        else if (hry_quantize_has_negative(z, x, n))
            job->why = hry_quantize_negative;
        lo = finite && l < lo ? l : lo;
        hi = finite && h > hi ? h : hi;
    }
    room.lo[0] = lo;
    room.hi[0] = hi;
    const char *why = hry_quantize_settle(z, &room, 1, s, 1);
    if (why)
        job->why = why;
    hry_quantize_store(z, &room, 1, s, 1);
    for (uint64_t o = 0; !job->why && o < z->outer; o++) {
        uint64_t first = (o * z->size + s) * z->inner;
        hry_quantize_put(z, z->x + first, n, n, room.scale, hry_quantize_zero_points(z, &room), first, room.codes);
    }
    hry_quantize_give_room(z, &room);
}

typedef struct columns_job {
    rows_job rows;
    hry_quantize_room *room;
} columns_job;

static void encode_rows_of_channels(void *arg, size_t i)
{
    columns_job *job = arg;
    hry_quantize *z = job->rows.z;
    uint64_t first = i * job->rows.rows, end = first + job->rows.rows < z->outer ? first + job->rows.rows : z->outer;
    for (uint64_t o = first; o < end; o++)
        hry_quantize_put(z, z->x + o * z->size, (size_t)z->size, 1, job->room->scale,
                         hry_quantize_zero_points(z, job->room), o * z->size, job->room->codes);
}

/* Channels along the last dimension: one measure of all columns, then row by row. */
static hry_status encode_columns(hry_quantize *z, hry_error *err)
{
    hry_quantize_room room;
    size_t n = (size_t)z->size;
    columns_job job = { .rows = { .z = z, .rows = 1 + SEGMENT / (z->size + 1) }, .room = &room };
    if (!hry_quantize_take_room(z, z->size, z->size + 8, &room))
        return hry_fail_memory(err, room.nbytes);
    const char *why = NULL;
    for (uint64_t o = 0; o < z->outer && !why; o++) {
        const float *x = z->x + o * z->size;
        why = !measure_row(z, x, n, &room)         ? hry_quantize_not_finite
              : hry_quantize_has_negative(z, x, n) ? hry_quantize_negative
                                                   : NULL;
    }
    if (!why)
        why = hry_quantize_settle(z, &room, n, 0, 1);
    if (!why) {
        hry_quantize_store(z, &room, n, 0, 1);
        run(z, (size_t)hry_ceil_div(z->outer, job.rows.rows), hry_codes_are_whole(z->grid.bits, z->size),
            encode_rows_of_channels, &job);
    }
    hry_quantize_give_room(z, &room);
    return why ? hry_quantize_fail(why, err) : HRY_OK;
}

hry_status hry_quantize_channels(hry_quantize *z, hry_error *err)
{
    rows_job job = { .z = z };
    if (z->inner == 1)
        return encode_columns(z, err);
    run(z, (size_t)z->size, hry_codes_are_whole(z->grid.bits, z->inner), encode_channel, &job);
    return end_rows(&job, err);
}

/* ---- Per block ---- */

/* Blocks along the last dimension: rows o of blocks, one after the other. */
static void encode_rows_of_blocks(void *arg, size_t i)
{
    rows_job *job = arg;
    hry_quantize *z = job->z;
    const struct hry_kern *k = hry_kern();
    uint64_t first = i * job->rows, end = first + job->rows < z->outer ? first + job->rows : z->outer;
    size_t n = (size_t)z->size, block = (size_t)z->block, blocks = (size_t)z->blocks;
    hry_quantize_room room;
    if (!hry_quantize_take_room(z, z->blocks, z->size + 8, &room)) {
        job->lacking = room.nbytes;
        return;
    }
    for (uint64_t o = first; o < end && !job->why; o++) {
        const float *x = z->x + o * z->size;
        bool finite =
            hry_grid_wants_range(&z->grid) ? k->range(x, n, block, room.lo, room.hi) : k->absmax(x, n, block, room.hi);
        const char *why = !finite                              ? hry_quantize_not_finite
                          : hry_quantize_has_negative(z, x, n) ? hry_quantize_negative
                                                               : NULL;
        if (!why)
            why = hry_quantize_settle(z, &room, blocks, o * z->blocks, 1);
        for (size_t b = 0; !why && z->searches && b < blocks; b++)
            hry_grid_search(&z->grid, x + b * block, n - b * block < block ? n - b * block : block, &room.scale[b]);
        if (why) {
            job->why = why;
            break;
        }
        hry_quantize_store(z, &room, blocks, o * z->blocks, 1);
        hry_quantize_put(z, x, n, block, room.scale, hry_quantize_zero_points(z, &room), o * z->pitch, room.codes);
    }
    hry_quantize_give_room(z, &room);
}

/* A block's columns, gathered one by one. False for lack of memory. */
static bool search_columns(const hry_quantize *z, const float *x, size_t rows, hry_quantize_room *room)
{
    float *column = hry_alloc_array(z->how->allocator, rows, sizeof *column, _Alignof(float));
    for (size_t i = 0; column && i < z->inner; i++) {
        for (size_t s = 0; s < rows; s++)
            column[s] = x[s * z->inner + i];
        hry_grid_search(&z->grid, column, rows, &room->scale[i]);
    }
    hry_free(z->how->allocator, column, rows * sizeof *column, _Alignof(float));
    return column;
}

/* Blocks across: `block` rows of inner columns, each column with parameters of its own. */
static void encode_blocks_across(void *arg, size_t task)
{
    rows_job *job = arg;
    hry_quantize *z = job->z;
    uint64_t o = task / z->blocks, b = task % z->blocks, s = b * z->block;
    uint64_t rows = z->size - s < z->block ? z->size - s : z->block;
    size_t n = (size_t)z->inner;
    const float *x = z->x + (o * z->size + s) * z->inner;
    const char *why = NULL;
    hry_quantize_room room;
    if (job->why)
        return;
    if (!hry_quantize_take_room(z, z->inner, z->inner + 8, &room)) {
        job->lacking = room.nbytes;
        return;
    }
    for (uint64_t r = 0; r < rows && !why; r++)
        why = !measure_row(z, x + r * z->inner, n, &room)         ? hry_quantize_not_finite
              : hry_quantize_has_negative(z, x + r * z->inner, n) ? hry_quantize_negative
                                                                  : NULL;
    uint64_t number = o * z->inner * z->blocks + b;
    if (!why)
        why = hry_quantize_settle(z, &room, n, number, z->blocks);
    if (!why && z->searches && !search_columns(z, x, (size_t)rows, &room))
        job->lacking = (size_t)rows * sizeof(float);
    if (!why)
        hry_quantize_store(z, &room, n, number, z->blocks);
    for (uint64_t r = 0; r < rows && !why; r++)
        hry_quantize_put(z, x + r * z->inner, n, 1, room.scale, hry_quantize_zero_points(z, &room),
                         (o * z->pitch + s + r) * z->inner, room.codes);
    if (why)
        job->why = why;
    hry_quantize_give_room(z, &room);
}

hry_status hry_quantize_blocks(hry_quantize *z, hry_error *err)
{
    rows_job job = { .z = z, .rows = 1 + SEGMENT / (z->size + 1) };
    uint64_t tasks;
    if (z->inner == 1) {
        run(z, (size_t)hry_ceil_div(z->outer, job.rows), hry_codes_are_whole(z->grid.bits, z->pitch),
            encode_rows_of_blocks, &job);
        return end_rows(&job, err);
    }
    if (!hry_mul(z->outer, z->blocks, &tasks))
        return hry_fail_memory(err, UINT64_MAX);
    run(z, (size_t)tasks, hry_codes_are_whole(z->grid.bits, z->inner), encode_blocks_across, &job);
    return end_rows(&job, err);
}
