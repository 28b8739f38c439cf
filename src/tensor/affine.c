/*
 * A box is gone along in the order that suits the memory. What runs on in both sides is moved as one. Runs of a line or
 * more, and whatever both sides have as their fastest axis, go in the order of the source, which is best read as it
 * lies; where the sides' fastest axes differ, blocks of both are transposed. (Strides of powers of two put all rows of
 * a block in a few places of a cache, so that blocks have few rows or are put aside.)
 */
#include "tensor/affine.h"

#include "kern/kern.h"
#include "tensor/bits.h"

#include <stdlib.h>

enum {
    LINE = 64,     /* bytes */
    ROWS = 256,    /* of a block, */
    BREADTH = 256, /* and bytes of each; */
    THIN = 8,      /* so few rows or elements go in one piece */
    ROOM = 17 << 10
};

/* Steps are of units: bytes, or bits where elements are smaller. */
typedef struct axis {
    uint64_t count;
    int64_t from, to;
} axis;

typedef struct plan {
    const struct hry_kern *kern;
    const uint8_t *src;
    uint8_t *dst;
    int64_t from, to; /* the first element */
    uint64_t size;    /* units that are moved as one */
    bool stream, by_bits;
    uint32_t rank;
    axis axes[HRY_RANK_MAX];
} plan;

/* ---- Making one ---- */

/* The axis as it is gone along backwards. */
static void turn_round(plan *p, axis *x)
{
    p->from += (int64_t)(x->count - 1) * x->from;
    p->to += (int64_t)(x->count - 1) * x->to;
    x->from = -x->from;
    x->to = -x->to;
}

static void remove_axis(plan *p, uint32_t k)
{
    p->rank--;
    for (; k < p->rank; k++)
        p->axes[k] = p->axes[k + 1];
}

/* Makes the size grow while there is an axis along which it runs on in both sides. */
static void absorb(plan *p)
{
    for (uint32_t k = 0; k < p->rank;) {
        const axis *x = &p->axes[k];
        if (x->from == (int64_t)p->size && x->to == (int64_t)p->size) {
            p->size *= x->count;
            remove_axis(p, k);
            k = 0;
        } else {
            k++;
        }
    }
}

/* Bits that come as whole bytes are bytes. */
static void count_bytes(plan *p)
{
    uint64_t all = p->size | (uint64_t)p->from | (uint64_t)p->to;
    for (uint32_t k = 0; k < p->rank; k++)
        all |= (uint64_t)p->axes[k].from | (uint64_t)p->axes[k].to;
    p->by_bits = all % 8 != 0;
    if (p->by_bits)
        return;
    p->size /= 8;
    p->from /= 8;
    p->to /= 8;
    for (uint32_t k = 0; k < p->rank; k++) {
        p->axes[k].from /= 8;
        p->axes[k].to /= 8;
    }
}

static void make_plan(plan *p, uint32_t bits, const hry_map *from, const hry_map *to)
{
    int64_t unit = bits < 8 ? bits : bits / 8;
    p->rank = 0;
    p->size = (uint64_t)unit;
    p->from = from->base * unit;
    p->to = to->base * unit;
    p->by_bits = false;
    for (uint32_t k = 0; k < from->rank; k++) {
        axis *x = &p->axes[p->rank];
        *x = (axis){ from->axis[k].count, hry_map_stride(from, k) * unit, hry_map_stride(to, k) * unit };
        if (x->count == 1)
            continue;
        if (x->from < 0 || (x->from == 0 && x->to < 0))
            turn_round(p, x);
        p->rank++;
    }
    absorb(p);
    if (bits < 8)
        count_bytes(p);
}

/* ---- Going along ---- */

/* How far apart neighbours on an axis lie; those that lie on one another, infinitely. */
static uint64_t apart(int64_t step)
{
    return step == 0 ? UINT64_MAX : (uint64_t)llabs(step);
}

static bool is_slower(const axis *a, const axis *b, bool in_source)
{
    uint64_t first = apart(in_source ? a->from : a->to), next = apart(in_source ? b->from : b->to);
    return first != next ? first > next : apart(in_source ? a->to : a->from) > apart(in_source ? b->to : b->from);
}

static uint32_t fastest(const plan *p, bool in_source)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < p->rank; k++)
        if (is_slower(&p->axes[best], &p->axes[k], in_source))
            best = k;
    return best;
}

/* The first n axes from the slowest to the fastest of one side. */
static void sort(plan *p, uint32_t n, bool in_source)
{
    for (uint32_t k = 1; k < n; k++)
        for (uint32_t i = k; i > 0 && is_slower(&p->axes[i], &p->axes[i - 1], in_source); i--) {
            axis moved = p->axes[i];
            p->axes[i] = p->axes[i - 1];
            p->axes[i - 1] = moved;
        }
}

/* Puts an axis behind all others. */
static void put_last(plan *p, uint32_t k)
{
    axis moved = p->axes[k];
    remove_axis(p, k);
    p->axes[p->rank++] = moved;
}

typedef void piece_fn(const plan *p, int64_t from, int64_t to);

/* Calls move at each position of the first n axes. */
static void go_along(const plan *p, uint32_t n, piece_fn *move)
{
    uint64_t at[HRY_RANK_MAX] = { 0 };
    int64_t from = p->from, to = p->to;
    for (uint32_t k = n;;) {
        move(p, from, to);
        for (k = n; k > 0; k--) {
            const axis *x = &p->axes[k - 1];
            if (++at[k - 1] < x->count) {
                from += x->from;
                to += x->to;
                break;
            }
            at[k - 1] = 0;
            from -= (int64_t)(x->count - 1) * x->from;
            to -= (int64_t)(x->count - 1) * x->to;
        }
        if (k == 0)
            return;
    }
}

/* ---- What is moved ---- */

/* The last axis. */
static void move_line(const plan *p, int64_t from, int64_t to)
{
    const axis *x = &p->axes[p->rank - 1];
    p->kern->copy_rows(p->dst + to, x->to, p->src + from, x->from, (size_t)x->count, (size_t)p->size, p->stream);
}

static void move_line_of_bits(const plan *p, int64_t from, int64_t to)
{
    const axis *x = &p->axes[p->rank - 1];
    if (p->size >= 8)
        for (uint64_t i = 0; i < x->count; i++)
            hry_bits_copy(p->dst, to + (int64_t)i * x->to, p->src, from + (int64_t)i * x->from, p->size);
    else
        hry_bits_move((unsigned)p->size, p->dst, to, x->to, p->src, from, x->from, x->count);
}

typedef void transpose_fn(void *dst, int64_t dst_step, const void *src, int64_t src_step, size_t rows, size_t columns,
                          bool stream);

static transpose_fn *transpose_of(const plan *p)
{
    switch (p->size) {
    case 1:
        return p->kern->transpose_1;
    case 2:
        return p->kern->transpose_2;
    case 4:
        return p->kern->transpose_4;
    case 8:
        return p->kern->transpose_8;
    case 16:
        return p->kern->transpose_16;
    default:
        return NULL;
    }
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
    return n < most ? n : most;
}

/* The last two axes: rows that follow one another in the destination, columns that do in the source. */
static void transpose(const plan *p, int64_t from, int64_t to)
{
    const axis *row = &p->axes[p->rank - 2], *column = &p->axes[p->rank - 1];
    transpose_fn *run = transpose_of(p);
    uint64_t height = column->count > THIN ? ROWS : row->count;
    uint64_t breadth = row->count > THIN ? BREADTH / p->size : column->count;
    for (uint64_t i = 0; i < row->count; i += height)
        for (uint64_t j = 0; j < column->count; j += breadth)
            run(p->dst + to + (int64_t)i * row->to + (int64_t)j * column->to, column->to,
                p->src + from + (int64_t)i * row->from + (int64_t)j * column->from, row->from,
                (size_t)at_most(row->count - i, height), (size_t)at_most(column->count - j, breadth), p->stream);
}

/* The same for sizes and steps of any kind: blocks are read along the source, put aside, and written along the other.
 */
static void transpose_by_lines(const plan *p, int64_t from, int64_t to)
{
    _Alignas(LINE) uint8_t room[ROOM];
    const axis *row = &p->axes[p->rank - 2], *column = &p->axes[p->rank - 1];
    size_t size = (size_t)p->size, side = size <= 3 ? 64 : size <= 15 ? 32 : 16, pitch = (side + 1) * size;
    for (uint64_t top = 0; top < row->count; top += side)
        for (uint64_t left = 0; left < column->count; left += side) {
            size_t rows = (size_t)at_most(row->count - top, side),
                   columns = (size_t)at_most(column->count - left, side);
            const uint8_t *src = p->src + from + (int64_t)top * row->from + (int64_t)left * column->from;
            uint8_t *dst = p->dst + to + (int64_t)top * row->to + (int64_t)left * column->to;
            for (size_t i = 0; i < rows; i++)
                p->kern->copy_rows(room + i * pitch, (int64_t)size, src + (int64_t)i * row->from, column->from, columns,
                                   size, false);
            for (size_t j = 0; j < columns; j++)
                p->kern->copy_rows(dst + (int64_t)j * column->to, row->to, room + j * size, (int64_t)pitch, rows, size,
                                   false);
        }
}

/* Bits become bytes, which are transposed, and bits again. */
static void transpose_bits(const plan *p, int64_t from, int64_t to)
{
    enum { SIDE = 128 };
    _Alignas(LINE) uint8_t wide[SIDE * SIDE], turned[SIDE * SIDE];
    const axis *row = &p->axes[p->rank - 2], *column = &p->axes[p->rank - 1];
    unsigned width = (unsigned)p->size;
    for (uint64_t top = 0; top < row->count; top += SIDE)
        for (uint64_t left = 0; left < column->count; left += SIDE) {
            size_t rows = (size_t)at_most(row->count - top, SIDE);
            size_t columns = (size_t)at_most(column->count - left, SIDE);
            int64_t source = from + (int64_t)top * row->from + (int64_t)left * column->from;
            int64_t target = to + (int64_t)top * row->to + (int64_t)left * column->to;
            for (size_t i = 0; i < rows; i++)
                hry_bits_unpack(width, p->src, source + (int64_t)i * row->from, columns, wide + i * SIDE);
            p->kern->transpose_1(turned, SIDE, wide, SIDE, rows, columns, false);
            for (size_t j = 0; j < columns; j++)
                hry_bits_pack(width, turned + j * SIDE, rows, p->dst, target + (int64_t)j * column->to);
        }
}

/* ---- All of it ---- */

/* a and b become the last two axes: b, along which rows follow one another, before a. */
static void move_planes(plan *p, uint32_t a, uint32_t b)
{
    put_last(p, b);
    put_last(p, a < b ? a : a - 1);
    sort(p, p->rank - 2, false);
    const axis *row = &p->axes[p->rank - 2], *column = &p->axes[p->rank - 1];
    bool dense = row->to == (int64_t)p->size && column->from == (int64_t)p->size;
    piece_fn *move = p->by_bits ? transpose_bits : dense && transpose_of(p) ? transpose : transpose_by_lines;
    go_along(p, p->rank - 2, move);
}

void hry_move_affine(uint32_t bits, const uint8_t *src, const hry_map *from, uint8_t *dst, const hry_map *to,
                     bool stream)
{
    plan p;
    p.kern = hry_kern();
    p.src = src;
    p.dst = dst;
    p.stream = stream;
    make_plan(&p, bits, from, to);
    if (p.rank == 0)
        p.axes[p.rank++] = (axis){ .count = 1 };
    uint32_t a = fastest(&p, true), b = fastest(&p, false);
    if (p.axes[b].to < 0 && a != b)
        turn_round(&p, &p.axes[b]);
    bool in_order = a == b || p.size >= (p.by_bits ? 8 : LINE);
    if (p.by_bits && !in_order) /* only elements that follow one another become bytes */
        in_order = p.axes[a].from != (int64_t)p.size || p.axes[b].to != (int64_t)p.size;
    if (!in_order) {
        move_planes(&p, a, b);
        return;
    }
    put_last(&p, p.by_bits ? b : a);
    sort(&p, p.rank - 1, true);
    go_along(&p, p.rank - 1, p.by_bits ? move_line_of_bits : move_line);
}
