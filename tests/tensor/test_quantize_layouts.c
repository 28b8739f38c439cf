/*
 * Quantizing tensors that list what they hold: sparse ones, whose stored values count, and pages, by token slot. Which
 * values share parameters is told from the indices, one value at a time (quantization, sections 8.1 and 9).
 */
#include "base/bytes.h"
#include "support/naive_layout.h"
#include "support/rules_reached.h"
#include "support/stored_of.h"
#include "tensor/convert.h"
#include "tensor/naive_quantize.h"
#include "tensor/sparse_case.h"

#include <hurray/hurray.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLOT_ROOM = 64, ROW_ROOM = 16 };

/* Numbers for listed values, by the format's words. */
static uint64_t number_of(const hry_quantizer *q, uint32_t rank, const uint64_t *shape, const uint64_t *index)
{
    uint64_t outer = 0;
    if (q->scheme <= HRY_SCHEME_PER_CHANNEL)
        return q->scheme == HRY_SCHEME_PER_CHANNEL ? index[q->axis] : 0;
    for (uint32_t k = 0; k < rank; k++)
        outer = k == q->axis ? outer : outer * shape[k] + index[k];
    return outer * ((shape[q->axis] + q->block - 1) / q->block) + index[q->axis] / q->block;
}

static void put_value(uint8_t type, void *at, uint64_t i, float x)
{
    hry_element_set_f64(type, at, i, (double)x);
}

/* Some scheme that fits the shape; false when there is none with blocks for it. */
static bool choose(hry_quantizer *q, uint64_t *seed, uint32_t rank, const uint64_t *shape)
{
    static const uint8_t affine[] = { HRY_TYPE_INT8,  HRY_TYPE_UINT8, HRY_TYPE_INT4,   HRY_TYPE_UINT4, HRY_TYPE_INT2,
                                      HRY_TYPE_UINT2, HRY_TYPE_INT16, HRY_TYPE_UINT16, HRY_TYPE_INT32 };
    static const uint8_t mx[] = { HRY_TYPE_FLOAT8_E4M3, HRY_TYPE_FLOAT8_E5M2, HRY_TYPE_FLOAT4_E2M1,
                                  HRY_TYPE_FLOAT6_E2M3, HRY_TYPE_FLOAT6_E3M2, HRY_TYPE_INT8,
                                  HRY_TYPE_INT4 };
    static const uint8_t scales[] = { HRY_TYPE_FLOAT32, HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16 };
    *q = (hry_quantizer){ .scheme = (uint8_t)(1 + naive_below(seed, 5)), .axis = (uint32_t)naive_below(seed, rank) };
    uint64_t size = shape[q->axis], least = q->scheme == HRY_SCHEME_MXFP ? 16 : q->scheme == HRY_SCHEME_NF4 ? 8 : 2;
    q->storage = q->scheme == HRY_SCHEME_NF4    ? HRY_TYPE_UINT4
                 : q->scheme == HRY_SCHEME_MXFP ? mx[naive_below(seed, sizeof mx)]
                                                : affine[naive_below(seed, q->scheme == HRY_SCHEME_PER_BLOCK ? 6 : 9)];
    q->symmetric = hry_type_find(q->storage)->kind == HRY_KIND_INT && naive_below(seed, 2);
    q->scale_type = scales[naive_below(seed, 3)];
    if (q->scheme < HRY_SCHEME_PER_BLOCK)
        return true;
    q->block = (uint32_t)least << naive_below(seed, 3);
    return q->block <= size && (q->scheme != HRY_SCHEME_MXFP || size % q->block == 0);
}

static void same_buffers(const hry_tensor *a, const hry_tensor *b, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        uint64_t na, nb;
        const void *pa = hry_tensor_buffer(a, i, &na), *pb = hry_tensor_buffer(b, i, &nb);
        assert_int_equal(na, nb);
        assert_memory_equal(pa ? pa : "", pb ? pb : "", na);
    }
}

/* What the tensor has: parameters, and the code of each of n listed values with what it stands for. */
static void check_listed(const hry_quantizer *q, const hry_tensor *t, const float *x, const uint64_t *number,
                         const uint64_t *place, const float *back, uint64_t n)
{
    naive_quantized z = { .q = q, .n = n, .x = x, .number = number, .back = back };
    assert_int_equal(hry_tensor_parameter_count(t, &z.parameters, NULL), HRY_OK);
    float *scale = malloc((z.parameters + 1) * sizeof *scale);
    int32_t *zp = malloc((z.parameters + 1) * sizeof *zp);
    double *code = malloc((n + 1) * sizeof *code);
    assert_int_equal(hry_tensor_parameters(t, 0, z.parameters, scale, zp, NULL), HRY_OK);
    for (uint64_t i = 0; i < n; i++)
        code[i] = hry_element_f64(q->storage, hry_tensor_buffer(t, 0, NULL), place[i]);
    z.scale = scale;
    z.zp = zp;
    z.code = code;
    naive_check_quantized(&z);
    free(scale);
    free(zp);
    free(code);
}

/* Dequantized, a tensor keeps its layout and index arrays: n listed values, in float32 and rounded from it. */
static void check_back(const hry_tensor *t, uint32_t own, const float *back, const uint64_t *place, uint64_t n,
                       const uint64_t *counts)
{
    static const uint8_t types[] = { 0, HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16, HRY_TYPE_FLOAT64 };
    hry_relayout_options options = { .token_counts = counts };
    for (size_t k = 0; k < sizeof types; k++) {
        uint8_t type = types[k] ? types[k] : HRY_TYPE_FLOAT32;
        hry_tensor *made = NULL;
        hry_error err = { 0 };
        if (hry_tensor_dequantize(t, types[k], &options, &made, &err))
            fail_msg("%s", err.message);
        assert_int_equal(hry_tensor_desc(made)->layout, hry_tensor_desc(t)->layout);
        assert_int_equal(hry_tensor_desc(made)->buffer_count, own);
        assert_int_equal(hry_tensor_type(made), type);
        same_buffers(t, made, 1, own);
        for (uint64_t i = 0; i < n; i++) {
            uint8_t want[8], *got = (uint8_t *)hry_tensor_buffer(made, 0, NULL);
            size_t size = hry_type_find(type)->bits / 8;
            put_value(type, want, 0, back[i]);
            assert_memory_equal(want, got + size * place[i], size);
        }
        hry_tensor_release(made);
    }
}

/* ---- Sparse ---- */

static float value_at(const hry_tensor *t, const uint64_t *index)
{
    float x;
    assert_int_equal(hry_tensor_get(t, index, HRY_TYPE_FLOAT32, &x, NULL), HRY_OK);
    return x;
}

/* Whatever the zero points are. */
static void check_zeros(const sparse_case *c, const hry_tensor *t)
{
    uint64_t n = 1, places = 0;
    for (uint32_t k = 0; k < c->rank; k++)
        n *= c->shape[k];
    float *all = malloc(n * sizeof *all);
    assert_int_equal(hry_tensor_read(t, NULL, HRY_TYPE_FLOAT32, NULL, all, NULL), HRY_OK);
    for (uint64_t i = 0; i < n; i++)
        places += all[i] != 0;
    for (uint64_t i = 0; i < c->nnz; i++) {
        uint64_t at = 0;
        for (uint32_t k = 0; k < c->rank; k++)
            at = at * c->shape[k] + c->index[i][k];
        places -= all[at] != 0;
    }
    assert_int_equal(places, 0);
    free(all);
}

static void check_sparse(sparse_case *c, hry_quantizer *q, uint64_t *seed)
{
    float x[SPARSE_MOST + 1], back[SPARSE_MOST + 1];
    uint64_t number[SPARSE_MOST + 1], place[SPARSE_MOST + 1];
    hry_tensor *t = NULL, *again = NULL;
    hry_error err = { 0 };
    for (uint64_t i = 0; i < c->nnz; i++) { /* some stored values are 0 */
        float u = (float)(int32_t)naive_random(seed) / 0x1p31f;
        put_value(c->type, c->buffer[0], i, naive_below(seed, 6) ? u * (float)(1 + naive_below(seed, 40)) : 0);
        x[i] = (float)hry_element_f64(c->type, c->buffer[0], i);
        number[i] = number_of(q, c->rank, c->shape, c->index[i]);
        place[i] = i;
    }
    sparse_remake(c);
    if (hry_tensor_quantize(c->tensor, q, &t, &err))
        fail_msg("scheme %u %s: %s", q->scheme, hry_type_name(q->storage), err.message);
    assert_int_equal(hry_tensor_desc(t)->layout, c->tag);
    assert_int_equal(hry_tensor_verify(t, HRY_VERIFY_DEEP, &err), HRY_OK);
    same_buffers(c->tensor, t, 1, c->buffer_count);
    for (uint64_t i = 0; i < c->nnz; i++)
        back[i] = value_at(t, c->index[i]);
    check_listed(q, t, x, number, place, back, c->nnz);
    check_back(t, c->buffer_count, back, place, c->nnz, NULL);
    check_back(c->tensor, c->buffer_count, x, place, c->nnz, NULL);
    check_zeros(c, t);
    /* The parameters given: the same codes. */
    uint64_t n;
    assert_int_equal(hry_tensor_parameter_count(t, &n, NULL), HRY_OK);
    float *scale = malloc((n + 1) * sizeof *scale);
    int32_t *zp = malloc((n + 1) * sizeof *zp);
    assert_int_equal(hry_tensor_parameters(t, 0, n, scale, zp, NULL), HRY_OK);
    hry_quantizer given = *q;
    given.scales = scale;
    given.zero_points = q->symmetric || q->scheme > HRY_SCHEME_PER_BLOCK ? NULL : zp;
    assert_int_equal(hry_tensor_quantize(c->tensor, &given, &again, NULL), HRY_OK);
    same_buffers(t, again, 0, hry_tensor_desc(t)->buffer_count);
    hry_tensor_release(again);
    hry_tensor_release(t);
    free(scale);
    free(zp);
}

static void test_sparse(void **state)
{
    (void)state;
    static const uint8_t tags[] = { HRY_LAYOUT_COO, HRY_LAYOUT_CSR, HRY_LAYOUT_CSC, HRY_LAYOUT_CSF };
    static const uint8_t sources[] = { HRY_TYPE_FLOAT32, HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16, HRY_TYPE_FLOAT64 };
    unsigned seen[6][4] = { { 0 } };
    for (uint64_t i = 1; i <= 1500; i++) {
        uint64_t seed = i;
        sparse_case c;
        hry_quantizer q;
        size_t tag = i % 4;
        uint32_t rank = tag == 3 ? 3 : tag ? 2 : 1 + (uint32_t)naive_below(&seed, 3);
        sparse_make(&c, &seed, tags[tag], i % 3, rank, tag == 3 || rank == 3 ? 20 : 70);
        if (choose(&q, &seed, rank, c.shape)) {
            c.type = sources[naive_below(&seed, sizeof sources)];
            free(c.buffer[0]);
            c.nbytes[0] = c.nnz * (hry_type_find(c.type)->bits / 8);
            c.buffer[0] = aligned_alloc(64, (c.nbytes[0] + 64) / 64 * 64);
            check_sparse(&c, &q, &seed);
            seen[q.scheme][tag]++;
        }
        sparse_free(&c);
    }
    for (size_t scheme = 1; scheme < 6; scheme++)
        for (size_t tag = 0; tag < 4; tag++)
            assert_true(seen[scheme][tag] > 0);
}

/* The search has the same effect on listed values as on those of a dense tensor, which are the same with zeros. */
static void test_sparse_search(void **state)
{
    (void)state;
    uint64_t seed = 3, shape[2] = { 40, 64 };
    float x[40 * 64];
    for (size_t i = 0; i < 40 * 64; i++)
        x[i] = naive_below(&seed, 2) ? 0 : (float)(int32_t)naive_random(&seed) / 0x1p31f;
    static const uint8_t schemes[] = { HRY_SCHEME_PER_BLOCK, HRY_SCHEME_NF4, HRY_SCHEME_MXFP };
    for (size_t i = 0; i < 6; i++) {
        hry_tensor *dense, *sparse, *a, *b, *plain;
        hry_quantizer q = { .scheme = schemes[i / 2], .axis = i % 2, .symmetric = true, .block = 32 };
        q.storage = q.scheme == HRY_SCHEME_PER_BLOCK ? HRY_TYPE_INT4 : 0;
        q.axis = q.scheme == HRY_SCHEME_MXFP ? 1 : q.axis;
        assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 2, shape, stored_of(HRY_TYPE_FLOAT32, x, 40 * 64), NULL,
                                          NULL, &dense, NULL),
                         HRY_OK);
        assert_int_equal(hry_tensor_relayout(dense, &(hry_layout){ .tag = HRY_LAYOUT_CSC }, NULL, &sparse, NULL),
                         HRY_OK);
        assert_int_equal(hry_tensor_quantize(sparse, &q, &plain, NULL), HRY_OK);
        q.optimize = true;
        assert_int_equal(hry_tensor_quantize(sparse, &q, &a, NULL), HRY_OK);
        assert_int_equal(hry_tensor_quantize(dense, &q, &b, NULL), HRY_OK);
        hry_difference away, less, more;
        assert_int_equal(hry_tensor_compare(a, b, 0, 0, NULL, &away, NULL), HRY_OK);
        assert_int_equal(hry_tensor_compare(dense, a, 0, 0, NULL, &less, NULL), HRY_OK);
        assert_int_equal(hry_tensor_compare(dense, plain, 0, 0, NULL, &more, NULL), HRY_OK);
        assert_int_equal(away.different, 0);
        assert_true(less.rms < more.rms);
        hry_tensor_release(dense);
        hry_tensor_release(sparse);
        hry_tensor_release(plain);
        hry_tensor_release(a);
        hry_tensor_release(b);
    }
}

/* ---- Pages ---- */

/* Three sequences of 5, 0 and 3 tokens; the second page of the first is the third's as well, and page 3 nobody's. */
typedef struct pages {
    uint64_t shape[3], counts[3];
    hry_tensor *t;
    void *buffers[3];
    bool used[SLOT_ROOM];
} pages;

enum { PAGE = 4, NUM_PAGES = 4 };

static void put_u32(void *array, const uint32_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hry_store32((uint8_t *)array + 4 * i, values[i]);
}

static void make_pages(pages *p, uint64_t *seed, uint8_t type)
{
    hry_layout layout = { .tag = HRY_LAYOUT_BLOCK_PAGED, .page_size = PAGE, .num_pages = NUM_PAGES, .num_seqs = 3 };
    hry_desc desc;
    hry_error err = { 0 };
    uint8_t bytes[512];
    *p = (pages){ .shape = { 8, 1 + naive_below(seed, 3), 1 + naive_below(seed, 5) }, .counts = { 5, 0, 3 } };
    uint64_t row = p->shape[1] * p->shape[2], size = hry_type_find(type)->bits / 8;
    hry_buffer rows[] = { { .byte_size = NUM_PAGES * PAGE * row * size }, { .byte_size = 12 }, { .byte_size = 16 } };
    hry_desc_spec spec = {
        .type = type, .rank = 3, .shape = p->shape, .layout = &layout, .buffers = rows, .buffer_count = 3
    };
    if (hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err) ||
        hry_tensor_alloc(&desc, NULL, &p->t, p->buffers, &err))
        fail_msg("%s", err.message);
    put_u32(p->buffers[1], (uint32_t[]){ 2, 0, 0 }, 3);
    put_u32(p->buffers[2], (uint32_t[]){ 0, 2, 2, 3 }, 4);
    for (uint64_t slot = 0; slot < NUM_PAGES * PAGE; slot++) {
        p->used[slot] = slot / PAGE == 2 || (slot / PAGE == 0 && slot % PAGE < 3);
        for (uint64_t i = 0; i < row; i++) { /* what no token has is not looked at */
            float x = (float)(int32_t)naive_random(seed) / 0x1p31f * (float)(1 + slot);
            put_value(type, p->buffers[0], slot * row + i, p->used[slot] ? x : NAN);
        }
    }
}

static void check_pages(const pages *p, const hry_quantizer *q, uint8_t type)
{
    uint64_t row = p->shape[1] * p->shape[2], n = 0, parameters;
    float x[SLOT_ROOM * ROW_ROOM], back[SLOT_ROOM * ROW_ROOM];
    uint64_t number[SLOT_ROOM * ROW_ROOM], place[SLOT_ROOM * ROW_ROOM];
    hry_tensor *t = NULL;
    hry_error err = { 0 };
    if (hry_tensor_quantize(p->t, q, &t, &err))
        fail_msg("scheme %u %s: %s", q->scheme, hry_type_name(q->storage), err.message);
    assert_int_equal(hry_tensor_desc(t)->layout, HRY_LAYOUT_BLOCK_PAGED);
    assert_int_equal(hry_tensor_verify(t, HRY_VERIFY_DEEP, &err), HRY_OK);
    same_buffers(p->t, t, 1, 3);
    float values[8 * ROW_ROOM];
    hry_read_options options = { .token_counts = p->counts };
    assert_int_equal(hry_tensor_read_with(t, NULL, HRY_TYPE_FLOAT32, NULL, &options, values, &err), HRY_OK);
    /* Tokens 0..4 in slots 8..11 and 0, 5..7 in slots 0..2. */
    static const uint64_t slots[] = { 8, 9, 10, 11, 0, 0, 1, 2 };
    for (uint64_t token = 0; token < 8; token++)
        for (uint64_t i = 0; i < row; i++, n++) {
            place[n] = slots[token] * row + i;
            x[n] = (float)hry_element_f64(type, p->buffers[0], place[n]);
            back[n] = values[token * row + i];
            number[n] = q->scheme == HRY_SCHEME_PER_TENSOR  ? 0
                        : q->scheme == HRY_SCHEME_PER_BLOCK ? slots[token]
                        : q->axis == 1                      ? i / p->shape[2]
                                                            : i % p->shape[2];
        }
    assert_int_equal(hry_tensor_parameter_count(t, &parameters, &err), HRY_OK);
    assert_int_equal(parameters, q->scheme == HRY_SCHEME_PER_TENSOR  ? 1
                                 : q->scheme == HRY_SCHEME_PER_BLOCK ? NUM_PAGES * PAGE
                                                                     : p->shape[q->axis]);
    check_listed(q, t, x, number, place, back, n);
    check_back(t, 3, back, place, n, p->counts);
    hry_tensor_release(t);
}

static void test_pages(void **state)
{
    (void)state;
    static const uint8_t types[] = { HRY_TYPE_INT8, HRY_TYPE_UINT8, HRY_TYPE_INT4, HRY_TYPE_UINT2 };
    static const uint8_t scales[] = { HRY_TYPE_FLOAT32, HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16 };
    static const uint8_t sources[] = { HRY_TYPE_FLOAT32, HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16, HRY_TYPE_FLOAT64 };
    for (uint64_t i = 0; i < 240; i++) {
        uint64_t seed = i + 1;
        pages p;
        uint8_t source = sources[i % 4];
        hry_quantizer q = { .scheme = (uint8_t)(1 + i / 4 % 3), .storage = types[naive_below(&seed, 4)] };
        make_pages(&p, &seed, source);
        q.token_counts = p.counts;
        q.axis = q.scheme == HRY_SCHEME_PER_CHANNEL ? 1 + (uint32_t)naive_below(&seed, 2) : 0;
        q.scale_type = scales[naive_below(&seed, 3)];
        q.symmetric = hry_type_find(q.storage)->kind == HRY_KIND_INT && naive_below(&seed, 2);
        q.block = naive_below(&seed, 2) ? PAGE : 0;
        check_pages(&p, &q, source);
        hry_tensor_release(p.t);
    }
}

static void refused(const pages *p, const hry_quantizer *q, const char *rule, hry_status status)
{
    hry_tensor *t = NULL;
    hry_error err = { 0 };
    assert_int_equal(hry_tensor_quantize(p->t, q, &t, &err), status);
    assert_null(t);
    if (rule)
        assert_string_equal(hry_rule_id(err.rule), rule);
}

static void test_pages_refused(void **state)
{
    (void)state;
    uint64_t seed = 1;
    pages p;
    make_pages(&p, &seed, HRY_TYPE_FLOAT32);
    const uint64_t short_of_one[] = { 5, 0, 2 };
    hry_quantizer q = { .scheme = HRY_SCHEME_PER_BLOCK, .symmetric = true };
    refused(&p, &q, NULL, HRY_E_UNSUPPORTED);
    q.token_counts = short_of_one;
    refused(&p, &q, "L-BP-24", HRY_E_INPUT);
    q.token_counts = p.counts;
    q.axis = 2;
    refused(&p, &q, "L-BP-09", HRY_E_INPUT);
    q.axis = 0;
    q.block = 2 * PAGE;
    refused(&p, &q, "L-BP-09", HRY_E_INPUT);
    q.scheme = HRY_SCHEME_PER_CHANNEL;
    refused(&p, &q, "L-BP-08", HRY_E_INPUT);
    q = (hry_quantizer){ .scheme = HRY_SCHEME_NF4, .block = 8, .token_counts = p.counts };
    refused(&p, &q, "L-BP-10", HRY_E_INPUT);
    q.scheme = HRY_SCHEME_MXFP;
    refused(&p, &q, "L-BP-10", HRY_E_INPUT);
    hry_tensor_release(p.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_sparse_search),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_pages_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
