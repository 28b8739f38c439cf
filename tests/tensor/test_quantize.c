/*
 * Quantizing: parameters by the formulas of the format's text, the bounds that follow from them, and codes that come
 * out the same again (quantization, section 11).
 */
#include "base/bytes.h"
#include "support/naive_layout.h"
#include "support/rules_reached.h"
#include "support/stored_of.h"
#include "tensor/convert.h"
#include "tensor/naive_quantize.h"

#include <hurray/hurray.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KINDS = 5 }; /* of values */

typedef struct given {
    uint32_t rank;
    uint64_t shape[3], count;
    float *x;
    hry_tensor *t;
} given;

static void make(given *g, uint64_t *seed, uint32_t rank, const uint64_t *shape, unsigned kind)
{
    g->rank = rank;
    g->count = 1;
    for (uint32_t k = 0; k < rank; k++) {
        g->shape[k] = shape[k];
        g->count *= shape[k];
    }
    g->x = malloc((g->count + 1) * sizeof *g->x);
    for (uint64_t i = 0; i < g->count; i++) {
        double u = (double)(int32_t)naive_random(seed) / 0x1p31;
        g->x[i] = kind == 0   ? (float)u
                  : kind == 1 ? (float)(u * exp2((double)(naive_below(seed, 16)) - 8))
                  : kind == 2 ? (naive_below(seed, 3) ? 0.0f : (float)(100 + u))
                  : kind == 3 ? (i / 8 % 3 ? 0.0f : (float)(-3 + u))
                              : (float)(u * 0x1p-149 * exp2((double)naive_below(seed, 40))); /* subnormal, or near it */
    }
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, rank, shape, stored_of(HRY_TYPE_FLOAT32, g->x, g->count), NULL,
                                      NULL, &g->t, NULL),
                     HRY_OK);
}

static void drop(given *g)
{
    hry_tensor_release(g->t);
    free(g->x);
}

static hry_tensor *quantize(const given *g, const hry_quantizer *q)
{
    hry_tensor *out = NULL;
    hry_error err = { 0 };
    if (hry_tensor_quantize(g->t, q, &out, &err))
        fail_msg("scheme %u %s: %s", q->scheme, hry_type_name(q->storage), err.message);
    assert_int_equal(hry_tensor_verify(out, HRY_VERIFY_DEEP, &err), HRY_OK);
    return out;
}

static float *values(const hry_tensor *t, uint64_t n)
{
    float *v = malloc((n + 1) * sizeof *v);
    hry_error err = { 0 };
    if (hry_tensor_read(t, NULL, HRY_TYPE_FLOAT32, NULL, v, &err))
        fail_msg("%s", err.message);
    return v;
}

static double *codes(const hry_tensor *t, uint64_t n)
{
    double *c = malloc((n + 1) * sizeof *c);
    hry_read_options options = { .stored = true };
    assert_int_equal(hry_tensor_read_with(t, NULL, HRY_TYPE_FLOAT64, NULL, &options, c, NULL), HRY_OK);
    if (HRY_HOST_SWAPS)
        hry_swap_elements(HRY_TYPE_FLOAT64, c, n);
    return c;
}

/* The number of the parameter of element i, and how many elements share it with their extremes. */
static uint64_t parameter_of(const given *g, const hry_quantizer *q, uint64_t i)
{
    uint64_t index[3], outer = 0;
    for (uint32_t k = g->rank; k-- > 0;) {
        index[k] = i % g->shape[k];
        i /= g->shape[k];
    }
    if (q->scheme == HRY_SCHEME_PER_TENSOR)
        return 0;
    if (q->scheme == HRY_SCHEME_PER_CHANNEL)
        return index[q->axis];
    for (uint32_t k = 0; k < g->rank; k++)
        outer = k == q->axis ? outer : outer * g->shape[k] + index[k];
    uint64_t nb = (g->shape[q->axis] + q->block - 1) / q->block;
    return outer * nb + index[q->axis] / q->block;
}

/* Bounds of section 11.2, and parameters of 11.1. */
static void check(const given *g, const hry_quantizer *q, const hry_tensor *t)
{
    naive_quantized z = { .q = q, .n = g->count, .x = g->x };
    assert_int_equal(hry_tensor_parameter_count(t, &z.parameters, NULL), HRY_OK);
    float *scale = malloc(z.parameters * sizeof *scale), *back = values(t, g->count);
    int32_t *zp = malloc(z.parameters * sizeof *zp);
    double *code = codes(t, g->count);
    uint64_t *number = malloc((g->count + 1) * sizeof *number);
    assert_int_equal(hry_tensor_parameters(t, 0, z.parameters, scale, zp, NULL), HRY_OK);
    for (uint64_t i = 0; i < g->count; i++)
        number[i] = parameter_of(g, q, i);
    z.number = number;
    z.scale = scale;
    z.zp = zp;
    z.code = code;
    z.back = back;
    naive_check_quantized(&z);
    free(scale);
    free(zp);
    free(back);
    free(code);
    free(number);
}

/* One buffer for both kinds of parameters is one behind the other. */
static void check_shared(const given *g, hry_quantizer q, const hry_tensor *apart)
{
    q.shared = true;
    hry_tensor *t = quantize(g, &q);
    uint64_t data, scales, zeros, both;
    if (hry_tensor_desc(apart)->buffer_count == 3) {
        const void *first = hry_tensor_buffer(apart, 1, &scales), *second = hry_tensor_buffer(apart, 2, &zeros);
        const uint8_t *shared = hry_tensor_buffer(t, 1, &both);
        assert_int_equal(hry_tensor_desc(t)->buffer_count, 2);
        assert_int_equal(both, scales + zeros);
        assert_memory_equal(shared, first, scales);
        assert_memory_equal(shared + scales, second, zeros);
        const void *codes_apart = hry_tensor_buffer(apart, 0, &data);
        assert_memory_equal(hry_tensor_buffer(t, 0, NULL), codes_apart, data);
        check(g, &q, t);
    }
    hry_tensor_release(t);
}

static void test_affine(void **state)
{
    (void)state;
    static const uint8_t types[] = { HRY_TYPE_INT8,  HRY_TYPE_UINT8, HRY_TYPE_INT4,   HRY_TYPE_UINT4, HRY_TYPE_INT2,
                                     HRY_TYPE_UINT2, HRY_TYPE_INT16, HRY_TYPE_UINT16, HRY_TYPE_INT32, HRY_TYPE_UINT32 };
    static const uint8_t scales[] = { HRY_TYPE_FLOAT32, HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16 };
    hry_pool *pool = NULL;
    assert_int_equal(hry_pool_create(3, NULL, &pool, NULL), HRY_OK);
    hry_executor executor = hry_pool_executor(pool);
    for (uint64_t i = 1; i <= 700; i++) {
        uint64_t seed = i, shape[3];
        uint32_t rank = 1 + (uint32_t)naive_below(&seed, 3);
        hry_quantizer q = { .scheme = (uint8_t)(1 + naive_below(&seed, 3)) };
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = 1 + naive_below(&seed, rank == 1 ? 300 : 20);
        q.axis = (uint32_t)naive_below(&seed, rank);
        q.block = 2u << naive_below(&seed, 4);
        unsigned kind = (unsigned)naive_below(&seed, KINDS);
        bool never_negative = kind == 2; /* as symmetric unsigned types need it, and zero points of uint32 */
        q.storage = types[naive_below(&seed, q.scheme == HRY_SCHEME_PER_BLOCK ? 6 : never_negative ? 10 : 9)];
        bool is_signed = hry_type_find(q.storage)->kind == HRY_KIND_INT;
        q.symmetric = (is_signed || never_negative) && naive_below(&seed, 2);
        if (q.scheme == HRY_SCHEME_PER_BLOCK) {
            q.scale_type = scales[naive_below(&seed, 3)];
            shape[q.axis] += q.block;
        }
        given g;
        make(&g, &seed, rank, shape, kind);
        hry_tensor *one = quantize(&g, &q);
        check(&g, &q, one);
        /* Threads change nothing. */
        q.executor = &executor;
        hry_tensor *many = quantize(&g, &q);
        for (uint32_t b = 0; b < hry_tensor_desc(one)->buffer_count; b++) {
            uint64_t na, nb;
            const void *pa = hry_tensor_buffer(one, b, &na), *pb = hry_tensor_buffer(many, b, &nb);
            assert_int_equal(na, nb);
            assert_memory_equal(pa, pb, na);
        }
        hry_tensor_release(many);
        check_shared(&g, q, one);
        /* The same parameters on what came back give the same codes. */
        uint64_t n;
        assert_int_equal(hry_tensor_parameter_count(one, &n, NULL), HRY_OK);
        float *scale = malloc(n * sizeof *scale), *back = values(one, g.count);
        int32_t *zp = malloc(n * sizeof *zp);
        assert_int_equal(hry_tensor_parameters(one, 0, n, scale, zp, NULL), HRY_OK);
        given again = g;
        again.x = back;
        assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, rank, shape, stored_of(HRY_TYPE_FLOAT32, back, again.count),
                                          NULL, NULL, &again.t, NULL),
                         HRY_OK);
        q.scales = scale;
        q.zero_points = q.symmetric ? NULL : zp;
        hry_tensor *twice = quantize(&again, &q);
        double *a = codes(one, g.count), *b = codes(twice, g.count);
        if (hry_type_find(q.storage)->bits <= 16)
            for (uint64_t j = 0; j < g.count; j++)
                assert_true(a[j] == b[j]);
        free(a);
        free(b);
        free(scale);
        free(zp);
        hry_tensor_release(twice);
        hry_tensor_release(one);
        drop(&again);
        drop(&g);
    }
    hry_pool_destroy(pool);
}

static void test_nf4(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 200; i++) {
        uint64_t seed = i, shape[2] = { 1 + naive_below(&seed, 9), 64 + naive_below(&seed, 140) };
        hry_quantizer q = { .scheme = HRY_SCHEME_NF4, .storage = HRY_TYPE_UINT4, .axis = 1, .block = 64 };
        if (i % 3 == 0) {
            uint64_t swap = shape[0];
            shape[0] = shape[1];
            shape[1] = swap;
            q.axis = 0;
        }
        given g;
        make(&g, &seed, 2, shape, (unsigned)naive_below(&seed, KINDS));
        hry_tensor *t = quantize(&g, &q);
        check(&g, &q, t);
        hry_tensor_release(t);
        drop(&g);
    }
}

static void test_mxfp(void **state)
{
    (void)state;
    static const uint8_t types[] = { HRY_TYPE_FLOAT8_E4M3, HRY_TYPE_FLOAT8_E5M2, HRY_TYPE_FLOAT4_E2M1,
                                     HRY_TYPE_FLOAT6_E2M3, HRY_TYPE_FLOAT6_E3M2, HRY_TYPE_INT8,
                                     HRY_TYPE_INT4 };
    for (uint64_t i = 0; i < 350; i++) {
        uint64_t seed = i + 1, shape[3] = { 1 + naive_below(&seed, 5), 32, 1 + naive_below(&seed, 5) };
        hry_quantizer q = {
            .scheme = HRY_SCHEME_MXFP, .storage = types[i % sizeof types], .axis = 1, .block = 32, .ceil = i % 4 == 3
        };
        if (i % 2) {
            shape[2] = 64;
            q.axis = 2;
        }
        given g;
        make(&g, &seed, 3, shape, (unsigned)naive_below(&seed, KINDS));
        hry_tensor *t = quantize(&g, &q);
        check(&g, &q, t);
        hry_tensor_release(t);
        drop(&g);
    }
}

/* Whatever the source's type and layout; the float it becomes is what counts. */
static void test_sources(void **state)
{
    (void)state;
    uint64_t seed = 9, shape[2] = { 12, 32 };
    given g;
    make(&g, &seed, 2, shape, 1);
    static const uint8_t types[] = { HRY_TYPE_FLOAT64, HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16, HRY_TYPE_INT16 };
    hry_quantizer q = { .scheme = HRY_SCHEME_PER_BLOCK, .storage = HRY_TYPE_INT4, .axis = 1, .symmetric = true };
    for (size_t i = 0; i < sizeof types; i++) {
        hry_tensor *other = NULL, *columns = NULL, *plain = NULL, *a = NULL, *b = NULL;
        assert_int_equal(hry_tensor_dequantize(g.t, types[i], NULL, &other, NULL), HRY_OK);
        assert_int_equal(
            hry_tensor_relayout(other, &(hry_layout){ .tag = HRY_LAYOUT_COLUMN_MAJOR }, NULL, &columns, NULL), HRY_OK);
        assert_int_equal(hry_tensor_dequantize(other, HRY_TYPE_FLOAT32, NULL, &plain, NULL), HRY_OK);
        assert_int_equal(hry_tensor_quantize(columns, &q, &a, NULL), HRY_OK);
        assert_int_equal(hry_tensor_quantize(plain, &q, &b, NULL), HRY_OK);
        hry_difference d;
        assert_int_equal(hry_tensor_compare(a, b, 0, 0, NULL, &d, NULL), HRY_OK);
        assert_int_equal(d.different, 0);
        hry_tensor_release(other);
        hry_tensor_release(columns);
        hry_tensor_release(plain);
        hry_tensor_release(a);
        hry_tensor_release(b);
    }
    drop(&g);
}

static void test_search(void **state)
{
    (void)state;
    static const uint8_t schemes[] = { HRY_SCHEME_PER_BLOCK, HRY_SCHEME_NF4, HRY_SCHEME_MXFP };
    for (size_t i = 0; i < 6; i++) {
        uint64_t seed = 40 + i, shape[2] = { 64, 256 };
        given g;
        make(&g, &seed, 2, shape, 0);
        hry_quantizer q = { .scheme = schemes[i / 2], .axis = i % 2 ? 1 : 0, .symmetric = true };
        q.storage = q.scheme == HRY_SCHEME_PER_BLOCK ? HRY_TYPE_INT4 : 0;
        hry_tensor *plain = quantize(&g, &q);
        q.optimize = true;
        hry_tensor *better = quantize(&g, &q);
        hry_difference a, b;
        assert_int_equal(hry_tensor_compare(g.t, plain, 0, 0, NULL, &a, NULL), HRY_OK);
        assert_int_equal(hry_tensor_compare(g.t, better, 0, 0, NULL, &b, NULL), HRY_OK);
        assert_true(b.rms < a.rms && b.sqnr > a.sqnr);
        hry_tensor_release(plain);
        hry_tensor_release(better);
        drop(&g);
    }
}

static void refused(const float *x, uint64_t n, const hry_quantizer *q, hry_status status)
{
    hry_tensor *t = NULL, *out = NULL;
    hry_error err = { 0 };
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 1, &n, stored_of(HRY_TYPE_FLOAT32, x, n), NULL, NULL, &t, NULL),
                     HRY_OK);
    assert_int_equal(hry_tensor_quantize(t, q, &out, &err), status);
    assert_int_equal(err.status, status);
    assert_null(out);
    hry_tensor_release(t);
}

static void test_refused(void **state)
{
    (void)state;
    float x[64] = { 1, -2, 3 };
    for (uint8_t scheme = HRY_SCHEME_PER_TENSOR; scheme <= HRY_SCHEME_MXFP; scheme++) {
        x[7] = NAN;
        refused(x, 64, &(hry_quantizer){ .scheme = scheme }, HRY_E_UNSUPPORTED);
        x[7] = -INFINITY;
        refused(x, 64, &(hry_quantizer){ .scheme = scheme }, HRY_E_UNSUPPORTED);
    }
    x[7] = 0;
    refused(x, 64, &(hry_quantizer){ .scheme = 1, .storage = HRY_TYPE_UINT8, .symmetric = true }, HRY_E_UNSUPPORTED);
    refused(x, 64, &(hry_quantizer){ .scheme = 1, .storage = HRY_TYPE_FLOAT16 }, HRY_E_INPUT);
    refused(x, 64, &(hry_quantizer){ .scheme = 9 }, HRY_E_USAGE);
    refused(x, 64, &(hry_quantizer){ .scheme = 2, .axis = 1 }, HRY_E_INPUT);
    refused(x, 64, &(hry_quantizer){ .scheme = 3, .block = 24 }, HRY_E_INPUT);
    refused(x, 64, &(hry_quantizer){ .scheme = 3, .block = 128 }, HRY_E_INPUT);
    refused(x, 48, &(hry_quantizer){ .scheme = 5, .block = 32 }, HRY_E_INPUT);
    /* The largest scale of float16 is 65504. */
    hry_quantizer half = { .scheme = 3, .scale_type = HRY_TYPE_FLOAT16, .symmetric = true };
    hry_tensor *t = NULL, *out = NULL;
    x[0] = 65504.0f * 127;
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 1, (uint64_t[]){ 64 }, x, NULL, NULL, &t, NULL), HRY_OK);
    assert_int_equal(hry_tensor_quantize(t, &half, &out, NULL), HRY_OK);
    hry_tensor_release(t);
    hry_tensor_release(out);
    x[0] = nextafterf(x[0], INFINITY);
    refused(x, 64, &half, HRY_E_UNSUPPORTED);
    x[0] = 1e30f;
    refused(x, 64, &half, HRY_E_UNSUPPORTED);
    x[0] = -1;
    x[1] = 1e-3f;
    x[2] = 0;
    refused(x, 64, &(hry_quantizer){ .scheme = 1, .storage = HRY_TYPE_UINT32 }, HRY_E_UNSUPPORTED);
    float zero = 0;
    refused(x, 64, &(hry_quantizer){ .scheme = 1, .scales = &zero }, HRY_E_INPUT);
    float bad[2] = { 1, NAN };
    refused(x, 64, &(hry_quantizer){ .scheme = 3, .scales = bad, .symmetric = true }, HRY_E_INPUT);
}

/* Parameters of the caller's: those that kernels could not take, and codes by the scale that is stored. */
static void test_given(void **state)
{
    (void)state;
    float x[64] = { 1, -2, 3 }, scales[2] = { 0.1f, 0.1f };
    int32_t zp[2] = { 0, 8 };
    hry_quantizer q = { .scheme = HRY_SCHEME_PER_BLOCK, .storage = HRY_TYPE_INT4, .scales = scales, .zero_points = zp };
    refused(x, 64, &q, HRY_E_USAGE);
    zp[1] = -9;
    refused(x, 64, &q, HRY_E_USAGE);
    zp[1] = 7;
    q.symmetric = true;
    refused(x, 64, &q, HRY_E_USAGE);
    refused(x, 64, &(hry_quantizer){ .scheme = 1, .zero_points = zp }, HRY_E_USAGE);
    refused(x, 64, &(hry_quantizer){ .scheme = HRY_SCHEME_NF4, .scales = scales, .zero_points = zp }, HRY_E_USAGE);
    refused(x, 64, &(hry_quantizer){ .scheme = HRY_SCHEME_MXFP, .scales = scales }, HRY_E_USAGE);
    refused(x, 64, &(hry_quantizer){ .scheme = HRY_SCHEME_MXFP, .scales = (float[]){ 1, -2 } }, HRY_E_USAGE);
    refused(x, 64, &(hry_quantizer){ .scheme = HRY_SCHEME_MXFP, .scales = (float[]){ 1, 0 } }, HRY_E_INPUT);

    /* 0.1 as float16 is 0.0999755859375, as bfloat16 0.10009765625: 50.5 steps of 0.1 are 51 of the first (50.51). */
    x[0] = 5.05f;
    q = (hry_quantizer){
        .scheme = HRY_SCHEME_PER_BLOCK, .storage = HRY_TYPE_INT8, .scales = scales, .symmetric = true
    };
    static const struct {
        uint8_t type;
        float scale;
        double code;
    } rows[] = { { HRY_TYPE_FLOAT16, 0.0999755859375f, 51 }, { HRY_TYPE_BFLOAT16, 0.10009765625f, 50 } };
    for (size_t i = 0; i < 2; i++) {
        hry_tensor *t = NULL, *out = NULL;
        float got[2];
        assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 1, (uint64_t[]){ 64 }, stored_of(HRY_TYPE_FLOAT32, x, 64),
                                          NULL, NULL, &t, NULL),
                         HRY_OK);
        q.scale_type = rows[i].type;
        assert_int_equal(hry_tensor_quantize(t, &q, &out, NULL), HRY_OK);
        double *code = codes(out, 64);
        assert_int_equal(hry_tensor_parameters(out, 0, 2, got, NULL, NULL), HRY_OK);
        assert_true(got[0] == rows[i].scale && got[1] == rows[i].scale);
        assert_true(code[0] == rows[i].code);
        free(code);
        hry_tensor_release(t);
        hry_tensor_release(out);
    }
}

/* Nothing to quantize: parameters are good all the same. */
static void test_empty(void **state)
{
    (void)state;
    static const uint64_t shapes[][2] = { { 0, 64 }, { 64, 0 }, { 0, 0 } };
    for (unsigned i = 0; i < 3 * 5 * 2 * 2; i++) {
        const uint64_t *shape = shapes[i % 3];
        hry_quantizer q = { .scheme = (uint8_t)(1 + i / 3 % 5), .axis = i / 15 % 2, .symmetric = i / 30 };
        hry_tensor *t = NULL, *out = NULL;
        hry_error err = { 0 };
        assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 2, shape, NULL, NULL, NULL, &t, &err), HRY_OK);
        hry_status status = hry_tensor_quantize(t, &q, &out, &err);
        if (q.scheme == HRY_SCHEME_MXFP && shape[q.axis] == 0) {
            assert_int_equal(status, HRY_E_INPUT);
            assert_string_equal(hry_rule_id(err.rule), "Q-MX-02");
        } else {
            assert_int_equal(status, HRY_OK);
            assert_int_equal(hry_tensor_verify(out, HRY_VERIFY_DEEP, &err), HRY_OK);
        }
        hry_tensor_release(t);
        hry_tensor_release(out);
    }
}

/* Partial last blocks: every reading agrees on where elements are, and what pads is 0. */
static void test_partial_blocks(void **state)
{
    (void)state;
    uint64_t seed = 2;
    given g;
    make(&g, &seed, 2, (uint64_t[]){ 3, 100 }, 0);
    hry_quantizer q = { .scheme = HRY_SCHEME_NF4, .axis = 1, .block = 64 };
    hry_tensor *t = quantize(&g, &q);
    assert_int_equal(hry_tensor_desc(t)->layout, HRY_LAYOUT_STRIDED);
    uint64_t nbytes;
    const uint8_t *data = hry_tensor_buffer(t, 0, &nbytes);
    assert_int_equal(nbytes, 192);
    for (int row = 0; row < 3; row++)
        for (int i = 50; i < 64; i++)
            assert_int_equal(data[row * 64 + i], 0);
    hry_tensor_release(t);
    drop(&g);

    make(&g, &seed, 2, (uint64_t[]){ 1, 100 }, 0);
    t = quantize(&g, &q);
    assert_int_equal(hry_tensor_desc(t)->layout, HRY_LAYOUT_ROW_MAJOR);
    hry_tensor_buffer(t, 0, &nbytes);
    assert_int_equal(nbytes, 64);
    hry_tensor_release(t);
    drop(&g);
}

static void test_rows(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 120; i++) {
        uint64_t seed = i,
                 shape[3] = { 1 + naive_below(&seed, 4), 1 + naive_below(&seed, 6), 32 * (1 + naive_below(&seed, 3)) };
        hry_quantizer q = { .scheme = (uint8_t)(1 + naive_below(&seed, 5)), .axis = 2, .block = 32 };
        q.storage = q.scheme == HRY_SCHEME_NF4 ? HRY_TYPE_UINT4 : i % 2 ? HRY_TYPE_INT4 : HRY_TYPE_INT8;
        given g;
        make(&g, &seed, 3, shape, 0);
        hry_tensor *t = i % 7 ? quantize(&g, &q) : hry_tensor_retain(g.t), *columns = NULL;
        if (i % 3 == 0) { /* not one row after the other */
            assert_int_equal(
                hry_tensor_relayout(t, &(hry_layout){ .tag = HRY_LAYOUT_COLUMN_MAJOR }, NULL, &columns, NULL), HRY_OK);
            hry_tensor_release(t);
            t = columns;
        }
        float *want = values(t, g.count), row[96];
        uint16_t half[96];
        hry_rows rows;
        assert_int_equal(hry_rows_init(&rows, t, NULL), HRY_OK);
        assert_int_equal(rows.count, shape[0] * shape[1]);
        assert_int_equal(rows.length, shape[2]);
        for (uint64_t r = 0; r < rows.count; r++) {
            hry_rows_f32(&rows, r, row);
            assert_memory_equal(row, want + r * rows.length, rows.length * sizeof *row);
            hry_rows_f16(&rows, r, half);
            for (uint64_t j = 0; j < rows.length; j++)
                assert_int_equal(half[j], hry_f32_to_f16(row[j]));
            hry_rows_bf16(&rows, r, half);
            for (uint64_t j = 0; j < rows.length; j++)
                assert_int_equal(half[j], hry_f32_to_bf16(row[j]));
        }
        free(want);
        hry_tensor_release(t);
        drop(&g);
    }
}

static void test_compare(void **state)
{
    (void)state;
    float a[] = { 1, 2, 0, 4, NAN, INFINITY, INFINITY, NAN }, b[] = { 1, 2.5f, 0.25f, 4, NAN, INFINITY, 3, 1 };
    hry_tensor *ta = NULL, *tb = NULL, *other = NULL;
    hry_difference d;
    uint64_t n = 8;
    assert_int_equal(
        hry_tensor_dense(HRY_TYPE_FLOAT32, 1, &n, stored_of(HRY_TYPE_FLOAT32, a, n), NULL, NULL, &ta, NULL), HRY_OK);
    assert_int_equal(
        hry_tensor_dense(HRY_TYPE_FLOAT32, 1, &n, stored_of(HRY_TYPE_FLOAT32, b, n), NULL, NULL, &tb, NULL), HRY_OK);
    assert_int_equal(hry_tensor_compare(ta, tb, 0.25, 0.1, NULL, &d, NULL), HRY_OK);
    assert_int_equal(d.count, 8);
    assert_int_equal(d.different, 4);
    assert_int_equal(d.unlike, 2);
    assert_true(d.max_absolute == 0.5 && d.max_relative == 0.25);
    assert_true(d.rms == sqrt((0.25 + 0.0625) / 4));
    assert_true(fabs(d.sqnr - 10 * log10(21.0 / 0.3125)) < 1e-12);
    assert_int_equal(d.beyond, 3);
    n = 4;
    assert_int_equal(
        hry_tensor_dense(HRY_TYPE_FLOAT32, 1, &n, stored_of(HRY_TYPE_FLOAT32, a, n), NULL, NULL, &other, NULL), HRY_OK);
    assert_int_equal(hry_tensor_compare(ta, other, 0, 0, NULL, &d, NULL), HRY_E_USAGE);
    hry_tensor_release(ta);
    hry_tensor_release(tb);
    hry_tensor_release(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_affine),  cmocka_unit_test(test_nf4),
        cmocka_unit_test(test_mxfp),    cmocka_unit_test(test_sources),
        cmocka_unit_test(test_search),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_partial_blocks),
        cmocka_unit_test(test_compare), cmocka_unit_test(test_given),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
