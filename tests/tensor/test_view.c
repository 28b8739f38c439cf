/* Views: the same memory, and the values that the copy has. */
#include "support/composites.h"
#include "tensor/dense_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make(dense_case *c, uint64_t *seed)
{
    static const uint64_t largest[] = { 1, 300, 40, 12, 7 };
    uint8_t tag = dense_tags[naive_below(seed, DENSE_TAGS)];
    uint32_t rank = 1 + (uint32_t)naive_below(seed, 4);
    if (tag == HRY_LAYOUT_HILBERT && rank == 1)
        rank = 2;
    dense_make(c, seed, tag, rank, largest[rank]);
}

/* An element of a view, bit by bit from the buffer of the tensor that was looked into. */
static void check_element(const dense_case *c, const hry_tensor *view, const uint64_t *at, const uint64_t *index)
{
    uint8_t element[16] = { 0 };
    uint64_t lo, hi;
    hry_error err;
    hry_box box = { .count = { 0 } };
    for (uint32_t k = 0; k < hry_tensor_rank(view); k++) {
        box.start[k] = at[k];
        box.count[k] = 1;
    }
    hry_read_options options = { .stored = true };
    assert_int_equal(hry_tensor_read_with(view, &box, 0, NULL, &options, element, &err), HRY_OK);
    hry_element_bits(c->type, element, 0, &lo, &hi);
    assert_int_equal(lo, dense_bits(c, index, 0));
    if (c->bits > 64)
        assert_int_equal(hi, dense_bits(c, index, 64));
}

static void check_shared(const dense_case *c, const hry_tensor *view)
{
    assert_ptr_equal(hry_tensor_buffer(view, 0, NULL), c->buffer);
}

static bool starts_a_byte(const dense_case *c, const hry_box *box)
{
    uint64_t first[HRY_RANK_MAX] = { 0 }, start[HRY_RANK_MAX];
    for (uint32_t k = 0; k < c->n.rank; k++)
        start[k] = box->start[k];
    int64_t apart = naive_offset(&c->n.layout, c->n.rank, c->n.shape, start) -
                    naive_offset(&c->n.layout, c->n.rank, c->n.shape, first);
    return c->bits >= 8 || apart % (c->bits == 6 ? 4 : 8 / c->bits) == 0;
}

static void test_slice(void **state)
{
    (void)state;
    unsigned seen = 0, refused = 0;
    for (uint64_t i = 1; i <= 1500; i++) {
        uint64_t seed = i, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX];
        dense_case c;
        hry_box box;
        hry_error err;
        hry_tensor *view, *parent;
        make(&c, &seed);
        dense_box(&seed, c.n.rank, c.n.shape, &box);
        bool plain = c.n.layout.tag <= HRY_LAYOUT_STRIDED;
        hry_status status = hry_tensor_slice(c.tensor, &box, &view, &err);
        if (status) {
            assert_int_equal(status, HRY_E_UNSUPPORTED);
            assert_true(!plain || !starts_a_byte(&c, &box));
            refused++;
            dense_free(&c);
            continue;
        }
        seen++;
        assert_true(starts_a_byte(&c, &box));
        parent = c.tensor;
        hry_tensor_release(parent); /* the view keeps it */
        c.tensor = NULL;
        check_shared(&c, view);
        do {
            dense_index(&box, c.n.rank, at, index);
            check_element(&c, view, at, index);
        } while (naive_next(c.n.rank, box.count, at));
        hry_tensor_release(view);
        dense_free(&c);
    }
    assert_true(seen > 300 && refused > 100);
}

static void test_transpose(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 200; i++) {
        uint64_t seed = i * 31, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX], shape[HRY_RANK_MAX];
        uint32_t order[HRY_RANK_MAX], rank = 1 + (uint32_t)naive_below(&seed, 4);
        dense_case c;
        hry_error err;
        hry_tensor *view;
        dense_make(&c, &seed, dense_tags[i % 3], rank, 6);
        for (uint32_t k = 0; k < rank; k++) {
            uint32_t other = (uint32_t)naive_below(&seed, k + 1);
            order[k] = order[other];
            order[other] = k;
        }
        bool reverse = i % 4 == 0;
        assert_int_equal(hry_tensor_transpose(c.tensor, reverse ? NULL : order, &view, &err), HRY_OK);
        check_shared(&c, view);
        for (uint32_t k = 0; k < rank; k++) {
            order[k] = reverse ? rank - 1 - k : order[k];
            shape[k] = hry_tensor_dim(view, k);
            assert_int_equal(shape[k], c.n.shape[order[k]]);
        }
        do {
            for (uint32_t k = 0; k < rank; k++)
                index[order[k]] = at[k];
            check_element(&c, view, at, index);
        } while (naive_next(rank, shape, at));
        hry_tensor_release(view);
        order[0] = rank;
        assert_int_equal(hry_tensor_transpose(c.tensor, order, &view, &err), HRY_E_USAGE);
        dense_free(&c);
    }
}

static void test_broadcast(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 200; i++) {
        uint64_t seed = i * 37, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX], shape[HRY_RANK_MAX];
        uint32_t rank = 1 + (uint32_t)naive_below(&seed, 3), more = (uint32_t)naive_below(&seed, 3);
        dense_case c;
        hry_error err;
        hry_tensor *view;
        dense_make(&c, &seed, dense_tags[i % 3], rank, 3);
        for (uint32_t k = 0; k < rank + more; k++)
            shape[k] = k < more || c.n.shape[k - more] == 1 ? 1 + naive_below(&seed, 4) : c.n.shape[k - more];
        assert_int_equal(hry_tensor_broadcast(c.tensor, rank + more, shape, &view, &err), HRY_OK);
        check_shared(&c, view);
        do {
            for (uint32_t k = 0; k < rank; k++)
                index[k] = c.n.shape[k] == 1 ? 0 : at[k + more];
            check_element(&c, view, at, index);
        } while (naive_next(rank + more, shape, at));
        hry_tensor_release(view);
        shape[more] = c.n.shape[0] + 7;
        assert_int_equal(hry_tensor_broadcast(c.tensor, rank + more, shape, &view, &err),
                         c.n.shape[0] == 1 ? HRY_OK : HRY_E_USAGE);
        if (c.n.shape[0] == 1)
            hry_tensor_release(view);
        dense_free(&c);
    }
}

/* A random shape of as many elements, and the values in the same order. */
static void test_reshape(void **state)
{
    (void)state;
    unsigned seen = 0;
    for (uint64_t i = 1; i <= 600; i++) {
        uint64_t seed = i * 41, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX] = { 0 }, shape[HRY_RANK_MAX], count = 1;
        uint32_t rank = 1 + (uint32_t)naive_below(&seed, 3), to = 0;
        dense_case c;
        hry_error err;
        hry_tensor *view;
        dense_make(&c, &seed, dense_tags[i % 3], rank, 8);
        for (uint32_t k = 0; k < rank; k++)
            count *= c.n.shape[k];
        for (uint64_t left = count; left > 1 || to == 0; to++) {
            uint64_t divisor = 1 + naive_below(&seed, left);
            while (left % divisor)
                divisor--;
            shape[to] = to == 8 ? left : divisor;
            left /= shape[to];
        }
        hry_status status = hry_tensor_reshape(c.tensor, to, shape, &view, &err);
        if (status) {
            assert_int_equal(status, HRY_E_UNSUPPORTED);
            assert_true(c.n.layout.tag != HRY_LAYOUT_ROW_MAJOR);
        } else {
            seen++;
            check_shared(&c, view);
            do {
                check_element(&c, view, at, index);
                naive_next(rank, c.n.shape, index);
            } while (naive_next(to, shape, at));
            hry_tensor_release(view);
        }
        shape[0]++;
        assert_int_equal(hry_tensor_reshape(c.tensor, to, shape, &view, &err), HRY_E_USAGE);
        dense_free(&c);
    }
    assert_true(seen > 250);
}

/* Known cases: what must be possible, and stay row-major. */
static void test_row_major(void **state)
{
    (void)state;
    float data[24];
    hry_tensor *t, *view, *back;
    hry_error err;
    for (int i = 0; i < 24; i++)
        data[i] = (float)i;
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 2, (uint64_t[]){ 4, 6 }, data, NULL, NULL, &t, &err), HRY_OK);
    hry_box rows = { .start = { 1, 0 }, .count = { 2, 6 } };
    assert_int_equal(hry_tensor_slice(t, &rows, &view, &err), HRY_OK);
    assert_ptr_equal(hry_tensor_data(view, HRY_TYPE_FLOAT32), data + 6);
    hry_tensor_release(view);
    assert_int_equal(hry_tensor_reshape(t, 3, (uint64_t[]){ 2, 2, 6 }, &view, &err), HRY_OK);
    assert_ptr_equal(hry_tensor_data(view, HRY_TYPE_FLOAT32), data);
    hry_tensor_release(view);
    assert_int_equal(hry_tensor_transpose(t, NULL, &view, &err), HRY_OK);
    assert_null(hry_tensor_data(view, HRY_TYPE_FLOAT32));
    assert_int_equal(hry_tensor_transpose(view, NULL, &back, &err), HRY_OK);
    assert_ptr_equal(hry_tensor_data(back, HRY_TYPE_FLOAT32), data);
    hry_tensor_release(back);
    assert_int_equal(hry_tensor_reshape(view, 1, (uint64_t[]){ 24 }, &back, &err), HRY_E_UNSUPPORTED);
    hry_box empty = { .start = { 4, 2 }, .count = { 0, 3 } };
    assert_int_equal(hry_tensor_slice(t, &empty, &back, &err), HRY_OK);
    assert_int_equal(hry_tensor_dim(back, 0), 0);
    hry_tensor_release(back);
    hry_tensor_release(view);
    hry_tensor_release(t);
}

static void test_quantized(void **state)
{
    (void)state;
    hry_error err;
    hry_tensor *view;
    const uint64_t shape[] = { 4, 6 };
    hry_quantization channel = { .scheme = HRY_SCHEME_PER_CHANNEL,
                                 .axis = 1,
                                 .scale_buffer_index = 1,
                                 .zero_point_buffer_index = HRY_NO_BUFFER,
                                 .flags = HRY_QUANT_SYMMETRIC };
    hry_tensor *t =
        zeros_by_spec(&(hry_desc_spec){ .type = HRY_TYPE_INT8, .rank = 2, .shape = shape, .quantization = &channel });
    hry_quantization q;
    assert_int_equal(hry_tensor_transpose(t, NULL, &view, &err), HRY_OK);
    assert_true(hry_desc_quantization(hry_tensor_desc(view), &q));
    assert_int_equal(q.axis, 0);
    assert_ptr_equal(hry_tensor_buffer(view, 1, NULL), hry_tensor_buffer(t, 1, NULL));
    hry_tensor_release(view);
    hry_box rows = { .start = { 1, 0 }, .count = { 2, 6 } }, columns = { .start = { 0, 1 }, .count = { 4, 2 } };
    assert_int_equal(hry_tensor_slice(t, &rows, &view, &err), HRY_OK);
    hry_tensor_release(view);
    assert_int_equal(hry_tensor_slice(t, &columns, &view, &err), HRY_E_UNSUPPORTED);
    hry_tensor_release(t);
    hry_quantization block = { .scheme = HRY_SCHEME_PER_BLOCK,
                               .axis = 1,
                               .block_size = 2,
                               .scale_buffer_index = 1,
                               .zero_point_buffer_index = HRY_NO_BUFFER,
                               .flags = HRY_QUANT_SYMMETRIC };
    t = zeros_by_spec(&(hry_desc_spec){ .type = HRY_TYPE_INT8, .rank = 2, .shape = shape, .quantization = &block });
    assert_int_equal(hry_tensor_transpose(t, NULL, &view, &err), HRY_E_UNSUPPORTED);
    hry_tensor_release(t);
    hry_quantization whole = { .scheme = HRY_SCHEME_PER_TENSOR, .scale = 0.5f };
    t = zeros_by_spec(&(hry_desc_spec){ .type = HRY_TYPE_INT8, .rank = 2, .shape = shape, .quantization = &whole });
    assert_int_equal(hry_tensor_slice(t, &columns, &view, &err), HRY_OK);
    assert_true(hry_desc_quantization(hry_tensor_desc(view), &q) && q.scale == 0.5f);
    hry_tensor_release(view);
    hry_tensor_release(t);
}

/* A box of a partition that lies in one member is that member's; one that does not is refused. */
static void test_partition(void **state)
{
    (void)state;
    const uint64_t shape[] = { 4, 6 }, half[] = { 4, 3 }, at[] = { 0, 0, 0, 3 };
    float left[12], right[12];
    hry_error err;
    hry_tensor *t, *view, *members[2];
    for (int i = 0; i < 12; i++) {
        left[i] = (float)i;
        right[i] = (float)(100 + i);
    }
    for (int m = 0; m < 2; m++) {
        uint8_t bytes[512];
        hry_desc desc;
        hry_desc_spec spec = {
            .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = half, .parent_shape = shape, .shard_offset = at + 2 * m
        };
        assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
        void *buffer;
        assert_int_equal(hry_tensor_alloc(&desc, NULL, &members[m], &buffer, &err), HRY_OK);
        assert_int_equal(hry_desc_write(&desc, NULL, 0, NULL, m ? right : left, NULL, &buffer, &err), HRY_OK);
    }
    member_spec specs[] = { { .tensor = members[0] }, { .tensor = members[1] } };
    t = composite_of(HRY_TYPE_FLOAT32, 2, shape, 1, 0, specs, 2, 2, &err);
    assert_non_null(t);
    hry_box inside = { .start = { 3, 5 }, .count = { 2, 3 }, .step = { -2, -1 } };
    hry_box across = { .start = { 0, 2 }, .count = { 1, 2 } };
    assert_int_equal(hry_tensor_slice(t, &inside, &view, &err), HRY_OK);
    assert_ptr_equal(hry_tensor_buffer(view, 0, NULL), hry_tensor_buffer(members[1], 0, NULL));
    hry_tensor_release(members[0]);
    hry_tensor_release(members[1]);
    float got[6];
    assert_int_equal(hry_tensor_read(view, NULL, HRY_TYPE_FLOAT32, NULL, got, &err), HRY_OK);
    assert_memory_equal(got, ((float[]){ 111, 110, 109, 105, 104, 103 }), sizeof got);
    hry_tensor_release(view);
    assert_int_equal(hry_tensor_slice(t, &across, &view, &err), HRY_E_UNSUPPORTED);
    hry_tensor_release(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slice),     cmocka_unit_test(test_transpose), cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_reshape),   cmocka_unit_test(test_row_major), cmocka_unit_test(test_quantized),
        cmocka_unit_test(test_partition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
