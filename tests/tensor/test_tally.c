/* Statistics that add up, against their definitions computed in long double. */
#include "tensor/tally.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void add(hry_tally *t, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i += HRY_STATS_CHUNK) {
        size_t part = n - i < HRY_STATS_CHUNK ? n - i : HRY_STATS_CHUNK;
        uint64_t nonzero[HRY_STATS_CHUNK / 64];
        struct hry_moments m;
        hry_kern()->moments_f64(x + i, part, nonzero, &m);
        hry_tally_chunk(t, &m, nonzero, part);
    }
}

static hry_statistics of(const double *x, size_t n, uint64_t last)
{
    hry_tally t;
    hry_statistics s;
    hry_tally_init(&t);
    add(&t, x, n);
    hry_tally_statistics(&t, last, &s);
    return s;
}

static void test_definitions(void **state)
{
    (void)state;
    enum { N = 3 * HRY_STATS_CHUNK + 100 };
    double *x = malloc(N * sizeof *x);
    long double sum = 0, squares = 0;
    size_t nnz = 0;
    srand(3);
    for (size_t i = 0; i < N; i++) {
        x[i] = rand() % 3 ? 1000.0 + (double)(rand() % 1000) / 7.0 : 0.0;
        nnz += x[i] != 0.0;
        sum += x[i];
    }
    for (size_t i = 0; i < N; i++)
        squares += ((long double)x[i] - sum / N) * ((long double)x[i] - sum / N);
    hry_statistics s = of(x, N, N);
    assert_int_equal(s.computed_mask, 0x3F);
    assert_int_equal(s.nnz, nnz);
    assert_true(s.sparsity_ratio == (double)(N - nnz) / N);
    assert_true(s.value_min == 0.0 && s.value_max <= 1143.0 && s.value_abs_max == s.value_max);
    assert_true(fabsl(s.value_mean - sum / N) < 1e-10L);
    assert_true(fabsl(s.value_stddev - sqrtl(squares / N)) < 1e-9L);
    assert_int_equal(s.has_nan | s.has_inf, 0);
    free(x);
}

/* Segments in order give the same whether they were computed one by one or apart. */
static void test_merge(void **state)
{
    (void)state;
    enum { N = 5 * HRY_STATS_CHUNK };
    double *x = malloc(N * sizeof *x);
    long double sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += x[i] = sin((double)i) * (i % 7 ? 1.0 : 1e5);
    hry_tally whole, part[5];
    hry_tally_init(&whole);
    for (int p = 0; p < 5; p++) {
        hry_tally_init(&part[p]);
        add(&part[p], x + p * HRY_STATS_CHUNK, HRY_STATS_CHUNK);
        hry_tally_merge(&whole, &part[p]);
    }
    hry_statistics s, all = of(x, N, N);
    hry_tally_statistics(&whole, N, &s);
    assert_true(s.nnz == all.nnz && s.value_min == all.value_min && s.value_max == all.value_max);
    assert_true(fabs(s.value_mean - all.value_mean) < 1e-12);
    assert_true(fabsl(s.value_mean - sum / N) < 1e-10L);
    assert_true(fabs(s.value_stddev / all.value_stddev - 1.0) < 1e-13);
    free(x);
}

static void test_zeros(void **state)
{
    (void)state;
    double x[] = { 3.0, -5.0 };
    hry_tally t;
    hry_statistics s;
    hry_tally_init(&t);
    add(&t, x, 2);
    hry_tally_zeros(&t, 6);
    hry_tally_statistics(&t, 0, &s);
    assert_int_equal(s.nnz, 2);
    assert_true(s.sparsity_ratio == 0.75 && s.value_min == -5.0 && s.value_max == 3.0 && s.value_abs_max == 5.0);
    assert_true(fabs(s.value_mean - -0.25) < 1e-16);
    assert_true(fabs(s.value_stddev - sqrt(34.0 / 8 - 0.0625)) < 1e-15);

    x[0] = x[1] = 2.0;
    hry_tally_init(&t);
    add(&t, x, 2);
    hry_tally_zeros(&t, 1);
    hry_tally_statistics(&t, 0, &s);
    assert_true(s.value_min == 0.0 && s.value_max == 2.0);
}

static void test_not_defined(void **state)
{
    (void)state;
    hry_statistics s = of(NULL, 0, 4);
    assert_int_equal(s.computed_mask, HRY_STATS_NNZ);
    assert_int_equal(s.nnz, 0);
    double nan[] = { NAN, NAN };
    s = of(nan, 2, 2);
    assert_int_equal(s.computed_mask, HRY_STATS_NNZ | HRY_STATS_SPARSITY | HRY_STATS_NAN_INF | HRY_STATS_NM);
    assert_int_equal(s.nnz, 2);
    assert_int_equal(s.has_nan, 1);
    double inf[] = { 1.0, -INFINITY, 0.0 };
    s = of(inf, 3, 3);
    assert_int_equal(s.computed_mask & HRY_STATS_VALUES, 0);
    assert_true(s.value_min == -INFINITY && s.value_max == 1.0 && s.value_abs_max == INFINITY);
    assert_int_equal(s.has_inf, 1);
    double negative_zero[] = { -0.0 };
    s = of(negative_zero, 1, 1);
    assert_true(s.value_min == 0.0 && !signbit(s.value_min) && !signbit(s.value_max));
}

/* From the definition: N is the largest number of non-zeros in an aligned group of M along the last dimension. */
static void test_groups(void **state)
{
    (void)state;
    srand(11);
    for (int round = 0; round < 300; round++) {
        static const size_t lasts[] = { 4, 8, 12, 16, 32, 64, 24, 5, 96 };
        size_t last = lasts[rand() % 9], rows = 1 + (size_t)rand() % 90, n = rows * last;
        double *x = calloc(n, sizeof *x);
        unsigned density = 1 + (unsigned)rand() % 8;
        for (size_t i = 0; i < n; i++)
            x[i] = (unsigned)rand() % 8 < density && i % 4 < density ? 1.0 : 0.0;
        unsigned best_n = 0, best_m = 0;
        for (unsigned m = 4; m <= 32; m *= 2) {
            unsigned most = 0;
            for (size_t g = 0; last % m == 0 && g < n; g += m) {
                unsigned count = 0;
                for (size_t i = g; i < g + m; i++)
                    count += x[i] != 0.0;
                most = count > most ? count : most;
            }
            if (last % m == 0 && most < m && (best_m == 0 || most * best_m < best_n * m)) {
                best_n = most;
                best_m = m;
            }
        }
        hry_statistics s = of(x, n, last);
        assert_true(s.computed_mask & HRY_STATS_NM);
        assert_int_equal(s.nm_n, best_n);
        assert_int_equal(s.nm_m, best_m);
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions), cmocka_unit_test(test_merge),  cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_not_defined), cmocka_unit_test(test_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
