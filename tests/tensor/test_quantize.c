/*
 * Quantizing: parameters by the formulas of the format's text, the bounds that follow from them, and codes that come
 * out the same again (quantization, section 11).
 */
#include "base/bytes.h"
#include "support/naive_layout.h"
#include "support/rules_reached.h"
#include "tensor/convert.h"

#include <float.h>
#include <hurray/hurray.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
                              : (i / 8 % 3 ? 0.0f : (float)(-3 + u));
    }
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, rank, shape, g->x, NULL, NULL, &g->t, NULL), HRY_OK);
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

typedef struct extent {
    double lo, hi;
} extent;

static extent *extents(const given *g, const hry_quantizer *q, uint64_t n)
{
    extent *e = calloc(n + 1, sizeof *e); /* 0 belongs to every range */
    for (uint64_t i = 0; i < g->count; i++) {
        extent *at = &e[parameter_of(g, q, i)];
        at->lo = fmin(at->lo, g->x[i]);
        at->hi = fmax(at->hi, g->x[i]);
    }
    return e;
}

static double value_up(uint8_t type, double t)
{
    uint32_t code;
    if (type == HRY_TYPE_FLOAT32) {
        float f = (float)t;
        while ((double)f < t)
            f = nextafterf(f, INFINITY);
        return fmax(f, FLT_MIN);
    }
    for (code = 1; code < 0x7C00u + (type == HRY_TYPE_BFLOAT16 ? 0x400u : 0); code++) {
        uint16_t bits = (uint16_t)code;
        double v = hry_element_f64(type, (const uint8_t[]){ (uint8_t)bits, (uint8_t)(bits >> 8) }, 0);
        if (v >= t && v >= (type == HRY_TYPE_FLOAT16 ? 0x1p-14 : 0x1p-126))
            return v;
    }
    return INFINITY;
}

static void range_of(uint8_t type, double *lo, double *hi)
{
    const hry_type_info *info = hry_type_find(type);
    bool is_signed = info->kind == HRY_KIND_INT;
    *hi = exp2(info->bits - is_signed) - 1;
    *lo = is_signed ? -*hi - 1 : 0;
}

/* Bounds of section 11.2, and parameters of 11.1. */
static void check_affine(const given *g, const hry_quantizer *q, const hry_tensor *t)
{
    uint64_t n;
    double qmin, qmax;
    assert_int_equal(hry_tensor_parameter_count(t, &n, NULL), HRY_OK);
    float *scale = malloc(n * sizeof *scale), *back = values(t, g->count);
    int32_t *zp = malloc(n * sizeof *zp);
    double *code = codes(t, g->count);
    extent *e = extents(g, q, n);
    assert_int_equal(hry_tensor_parameters(t, 0, n, scale, zp, NULL), HRY_OK);
    range_of(q->storage, &qmin, &qmax);
    double m = fmin(qmax, -qmin) > 0 ? fmin(qmax, -qmin) : qmax;
    for (uint64_t p = 0; p < n; p++) {
        double span = q->symmetric ? fmax(-e[p].lo, e[p].hi) / m : (e[p].hi - e[p].lo) / (qmax - qmin);
        double want = span > 0 ? value_up(q->scale_type ? q->scale_type : HRY_TYPE_FLOAT32, span) : 1.0;
        if (q->scheme == HRY_SCHEME_PER_CHANNEL || q->scheme == HRY_SCHEME_PER_TENSOR)
            want = span > 0 ? value_up(HRY_TYPE_FLOAT32, span) : 1.0;
        assert_true((double)scale[p] == want);
        double zero = q->symmetric ? 0 : span > 0 ? rint(qmin - e[p].lo / want) : 0;
        assert_true(zp[p] == fmin(fmax(zero, qmin), qmax));
    }
    for (uint64_t i = 0; i < g->count; i++) {
        uint64_t p = parameter_of(g, q, i);
        double bound = 0.5 * (double)scale[p] * (1 + 0x1p-20) + 0x1p-22 * fmax(-e[p].lo, e[p].hi);
        if (!(fabs((double)g->x[i] - (double)back[i]) <= bound))
            fail_msg("scheme %u type %s symmetric %d scale type %s: %a became %a by %a, %d: code %g (range %a %a)",
                     q->scheme, hry_type_name(q->storage), q->symmetric, hry_type_name(q->scale_type), (double)g->x[i],
                     (double)back[i], (double)scale[p], zp[p], code[i], e[p].lo, e[p].hi);
        assert_true(g->x[i] != 0 || back[i] == 0);
        double low = q->symmetric ? -m : qmin;
        assert_true(code[i] >= fmin(low, qmin < 0 ? low : 0) && code[i] <= qmax);
        if (hry_type_find(q->storage)->bits <= 16) { /* the formula itself */
            double raw = rint((double)(g->x[i] / scale[p])) + zp[p];
            assert_true(code[i] == fmin(fmax(raw, q->symmetric && qmin < 0 ? -m : qmin), qmax));
        }
    }
    free(scale);
    free(zp);
    free(back);
    free(code);
    free(e);
}

static void test_affine(void **state)
{
    (void)state;
    static const uint8_t types[] = { HRY_TYPE_INT8,  HRY_TYPE_UINT8, HRY_TYPE_INT4,   HRY_TYPE_UINT4, HRY_TYPE_INT2,
                                     HRY_TYPE_UINT2, HRY_TYPE_INT16, HRY_TYPE_UINT16, HRY_TYPE_INT32 };
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
        q.storage = types[naive_below(&seed, q.scheme == HRY_SCHEME_PER_BLOCK ? 6 : 9)];
        bool is_signed = hry_type_find(q.storage)->kind == HRY_KIND_INT;
        q.symmetric = is_signed && naive_below(&seed, 2);
        if (q.scheme == HRY_SCHEME_PER_BLOCK) {
            q.scale_type = scales[naive_below(&seed, 3)];
            shape[q.axis] += q.block;
        }
        given g;
        make(&g, &seed, rank, shape, (unsigned)naive_below(&seed, 4));
        hry_tensor *one = quantize(&g, &q);
        check_affine(&g, &q, one);
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
        /* The same parameters on what came back give the same codes. */
        uint64_t n;
        assert_int_equal(hry_tensor_parameter_count(one, &n, NULL), HRY_OK);
        float *scale = malloc(n * sizeof *scale), *back = values(one, g.count);
        int32_t *zp = malloc(n * sizeof *zp);
        assert_int_equal(hry_tensor_parameters(one, 0, n, scale, zp, NULL), HRY_OK);
        given again = g;
        again.x = back;
        assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, rank, shape, back, NULL, NULL, &again.t, NULL), HRY_OK);
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
        uint64_t seed = i, shape[2] = { 1 + naive_below(&seed, 9), 64 + naive_below(&seed, 140) }, n;
        hry_quantizer q = { .scheme = HRY_SCHEME_NF4, .storage = HRY_TYPE_UINT4, .axis = 1, .block = 64 };
        if (i % 3 == 0) {
            uint64_t swap = shape[0];
            shape[0] = shape[1];
            shape[1] = swap;
            q.axis = 0;
        }
        given g;
        make(&g, &seed, 2, shape, (unsigned)naive_below(&seed, 4));
        hry_tensor *t = quantize(&g, &q);
        float *back = values(t, g.count);
        assert_int_equal(hry_tensor_parameter_count(t, &n, NULL), HRY_OK);
        extent *e = extents(&g, &q, n);
        for (uint64_t j = 0; j < g.count; j++) {
            extent *at = &e[parameter_of(&g, &q, j)];
            double absmax = fmax(-at->lo, at->hi);
            assert_true(fabs((double)g.x[j] - (double)back[j]) <= (0.151904 + 0x1p-22) * absmax);
            assert_true(fabs((double)g.x[j]) != absmax || back[j] == g.x[j]);
            assert_true(g.x[j] != 0 || back[j] == 0);
        }
        free(e);
        free(back);
        hry_tensor_release(t);
        drop(&g);
    }
}

static void test_mxfp(void **state)
{
    (void)state;
    static const struct {
        uint8_t type;
        double delta, u, r, max;
        int emax;
    } rows[] = {
        { HRY_TYPE_FLOAT8_E4M3, 0x1p-9, 1.0 / 17, 1.0 / 8, 448, 8 },
        { HRY_TYPE_FLOAT8_E5M2, 0x1p-16, 1.0 / 9, 1.0 / 8, 57344, 15 },
        { HRY_TYPE_FLOAT4_E2M1, 0.5, 1.0 / 5, 1.0 / 4, 6, 2 },
        { HRY_TYPE_FLOAT6_E2M3, 0.125, 1.0 / 17, 1.0 / 16, 7.5, 2 },
        { HRY_TYPE_FLOAT6_E3M2, 0.0625, 1.0 / 9, 1.0 / 8, 28, 4 },
        { HRY_TYPE_INT8, 1, 0, 1.0 / 128, 127, 6 },
        { HRY_TYPE_INT4, 1, 0, 1.0 / 8, 7, 2 },
    };
    for (uint64_t i = 0; i < 350; i++) {
        uint64_t seed = i + 1, n, shape[3] = { 1 + naive_below(&seed, 5), 32, 1 + naive_below(&seed, 5) };
        size_t row = i % (sizeof rows / sizeof *rows);
        hry_quantizer q = {
            .scheme = HRY_SCHEME_MXFP, .storage = rows[row].type, .axis = 1, .block = 32, .ceil = i % 4 == 3
        };
        if (i % 2) {
            shape[2] = 64;
            q.axis = 2;
        }
        given g;
        make(&g, &seed, 3, shape, (unsigned)naive_below(&seed, 4));
        hry_tensor *t = quantize(&g, &q);
        assert_int_equal(hry_tensor_parameter_count(t, &n, NULL), HRY_OK);
        float *back = values(t, g.count), *scale = malloc(n * sizeof *scale);
        extent *e = extents(&g, &q, n);
        assert_int_equal(hry_tensor_parameters(t, 0, n, scale, NULL, NULL), HRY_OK);
        for (uint64_t p = 0; p < n; p++) {
            double absmax = fmax(-e[p].lo, e[p].hi);
            double exponent = absmax == 0 ? 0
                              : q.ceil    ? ceil(log2(absmax / rows[row].max) - 1e-12)
                                          : floor(log2(absmax)) - rows[row].emax;
            assert_true((double)scale[p] == exp2(fmin(fmax(exponent, -126), 127)));
        }
        for (uint64_t j = 0; j < g.count; j++) {
            uint64_t p = parameter_of(&g, &q, j);
            double size = fabs((double)g.x[j]), r = q.ceil ? 0 : rows[row].r;
            double bound = fmax(fmax(r, rows[row].u) * size, 0.5 * rows[row].delta * (double)scale[p]);
            assert_true(fabs((double)g.x[j] - (double)back[j]) <= bound * (1 + 0x1p-40));
        }
        free(e);
        free(back);
        free(scale);
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
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 1, &n, x, NULL, NULL, &t, NULL), HRY_OK);
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
    x[0] = 1e30f;
    refused(x, 64, &(hry_quantizer){ .scheme = 3, .scale_type = HRY_TYPE_FLOAT16, .symmetric = true },
            HRY_E_UNSUPPORTED);
    x[0] = -1;
    x[1] = 1e-3f;
    x[2] = 0;
    refused(x, 64, &(hry_quantizer){ .scheme = 1, .storage = HRY_TYPE_UINT32 }, HRY_E_UNSUPPORTED);
    float zero = 0;
    refused(x, 64, &(hry_quantizer){ .scheme = 1, .scales = &zero }, HRY_E_INPUT);
    float bad[2] = { 1, NAN };
    refused(x, 64, &(hry_quantizer){ .scheme = 3, .scales = bad, .symmetric = true }, HRY_E_INPUT);
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
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 1, &n, a, NULL, NULL, &ta, NULL), HRY_OK);
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 1, &n, b, NULL, NULL, &tb, NULL), HRY_OK);
    assert_int_equal(hry_tensor_compare(ta, tb, 0.25, 0.1, NULL, &d, NULL), HRY_OK);
    assert_int_equal(d.count, 8);
    assert_int_equal(d.different, 4);
    assert_int_equal(d.unlike, 2);
    assert_true(d.max_absolute == 0.5 && d.max_relative == 0.25);
    assert_true(d.rms == sqrt((0.25 + 0.0625) / 4));
    assert_true(fabs(d.sqnr - 10 * log10(21.0 / 0.3125)) < 1e-12);
    assert_int_equal(d.beyond, 3);
    n = 4;
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 1, &n, a, NULL, NULL, &other, NULL), HRY_OK);
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
        cmocka_unit_test(test_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
