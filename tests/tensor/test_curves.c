/*
 * Curves in bulk, against the format's text: shapes of several blocks and parts of blocks, every type, regions, strides
 * of the caller's, from one curve to another, past the caches, and with threads.
 */
#include "base/bytes.h"
#include "tensor/dense_case.h"

#include <hurray/pool.h>
#include <hurray/quantize.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t tags[] = { HRY_LAYOUT_MORTON, HRY_LAYOUT_HILBERT };

static void make(dense_case *c, uint64_t *seed)
{
    static const uint64_t largest[] = { 1, 300, 90, 24, 16, 8 };
    uint32_t rank = 2 + (uint32_t)naive_below(seed, 4);
    dense_make(c, seed, tags[naive_below(seed, 2)], rank, largest[rank]);
}

/* Mostly without steps, of some thickness. */
static void some_box(const dense_case *c, uint64_t *seed, hry_box *box)
{
    dense_box(seed, c->n.rank, c->n.shape, box);
    if (naive_below(seed, 5) == 0)
        return;
    for (uint32_t k = 0; k < c->n.rank; k++) {
        box->start[k] = naive_below(seed, 2) ? 0 : naive_below(seed, c->n.shape[k] / 2 + 1);
        box->count[k] = c->n.shape[k] - box->start[k];
        box->count[k] -= naive_below(seed, 2) ? 0 : naive_below(seed, box->count[k]);
        box->step[k] = (int64_t)naive_below(seed, 2);
    }
}

/* Strides of rows that have gaps, in any order of axes, some of them backwards; *first is where the first element is.
 */
static uint64_t some_strides(uint64_t *seed, uint32_t rank, const hry_box *box, int64_t *strides, int64_t *first)
{
    uint64_t span = 1;
    uint32_t turn = (uint32_t)naive_below(seed, rank);
    *first = 0;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t k = (2 * rank - 1 - i - turn) % rank;
        strides[k] = (int64_t)span;
        span = span * box->count[k] + naive_below(seed, 3);
        if (naive_below(seed, 4) == 0) {
            *first += strides[k] * (int64_t)(box->count[k] - 1);
            strides[k] = -strides[k];
        }
    }
    return span;
}

static void copy_bits(uint8_t *dst, int64_t to, const uint8_t *src, int64_t from, uint32_t n)
{
    if (n % 8 == 0 && to % 8 == 0 && from % 8 == 0) {
        memcpy(dst + to / 8, src + from / 8, n / 8);
        return;
    }
    for (uint32_t b = 0; b < n; b++, to++, from++)
        dst[to / 8] = (uint8_t)((dst[to / 8] & ~(1u << to % 8)) | naive_bit(src, from) << to % 8);
}

/* A box written from strided rows and read back into others: nothing else changes. */
static void test_boxes(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 500; i++) {
        uint64_t seed = i, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX], nbytes;
        int64_t strides[HRY_RANK_MAX], first;
        dense_case c;
        hry_box box;
        hry_error err;
        make(&c, &seed);
        some_box(&c, &seed, &box);
        uint64_t span = some_strides(&seed, c.n.rank, &box, strides, &first);
        for (uint32_t k = 0; k < c.n.rank && c.bits < 8; k++) /* the first element starts a byte */
            strides[k] = llabs(strides[k]);
        first = c.bits < 8 ? 0 : first;
        hry_type_size(c.bits, span, &nbytes);
        uint8_t *src = malloc(nbytes), *got = malloc(nbytes), *want = malloc(c.nbytes), *back = malloc(nbytes);
        for (uint64_t b = 0; b < nbytes; b++) {
            src[b] = (uint8_t)naive_random(&seed);
            back[b] = got[b] = (uint8_t)naive_random(&seed);
        }
        memcpy(want, c.buffer, c.nbytes);
        do {
            int64_t from = first;
            dense_index(&box, c.n.rank, at, index);
            for (uint32_t k = 0; k < c.n.rank; k++)
                from += (int64_t)at[k] * strides[k];
            int64_t to = naive_offset(&c.n.layout, c.n.rank, c.n.shape, index);
            copy_bits(want, c.byte_offset * 8 + to * (int64_t)c.bits, src, from * (int64_t)c.bits, c.bits);
            copy_bits(back, from * (int64_t)c.bits, src, from * (int64_t)c.bits, c.bits);
        } while (naive_next(c.n.rank, box.count, at));
        uint64_t ahead = (uint64_t)first * c.bits / 8;
        assert_int_equal(hry_desc_write(hry_tensor_desc(c.tensor), &box, 0, strides, src + ahead,
                                        &(hry_write_options){ .stored = true }, (void *const[]){ c.buffer }, &err),
                         HRY_OK);
        assert_memory_equal(c.buffer, want, c.nbytes);
        assert_int_equal(
            hry_tensor_read_with(c.tensor, &box, 0, strides, &(hry_read_options){ .stored = true }, got + ahead, &err),
            HRY_OK);
        assert_memory_equal(got, back, nbytes);
        free(src);
        free(got);
        free(want);
        free(back);
        dense_free(&c);
    }
}

/* The elements of one tensor, in row-major order, are those of another. */
static void assert_same_elements(const hry_tensor *a, const hry_tensor *b)
{
    uint64_t nbytes;
    hry_error err;
    hry_read_options options = { .stored = true };
    const hry_desc *desc = hry_tensor_desc(a);
    uint64_t count;
    assert_true(hry_desc_count(desc, &count));
    hry_type_size(hry_type_find(desc->type)->bits, count, &nbytes);
    uint8_t *x = calloc(1, nbytes), *y = calloc(1, nbytes);
    assert_int_equal(hry_tensor_read_with(a, NULL, 0, NULL, &options, x, &err), HRY_OK);
    assert_int_equal(hry_tensor_read_with(b, NULL, 0, NULL, &options, y, &err), HRY_OK);
    assert_memory_equal(x, y, nbytes);
    free(x);
    free(y);
}

/* From a curve to a curve or to tiles, neither of which strides describe. */
static void test_between_curves(void **state)
{
    (void)state;
    static const uint64_t tile[] = { 32, 24, 6, 4, 5 };
    for (uint64_t i = 1; i <= 200; i++) {
        uint64_t seed = i * 7;
        dense_case c;
        hry_error err;
        hry_tensor *other, *again;
        make(&c, &seed);
        bool cube = c.n.layout.tag == HRY_LAYOUT_HILBERT;
        hry_layout to = { .tag = HRY_LAYOUT_TILED, .tile_shape = tile };
        if (naive_below(&seed, 2))
            to = (hry_layout){ .tag = cube ? HRY_LAYOUT_MORTON : HRY_LAYOUT_COLUMN_MAJOR };
        assert_int_equal(hry_tensor_relayout(c.tensor, &to, NULL, &other, &err), HRY_OK);
        assert_same_elements(c.tensor, other);
        hry_layout back = { .tag = c.n.layout.tag };
        assert_int_equal(hry_tensor_relayout(other, &back, NULL, &again, &err), HRY_OK);
        assert_same_elements(c.tensor, again);
        hry_tensor_release(again);
        hry_tensor_release(other);
        dense_free(&c);
    }
}

/* Values of another type: each element of a box that is written from float64, and read as float32. */
static void test_converted(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 300; i++) {
        uint64_t seed = i * 13, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX], n = 1;
        dense_case c;
        hry_box box;
        hry_error err;
        make(&c, &seed);
        some_box(&c, &seed, &box);
        for (uint32_t k = 0; k < c.n.rank; k++)
            n *= box.count[k];
        double *src = malloc(n * sizeof *src);
        float *got = malloc(n * sizeof *got);
        for (uint64_t k = 0; k < n; k++) /* powers of two: exact in float32 whatever type holds them */
            src[k] = (double)(1u << naive_below(&seed, 4));
        assert_int_equal(hry_desc_write(hry_tensor_desc(c.tensor), &box, HRY_TYPE_FLOAT64, NULL, src, NULL,
                                        (void *const[]){ c.buffer }, &err),
                         HRY_OK);
        bool real = hry_type_find(c.type)->kind != HRY_KIND_COMPLEX;
        assert_int_equal(hry_tensor_read(c.tensor, &box, HRY_TYPE_FLOAT32, NULL, got, &err),
                         real ? HRY_OK : HRY_E_UNSUPPORTED);
        uint64_t k = 0;
        do {
            uint8_t element[16], want[16];
            dense_index(&box, c.n.rank, at, index);
            hry_element_set_bits(c.type, element, 0, dense_bits(&c, index, 0), dense_bits(&c, index, 64));
            assert_true(hry_element_set_f64(c.type, want, 0, src[k]));
            assert_true(hry_element_f64(c.type, element, 0) == hry_element_f64(c.type, want, 0));
            assert_true(!real || (double)got[k] == hry_element_f64(c.type, want, 0));
            k++;
        } while (naive_next(c.n.rank, box.count, at));
        free(src);
        free(got);
        dense_free(&c);
    }
}

/* Codes with a scale for each column, whose values depend on where they are: those of rows. */
static void test_quantized(void **state)
{
    (void)state;
    static const uint8_t storage[] = { HRY_TYPE_INT8, HRY_TYPE_INT4 };
    for (uint64_t i = 1; i <= 60; i++) {
        uint64_t seed = i, shape[] = { 64, 64, 64 };
        uint32_t rank = 2 + (uint32_t)naive_below(&seed, 2);
        uint8_t tag = tags[naive_below(&seed, 2)];
        hry_tensor *floats, *rows, *curve;
        hry_box box;
        hry_error err;
        for (uint32_t k = 0; k < rank && tag == HRY_LAYOUT_MORTON; k++)
            shape[k] = 1 + naive_below(&seed, 90);
        uint64_t count = shape[0] * shape[1] * (rank == 3 ? shape[2] : 1);
        float *x = malloc(count * sizeof *x), *want = malloc(count * sizeof *x), *got = malloc(count * sizeof *x);
        for (uint64_t k = 0; k < count; k++)
            x[k] = (float)naive_below(&seed, 1000) / 7 - 70;
        assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, rank, shape, x, NULL, NULL, &floats, &err), HRY_OK);
        hry_quantizer quantizer = { .scheme = HRY_SCHEME_PER_CHANNEL,
                                    .storage = storage[naive_below(&seed, 2)],
                                    .axis = (uint32_t)naive_below(&seed, rank) };
        assert_int_equal(hry_tensor_quantize(floats, &quantizer, &rows, &err), HRY_OK);
        assert_int_equal(hry_tensor_relayout(rows, &(hry_layout){ .tag = tag }, NULL, &curve, &err), HRY_OK);
        for (int round = 0; round < 4; round++) {
            uint64_t n = 1;
            for (uint32_t k = 0; k < rank; k++) {
                box.start[k] = round == 0 ? 0 : naive_below(&seed, shape[k] / 2 + 1);
                box.count[k] = shape[k] - box.start[k];
                box.step[k] = 1;
                n *= box.count[k];
            }
            assert_int_equal(hry_tensor_read(rows, &box, HRY_TYPE_FLOAT32, NULL, want, &err), HRY_OK);
            assert_int_equal(hry_tensor_read(curve, &box, HRY_TYPE_FLOAT32, NULL, got, &err), HRY_OK);
            assert_memory_equal(got, want, n * sizeof *got);
        }
        hry_tensor_release(curve);
        hry_tensor_release(rows);
        hry_tensor_release(floats);
        free(x);
        free(want);
        free(got);
    }
}

/* Large enough to be cut for threads, and to be written past the caches. */
static void test_large(void **state)
{
    (void)state;
    enum { ROWS = 4096, COLUMNS = 4096 };
    static const uint64_t shape[] = { ROWS, COLUMNS };
    const uint32_t bits[] = { 12, 12 };
    hry_pool *pool;
    hry_error err;
    assert_int_equal(hry_pool_create(3, NULL, &pool, &err), HRY_OK);
    hry_executor executor = hry_pool_executor(pool);
    uint32_t *src = malloc(sizeof *src * ROWS * COLUMNS), *dst = aligned_alloc(64, sizeof *dst * ROWS * COLUMNS);
    uint32_t *got = aligned_alloc(64, sizeof *got * ROWS * COLUMNS);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        src[i] = i * 2654435761u;
    for (size_t tag = 0; tag < sizeof tags; tag++)
        for (int threads = 0; threads < 2; threads++) {
            uint8_t bytes[512];
            uint64_t seed = 5, index[2];
            hry_desc desc;
            hry_tensor *t;
            hry_layout layout = { .tag = tags[tag], .morton_bits = bits, .hilbert_order = 12, .hilbert_rank = 2 };
            hry_desc_spec spec = { .type = HRY_TYPE_UINT32, .rank = 2, .shape = shape, .layout = &layout };
            hry_write_options write = { .executor = threads ? &executor : NULL };
            hry_read_options read = { .executor = write.executor };
            memset(dst, 0, sizeof *dst * ROWS * COLUMNS);
            memset(got, 0, sizeof *got * ROWS * COLUMNS);
            assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
            assert_int_equal(hry_desc_write(&desc, NULL, 0, NULL, src, &write, (void *const[]){ dst }, &err), HRY_OK);
            for (int i = 0; i < 300000; i++) {
                index[0] = naive_below(&seed, ROWS);
                index[1] = naive_below(&seed, COLUMNS);
                assert_int_equal(hry_load32(&dst[naive_offset(&layout, 2, shape, index)]),
                                 src[index[0] * COLUMNS + index[1]]);
            }
            assert_int_equal(hry_tensor_create(&desc, (const void *const[]){ dst }, NULL, NULL, NULL, &t, &err),
                             HRY_OK);
            assert_int_equal(hry_tensor_read_with(t, NULL, 0, NULL, &read, got, &err), HRY_OK);
            assert_memory_equal(got, src, sizeof *src * ROWS * COLUMNS);
            hry_tensor_release(t);
        }
    free(src);
    free(dst);
    free(got);
    hry_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),     cmocka_unit_test(test_between_curves), cmocka_unit_test(test_converted),
        cmocka_unit_test(test_quantized), cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
