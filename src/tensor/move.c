#include "tensor/move.h"

#include "base/checked.h"
#include "kern/kern.h"
#include "tensor/affine.h"
#include "tensor/bits.h"
#include "tensor/move_blocks.h"

#include <string.h>

enum { LINE = 512 };      /* offsets that are made at a time */
enum { BOX_LEAST = 256 }; /* elements of a box that is worth being moved alone */

/* ---- Pieces of a line, whole bytes: strides in bytes ---- */

typedef void move_strided(uint8_t *dst, int64_t to_step, const uint8_t *src, int64_t from_step, uint64_t n,
                          size_t size);
/* Lists are of offsets in elements. */
typedef void move_gather(uint8_t *dst, int64_t to_step, const uint8_t *src, const int64_t *from, size_t n, size_t size);
typedef void move_listed(uint8_t *dst, const int64_t *to, const uint8_t *src, const int64_t *from, size_t n,
                         size_t size);

/* The copies' sizes are constants to the compiler, and so are steps of one element. */
#define MOVES(name, SIZE)                                                                                         \
    static void strided_##name(uint8_t *dst, int64_t to_step, const uint8_t *src, int64_t from_step, uint64_t n,  \
                               size_t size)                                                                       \
    {                                                                                                             \
        (void)size;                                                                                               \
        if (to_step == (int64_t)(SIZE)) {                                                                         \
            for (uint64_t i = 0; i < n; i++, src += from_step)                                                    \
                memcpy(dst + (size_t)i * (SIZE), src, SIZE);                                                      \
        } else {                                                                                                  \
            for (uint64_t i = 0; i < n; i++, src += from_step, dst += to_step)                                    \
                memcpy(dst, src, SIZE);                                                                           \
        }                                                                                                         \
    }                                                                                                             \
    static void gather_##name(uint8_t *dst, int64_t to_step, const uint8_t *src, const int64_t *from, size_t n,   \
                              size_t size)                                                                        \
    {                                                                                                             \
        (void)size;                                                                                               \
        for (size_t i = 0; i < n; i++)                                                                            \
            memcpy(dst + (int64_t)i * to_step, src + from[i] * (int64_t)(SIZE), SIZE);                            \
    }                                                                                                             \
    static void listed_##name(uint8_t *dst, const int64_t *to, const uint8_t *src, const int64_t *from, size_t n, \
                              size_t size)                                                                        \
    {                                                                                                             \
        (void)size;                                                                                               \
        for (size_t i = 0; i < n; i++)                                                                            \
            memcpy(dst + to[i] * (int64_t)(SIZE), src + from[i] * (int64_t)(SIZE), SIZE);                         \
    }

MOVES(1, 1)
MOVES(2, 2)
MOVES(4, 4)
MOVES(8, 8)
MOVES(16, 16)
MOVES(any, size)

typedef struct mover {
    int64_t bits, size; /* of an element; size, in bytes, is 0 below a byte */
    move_strided *strided;
    move_gather *gather;
    move_listed *listed;
    const uint8_t *src;
    uint8_t *dst;
} mover;

#define MOVER(name) strided_##name, gather_##name, listed_##name

static mover mover_of(uint32_t bits, const uint8_t *src, uint8_t *dst)
{
    int64_t size = bits / 8;
    switch (bits) {
    case 8:
        return (mover){ bits, size, MOVER(1), src, dst };
    case 16:
        return (mover){ bits, size, MOVER(2), src, dst };
    case 32:
        return (mover){ bits, size, MOVER(4), src, dst };
    case 64:
        return (mover){ bits, size, MOVER(8), src, dst };
    case 128:
        return (mover){ bits, size, MOVER(16), src, dst };
    default:
        return (mover){ bits, size, MOVER(any), src, dst };
    }
}

/* n elements from two offsets on, by two strides, all in elements. */
static void move_piece(const mover *m, int64_t to, int64_t to_step, int64_t from, int64_t from_step, uint64_t n)
{
    if (m->size == 0) {
        hry_bits_move((unsigned)m->bits, m->dst, to * m->bits, to_step * m->bits, m->src, from * m->bits,
                      from_step * m->bits, n);
    } else if (to_step == 1 && from_step == 1) {
        memcpy(m->dst + to * m->size, m->src + from * m->size, (size_t)n * (size_t)m->size);
    } else {
        m->strided(m->dst + to * m->size, to_step * m->size, m->src + from * m->size, from_step * m->size, n,
                   (size_t)m->size);
    }
}

/* ---- Whole boxes ---- */

/* A row of which each map gives long pieces. */
static void move_row(const mover *m, const hry_walk *from, const hry_walk *to)
{
    uint32_t last = from->map->rank - 1;
    uint64_t count = from->map->axis[last].count, n;
    for (uint64_t j = 0; j < count; j += n) {
        int64_t from_part, from_step, to_part, to_step;
        uint64_t other = hry_map_piece(to->map, last, j, &to_part, &to_step);
        n = hry_map_piece(from->map, last, j, &from_part, &from_step);
        n = n < other ? n : other;
        move_piece(m, to->row + to_part, to_step, from->row + from_part, from_step, n);
    }
}

static void move_rows(const mover *m, const hry_map *from, const hry_map *to)
{
    hry_walk source, target;
    bool more = hry_walk_init(&source, from) && hry_walk_init(&target, to);
    while (more) {
        move_row(m, &source, &target);
        more = hry_walk_row(&source) && hry_walk_row(&target);
    }
}

static void move_list(const mover *m, int64_t to, const int64_t *to_list, int64_t to_step, int64_t from,
                      const int64_t *from_list, size_t n)
{
    uint8_t *dst = m->dst + to * m->size;
    const uint8_t *src = m->src + from * m->size;
    if (m->size && to_step) {
        m->gather(dst, to_step * m->size, src, from_list, n, (size_t)m->size);
    } else if (m->size) {
        m->listed(dst, to_list, src, from_list, n, (size_t)m->size);
    } else {
        for (size_t i = 0; i < n; i++)
            hry_bits_set((unsigned)m->bits, dst, (to + to_list[i]) * m->bits,
                         hry_bits_get((unsigned)m->bits, src, (from + from_list[i]) * m->bits));
    }
}

/* A stretch of the last axis: listed for all rows, or for each row where the map is a curve. */
typedef struct stretch {
    hry_walk walk;
    int64_t step, base; /* step: that of the list when it has one, else 0 */
    int64_t list[LINE];
} stretch;

static bool stretch_init(stretch *s, const hry_map *map, uint64_t j, size_t n)
{
    bool more = hry_walk_init(&s->walk, map);
    uint32_t last = map->rank - 1;
    s->step = !map->hilbert_order && hry_map_is_affine(map, last) ? hry_map_stride(map, last) : 0;
    s->base = s->step * (int64_t)j;
    if (!map->hilbert_order)
        hry_map_parts(map, last, j, n, s->list);
    return more;
}

static void stretch_row(stretch *s, uint64_t j, size_t n)
{
    const hry_map *map = s->walk.map;
    if (!map->hilbert_order)
        return;
    s->walk.at[map->rank - 1] = j;
    hry_map_line(map, s->walk.at, n, s->list);
}

/*
 * Rows whose pieces are short: the last axis is listed once for a stretch of it, and all rows go over that stretch. A
 * Hilbert curve's offsets differ from row to row, so that its lines are listed for each.
 */
static void move_stretches(const mover *m, const hry_map *from, const hry_map *to)
{
    stretch source, target;
    uint64_t count = from->axis[from->rank - 1].count;
    for (uint64_t j = 0; j < count; j += LINE) {
        size_t n = count - j < LINE ? (size_t)(count - j) : LINE;
        bool more = stretch_init(&source, from, j, n) && stretch_init(&target, to, j, n);
        while (more) {
            stretch_row(&source, j, n);
            stretch_row(&target, j, n);
            move_list(m, target.walk.row + (target.step && m->size ? target.base : 0), target.list, target.step,
                      source.walk.row, source.list, n);
            more = hry_walk_row(&source.walk) && hry_walk_row(&target.walk);
        }
    }
}

static void move_lines(const mover *m, const hry_map *from, const hry_map *to)
{
    if (hry_map_long_runs(from) && hry_map_long_runs(to))
        move_rows(m, from, to);
    else
        move_stretches(m, from, to);
}

typedef struct job {
    uint32_t bits;
    const uint8_t *src;
    uint8_t *dst;
    bool affine, stream;
} job;

static void move_part(void *ctx, hry_map *from, hry_map *to, const uint64_t *at)
{
    const job *j = ctx;
    mover m = mover_of(j->bits, j->src, j->dst);
    (void)at;
    if (j->affine)
        hry_move_affine(j->bits, j->src, from, j->dst, to, j->stream);
    else if (!hry_move_in_blocks(j->bits, from, to) || !hry_move_blocks(j->bits, j->src, from, j->dst, to, j->stream))
        move_lines(&m, from, to);
    if (j->stream)
        hry_kern()->stream_end();
}

static void move_box(job *j, hry_map *from, hry_map *to, const hry_executor *executor)
{
    j->affine = hry_map_split(from, to);
    hry_map_reorder(from, to);
    hry_in_parts(from, to, j->bits, executor, move_part, j);
}

/* Tiles that a box cuts off, and those that the shape does, are boxes of their own beside those that are whole. */
typedef struct stretches {
    uint64_t ends[HRY_RANK_MAX][3];
    uint32_t n[HRY_RANK_MAX], at[HRY_RANK_MAX];
    uint64_t boxes;
} stretches;

static void find_stretches(stretches *s, const hry_map *from, const hry_map *to)
{
    s->boxes = 1;
    for (uint32_t k = 0; k < from->rank; k++) {
        s->n[k] = hry_map_stretches(from, to, k, s->ends[k]);
        s->at[k] = 0;
        if (!hry_mul(s->boxes, s->n[k], &s->boxes))
            s->boxes = UINT64_MAX;
    }
}

static void cut_stretch(const stretches *s, uint32_t k, hry_map *map)
{
    uint64_t start = s->at[k] > 0 ? s->ends[k][s->at[k] - 1] : 0;
    hry_map_cut(map, k, start, s->ends[k][s->at[k]] - start);
}

static bool next_stretch(stretches *s, uint32_t rank)
{
    for (uint32_t k = rank; k-- > 0; s->at[k] = 0)
        if (++s->at[k] < s->n[k])
            return true;
    return false;
}

static void move_boxes(job *j, stretches *s, const hry_map *from, const hry_map *to, const hry_executor *executor)
{
    do {
        hry_map source, target;
        hry_map_copy(&source, from);
        hry_map_copy(&target, to);
        for (uint32_t k = 0; k < from->rank; k++) {
            cut_stretch(s, k, &source);
            cut_stretch(s, k, &target);
        }
        move_box(j, &source, &target, executor);
    } while (next_stretch(s, from->rank));
}

void hry_move(uint32_t bits, const uint8_t *src, hry_map *from, uint8_t *dst, hry_map *to, const hry_executor *executor)
{
    stretches s;
    uint64_t count, nbytes;
    if (to->empty)
        return;
    bool known = hry_map_count(to, &count) && hry_mul(count, bits, &nbytes);
    job j = { .bits = bits, .src = src, .dst = dst, .stream = known && hry_streams(nbytes / 8) };
    hry_map_join(from, to);
    if (hry_move_in_blocks(bits, from, to)) {
        hry_in_parts(from, to, bits, executor, move_part, &j);
        return;
    }
    find_stretches(&s, from, to);
    if (s.boxes == 1 || !known || s.boxes > count / BOX_LEAST)
        move_box(&j, from, to, executor);
    else
        move_boxes(&j, &s, from, to, executor);
}

static void zero_part(void *ctx, hry_map *from, hry_map *to, const uint64_t *at)
{
    static const uint8_t zero[1];
    const job *j = ctx;
    int64_t bits = j->bits, size = bits / 8;
    hry_walk walk;
    hry_run run;
    (void)from, (void)at;
    hry_walk_init(&walk, to);
    while (hry_walk_next(&walk, &run)) {
        if (bits < 8)
            hry_bits_move(j->bits, j->dst, run.offset * bits, run.stride * bits, zero, 0, 0, run.count);
        else if (run.stride == 1)
            memset(j->dst + run.offset * size, 0, (size_t)run.count * (size_t)size);
        else
            for (uint64_t i = 0; i < run.count; i++)
                memset(j->dst + (run.offset + (int64_t)i * run.stride) * size, 0, (size_t)size);
    }
}

void hry_move_zeros(uint32_t bits, uint8_t *dst, hry_map *to, const hry_executor *executor)
{
    job j = { .bits = bits, .dst = dst };
    hry_map_join(to, NULL);
    hry_in_parts(to, to, bits, executor, zero_part, &j);
}

void hry_move_piece(uint32_t bits, const uint8_t *src, int64_t from, int64_t from_step, uint8_t *dst, int64_t to,
                    int64_t to_step, uint64_t n)
{
    mover m = mover_of(bits, src, dst);
    move_piece(&m, to, to_step, from, from_step, n);
}

void hry_move_list(uint32_t bits, const uint8_t *src, const int64_t *from, uint8_t *dst, const int64_t *to, size_t n)
{
    mover m = mover_of(bits, src, dst);
    move_list(&m, 0, to, 0, 0, from, n);
}
