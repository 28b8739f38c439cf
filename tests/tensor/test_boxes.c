/* Exact cover against counting every cell, and on grids and sizes where counting is out of reach. */
#include "tensor/boxes.h"

#include "base/radix_sort.h"
#include "tensor/wide.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 1;

static uint64_t below(uint64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % n;
}

enum { MOST = 4096 };

typedef struct trial {
    uint32_t rank;
    size_t count;
    uint64_t space[8];
    uint64_t offset[MOST * 4], size[MOST * 4];
} trial;

static hry_cover cover(const trial *t, size_t pair[2])
{
    static uint64_t offset[MOST * 4], size[MOST * 4];
    memcpy(offset, t->offset, t->count * t->rank * sizeof *offset);
    memcpy(size, t->size, t->count * t->rank * sizeof *size);
    hry_boxes b = { t->rank, t->count, t->space, offset, size };
    return hry_boxes_cover(&b, NULL, pair);
}

/* Marks the cells of a box, dimension by dimension. */
static void mark(const trial *t, size_t i, uint32_t k, uint64_t cell, uint8_t *cells)
{
    if (k == t->rank) {
        cells[cell] = 1;
        return;
    }
    uint64_t start = t->offset[i * t->rank + k];
    for (uint64_t x = start; x < start + t->size[i * t->rank + k]; x++)
        mark(t, i, k + 1, cell * t->space[k] + x, cells);
}

static bool meet(const trial *t, size_t i, size_t j)
{
    for (uint32_t k = 0; k < t->rank; k++) {
        uint64_t oi = t->offset[i * t->rank + k], oj = t->offset[j * t->rank + k];
        if (oi >= oj + t->size[j * t->rank + k] || oj >= oi + t->size[i * t->rank + k])
            return false;
    }
    return true;
}

/* The formula of the format for overlaps, then every cell in some box. */
static hry_cover count_cells(const trial *t)
{
    static uint8_t marked[200000];
    uint64_t cells = 1;
    for (uint32_t k = 0; k < t->rank; k++)
        cells *= t->space[k];
    if (cells == 0)
        return HRY_COVER_EXACT;
    for (size_t i = 0; i < t->count; i++)
        for (size_t j = 0; j < i; j++)
            if (meet(t, i, j))
                return HRY_COVER_OVERLAP;
    assert_true(cells <= sizeof marked);
    memset(marked, 0, cells);
    for (size_t i = 0; i < t->count; i++)
        mark(t, i, 0, 0, marked);
    return memchr(marked, 0, cells) ? HRY_COVER_GAP : HRY_COVER_EXACT;
}

static void add_box(trial *t, const uint64_t *offset, const uint64_t *size)
{
    memcpy(t->offset + t->count * t->rank, offset, t->rank * sizeof *offset);
    memcpy(t->size + t->count * t->rank, size, t->rank * sizeof *size);
    t->count++;
}

/* A box cut in two, again and again: an exact cover by construction. */
static void cut(trial *t, uint64_t *offset, uint64_t *size, unsigned depth)
{
    uint32_t k = (uint32_t)below(t->rank);
    if (depth == 0 || size[k] < 2) {
        add_box(t, offset, size);
        return;
    }
    uint64_t at = 1 + below(size[k] - 1), whole = size[k], start = offset[k];
    size[k] = at;
    cut(t, offset, size, depth - 1);
    offset[k] = start + at;
    size[k] = whole - at;
    cut(t, offset, size, depth - 1);
    offset[k] = start;
    size[k] = whole;
}

static void cut_space(trial *t, uint32_t rank, uint64_t most, unsigned depth)
{
    uint64_t offset[8] = { 0 }, size[8];
    t->rank = rank;
    t->count = 0;
    for (uint32_t k = 0; k < rank; k++)
        size[k] = t->space[k] = 1 + below(most);
    cut(t, offset, size, depth);
}

/* Half of the trials are spoiled by moving, growing, dropping or doubling a box. */
static void spoil(trial *t)
{
    size_t i = below(t->count), k = below(t->rank), at = i * t->rank + k;
    switch (below(6)) {
    case 0:
        if (t->offset[at] > 0)
            t->offset[at]--;
        break;
    case 1:
        if (t->offset[at] + t->size[at] < t->space[k])
            t->size[at]++;
        break;
    case 2:
        t->size[at]--;
        break;
    case 3:
        t->count--;
        break;
    case 4:
        if (t->count < MOST)
            add_box(t, t->offset + i * t->rank, t->size + i * t->rank);
        break;
    default:
        t->size[at] = 0;
    }
}

static void agrees_with_counting(void **state)
{
    (void)state;
    static trial t;
    size_t pair[2], seen[3] = { 0 };
    for (size_t n = 0; n < 6000; n++) {
        cut_space(&t, 1 + (uint32_t)below(4), 7, (unsigned)below(8));
        if (n % 2)
            spoil(&t);
        hry_cover expected = count_cells(&t), got = cover(&t, pair);
        assert_int_equal(got, expected);
        if (got == HRY_COVER_OVERLAP)
            assert_true(meet(&t, pair[0], pair[1]));
        seen[got]++;
    }
    assert_true(seen[HRY_COVER_EXACT] > 500 && seen[HRY_COVER_OVERLAP] > 500 && seen[HRY_COVER_GAP] > 300);
}

/* More boxes than are compared in pairs, still few enough cells to count. */
static void agrees_when_many(void **state)
{
    (void)state;
    static trial t;
    size_t pair[2], seen[3] = { 0 }, many = 0;
    for (size_t n = 0; n < 300; n++) {
        uint32_t rank = 1 + (uint32_t)below(3);
        cut_space(&t, rank, (uint64_t[]){ 0, 4000, 400, 50 }[rank], 9);
        if (n % 2)
            spoil(&t);
        hry_cover expected = count_cells(&t), got = cover(&t, pair);
        assert_int_equal(got, expected);
        seen[got]++;
        many += t.count > 64;
    }
    assert_true(many > 100 && seen[HRY_COVER_EXACT] > 50 && seen[HRY_COVER_OVERLAP] > 20 && seen[HRY_COVER_GAP] > 20);
}

static void grid(trial *t, uint64_t side, uint64_t step)
{
    t->rank = 2;
    t->count = 0;
    t->space[0] = t->space[1] = side * step;
    for (uint64_t i = 0; i < side * side; i++)
        add_box(t, (uint64_t[]){ i / side * step, i % side * step }, (uint64_t[]){ step, step });
}

/* Coordinates that fit no key together, and volumes that fit no integer. */
static void enormous_spaces(void **state)
{
    (void)state;
    static trial t;
    size_t pair[2];
    static const uint64_t steps[] = { 1, (uint64_t)1 << 30, (uint64_t)1 << 57 };
    for (size_t s = 0; s < 3; s++) {
        grid(&t, 60, steps[s]);
        assert_int_equal(cover(&t, pair), HRY_COVER_EXACT);
        t.size[1]--;
        assert_int_equal(cover(&t, pair), HRY_COVER_GAP);
        t.size[1] += 2;
        assert_int_equal(cover(&t, pair), HRY_COVER_OVERLAP);
        t.size[1]--;
        t.count--;
        assert_int_equal(cover(&t, pair), HRY_COVER_GAP);
    }
    /* One cell of 2^66: the count of the rest needs more than 64 bits. (B-98) */
    t = (trial){ .rank = 2, .space = { (uint64_t)1 << 33, (uint64_t)1 << 33 } };
    add_box(&t, (uint64_t[]){ 0, 0 }, (uint64_t[]){ 1, 1 });
    assert_int_equal(cover(&t, pair), HRY_COVER_GAP);
    /* Volumes equal modulo 2^64 and 2^128. */
    t = (trial){ .rank = 3, .space = { (uint64_t)1 << 50, (uint64_t)1 << 50, (uint64_t)1 << 50 } };
    add_box(&t, (uint64_t[]){ 0, 0, 0 }, (uint64_t[]){ 1, 1, 1 });
    add_box(&t, (uint64_t[]){ 1, 1, 1 }, (uint64_t[]){ ((uint64_t)1 << 50) - 1, 1, 1 });
    assert_int_equal(cover(&t, pair), HRY_COVER_GAP);
}

/* Five boxes around a centre: no cut divides them. */
static void pinwheel(void **state)
{
    (void)state;
    trial *t = calloc(1, sizeof *t);
    size_t pair[2];
    t->rank = 2;
    t->space[0] = t->space[1] = 3;
    add_box(t, (uint64_t[]){ 0, 0 }, (uint64_t[]){ 1, 2 });
    add_box(t, (uint64_t[]){ 0, 2 }, (uint64_t[]){ 2, 1 });
    add_box(t, (uint64_t[]){ 2, 1 }, (uint64_t[]){ 1, 2 });
    add_box(t, (uint64_t[]){ 1, 0 }, (uint64_t[]){ 2, 1 });
    assert_int_equal(cover(t, pair), HRY_COVER_GAP);
    add_box(t, (uint64_t[]){ 1, 1 }, (uint64_t[]){ 1, 1 });
    assert_int_equal(cover(t, pair), HRY_COVER_EXACT);
    free(t);
}

static void no_boxes_and_no_space(void **state)
{
    (void)state;
    trial *t = calloc(1, sizeof *t);
    size_t pair[2];
    t->rank = 1;
    t->space[0] = 2;
    assert_int_equal(cover(t, pair), HRY_COVER_GAP);
    t->space[0] = 0;
    assert_int_equal(cover(t, pair), HRY_COVER_EXACT);
    add_box(t, (uint64_t[]){ 0 }, (uint64_t[]){ 0 });
    assert_int_equal(cover(t, pair), HRY_COVER_EXACT);
    t->space[0] = 2;
    t->size[0] = 2;
    assert_int_equal(cover(t, pair), HRY_COVER_EXACT);
    add_box(t, (uint64_t[]){ 0 }, (uint64_t[]){ 2 });
    assert_int_equal(cover(t, pair), HRY_COVER_OVERLAP);
    /* A box of size zero inside another one counts as an overlap, at its edge it does not. (B-97) */
    t->offset[1] = 1, t->size[1] = 0;
    assert_int_equal(cover(t, pair), HRY_COVER_OVERLAP);
    t->offset[1] = 2;
    assert_int_equal(cover(t, pair), HRY_COVER_EXACT);
    t->offset[1] = 0;
    assert_int_equal(cover(t, pair), HRY_COVER_EXACT);
    free(t);
}

static void zero_size_among_many(void **state)
{
    (void)state;
    static trial t;
    size_t pair[2];
    grid(&t, 20, 4);
    add_box(&t, (uint64_t[]){ 8, 8 }, (uint64_t[]){ 0, 4 });
    assert_int_equal(cover(&t, pair), HRY_COVER_EXACT);
    t.offset[2 * 400] = 9;
    assert_int_equal(cover(&t, pair), HRY_COVER_OVERLAP);
    assert_int_equal(pair[1], 400);
}

/* What sums of volumes are made of. */
static void wide_numbers(void **state)
{
    (void)state;
    static hry_wide a, b, sum;
    uint64_t factors[64];
    for (size_t i = 0; i < 64; i++)
        factors[i] = UINT64_MAX;
    hry_wide_product(factors, 64, &a);
    hry_wide_product(factors, 63, &b);
    assert_int_equal(a.used, 64);
    assert_true(a.word[0] == 1 && a.word[63] == UINT64_MAX - 63);
    sum = (hry_wide){ 0 };
    for (size_t i = 0; i < 4; i++)
        hry_wide_add(&sum, &b);
    factors[62] = 4; /* (2^64-1)^62 * 4 * ... */
    factors[63] = UINT64_MAX;
    hry_wide_product(factors, 64, &a);
    assert_true(hry_wide_equal(&sum, &a));
    factors[0] = 0;
    hry_wide_product(factors, 64, &a);
    assert_int_equal(a.used, 0);
    assert_false(hry_wide_equal(&sum, &a));
}

static int by_key(const void *a, const void *b)
{
    const hry_sort_key *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key ? 1 : -1) : (x->position > y->position) - (x->position < y->position);
}

static void sorting(void **state)
{
    (void)state;
    static const size_t counts[] = { 0, 1, 2, 47, 48, 49, 500, 3000 };
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (unsigned bits = 1; bits < 64; bits += 9) {
            static hry_sort_key keys[3000], expected[3000], scratch[3000];
            static uint64_t values[3000], values_scratch[3000];
            for (size_t i = 0; i < counts[c]; i++) {
                values[i] = below((uint64_t)1 << bits) << (63 - bits);
                expected[i] = keys[i] = (hry_sort_key){ values[i], (uint32_t)i, 0 };
            }
            qsort(expected, counts[c], sizeof *expected, by_key);
            hry_sort_keys(keys, scratch, counts[c]);
            hry_sort_u64(values, values_scratch, counts[c]);
            for (size_t i = 0; i < counts[c]; i++) {
                assert_true(keys[i].key == expected[i].key && keys[i].position == expected[i].position);
                assert_true(values[i] == expected[i].key);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_counting),  cmocka_unit_test(agrees_when_many),
        cmocka_unit_test(enormous_spaces),       cmocka_unit_test(pinwheel),
        cmocka_unit_test(no_boxes_and_no_space), cmocka_unit_test(zero_size_among_many),
        cmocka_unit_test(wide_numbers),          cmocka_unit_test(sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
