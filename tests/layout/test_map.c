/* Maps against the format's text, element by element, on random layouts and boxes. */
#include "layout/curve.h"
#include "layout/map.h"
#include "support/naive_layout.h"
#include "support/shared_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t tags[] = { HRY_LAYOUT_ROW_MAJOR, HRY_LAYOUT_COLUMN_MAJOR, HRY_LAYOUT_STRIDED,
                                HRY_LAYOUT_TILED,     HRY_LAYOUT_MORTON,       HRY_LAYOUT_HILBERT };

static void make(naive_tensor *t, uint64_t *seed, uint8_t tag)
{
    static const uint64_t largest[] = { 0, 200, 40, 12, 7, 4 };
    uint32_t rank = 1 + (uint32_t)naive_below(seed, 5);
    if (tag == HRY_LAYOUT_HILBERT && rank == 1)
        rank = 2;
    naive_make(t, seed, tag, rank, largest[rank]);
}

/* The offset of a position in a box, by the text. */
static int64_t expected(const naive_tensor *t, const hry_box *box, const uint64_t *at)
{
    uint64_t index[HRY_RANK_MAX];
    for (uint32_t k = 0; k < t->rank; k++)
        index[k] = box->start[k] + at[k] * (uint64_t)box->step[k];
    return naive_offset(&t->layout, t->rank, t->shape, index);
}

static void random_box(const naive_tensor *t, uint64_t *seed, hry_box *box)
{
    for (uint32_t k = 0; k < t->rank; k++) {
        uint64_t step = 1 + (naive_below(seed, 2) ? naive_below(seed, 5) : 0), n = t->shape[k];
        box->start[k] = naive_below(seed, n);
        if (naive_below(seed, 2)) {
            box->step[k] = (int64_t)step;
            box->count[k] = 1 + naive_below(seed, (n - 1 - box->start[k]) / step + 1);
        } else {
            box->step[k] = -(int64_t)step;
            box->count[k] = 1 + naive_below(seed, box->start[k] / step + 1);
        }
    }
}

static void check_runs(const hry_map *map, const naive_tensor *t, const hry_box *box)
{
    uint64_t at[HRY_RANK_MAX] = { 0 };
    hry_walk walk;
    hry_run run;
    bool more = hry_walk_init(&walk, map), ended = false;
    while (hry_walk_next(&walk, &run)) {
        assert_false(ended);
        assert_memory_equal(walk.at, at, t->rank * sizeof *at);
        assert_true(run.count >= 1);
        for (uint64_t i = 0; i < run.count; i++) {
            assert_int_equal(run.offset + (int64_t)i * run.stride, expected(t, box, at));
            ended = !naive_next(t->rank, box->count, at);
        }
    }
    assert_true(more && ended);
}

static void check_lines(const hry_map *map, const naive_tensor *t, const hry_box *box)
{
    uint64_t at[HRY_RANK_MAX] = { 0 }, n = box->count[t->rank - 1];
    int64_t *line = malloc((size_t)n * sizeof *line);
    hry_walk walk;
    bool more = true;
    for (bool row = hry_walk_init(&walk, map); row; row = hry_walk_row(&walk)) {
        hry_map_line(map, walk.at, (size_t)n, line);
        for (uint64_t i = 0; i < n; i++) {
            assert_true(more);
            assert_int_equal(line[i], expected(t, box, at));
            assert_int_equal(hry_map_offset(map, at), line[i]);
            more = naive_next(t->rank, box->count, at);
        }
    }
    assert_false(more);
    free(line);
}

static void test_random_boxes(void **state)
{
    (void)state;
    for (uint64_t seed0 = 1; seed0 <= 400; seed0++) {
        uint64_t seed = seed0, count, product = 1;
        naive_tensor t;
        hry_map map;
        hry_box box;
        make(&t, &seed, tags[seed0 % 6]);
        assert_true(hry_map_layout(&map, &t.layout, t.rank, t.shape, NULL));
        assert_int_equal(hry_box_resolve(NULL, t.rank, t.shape, &box, NULL), HRY_OK);
        check_runs(&map, &t, &box);
        check_lines(&map, &t, &box);
        random_box(&t, &seed, &box);
        hry_map_select(&map, &box);
        check_runs(&map, &t, &box);
        check_lines(&map, &t, &box);
        for (uint32_t k = 0; k < t.rank; k++)
            product *= box.count[k];
        assert_true(hry_map_count(&map, &count));
        assert_int_equal(count, product);
    }
}

/* A box of a box is a box. */
static void test_select_twice(void **state)
{
    (void)state;
    for (uint64_t seed0 = 1; seed0 <= 200; seed0++) {
        uint64_t seed = seed0 * 77;
        naive_tensor t, part;
        hry_map map;
        hry_box outer, inner, both;
        make(&t, &seed, tags[seed0 % 6]);
        random_box(&t, &seed, &outer);
        part.rank = t.rank;
        memcpy(part.shape, outer.count, sizeof part.shape);
        random_box(&part, &seed, &inner);
        for (uint32_t k = 0; k < t.rank; k++) {
            both.start[k] = outer.start[k] + inner.start[k] * (uint64_t)outer.step[k];
            both.count[k] = inner.count[k];
            both.step[k] = outer.step[k] * inner.step[k];
        }
        assert_true(hry_map_layout(&map, &t.layout, t.rank, t.shape, NULL));
        hry_map_select(&map, &outer);
        hry_map_select(&map, &inner);
        check_runs(&map, &t, &both);
    }
}

/* Joined maps pass through the same offsets in the same order. */
static void test_join(void **state)
{
    (void)state;
    for (uint64_t seed0 = 1; seed0 <= 200; seed0++) {
        uint64_t seed = seed0 * 1001, at[HRY_RANK_MAX] = { 0 };
        naive_tensor t, other;
        hry_map a, b;
        hry_run run;
        hry_walk walk;
        hry_box box;
        make(&t, &seed, tags[seed0 % 5]);
        other = t;
        other.layout = (hry_layout){ .tag = seed0 % 2 ? HRY_LAYOUT_ROW_MAJOR : HRY_LAYOUT_COLUMN_MAJOR };
        random_box(&t, &seed, &box);
        assert_true(hry_map_layout(&a, &t.layout, t.rank, t.shape, NULL));
        assert_true(hry_map_layout(&b, &other.layout, t.rank, t.shape, NULL));
        hry_map_select(&a, &box);
        hry_map_select(&b, &box);
        hry_map_join(&a, &b);
        assert_int_equal(a.rank, b.rank);
        for (uint32_t pass = 0; pass < 2; pass++) {
            memset(at, 0, sizeof at);
            hry_walk_init(&walk, pass ? &b : &a);
            while (hry_walk_next(&walk, &run))
                for (uint64_t i = 0; i < run.count; i++) {
                    assert_int_equal(run.offset + (int64_t)i * run.stride, expected(pass ? &other : &t, &box, at));
                    naive_next(t.rank, box.count, at);
                }
            for (uint32_t k = 0; k < t.rank; k++)
                assert_int_equal(at[k], 0);
        }
    }
    hry_map whole;
    hry_map_packed(&whole, 4, (uint64_t[]){ 3, 1, 5, 7 });
    hry_map_join(&whole, NULL);
    assert_int_equal(whole.rank, 1);
    assert_int_equal(whole.axis[0].count, 105);
}

/* What a box leaves constant makes an axis simple: one tile of a tiled tensor, every second column of a Morton one. */
static void test_simplified(void **state)
{
    (void)state;
    uint64_t tile[] = { 4, 8 }, shape[] = { 16, 16 };
    uint32_t bits[] = { 4, 4 };
    hry_map map;
    hry_box box = { .start = { 4, 8 }, .count = { 4, 8 }, .step = { 1, 1 } };
    assert_true(hry_map_layout(&map, &(hry_layout){ .tag = HRY_LAYOUT_TILED, .tile_shape = tile }, 2, shape, NULL));
    assert_false(hry_map_is_affine(&map, 1));
    hry_map_select(&map, &box);
    assert_true(hry_map_is_affine(&map, 0) && hry_map_is_affine(&map, 1));
    assert_int_equal(map.base, 3 * 32);
    box = (hry_box){ .start = { 0, 1 }, .count = { 2, 4 }, .step = { 8, 4 } };
    assert_true(hry_map_layout(&map, &(hry_layout){ .tag = HRY_LAYOUT_MORTON, .morton_bits = bits }, 2, shape, NULL));
    hry_map_select(&map, &box);
    assert_true(hry_map_is_affine(&map, 0));
    assert_int_equal(hry_map_stride(&map, 0), 64);
    assert_int_equal(map.axis[1].digits, 2);
}

static void test_scalar_and_empty(void **state)
{
    (void)state;
    hry_map map;
    hry_box box;
    hry_run run;
    hry_walk walk;
    hry_map_packed(&map, 0, NULL);
    assert_int_equal(hry_box_resolve(NULL, 0, NULL, &box, NULL), HRY_OK);
    hry_map_select(&map, &box);
    assert_true(hry_walk_init(&walk, &map) && hry_walk_next(&walk, &run));
    assert_int_equal(run.count, 1);
    assert_int_equal(run.offset, 0);
    assert_false(hry_walk_next(&walk, &run));
    /* Nothing of an empty tensor's other dimensions needs room, however large. */
    uint64_t shape[HRY_RANK_MAX] = { 0 }, tile[HRY_RANK_MAX];
    uint32_t bits[HRY_RANK_MAX];
    for (uint32_t k = 0; k < HRY_RANK_MAX; k++) {
        shape[k] = k ? (uint64_t)1 << 63 : 0;
        tile[k] = (uint64_t)1 << 40;
        bits[k] = 63;
    }
    for (uint8_t tag = HRY_LAYOUT_TILED; tag <= HRY_LAYOUT_MORTON; tag++) {
        hry_layout layout = { .tag = tag, .tile_shape = tile, .morton_bits = bits };
        assert_true(hry_map_layout(&map, &layout, HRY_RANK_MAX, shape, NULL));
        assert_false(hry_walk_init(&walk, &map) || hry_walk_next(&walk, &run));
    }
    hry_map_packed(&map, 3, (uint64_t[]){ 2, 0, 4 });
    assert_false(hry_walk_init(&walk, &map) || hry_walk_next(&walk, &run));
}

static void test_box_bounds(void **state)
{
    (void)state;
    const uint64_t shape[] = { 10, UINT64_MAX - 1 };
    static const struct {
        uint64_t start, count;
        int64_t step;
        bool good;
    } cases[] = {
        { 0, 10, 1, true },           { 0, 11, 1, false },
        { 9, 10, -1, true },          { 9, 11, -1, false },
        { 9, 1, INT64_MIN, true },    { 9, 2, INT64_MIN, false },
        { 10, 0, 1, true },           { 10, 1, 1, false },
        { 11, 0, 1, false },          { 0, 4, 3, true },
        { 1, 4, 3, false },           { 0, UINT64_MAX, INT64_MAX, false },
        { 1, UINT64_MAX, -1, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hry_error err;
        hry_box whole, box = { .start = { cases[i].start }, .count = { cases[i].count, 1 }, .step = { cases[i].step } };
        hry_status status = hry_box_resolve(&box, 2, shape, &whole, &err);
        assert_int_equal(status, cases[i].good ? HRY_OK : HRY_E_USAGE);
    }
}

/* ---- The tables beside the tree ---- */

static uint64_t *numbers(yajl_val array, uint64_t *to)
{
    for (size_t i = 0; i < YAJL_GET_ARRAY(array)->len; i++)
        to[i] = (uint64_t)json_i64(YAJL_GET_ARRAY(array)->values[i]);
    return to;
}

static yajl_val find(yajl_val object, const char *key)
{
    return yajl_tree_get(object, (const char *[]){ key, NULL }, yajl_t_any);
}

static void tiling_of(yajl_val fields, hry_layout *layout, hry_layout_store *store, uint32_t depth)
{
    yajl_val outer = find(fields, "outer_strides"), inner = find(fields, "inner_strides");
    layout->tag = HRY_LAYOUT_TILED;
    layout->tile_shape = numbers(json_at(fields, "tile_shape"), store->shape[depth]);
    layout->outer_layout = (uint8_t)json_u64(json_at(fields, "outer_layout"));
    layout->inner_layout = (uint8_t)json_u64(json_at(fields, "inner_layout"));
    if (outer)
        layout->outer_strides = (int64_t *)numbers(outer, (uint64_t *)store->outer[depth]);
    if (inner)
        layout->inner_strides = (int64_t *)numbers(inner, (uint64_t *)store->inner[depth]);
    if (layout->inner_layout == 4) {
        layout->inner = &store->level[depth];
        tiling_of(json_at(fields, "inner"), &store->level[depth], store, depth + 1);
    }
}

static void layout_of(yajl_val entry, naive_tensor *t)
{
    const char *name = YAJL_GET_STRING(json_at(entry, "layout"));
    yajl_val fields = json_at(entry, "layout_fields"), shape = json_at(entry, "shape");
    t->rank = (uint32_t)YAJL_GET_ARRAY(shape)->len;
    numbers(shape, t->shape);
    memset(&t->layout, 0, sizeof t->layout);
    t->layout.tag = hry_layout_by_name(name, strlen(name));
    if (t->layout.tag == HRY_LAYOUT_STRIDED)
        t->layout.strides = (int64_t *)numbers(json_at(fields, "strides"), (uint64_t *)t->store.outer[0]);
    if (t->layout.tag == HRY_LAYOUT_TILED)
        tiling_of(fields, &t->layout, &t->store, 0);
    if (t->layout.tag == HRY_LAYOUT_MORTON) {
        yajl_val bits = json_at(fields, "morton_bits");
        for (uint32_t k = 0; k < t->rank; k++)
            t->store.words[k] = (uint32_t)json_u64(YAJL_GET_ARRAY(bits)->values[k]);
        t->layout.morton_bits = t->store.words;
    }
    if (t->layout.tag == HRY_LAYOUT_HILBERT) {
        t->layout.hilbert_order = (uint32_t)json_u64(json_at(fields, "hilbert_order"));
        t->layout.hilbert_rank = (uint32_t)json_u64(json_at(fields, "hilbert_rank"));
    }
}

static void test_layout_offsets(void **state)
{
    (void)state;
    yajl_val tree = shared_json("conformance/values/layout_offsets.json");
    for (size_t i = 0; i < YAJL_GET_OBJECT(tree)->len; i++) {
        yajl_val entry = YAJL_GET_OBJECT(tree)->values[i], offsets = find(entry, "offsets");
        naive_tensor t;
        hry_map map;
        uint64_t at[HRY_RANK_MAX] = { 0 };
        layout_of(entry, &t);
        assert_true(hry_map_layout(&map, &t.layout, t.rank, t.shape, NULL));
        for (size_t j = 0; offsets && j < YAJL_GET_ARRAY(offsets)->len; j++) {
            assert_int_equal(hry_map_offset(&map, at), json_i64(YAJL_GET_ARRAY(offsets)->values[j]));
            naive_next(t.rank, t.shape, at);
        }
        yajl_val samples = offsets ? NULL : json_at(entry, "samples");
        for (size_t j = 0; samples && j < YAJL_GET_ARRAY(samples)->len; j++) {
            yajl_val *pair = YAJL_GET_ARRAY(YAJL_GET_ARRAY(samples)->values[j])->values;
            numbers(pair[0], at);
            int64_t want = (int64_t)json_u64(pair[1]), line; /* the highest codes of unequal Morton bits take all 64 */
            assert_int_equal(hry_map_offset(&map, at), want);
            hry_map_line(&map, at, 1, &line);
            assert_int_equal(line, want);
            assert_int_equal(naive_offset(&t.layout, t.rank, t.shape, at), want);
            if (t.layout.tag == HRY_LAYOUT_HILBERT) {
                uint64_t back[HRY_RANK_MAX];
                hry_hilbert_decode(t.layout.hilbert_order, t.rank, (uint64_t)want, back);
                assert_memory_equal(back, at, t.rank * sizeof *at);
            }
        }
    }
    yajl_tree_free(tree);
}

static void test_hilbert_inverse(void **state)
{
    (void)state;
    for (uint64_t seed = 1, i = 0; i < 3000; i++) {
        uint32_t rank = 2 + (uint32_t)naive_below(&seed, 20), order = 1 + (uint32_t)naive_below(&seed, 63 / rank);
        uint64_t index[HRY_RANK_MAX], h = naive_random(&seed) & (((uint64_t)1 << rank * order) - 1);
        hry_hilbert_decode(order, rank, h, index);
        for (uint32_t k = 0; k < rank; k++)
            assert_true(index[k] < (uint64_t)1 << order);
        assert_int_equal(hry_hilbert_encode(order, rank, index), h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_boxes),
        cmocka_unit_test(test_select_twice),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_simplified),
        cmocka_unit_test(test_scalar_and_empty),
        cmocka_unit_test(test_box_bounds),
        cmocka_unit_test(test_layout_offsets),
        cmocka_unit_test(test_hilbert_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
