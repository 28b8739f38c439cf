/* Regions of dense tensors against the format's text: every layout, type, box and stride at random. */
#include "tensor/dense_case.h"

#include <hurray/pool.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make(dense_case *c, uint64_t *seed)
{
    static const uint64_t largest[] = { 1, 300, 60, 12, 7, 4 };
    dense_make_any(c, seed, largest, 6);
}

/* The stored type, packed: bit for bit, and nothing behind the end. */
static void test_own_type(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 1500; i++) {
        uint64_t seed = i, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX], nbytes;
        dense_case c;
        hry_box box;
        hry_error err;
        make(&c, &seed);
        dense_box(&seed, c.n.rank, c.n.shape, &box);
        assert_true(hry_type_size(c.bits, dense_box_count(&box, c.n.rank), &nbytes));
        uint8_t *want = calloc(1, nbytes), *got = malloc(nbytes);
        int64_t bit = 0;
        do {
            dense_index(&box, c.n.rank, at, index);
            uint64_t words[2] = { dense_bits(&c, index, 0), dense_bits(&c, index, 64) };
            for (uint32_t b = 0; b < c.bits; b++, bit++)
                want[bit / 8] = (uint8_t)(want[bit / 8] | (words[b / 64] >> b % 64 & 1) << bit % 8);
        } while (naive_next(c.n.rank, box.count, at));
        memset(got, 0xA5, nbytes);
        hry_read_options options = { .stored = true };
        assert_int_equal(hry_tensor_read_with(c.tensor, &box, 0, NULL, &options, got, &err), HRY_OK);
        assert_memory_equal(got, want, nbytes);
        free(want);
        free(got);
        dense_free(&c);
    }
}

/* An element's value, by the library's rule for one element, or by wider arithmetic where that rounds. */
static double value_of(const dense_case *c, const uint64_t *index)
{
    uint64_t words[2] = { dense_bits(c, index, 0), dense_bits(c, index, 64) };
    uint8_t element[16];
    hry_element_set_bits(c->type, element, 0, words[0], words[1]);
    return hry_element_f64(c->type, element, 0);
}

static void same_float(double got, double want)
{
    if (isnan(want))
        assert_true(isnan(got));
    else
        assert_true(got == want && signbit(got) == signbit(want));
}

/* float32 and float64, into rows with gaps, some of them backwards. */
static void test_as_floats(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 1500; i++) {
        uint64_t seed = i * 7919, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX];
        dense_case c;
        hry_box box;
        hry_error err;
        make(&c, &seed);
        bool wide = naive_below(&seed, 2), is_complex = hry_type_find(c.type)->kind == HRY_KIND_COMPLEX;
        dense_box(&seed, c.n.rank, c.n.shape, &box);
        int64_t strides[HRY_RANK_MAX] = { 0 }, span = 1, first = 0;
        for (uint32_t k = c.n.rank; k-- > 0;) {
            strides[k] = span + (int64_t)naive_below(&seed, 3);
            span = strides[k] * (int64_t)box.count[k];
            if (naive_below(&seed, 3) == 0) {
                first += strides[k] * (int64_t)(box.count[k] - 1);
                strides[k] = -strides[k];
            }
        }
        size_t size = wide ? 8 : 4, skew = naive_below(&seed, 4) == 0 ? 1 : 0; /* not aligned, now and then */
        uint8_t *room = malloc((size_t)span * size + skew), *dst = room + skew + (size_t)first * size;
        memset(room, 0xA5, (size_t)span * size + skew);
        uint8_t type = wide ? HRY_TYPE_FLOAT64 : HRY_TYPE_FLOAT32;
        hry_status status = hry_tensor_read(c.tensor, &box, type, strides, dst, &err);
        assert_int_equal(status, is_complex ? HRY_E_UNSUPPORTED : HRY_OK);
        uint64_t written = 0;
        do {
            int64_t place = 0;
            if (is_complex)
                break;
            dense_index(&box, c.n.rank, at, index);
            for (uint32_t k = 0; k < c.n.rank; k++)
                place += (int64_t)at[k] * strides[k];
            double want = value_of(&c, index), got64;
            float got32;
            memcpy(&got32, dst + place * (int64_t)size, 4);
            if (wide) {
                memcpy(&got64, dst + place * (int64_t)size, 8);
                same_float(got64, want);
            } else if (c.type == HRY_TYPE_INT64) {
                assert_true(got32 == (float)(int64_t)dense_bits(&c, index, 0));
            } else if (c.type == HRY_TYPE_UINT64) {
                assert_true(got32 == (float)dense_bits(&c, index, 0));
            } else {
                same_float((double)got32, (double)(float)want);
            }
            written++;
        } while (naive_next(c.n.rank, box.count, at));
        /* Whatever was not written is as it was. */
        uint64_t untouched = 0;
        for (int64_t k = 0; k < span; k++)
            untouched += memcmp(room + skew + (size_t)k * size, "\xA5\xA5\xA5\xA5\xA5\xA5\xA5\xA5", size) == 0;
        assert_true(untouched + written >= (uint64_t)span);
        free(room);
        dense_free(&c);
    }
}

/* One element at a time. */
static void test_get(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 300; i++) {
        uint64_t seed = i * 31337, index[HRY_RANK_MAX];
        dense_case c;
        hry_error err;
        make(&c, &seed);
        for (int round = 0; round < 20; round++) {
            uint8_t element[16] = { 0 };
            for (uint32_t k = 0; k < c.n.rank; k++)
                index[k] = naive_below(&seed, c.n.shape[k]);
            assert_int_equal(hry_tensor_get(c.tensor, index, 0, element, &err), HRY_OK);
            if (c.bits <= 8)
                assert_int_equal(element[0], dense_bits(&c, index, 0));
            if (hry_type_find(c.type)->kind != HRY_KIND_COMPLEX) {
                double value;
                assert_int_equal(hry_tensor_get(c.tensor, index, HRY_TYPE_FLOAT64, &value, &err), HRY_OK);
                same_float(value, value_of(&c, index));
            }
        }
        index[0] = c.n.shape[0];
        if (c.n.rank)
            assert_int_equal(hry_tensor_get(c.tensor, index, 0, &(uint8_t[16]){ 0 }, &err), HRY_E_USAGE);
        dense_free(&c);
    }
}

/* Threads give the same bytes. Sizes beyond those below which nothing is cut. */
static void test_parallel(void **state)
{
    (void)state;
    hry_pool *pool;
    hry_error err;
    assert_int_equal(hry_pool_create(3, NULL, &pool, &err), HRY_OK);
    hry_executor executor = hry_pool_executor(pool);
    static const uint64_t largest[] = { 0, 3000000, 1500, 130 };
    for (uint64_t i = 1; i <= 36; i++) {
        uint64_t seed = i * 12345, nbytes;
        dense_case c;
        hry_box box;
        uint32_t rank = 1 + (uint32_t)(i % 3);
        uint8_t tag = dense_tags[i % 6];
        if (tag == HRY_LAYOUT_HILBERT)
            continue;
        dense_make(&c, &seed, tag, rank, largest[rank]);
        dense_box(&seed, rank, c.n.shape, &box);
        for (int as_float = 0; as_float < 2; as_float++) {
            if (as_float && hry_type_find(c.type)->kind == HRY_KIND_COMPLEX)
                continue;
            uint8_t type = as_float ? HRY_TYPE_FLOAT32 : c.type;
            assert_true(hry_type_size(hry_type_find(type)->bits, dense_box_count(&box, rank), &nbytes));
            uint8_t *one = malloc(nbytes), *many = malloc(nbytes);
            hry_read_options options = { .executor = &executor };
            assert_int_equal(hry_tensor_read(c.tensor, &box, type, NULL, one, &err), HRY_OK);
            assert_int_equal(hry_tensor_read_with(c.tensor, &box, type, NULL, &options, many, &err), HRY_OK);
            assert_memory_equal(one, many, nbytes);
            free(one);
            free(many);
        }
        dense_free(&c);
    }
    hry_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_type),
        cmocka_unit_test(test_as_floats),
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_parallel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
