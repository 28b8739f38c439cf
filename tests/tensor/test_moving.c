/*
 * Moves between two maps against copies of one element at a time, at places that the test works out itself: any order
 * of axes, gaps, signs and tiles, sizes about the ends of blocks, elements of any size that start anywhere.
 */
#include "support/naive_layout.h"
#include "tensor/move.h"

#include <hurray/pool.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static hry_pool *pool;

static int setup(void **state)
{
    (void)state;
    return hry_pool_create(3, NULL, &pool, NULL);
}

static int teardown(void **state)
{
    (void)state;
    hry_pool_destroy(pool);
    return 0;
}

/* Where the elements of a shape lie: in tiles, or by strides; from `base` on. */
typedef struct side {
    uint32_t rank;
    const uint64_t *shape;
    bool tiled;
    hry_layout layout;
    uint64_t tile[4];
    int64_t strides[4], base;
    int64_t low, high; /* the offsets of all */
} side;

static int64_t offset_of(const side *s, const uint64_t *index)
{
    int64_t offset = s->base;
    if (s->tiled)
        return offset + naive_offset(&s->layout, s->rank, s->shape, index);
    for (uint32_t k = 0; k < s->rank; k++)
        offset += (int64_t)index[k] * s->strides[k];
    return offset;
}

static void choose_tiles(side *s, uint64_t *seed)
{
    static const uint64_t edges[] = { 1, 2, 4, 7, 8, 16, 64 };
    for (uint32_t k = 0; k < s->rank; k++)
        s->tile[k] = edges[naive_below(seed, 7)];
    s->layout = (hry_layout){ .tag = HRY_LAYOUT_TILED, .tile_shape = s->tile };
    s->layout.outer_layout = naive_below(seed, 2) ? HRY_LAYOUT_ROW_MAJOR : HRY_LAYOUT_COLUMN_MAJOR;
    s->layout.inner_layout = naive_below(seed, 2) ? HRY_LAYOUT_ROW_MAJOR : HRY_LAYOUT_COLUMN_MAJOR;
}

/* Axes in any order, each a little longer than it must be and in either direction; where only read, some that repeat.
 */
static void choose_strides(side *s, uint64_t *seed, bool repeats)
{
    uint32_t order[4] = { 0, 1, 2, 3 };
    int64_t stride = naive_below(seed, 4) == 0 ? 2 : 1;
    for (uint32_t k = s->rank; k > 1; k--) {
        uint32_t other = (uint32_t)naive_below(seed, k), moved = order[k - 1];
        order[k - 1] = order[other];
        order[other] = moved;
    }
    for (uint32_t i = 0; i < s->rank; i++) {
        uint32_t k = order[i];
        s->strides[k] = naive_below(seed, 5) == 0 ? -stride : stride;
        stride *= (int64_t)(s->shape[k] + (naive_below(seed, 3) == 0 ? naive_below(seed, 9) : 0));
        if (repeats && naive_below(seed, 12) == 0)
            s->strides[k] = 0;
    }
}

static void choose_side(side *s, uint64_t *seed, uint32_t rank, const uint64_t *shape, bool repeats, uint32_t bits)
{
    uint64_t index[4] = { 0 };
    *s = (side){ .rank = rank, .shape = shape, .tiled = naive_below(seed, 3) == 0 };
    if (s->tiled)
        choose_tiles(s, seed);
    else
        choose_strides(s, seed, repeats);
    s->base = bits < 8 && naive_below(seed, 2) ? (int64_t)naive_below(seed, 20) - 8 : 0;
    s->low = s->high = offset_of(s, index);
    do {
        int64_t offset = offset_of(s, index);
        s->low = offset < s->low ? offset : s->low;
        s->high = offset > s->high ? offset : s->high;
    } while (naive_next(rank, shape, index));
}

static void map_of(const side *s, hry_map *map)
{
    if (s->tiled)
        assert_true(hry_map_layout(map, &s->layout, s->rank, s->shape, NULL));
    else
        hry_map_strided(map, s->rank, s->shape, s->strides);
    map->base += s->base;
}

/* Exactly the bytes that hold the elements, so that a sanitizer sees what lies outside; *first is where offset 0 is. */
static uint8_t *room_for(const side *s, uint64_t *seed, uint32_t bits, uint8_t **first, size_t *nbytes)
{
    int64_t low = s->low * (int64_t)bits, end = (s->high + 1) * (int64_t)bits;
    int64_t from = low >= 0 ? low / 8 : -((7 - low) / 8), to = end > 0 ? (end + 7) / 8 : -(-end / 8);
    size_t skew = naive_below(seed, 3) == 0 ? 1 : 0;
    *nbytes = (size_t)(to - from) + skew;
    uint8_t *room = malloc(*nbytes);
    assert_non_null(room);
    for (size_t i = 0; i < *nbytes; i++)
        room[i] = (uint8_t)naive_random(seed);
    *first = room + skew - from;
    return room;
}

static void copy_element(uint32_t bits, const uint8_t *src, int64_t from, uint8_t *dst, int64_t to)
{
    if (bits >= 8) {
        memcpy(dst + to * (int64_t)(bits / 8), src + from * (int64_t)(bits / 8), bits / 8);
        return;
    }
    for (int64_t b = 0; b < (int64_t)bits; b++) {
        int64_t source = from * (int64_t)bits + b, target = to * (int64_t)bits + b;
        unsigned bit = src[source >> 3] >> (source & 7) & 1;
        dst[target >> 3] = (uint8_t)((dst[target >> 3] & ~(1u << (target & 7))) | bit << (target & 7));
    }
}

static void move_once(uint64_t seed, uint32_t bits, uint32_t rank, const uint64_t *shape)
{
    side from, to;
    hry_map source, target;
    uint8_t *src, *dst;
    size_t src_size, dst_size;
    uint64_t index[4] = { 0 };
    choose_side(&from, &seed, rank, shape, true, bits);
    choose_side(&to, &seed, rank, shape, false, bits);
    uint8_t *src_room = room_for(&from, &seed, bits, &src, &src_size);
    uint8_t *dst_room = room_for(&to, &seed, bits, &dst, &dst_size), *want = malloc(dst_size);
    assert_non_null(want);
    memcpy(want, dst_room, dst_size);
    map_of(&from, &source);
    map_of(&to, &target);
    do
        copy_element(bits, src, offset_of(&from, index), want + (dst - dst_room), offset_of(&to, index));
    while (naive_next(rank, shape, index));
    hry_executor executor = hry_pool_executor(pool);
    hry_move(bits, src, &source, dst, &target, naive_below(&seed, 2) ? &executor : NULL);
    assert_memory_equal(dst_room, want, dst_size);
    free(want);
    free(dst_room);
    free(src_room);
}

static uint64_t some_length(uint64_t *seed)
{
    static const uint64_t edges[] = { 4, 8, 16, 32, 64, 128, 256 };
    return naive_below(seed, 2) ? 1 + naive_below(seed, 12) : edges[naive_below(seed, 7)] - 2 + naive_below(seed, 5);
}

static void any_two_maps(void **state)
{
    (void)state;
    static const uint32_t widths[] = { 1, 2, 4, 6, 8, 16, 24, 32, 64, 96, 128 };
    for (uint64_t i = 1; i <= 1100; i++) {
        uint64_t seed = i * 104729, shape[4], count = 1;
        uint32_t rank = 1 + (uint32_t)naive_below(&seed, 4);
        for (uint32_t k = 0; k < rank; k++) {
            shape[k] = some_length(&seed);
            shape[k] = count * shape[k] > 70000 ? 1 : shape[k];
            count *= shape[k];
        }
        move_once(seed, widths[i % 11], rank, shape);
    }
}

/* What is larger than the caches is streamed. */
static void large(void **state)
{
    (void)state;
    enum { ROWS = 2064, COLUMNS = 4112 };
    static const uint64_t shape[] = { ROWS, COLUMNS }, tile[] = { 64, 64 };
    const hry_layout tiled = { .tag = HRY_LAYOUT_TILED, .tile_shape = tile };
    const uint64_t across = (COLUMNS + 63) / 64, places = (ROWS + 63) / 64 * across * 4096;
    static const int64_t column_major[] = { 1, ROWS };
    uint32_t *rows = malloc(sizeof *rows * ROWS * COLUMNS), *other = malloc(sizeof *other * places);
    assert_true(rows && other);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        rows[i] = i;
    hry_map from, to;
    hry_map_packed(&from, 2, shape);
    hry_map_strided(&to, 2, shape, column_major);
    hry_move(32, (const uint8_t *)rows, &from, (uint8_t *)other, &to, NULL);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            assert_true(other[j * ROWS + i] == i * COLUMNS + j);
    hry_map_packed(&from, 2, shape);
    assert_true(hry_map_layout(&to, &tiled, 2, shape, NULL));
    hry_move(32, (const uint8_t *)rows, &from, (uint8_t *)other, &to, NULL);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            assert_true(other[(i / 64 * across + j / 64) * 4096 + i % 64 * 64 + j % 64] == i * COLUMNS + j);
    assert_true(hry_map_layout(&from, &tiled, 2, shape, NULL));
    hry_map_packed(&to, 2, shape);
    memset(rows, 0, sizeof *rows * ROWS * COLUMNS);
    hry_move(32, (const uint8_t *)other, &from, (uint8_t *)rows, &to, NULL);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        assert_true(rows[i] == i);
    free(rows);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_two_maps),
        cmocka_unit_test(large),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
