/* Values of large sparse tensors: statistics, scales that go by channel and block, rows. */
#include "tensor/large_case.h"

#include "base/bytes.h"
#include "support/naive_layout.h"
#include "tensor/naive_statistics.h"

#include <hurray/quantize.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Statistics ---- */

static void test_statistics(void **state)
{
    (void)state;
    for (int i = 0; i < LARGE_WAYS; i++) {
        uint64_t seed = 7 + (uint64_t)i;
        large l;
        large_make(&l, &seed, HRY_TYPE_INT8, large_ways[i].rank ? large_ways[i].rank : 2,
                   large_ways[i].rank == 3 ? (uint64_t[]){ 30, 41, 96 } : (uint64_t[]){ 330, 704 });
        for (uint64_t k = 0; k < l.count; k++) /* groups of 4 hold 3 at the most */
            if (k % 4 == 1)
                l.dense[k] = 0;
        large_lay_out(&l, &seed, large_ways[i].tag, large_ways[i].is_sorted, large_ways[i].mode);
        double *values = malloc(l.count * sizeof *values);
        for (uint64_t k = 0; k < l.count; k++)
            values[k] = (int8_t)l.dense[k];
        hry_statistics want, got[2];
        naive_statistics(values, l.count, l.shape[l.rank - 1], &want);
        want.nnz = l.nnz;
        want.sparsity_ratio = (double)(l.count - l.nnz) / (double)l.count;
        for (int threads = 0; threads < 2; threads++) {
            hry_tensor *t = large_tensor(&l);
            hry_statistics_options options = { .executor = threads ? &large_executor : NULL };
            memset(&got[threads], 0, sizeof *got);
            assert_int_equal(hry_tensor_statistics(t, &options, &got[threads], NULL), HRY_OK);
            assert_statistics(&got[threads], &want, hry_layout_name(l.tag));
            hry_tensor_release(t);
        }
        assert_true(got[0].value_mean == got[1].value_mean && got[0].value_stddev == got[1].value_stddev);
        free(values);
        large_free(&l);
    }
}

/* The list alone, made plain. */
static void check_list(const hry_tensor *t, const large *l, const double *want, const hry_executor *executor)
{
    hry_relayout_options options = { .executor = executor };
    hry_tensor *plain = NULL;
    assert_int_equal(hry_tensor_dequantize(t, HRY_TYPE_FLOAT32, &options, &plain, NULL), HRY_OK);
    for (uint64_t i = 0; i < l->nnz; i++)
        assert_true(hry_element_f64(HRY_TYPE_FLOAT32, hry_tensor_buffer(plain, 0, NULL), i) == want[l->flat[i]]);
    hry_tensor_release(plain);
}

/* Scales by channel and by block: the values of all layouts, and their statistics, with the same bits for any number
 * of threads. */
static void test_quantized(void **state)
{
    (void)state;
    for (int i = 0; i < LARGE_WAYS; i++)
        for (uint32_t axis = 0; axis < (large_ways[i].rank ? large_ways[i].rank : 2); axis++)
            for (int blocks = 0; blocks < 2; blocks++) {
                uint64_t seed = 50 + (uint64_t)i, at[LARGE_RANK] = { 0 }, n = 0, count = 1;
                large l;
                large_make(&l, &seed, i % 2 ? HRY_TYPE_INT8 : HRY_TYPE_INT4,
                           large_ways[i].rank ? large_ways[i].rank : 2,
                           large_ways[i].rank == 3 ? (uint64_t[]){ 30, 41, 96 } : (uint64_t[]){ 301, 404 });
                large_lay_out(&l, &seed, large_ways[i].tag, large_ways[i].is_sorted, large_ways[i].mode);
                uint64_t parts = blocks ? (l.shape[axis] + 1) / 2 : l.shape[axis];
                for (uint32_t k = 0; k < l.rank; k++)
                    count *= k == axis ? parts : blocks ? l.shape[k] : 1;
                float *scales = malloc(count * sizeof *scales), *got = malloc(l.count * sizeof *got);
                uint8_t *stored = malloc(count * sizeof *scales);
                double *want = malloc(l.count * sizeof *want);
                for (uint64_t k = 0; k < count; k++)
                    hry_store_f32(stored + 4 * k, scales[k] = 0.25F * (float)(1 + naive_below(&seed, 1000)));
                do { /* blocks are numbered in row-major order of the other dimensions, those along axis last */
                    uint64_t number = 0;
                    for (uint32_t k = 0; blocks && k < l.rank; k++)
                        number = k == axis ? number : number * l.shape[k] + at[k];
                    number = blocks ? number * parts + at[axis] / 2 : at[axis];
                    want[n] = hry_element_f64(l.type, l.dense, n) * (double)scales[number];
                    n++;
                } while (naive_next(l.rank, l.shape, at));
                hry_statistics expected, found[2];
                naive_statistics(want, l.count, l.shape[l.rank - 1], &expected);
                expected.nnz = l.nnz;
                expected.sparsity_ratio = (double)(l.count - l.nnz) / (double)l.count;
                for (int threads = 0; threads < 2; threads++) {
                    hry_tensor *t = large_quantized(&l, blocks ? HRY_SCHEME_PER_BLOCK : HRY_SCHEME_PER_CHANNEL, axis,
                                                    stored, count);
                    hry_read_options read = { .executor = threads ? &large_executor : NULL };
                    hry_statistics_options options = { .executor = read.executor };
                    assert_int_equal(hry_tensor_read_with(t, NULL, HRY_TYPE_FLOAT32, NULL, &read, got, NULL), HRY_OK);
                    for (n = 0; n < l.count; n++)
                        assert_true(got[n] == want[n]);
                    check_list(t, &l, want, read.executor);
                    memset(&found[threads], 0, sizeof *found);
                    assert_int_equal(hry_tensor_statistics(t, &options, &found[threads], NULL), HRY_OK);
                    assert_statistics(&found[threads], &expected, hry_layout_name(l.tag));
                    hry_tensor_release(t);
                }
                assert_true(found[0].value_mean == found[1].value_mean);
                assert_true(found[0].value_stddev == found[1].value_stddev);
                free(scales);
                free(stored);
                free(got);
                free(want);
                large_free(&l);
            }
}

/* ---- Rows ---- */

static void test_rows(void **state)
{
    (void)state;
    for (int i = 0; i < LARGE_WAYS; i++) {
        uint64_t seed = 30 + (uint64_t)i;
        uint32_t rank = large_ways[i].rank ? large_ways[i].rank : 2;
        large l;
        hry_rows rows;
        large_make(&l, &seed, HRY_TYPE_INT8, rank, rank == 3 ? (uint64_t[]){ 20, 17, 40 } : (uint64_t[]){ 150, 333 });
        large_lay_out(&l, &seed, large_ways[i].tag, large_ways[i].is_sorted, large_ways[i].mode);
        hry_tensor *t = large_tensor(&l);
        bool found = large_ways[i].tag == HRY_LAYOUT_CSR ||
                     (large_ways[i].tag == HRY_LAYOUT_COO && large_ways[i].is_sorted) ||
                     (large_ways[i].tag == HRY_LAYOUT_CSF && large_ways[i].mode[0] == 0);
        assert_int_equal(hry_rows_init(&rows, t, NULL), found ? HRY_OK : HRY_E_UNSUPPORTED);
        if (found) {
            uint64_t length = l.shape[rank - 1];
            float row[333];
            assert_int_equal(rows.count, l.count / length);
            assert_int_equal(rows.length, length);
            for (uint64_t r = 0; r < rows.count; r++) {
                hry_rows_f32(&rows, r, row);
                for (uint64_t k = 0; k < length; k++)
                    assert_true(row[k] == (float)(int8_t)l.dense[r * length + k]);
            }
        }
        hry_tensor_release(t);
        large_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_quantized),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, large_start_pool, large_end_pool);
}
