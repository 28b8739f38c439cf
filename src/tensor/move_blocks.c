#include "tensor/move_blocks.h"

#include "kern/kern.h"
#include "layout/blocks.h"
#include "tensor/move.h"

#include <string.h>

enum { BRICK_ROOM = 1 << 14 }; /* bytes */

/* ---- A row of a block: n elements at places of a list, and at every step, in bytes, from a pointer on ---- */

typedef void move_row(uint8_t *dst, const uint8_t *src, const uint16_t *list, int64_t step, size_t n, size_t size);

#define ROWS(name, SIZE)                                                                                   \
    static void put_##name(uint8_t *dst, const uint8_t *src, const uint16_t *list, int64_t step, size_t n, \
                           size_t size)                                                                    \
    {                                                                                                      \
        (void)size;                                                                                        \
        for (size_t i = 0; i < n; i++)                                                                     \
            memcpy(dst + list[i] * (size_t)(SIZE), src + (int64_t)i * step, SIZE);                         \
    }                                                                                                      \
    static void get_##name(uint8_t *dst, const uint8_t *src, const uint16_t *list, int64_t step, size_t n, \
                           size_t size)                                                                    \
    {                                                                                                      \
        (void)size;                                                                                        \
        for (size_t i = 0; i < n; i++)                                                                     \
            memcpy(dst + (int64_t)i * step, src + list[i] * (size_t)(SIZE), SIZE);                         \
    }

ROWS(1, 1)
ROWS(2, 2)
ROWS(4, 4)
ROWS(8, 8)
ROWS(16, 16)
ROWS(any, size)

static move_row *row_of(size_t size, bool put)
{
    switch (size) {
    case 1:
        return put ? put_1 : get_1;
    case 2:
        return put ? put_2 : get_2;
    case 4:
        return put ? put_4 : get_4;
    case 8:
        return put ? put_8 : get_8;
    case 16:
        return put ? put_16 : get_16;
    default:
        return put ? put_any : get_any;
    }
}

/* ---- Squares of a plane, by kernels ---- */

enum { WAYS = 4 }; /* in which a curve passes a square */

typedef void put_square(const void *rows, ptrdiff_t pitch, const struct hry_square *square, void *run, bool stream);
typedef void get_square(const void *run, const struct hry_square *square, void *rows, ptrdiff_t pitch, bool stream);

typedef struct squares {
    put_square *put;
    get_square *get;
    bool stream;
    enum { NOT_ASKED, GOOD, BAD } state[WAYS];
    struct hry_square way[WAYS];
} squares;

static void squares_init(squares *s, int64_t size, bool put)
{
    const struct hry_kern *kern = hry_kern();
    put_square *const puts[] = { kern->square_put_1, kern->square_put_2, kern->square_put_4, kern->square_put_8 };
    get_square *const gets[] = { kern->square_get_1, kern->square_get_2, kern->square_get_4, kern->square_get_8 };
    s->put = NULL;
    s->get = NULL;
    for (unsigned i = 0; i < 4; i++)
        if (size == 1 << i) {
            s->put = put ? puts[i] : NULL;
            s->get = put ? NULL : gets[i];
        }
    for (unsigned i = 0; i < WAYS; i++)
        s->state[i] = NOT_ASKED;
}

/* False when a list is not of runs of 16 for each square of 4 x 4. */
static bool make_square(struct hry_square *square, const uint16_t *list, bool put)
{
    for (unsigned i = 0; i < 16; i++) {
        const uint16_t *first = list + i / 4 * 64 + i % 4 * 4;
        unsigned place = *first / 16, seen = 0;
        for (unsigned e = 0; e < 16; e++) {
            unsigned at = first[e / 4 * 16 + e % 4];
            if (at / 16 != place || place > 15)
                return false;
            seen |= 1u << at % 16;
            square->from[i][put ? at % 16 : e] = (uint8_t)(put ? e : at % 16);
        }
        if (seen != 0xFFFF)
            return false;
        square->place[i] = (uint8_t)place;
    }
    return true;
}

/* ---- Blocks on one side, strides on the other ---- */

typedef struct job {
    hry_blocks *blocks;
    squares *squares;
    const hry_map *rows; /* the side of strides */
    const uint8_t *src;
    uint8_t *dst;
    bool put; /* into blocks */
    int64_t size;
    move_row *move;
} job;

/* To the next row of a block; false behind the last. */
static bool next_row(const hry_brick *brick, uint32_t last, uint32_t bits, const int64_t *step, uint64_t *at,
                     int64_t *row, int64_t *place)
{
    for (uint32_t k = last; k-- > 0;) {
        bool more = ++at[k] < brick->count[k];
        int64_t go = more ? 1 : 1 - (int64_t)brick->count[k];
        *row += go * step[k];
        *place += go * ((int64_t)1 << bits * (last - k));
        if (more)
            return true;
        at[k] = 0;
    }
    return false;
}

/* A whole block whose rows have no gaps. */
static bool move_square(const job *j, const hry_brick *brick, unsigned number, int64_t block, int64_t row,
                        const int64_t *step)
{
    squares *s = j->squares;
    if (!(s->put || s->get) || j->rows->rank != 2 || (brick->count[0] & brick->count[1]) != 16 || step[1] != j->size)
        return false;
    if (s->state[number] == NOT_ASKED)
        s->state[number] = make_square(&s->way[number], hry_blocks_list(j->blocks, number), s->put) ? GOOD : BAD;
    if (s->state[number] == BAD)
        return false;
    if (s->put)
        s->put(j->src + row, (ptrdiff_t)step[0], &s->way[number], j->dst + block, s->stream);
    else
        s->get(j->src + block, &s->way[number], j->dst + row, (ptrdiff_t)step[0], s->stream);
    return true;
}

static void move_block(const job *j, const hry_brick *brick, int64_t block, unsigned number)
{
    const hry_map *rows = j->rows, *map = j->blocks->map;
    uint32_t last = rows->rank - 1, bits = j->blocks->bits;
    uint64_t at[HRY_BLOCK_RANK_MAX] = { 0 };
    int64_t row = rows->base, place = 0, step[HRY_BLOCK_RANK_MAX];
    const uint16_t *list = hry_blocks_list(j->blocks, number);
    for (uint32_t k = 0; k <= last; k++) {
        step[k] = hry_map_stride(rows, k) * j->size;
        row += (int64_t)hry_brick_position(brick, map, k) * hry_map_stride(rows, k);
        place = (place << bits) + (int64_t)brick->inside[k];
    }
    row *= j->size;
    if (move_square(j, brick, number, block, row, step))
        return;
    int64_t ahead = step[last] * ((int64_t)2 << bits); /* two blocks on */
    do {
        if (j->put)
            __builtin_prefetch(j->src + row + ahead);
        else
            __builtin_prefetch(j->dst + row + ahead, 1);
        j->move(j->dst + (j->put ? block : row), j->src + (j->put ? row : block), list + place, step[last],
                (size_t)brick->count[last], (size_t)j->size);
    } while (next_row(brick, last, bits, step, at, &row, &place));
}

/* A block's bytes lie in a row, but blocks do not: none but us knows which is next. */
static void fetch_ahead(const job *j, int64_t block)
{
    enum { LINE = 64 };
    int64_t end = block + (int64_t)j->blocks->elements * j->size;
    for (; block < end; block += LINE)
        if (j->put)
            __builtin_prefetch(j->dst + block, 1);
        else
            __builtin_prefetch(j->src + block);
}

/* The blocks along the last axis. */
static void move_line(const job *j, hry_brick *brick)
{
    enum { AT_A_TIME = 64, AHEAD = 4 };
    bool past_caches = j->put && j->squares->stream && j->squares->put && j->size >= 4;
    const hry_map *map = j->blocks->map;
    uint32_t last = map->rank - 1, bits = j->blocks->bits;
    uint64_t end = map->axis[last].start + map->axis[last].count, index = brick->index[last];
    for (size_t n; index < end; index += (uint64_t)n << bits) {
        int64_t offsets[AT_A_TIME];
        uint8_t lists[AT_A_TIME];
        uint64_t left = ((end - index - 1) >> bits) + 1;
        brick->index[last] = index;
        n = left < AT_A_TIME ? (size_t)left : AT_A_TIME;
        hry_blocks_line(j->blocks, brick->index, n, offsets, lists);
        for (size_t i = 0; i < n; i++) {
            if (!past_caches && i + AHEAD < n)
                fetch_ahead(j, offsets[i + AHEAD] * j->size);
            hry_brick_set(brick, map, last, index + ((uint64_t)i << bits));
            move_block(j, brick, offsets[i] * j->size, lists[i]);
        }
    }
}

static void move_all(const job *j)
{
    const hry_map *map = j->blocks->map;
    uint32_t last = map->rank - 1, bits = j->blocks->bits;
    hry_brick brick;
    hry_brick_first(&brick, map, j->blocks->elements);
    do {
        brick.index[last] = map->axis[last].start >> bits << bits;
        move_line(j, &brick);
    } while (hry_brick_next(&brick, map, last));
}

static bool is_strided(const hry_map *map)
{
    for (uint32_t k = 0; k < map->rank && !map->hilbert_order; k++)
        if (!hry_map_is_affine(map, k))
            return false;
    return !map->hilbert_order;
}

static bool move_strided(uint32_t bits, const uint8_t *src, const hry_map *from, uint8_t *dst, const hry_map *to,
                         bool put, bool stream)
{
    hry_blocks blocks;
    squares by_kernel;
    if (!hry_blocks_init(&blocks, put ? to : from))
        return false;
    squares_init(&by_kernel, bits / 8, put);
    by_kernel.stream = stream;
    move_all(&(job){ .blocks = &blocks,
                     .squares = &by_kernel,
                     .rows = put ? from : to,
                     .src = src,
                     .dst = dst,
                     .put = put,
                     .size = bits / 8,
                     .move = row_of(bits / 8, put) });
    return true;
}

/* ---- Blocks on one side, no strides on the other: by way of room, brick by brick ---- */

static bool move_by_way_of_room(uint32_t bits, const uint8_t *src, const hry_map *from, uint8_t *dst, const hry_map *to,
                                const hry_map *lead)
{
    _Alignas(64) uint8_t room[BRICK_ROOM];
    hry_map cut, packed;
    hry_brick brick;
    if (!hry_brick_first(&brick, lead, sizeof room / (bits / 8)))
        return false;
    do {
        hry_brick_cut(&brick, lead, from, &cut);
        hry_map_packed(&packed, lead->rank, brick.count);
        hry_move(bits, src, &cut, room, &packed, NULL);
        hry_brick_cut(&brick, lead, to, &cut);
        hry_map_packed(&packed, lead->rank, brick.count);
        hry_move(bits, room, &packed, dst, &cut, NULL);
    } while (hry_brick_next(&brick, lead, lead->rank));
    return true;
}

bool hry_move_in_blocks(uint32_t bits, const hry_map *from, const hry_map *to)
{
    return bits >= 8 && (hry_map_in_blocks(from) || hry_map_in_blocks(to));
}

bool hry_move_blocks(uint32_t bits, const uint8_t *src, const hry_map *from, uint8_t *dst, const hry_map *to,
                     bool stream)
{
    bool put = hry_map_in_blocks(to);
    if (is_strided(put ? from : to))
        return move_strided(bits, src, from, dst, to, put, stream);
    return move_by_way_of_room(bits, src, from, dst, to, put ? to : from);
}
