/* Blocks of maps against the format's text: every element of every block that a box touches. */
#include "layout/blocks.h"
#include "support/naive_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void random_box(const naive_tensor *t, uint64_t *seed, hry_box *box)
{
    for (uint32_t k = 0; k < t->rank; k++) {
        box->start[k] = naive_below(seed, 3) ? 0 : naive_below(seed, t->shape[k]);
        box->count[k] =
            naive_below(seed, 3) ? t->shape[k] - box->start[k] : 1 + naive_below(seed, t->shape[k] - box->start[k]);
        box->step[k] = 1;
    }
}

/* The line of blocks to which an index of the box belongs has the element where the text says. */
static void check_index(hry_blocks *blocks, const naive_tensor *t, const hry_box *box, const uint64_t *index,
                        uint64_t *seed)
{
    const hry_map *map = blocks->map;
    uint64_t first[HRY_RANK_MAX];
    uint32_t place = 0, last = t->rank - 1;
    enum { LINE = 20 };
    int64_t offsets[LINE];
    uint8_t lists[LINE];
    for (uint32_t k = 0; k < t->rank; k++) {
        /* The map counts as it likes; positions are the box's. */
        uint64_t at = index[k] - box->start[k] + map->axis[k].start;
        first[k] = at >> blocks->bits << blocks->bits;
        place = place << blocks->bits | (uint32_t)(at - first[k]);
    }
    uint64_t before = naive_below(seed, (first[last] >> blocks->bits) + 1);
    before = before < LINE ? before : LINE - 1;
    first[last] -= before << blocks->bits;
    hry_blocks_line(blocks, first, (size_t)before + 1, offsets, lists);
    assert_int_equal(offsets[before] + hry_blocks_list(blocks, lists[before])[place],
                     naive_offset(&t->layout, t->rank, t->shape, index));
}

static void test_random_boxes(void **state)
{
    (void)state;
    static const uint8_t tags[] = { HRY_LAYOUT_MORTON, HRY_LAYOUT_HILBERT };
    static const uint64_t largest[] = { 0, 0, 150, 40, 16, 9 };
    static hry_blocks blocks;
    unsigned had[2][6] = { { 0 } };
    for (uint64_t i = 1; i <= 800; i++) {
        uint64_t seed = i, index[HRY_RANK_MAX];
        uint32_t rank = 2 + (uint32_t)naive_below(&seed, 4);
        naive_tensor t;
        hry_box box;
        hry_map map;
        naive_make(&t, &seed, tags[i % 2], rank, largest[rank]);
        random_box(&t, &seed, &box);
        assert_true(hry_map_layout(&map, &t.layout, t.rank, t.shape, NULL));
        hry_map_select(&map, &box);
        if (!hry_map_in_blocks(&map) || !hry_blocks_init(&blocks, &map))
            continue;
        had[i % 2][rank]++;
        for (int n = 0; n < 500; n++) {
            for (uint32_t k = 0; k < rank; k++)
                index[k] = box.start[k] + naive_below(&seed, box.count[k]);
            check_index(&blocks, &t, &box, index, &seed);
        }
    }
    for (uint32_t rank = 2; rank <= 5; rank++) {
        assert_true(had[0][rank] > 20);
        assert_int_equal(had[1][rank] > 20, rank <= 3);
    }
}

/* What has none: steps, thin slices, long runs, tiles, orders below a block's, ranks beyond the largest. */
static void test_no_blocks(void **state)
{
    (void)state;
    uint64_t shape[] = { 64, 64, 64, 64, 64, 64 };
    uint32_t bits[] = { 6, 6, 6, 6, 6, 6 };
    hry_layout morton = { .tag = HRY_LAYOUT_MORTON, .morton_bits = bits };
    hry_map map;
    hry_box box = { .count = { 64, 32 }, .step = { 1, 2 } };
    hry_map_layout(&map, &morton, 2, shape, NULL);
    assert_true(hry_map_in_blocks(&map));
    hry_map_select(&map, &box);
    assert_true(hry_map_in_blocks(&map)); /* every second column is a plain axis of half the digits */
    box = (hry_box){ .count = { 64, 21 }, .step = { 1, 3 } };
    hry_map_layout(&map, &morton, 2, shape, NULL);
    hry_map_select(&map, &box);
    assert_false(hry_map_in_blocks(&map));
    box = (hry_box){ .count = { 3, 64 }, .step = { 1, 1 } };
    hry_map_layout(&map, &morton, 2, shape, NULL);
    hry_map_select(&map, &box);
    assert_false(hry_map_in_blocks(&map));
    hry_map_layout(&map, &morton, 6, shape, NULL);
    assert_false(hry_map_in_blocks(&map));
    hry_map_packed(&map, 2, shape);
    assert_false(hry_map_in_blocks(&map));
    hry_map_layout(&map, &(hry_layout){ .tag = HRY_LAYOUT_TILED, .tile_shape = (uint64_t[]){ 2, 2 } }, 2, shape, NULL);
    assert_false(hry_map_in_blocks(&map));
    shape[0] = shape[1] = 8;
    hry_map_layout(&map, &(hry_layout){ .tag = HRY_LAYOUT_HILBERT, .hilbert_order = 3, .hilbert_rank = 2 }, 2, shape,
                   NULL);
    assert_false(hry_map_in_blocks(&map));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_boxes),
        cmocka_unit_test(test_no_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
