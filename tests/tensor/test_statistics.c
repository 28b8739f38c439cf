/* Statistics of tensors of every layout and type, against their definitions in long double. */
#include "support/composites.h"
#include "support/counting_alloc.h"
#include "support/stored_of.h"
#include "tensor/dense_case.h"
#include "tensor/naive_statistics.h"
#include "tensor/object.h"
#include "tensor/sparse_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static hry_statistics of(const hry_tensor *t, const char *name)
{
    hry_statistics s;
    hry_error err;
    if (hry_tensor_statistics(t, NULL, &s, &err))
        fail_msg("%s: %s", name, err.message);
    return s;
}

/* ---- Dense ---- */

static double element(const dense_case *c, const uint64_t *index)
{
    uint64_t words[2] = { dense_bits(c, index, 0), dense_bits(c, index, 64) };
    uint8_t bytes[16];
    hry_element_set_bits(c->type, bytes, 0, words[0], words[1]);
    return hry_element_f64(c->type, bytes, 0);
}

/* A part of a complex number: 0 or 1. */
static double part(const dense_case *c, const uint64_t *index, uint32_t which)
{
    bool wide = c->type == HRY_TYPE_COMPLEX128;
    uint64_t bits = dense_bits(c, index, which * c->bits / 2);
    if (wide) {
        double value;
        memcpy(&value, &bits, 8);
        return value;
    }
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, 4);
    return (double)value;
}

static bool is_complex(uint8_t type)
{
    return hry_type_find(type)->kind == HRY_KIND_COMPLEX;
}

/* Some elements become 0, so that there are groups to find. */
static void sow_zeros(dense_case *c, uint64_t *seed)
{
    uint64_t chance = naive_below(seed, 3), index[HRY_RANK_MAX] = { 0 };
    if (c->type == HRY_TYPE_FLOAT8_E8M0)
        return;
    do {
        int64_t offset = naive_offset(&c->n.layout, c->n.rank, c->n.shape, index);
        if (naive_below(seed, 4) >= chance)
            continue;
        for (uint32_t b = 0; b < c->bits; b++) {
            int64_t bit = c->byte_offset * 8 + offset * (int64_t)c->bits + (int64_t)b;
            c->buffer[bit / 8] = (uint8_t)(c->buffer[bit / 8] & ~(1u << bit % 8));
        }
    } while (naive_next(c->n.rank, c->n.shape, index));
}

static void expect_complex(hry_statistics *s, const double *both, size_t n, const hry_statistics *some)
{
    *s = *some; /* of the larger part of each */
    s->computed_mask &= ~(uint32_t)(HRY_STATS_RANGE | HRY_STATS_VALUES);
    s->value_min = s->value_max = s->value_abs_max = s->value_mean = s->value_stddev = 0;
    s->has_nan = s->has_inf = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        s->has_nan = s->has_nan || isnan(both[i]);
        s->has_inf = s->has_inf || isinf(both[i]);
    }
}

static void test_dense(void **state)
{
    (void)state;
    static const uint8_t tags[] = { HRY_LAYOUT_ROW_MAJOR, HRY_LAYOUT_COLUMN_MAJOR, HRY_LAYOUT_STRIDED,
                                    HRY_LAYOUT_TILED,     HRY_LAYOUT_MORTON,       HRY_LAYOUT_HILBERT };
    static const uint64_t largest[] = { 1, 9000, 90, 20, 8, 4 };
    for (uint64_t i = 1; i <= 600; i++) {
        uint64_t seed = i * 271, index[HRY_RANK_MAX] = { 0 };
        uint8_t tag = tags[naive_below(&seed, sizeof tags)];
        uint32_t rank = (uint32_t)naive_below(&seed, 6);
        if (tag != HRY_LAYOUT_ROW_MAJOR && rank == 0)
            rank = 1;
        if (tag == HRY_LAYOUT_HILBERT && rank == 1)
            rank = 2;
        dense_case c;
        char name[64];
        dense_make(&c, &seed, tag, rank, largest[rank]);
        sow_zeros(&c, &seed);
        snprintf(name, sizeof name, "%llu: %s of %s", (unsigned long long)i, hry_layout_name(tag),
                 hry_type_name(c.type));
        uint64_t count = 1;
        for (uint32_t k = 0; k < rank; k++)
            count *= c.n.shape[k];
        double *values = malloc(count * sizeof *values), *both = malloc(2 * count * sizeof *both);
        size_t n = 0;
        do {
            both[2 * n] = is_complex(c.type) ? part(&c, index, 0) : 0;
            both[2 * n + 1] = is_complex(c.type) ? part(&c, index, 1) : 0;
            values[n] = is_complex(c.type) ? (both[2 * n] != 0.0 || both[2 * n + 1] != 0.0) : element(&c, index);
            n++;
        } while (naive_next(rank, c.n.shape, index));
        hry_statistics want, got = of(c.tensor, name);
        naive_statistics(values, n, rank ? c.n.shape[rank - 1] : 0, &want);
        if (is_complex(c.type))
            expect_complex(&want, both, n, &want);
        assert_statistics(&got, &want, name);
        free(values);
        free(both);
        dense_free(&c);
    }
}

/* ---- Sparse ---- */

static void test_sparse(void **state)
{
    (void)state;
    static const uint8_t tags[] = { HRY_LAYOUT_COO, HRY_LAYOUT_COO, HRY_LAYOUT_CSR, HRY_LAYOUT_CSC, HRY_LAYOUT_CSF };
    for (uint64_t i = 1; i <= 1000; i++) {
        uint64_t seed = i * 977, count = 1, bit = 0, shape_last;
        uint8_t tag = tags[i % 5];
        uint32_t rank = tag == HRY_LAYOUT_COO   ? 1 + (uint32_t)naive_below(&seed, 4)
                        : tag == HRY_LAYOUT_CSF ? 3 + (uint32_t)naive_below(&seed, 2)
                                                : 2;
        sparse_case c;
        char name[64];
        sparse_make(&c, &seed, tag, i % 5 == 0, rank, rank == 1 ? 300 : rank == 2 ? 33 : 9);
        uint32_t bits = hry_type_find(c.type)->bits;
        for (uint64_t p = 0; p < c.nnz; p++)
            for (uint32_t b = 0, zero = naive_below(&seed, 3) == 0; b < bits; b++, bit++)
                if (zero)
                    c.buffer[0][bit / 8] = (uint8_t)(c.buffer[0][bit / 8] & ~(1u << bit % 8));
        snprintf(name, sizeof name, "%llu: %s of %s", (unsigned long long)i, hry_layout_name(tag),
                 hry_type_name(c.type));
        for (uint32_t k = 0; k < rank; k++)
            count *= c.shape[k];
        shape_last = c.shape[rank - 1];
        double *values = calloc(count, sizeof *values);
        for (uint64_t p = 0; p < c.nnz; p++) {
            uint64_t flat = 0;
            for (uint32_t k = 0; k < rank; k++)
                flat = flat * c.shape[k] + c.index[p][k];
            values[flat] = hry_element_f64(c.type, c.buffer[0], p);
        }
        hry_statistics want, got = of(c.tensor, name);
        naive_statistics(values, count, shape_last, &want);
        want.nnz = c.nnz; /* the layout's own */
        want.sparsity_ratio = (double)(count - c.nnz) / (double)count;
        assert_statistics(&got, &want, name);
        free(values);
        sparse_free(&c);
    }
}

/* More elements than 64 bits count: sums over what is stored, and groups by indices alone. */
static void test_immense(void **state)
{
    (void)state;
    static const uint64_t big = UINT64_C(1) << 40;
    static const double values[] = { 3.0, -1.0, 4.0 };
    _Alignas(64)
        uint64_t coordinates[] = { 7, big - 1, 0, 2, 7, big - 3 }; /* unsorted; the first and last share a group */
    hry_layout coo = { .tag = HRY_LAYOUT_COO, .nnz = 3 };
    hry_desc_spec spec = { .type = HRY_TYPE_FLOAT64, .rank = 2, .shape = (uint64_t[]){ big, big }, .layout = &coo };
    uint8_t bytes[512];
    hry_desc desc;
    hry_error err;
    hry_tensor *t;
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_tensor_create_stored(&desc,
                                              (const void *const[]){ stored_of(HRY_TYPE_FLOAT64, values, 3),
                                                                     stored_of(HRY_TYPE_UINT64, coordinates, 6) },
                                              NULL, NULL, NULL, &t, &err),
                     HRY_OK);
    hry_statistics s = of(t, "immense");
    assert_int_equal(s.computed_mask, 0x3F);
    assert_int_equal(s.nnz, 3);
    assert_true(s.sparsity_ratio == 1.0 && s.value_min == -1.0 && s.value_max == 4.0);
    assert_true(fabs(s.value_mean / (6.0 * 0x1p-80) - 1) < 1e-15);
    assert_true(fabs(s.value_stddev / (sqrt(26.0) * 0x1p-40) - 1) < 1e-15);
    assert_int_equal(s.nm_n, 2);
    assert_int_equal(s.nm_m, 32);
    hry_tensor_release(t);
}

/* ---- What repeats ---- */

static hry_tensor *strided(uint8_t type, uint32_t rank, const uint64_t *shape, const int64_t *strides, const void *data)
{
    uint8_t bytes[512];
    hry_layout layout = { .tag = HRY_LAYOUT_STRIDED, .strides = strides };
    hry_desc_spec spec = { .type = type, .rank = rank, .shape = shape, .layout = &layout };
    hry_desc desc;
    hry_error err;
    hry_tensor *t = NULL;
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_tensor_create(&desc, &data, NULL, NULL, NULL, &t, &err), HRY_OK);
    return t;
}

/* A shape of 2^60 elements over six: as long as six take. */
static void test_repeats(void **state)
{
    (void)state;
    _Alignas(64) static const int32_t data[] = { 5, 0, -3, 0, 0, 2 }, zero[] = { 0 };
    static const uint64_t rows[] = { UINT64_C(1) << 59, 6 }, columns[] = { 6, UINT64_C(1) << 59 };
    hry_tensor *t = strided(HRY_TYPE_INT32, 2, rows, (const int64_t[]){ 0, 1 }, stored_of(HRY_TYPE_INT32, data, 6));
    hry_statistics s = of(t, "rows"), want;
    naive_statistics((const double[]){ 5, 0, -3, 0, 0, 2 }, 6, 6, &want);
    want.nnz = UINT64_C(3) << 59;
    assert_statistics(&s, &want, "rows");
    hry_tensor_release(t);
    t = strided(HRY_TYPE_INT32, 2, columns, (const int64_t[]){ 1, 0 }, stored_of(HRY_TYPE_INT32, data, 6));
    s = of(t, "columns");
    assert_statistics(&s, &want, "columns"); /* groups of one value: full or empty, so that none says anything */
    hry_tensor_release(t);
    t = strided(HRY_TYPE_INT32, 2, columns, (const int64_t[]){ 0, 0 }, zero);
    s = of(t, "zeros");
    assert_true(s.nnz == 0 && s.sparsity_ratio == 1.0 && s.nm_n == 0 && s.nm_m == 4);
    hry_tensor_release(t);
}

/* ---- The ends of float64 ---- */

static void test_extremes(void **state)
{
    (void)state;
    static const double tables[][4] = { { 1.7e308, -1.7e308, 1.0, 0.0 },
                                        { 1e200, 1.5e200, NAN, -2e200 },
                                        { 3e-200, -1e-200, 2e-200, 0.0 },
                                        { 5e-324, 1e-322, -3e-323, 5e-324 } };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        static const uint64_t shape[] = { 4 };
        hry_tensor *t;
        hry_error err;
        assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT64, 1, shape, stored_of(HRY_TYPE_FLOAT64, tables[i], 4), NULL,
                                          NULL, &t, &err),
                         HRY_OK);
        hry_statistics s = of(t, "extremes"), want;
        naive_statistics(tables[i], 4, 4, &want);
        if (i == 3) { /* the unit of subnormals is all that can be told */
            assert_true(fabs(s.value_mean - want.value_mean) <= 5e-324);
            assert_true(fabs(s.value_stddev - want.value_stddev) <= 5e-324);
            want.value_mean = s.value_mean;
            want.value_stddev = s.value_stddev;
        }
        assert_statistics(&s, &want, "extremes");
        hry_tensor_release(t);
    }
}

/* ---- Refusals ---- */

static void test_refusals(void **state)
{
    (void)state;
    hry_statistics s, before;
    hry_error err = { 0 };
    memset(&s, 0x5A, sizeof s);
    before = s;
    member_spec members[2] = { { .spec = { .type = HRY_TYPE_FLOAT32 } }, { .spec = { .type = HRY_TYPE_INT8 } } };
    hry_tensor *t = composite_of(HRY_TYPE_FLOAT32, 1, (const uint64_t[]){ 3 }, 3, 0, members, 2, 2, &err);
    assert_non_null(t);
    assert_int_equal(hry_tensor_statistics(t, NULL, &s, &err), HRY_E_UNSUPPORTED);
    assert_memory_equal(&s, &before, sizeof s);
    hry_tensor_release(t);

    hry_layout paged = { .tag = HRY_LAYOUT_BLOCK_PAGED, .num_pages = 2, .page_size = 2, .num_seqs = 2 };
    hry_desc_spec spec = {
        .type = HRY_TYPE_FLOAT16, .rank = 3, .shape = (const uint64_t[]){ 3, 1, 4 }, .layout = &paged
    };
    uint8_t bytes[256];
    hry_desc desc;
    _Alignas(64) static const uint16_t pool[] = { 0x3C00, 0, 0, 0, 0,      0,      0, 0x4000,
                                                  0xFFFF, 0, 0, 0, 0x7C00, 0x7C00, 0, 0 };
    _Alignas(64) static const uint32_t table[] = { 1, 0 }, pointers[] = { 0, 1, 2 };
    spec.buffers = (const hry_buffer[]){ { .byte_size = sizeof pool },
                                         { .byte_size = sizeof table },
                                         { .byte_size = sizeof pointers } };
    spec.buffer_count = 3;
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_tensor_create(&desc,
                                       (const void *const[]){ stored_of(HRY_TYPE_FLOAT16, pool, 16),
                                                              stored_of(HRY_TYPE_UINT32, table, 2),
                                                              stored_of(HRY_TYPE_UINT32, pointers, 3) },
                                       NULL, NULL, NULL, &t, &err),
                     HRY_OK);
    assert_int_equal(hry_tensor_statistics(t, NULL, &s, &err), HRY_E_UNSUPPORTED);
    /* The first sequence has one token, the second two: page 1, then page 0. */
    hry_statistics_options options = { .token_counts = (const uint64_t[]){ 1, 2 } };
    assert_int_equal(hry_tensor_statistics(t, &options, &s, &err), HRY_OK);
    hry_statistics want;
    naive_statistics((const double[]){ NAN, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2 }, 12, 4, &want);
    assert_statistics(&s, &want, "two sequences");
    hry_tensor_release(t);
}

/* Each allocation fails in turn: nothing is left behind, and nothing is written. */
static void test_no_memory(void **state)
{
    (void)state;
    uint64_t seed = 5;
    dense_case dense;
    sparse_case sparse;
    dense_make(&dense, &seed, HRY_LAYOUT_COLUMN_MAJOR, 2, 40);
    sparse_make(&sparse, &seed, HRY_LAYOUT_CSC, false, 2, 16);
    while (sparse.shape[1] % 4 != 0) { /* groups make it sort */
        sparse_free(&sparse);
        sparse_make(&sparse, &seed, HRY_LAYOUT_CSC, false, 2, 16);
    }
    const hry_tensor *const tensors[] = { dense.tensor, sparse.tensor };
    for (size_t i = 0; i < 2; i++) {
        hry_status status = HRY_E_MEMORY;
        size_t calls = 0;
        for (size_t fail_at = 1; status; fail_at++) {
            counting_alloc counting;
            hry_statistics s = { .nnz = 77 };
            hry_error err;
            counting_alloc_init(&counting);
            counting.fail_at = fail_at;
            hry_statistics_options options = { .allocator = &counting.allocator };
            status = hry_tensor_statistics(tensors[i], &options, &s, &err);
            assert_int_equal(counting.blocks, 0);
            assert_true(status == HRY_OK ? counting.calls < fail_at : status == HRY_E_MEMORY && s.nnz == 77);
            calls = counting.calls;
        }
        assert_int_equal(calls, 1 + i); /* a room; a bit for each value, and entries to sort */
    }
    dense_free(&dense);
    sparse_free(&sparse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),     cmocka_unit_test(test_sparse),   cmocka_unit_test(test_immense),
        cmocka_unit_test(test_repeats),   cmocka_unit_test(test_extremes), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
