/* Writing boxes into buffers that are being made, read back element by element by the format's text. */
#include "tensor/dense_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make(dense_case *c, uint64_t *seed)
{
    static const uint64_t largest[] = { 1, 300, 40, 9, 6 };
    dense_make_any(c, seed, largest, 5);
}

/* Bits of all elements, and those of the box changed by hand: the buffer must have exactly these. */
static void test_own_type(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 1000; i++) {
        uint64_t seed = i, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX], nbytes;
        dense_case c;
        hry_box box;
        hry_error err;
        make(&c, &seed);
        dense_box(&seed, c.n.rank, c.n.shape, &box);
        hry_type_size(c.bits, dense_box_count(&box, c.n.rank), &nbytes);
        uint8_t *src = malloc(nbytes), *want = malloc(c.nbytes);
        memcpy(want, c.buffer, c.nbytes);
        for (uint64_t b = 0; b < nbytes; b++)
            src[b] = (uint8_t)naive_random(&seed);
        int64_t from = 0;
        do {
            dense_index(&box, c.n.rank, at, index);
            int64_t to = c.byte_offset * 8 + naive_offset(&c.n.layout, c.n.rank, c.n.shape, index) * (int64_t)c.bits;
            for (uint32_t b = 0; b < c.bits; b++, to++, from++)
                want[to / 8] = (uint8_t)((want[to / 8] & ~(1u << to % 8)) | naive_bit(src, from) << to % 8);
        } while (naive_next(c.n.rank, box.count, at));
        hry_write_options options = { .stored = true };
        assert_int_equal(
            hry_desc_write(hry_tensor_desc(c.tensor), &box, 0, NULL, src, &options, (void *const[]){ c.buffer }, &err),
            HRY_OK);
        assert_memory_equal(c.buffer, want, c.nbytes);
        free(src);
        free(want);
        dense_free(&c);
    }
}

/* float64 values out of rows with gaps, converted as single elements are. */
static void test_from_float64(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 600; i++) {
        uint64_t seed = i * 101, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX];
        dense_case c;
        hry_box box;
        hry_error err;
        make(&c, &seed);
        dense_box(&seed, c.n.rank, c.n.shape, &box);
        int64_t strides[HRY_RANK_MAX] = { 0 }, span = 1;
        for (uint32_t k = c.n.rank; k-- > 0;) {
            strides[k] = span + (int64_t)naive_below(&seed, 2);
            span = strides[k] * (int64_t)box.count[k];
        }
        double *src = malloc((size_t)span * sizeof *src);
        for (int64_t k = 0; k < span; k++)
            src[k] = ldexp(1 + (double)naive_below(&seed, 1000) / 1000, (int)naive_below(&seed, 12) - 4);
        assert_int_equal(hry_desc_write(hry_tensor_desc(c.tensor), &box, HRY_TYPE_FLOAT64, strides, src, NULL,
                                        (void *const[]){ c.buffer }, &err),
                         HRY_OK);
        do {
            int64_t from = 0;
            uint8_t element[16];
            uint64_t lo, hi;
            dense_index(&box, c.n.rank, at, index);
            for (uint32_t k = 0; k < c.n.rank; k++)
                from += (int64_t)at[k] * strides[k];
            assert_true(hry_element_set_f64(c.type, element, 0, src[from]));
            hry_element_bits(c.type, element, 0, &lo, &hi);
            assert_int_equal(dense_bits(&c, index, 0), lo);
            if (c.bits > 64)
                assert_int_equal(dense_bits(&c, index, 64), hi);
        } while (naive_next(c.n.rank, box.count, at));
        free(src);
        dense_free(&c);
    }
}

static void test_refused(void **state)
{
    (void)state;
    uint8_t bytes[1024], buffer[64];
    hry_desc desc;
    hry_error err;
    float values[4] = { 1, 2, NAN, 4 };
    void *const buffers[] = { buffer };
    hry_layout layout = { .tag = HRY_LAYOUT_STRIDED, .strides = (int64_t[]){ 1, 1 } };
    hry_desc_spec spec = { .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = (uint64_t[]){ 2, 2 }, .layout = &layout };
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_desc_write(&desc, NULL, 0, NULL, values, NULL, buffers, &err), HRY_E_USAGE);
    layout = (hry_layout){ .tag = HRY_LAYOUT_COO, .nnz = 1 };
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_desc_write(&desc, NULL, 0, NULL, values, NULL, buffers, &err), HRY_E_UNSUPPORTED);
    spec.layout = NULL;
    spec.type = HRY_TYPE_INT8;
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_desc_write(&desc, NULL, HRY_TYPE_FLOAT32, NULL, values, NULL, buffers, &err),
                     HRY_E_UNSUPPORTED);
    hry_box box = { .start = { 1, 1 }, .count = { 1, 2 } };
    assert_int_equal(hry_desc_write(&desc, &box, HRY_TYPE_FLOAT32, NULL, values, NULL, buffers, &err), HRY_E_USAGE);
    hry_quantization q = { .scheme = HRY_SCHEME_PER_TENSOR, .scale = 1 };
    spec.quantization = &q;
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_desc_write(&desc, NULL, 0, NULL, values, NULL, buffers, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(
        hry_desc_write(&desc, NULL, 0, NULL, values, &(hry_write_options){ .stored = true }, buffers, &err), HRY_OK);
    spec.quantization = NULL;
    spec.shape = (uint64_t[]){ HRY_DYNAMIC, 2 };
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_desc_write(&desc, NULL, 0, NULL, values, NULL, buffers, &err), HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), "F-T04");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_type),
        cmocka_unit_test(test_from_float64),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
