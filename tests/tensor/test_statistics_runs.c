/* Statistics of tensors of several segments: the same bits whatever the threads, the processor and the layout; and
 * histograms of the same. */
#include "support/composites.h"
#include "support/naive_layout.h"
#include "tensor/convert.h"
#include "tensor/naive_statistics.h"
#include "tensor/tally.h"

#include <hurray/pool.h>
#include <hurray/tensor.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 1100, COLUMNS = 2112, COUNT = ROWS * COLUMNS };

static const uint64_t shape[] = { ROWS, COLUMNS };

/* A value of its own for each place: zeros, steps, and noise around 10. */
static float value_at(uint64_t i)
{
    uint64_t seed = i;
    uint64_t bits = naive_random(&seed);
    return bits % 3 == 0 ? 0.0F : bits % 3 == 1 ? (float)(i % 17) : 10.0F + (float)(bits >> 40) * 0x1p-24F;
}

static hry_tensor *make(const hry_desc_spec *spec, void *const *buffers)
{
    uint8_t bytes[1024];
    hry_desc desc;
    hry_tensor *t = NULL;
    void *room[8];
    hry_error err;
    hry_buffer row;
    assert_int_equal(hry_desc_encode(spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_tensor_alloc(&desc, NULL, &t, room, &err), HRY_OK);
    for (uint32_t i = 0; hry_desc_buffer(&desc, i, &row); i++) {
        memcpy(room[i], buffers[i], row.byte_size);
        free(buffers[i]);
    }
    return t;
}

static hry_tensor *row_major(void)
{
    float *data = malloc(COUNT * sizeof *data);
    for (size_t i = 0; i < COUNT; i++)
        data[i] = value_at(i);
    return make(&(hry_desc_spec){ .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = shape }, (void *[]){ data });
}

static hry_tensor *relaid(const hry_layout *layout)
{
    hry_tensor *from = row_major(), *t = NULL;
    hry_error err;
    if (hry_tensor_relayout(from, layout, NULL, &t, &err))
        fail_msg("%s: %s", hry_layout_name(layout->tag), err.message);
    hry_tensor_release(from);
    return t;
}

static hry_tensor *column_major(void)
{
    return relaid(&(hry_layout){ .tag = HRY_LAYOUT_COLUMN_MAJOR });
}

static hry_tensor *tiled(void)
{
    return relaid(&(hry_layout){ .tag = HRY_LAYOUT_TILED, .tile_shape = (const uint64_t[]){ 48, 80 } });
}

static hry_tensor *morton(void)
{
    return relaid(&(hry_layout){ .tag = HRY_LAYOUT_MORTON });
}

/* Of the same values, two halves. */
static hry_tensor *halves(void)
{
    const uint64_t left = 1000;
    hry_tensor *part[2] = { 0 };
    for (int i = 0; i < 2; i++) {
        uint64_t own[] = { ROWS, i ? COLUMNS - left : left }, offset[] = { 0, i ? left : 0 };
        float *data = malloc(own[0] * own[1] * sizeof *data);
        for (uint64_t r = 0, n = 0; r < ROWS; r++)
            for (uint64_t c = 0; c < own[1]; c++)
                data[n++] = value_at(r * COLUMNS + offset[1] + c);
        part[i] = make(
            &(hry_desc_spec){
                .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = own, .parent_shape = shape, .shard_offset = offset },
            (void *[]){ data });
    }
    hry_error err;
    hry_tensor *t = composite_of(HRY_TYPE_FLOAT32, 2, shape, 1, 0,
                                 (const member_spec[]){ { .tensor = part[0] }, { .tensor = part[1] } }, 2, 2, &err);
    assert_non_null(t);
    hry_tensor_release(part[0]);
    hry_tensor_release(part[1]);
    return t;
}

/* Of the same values, those but for zeros as corrections, unsorted, to a base of zeros: reading any box looks at all.
 */
static hry_tensor *corrections(void)
{
    static const uint8_t base = 1, correction = 0;
    size_t nnz = 0;
    for (size_t i = 0; i < COUNT; i++)
        nnz += value_at(i) != 0.0F;
    float *values = malloc(nnz * sizeof *values);
    uint64_t *places = malloc(nnz * 2 * sizeof *places), n = nnz;
    for (size_t i = 0; i < COUNT; i++)
        if (value_at(i) != 0.0F) {
            values[--n] = value_at(i);
            places[2 * n] = i / COLUMNS;
            places[2 * n + 1] = i % COLUMNS;
        }
    const uint64_t at[] = { 0, 0 };
    hry_layout coo = { .tag = HRY_LAYOUT_COO, .nnz = nnz };
    hry_desc_spec spec = {
        .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = shape, .parent_shape = shape, .shard_offset = at
    };
    spec.member_role = &base;
    hry_tensor *zeros = make(&spec, (void *[]){ calloc(COUNT, sizeof(float)) });
    spec.member_role = &correction;
    spec.layout = &coo;
    hry_tensor *coordinates = make(&spec, (void *[]){ values, places });
    hry_error err;
    hry_tensor *t = composite_of(HRY_TYPE_FLOAT32, 2, shape, 2, 1,
                                 (const member_spec[]){ { .tensor = zeros }, { .tensor = coordinates } }, 2, 2, &err);
    if (!t)
        fail_msg("%s", err.message);
    hry_tensor_release(zeros);
    hry_tensor_release(coordinates);
    return t;
}

/* ---- Of other values ---- */

static hry_tensor *half_precision(void)
{
    uint16_t *data = malloc(COUNT * sizeof *data);
    for (size_t i = 0; i < COUNT; i++)
        data[i] = (uint16_t)(naive_random(&(uint64_t){ i }) & 0x7BFF);
    return make(&(hry_desc_spec){ .type = HRY_TYPE_FLOAT16, .rank = 2, .shape = shape }, (void *[]){ data });
}

static hry_tensor *hilbert(void)
{
    static const uint64_t square[] = { 2048, 2048 };
    int32_t *data = malloc(square[0] * square[1] * sizeof *data);
    for (size_t i = 0; i < square[0] * square[1]; i++)
        data[i] = (int32_t)naive_random(&(uint64_t){ i });
    return make(
        &(hry_desc_spec){
            .type = HRY_TYPE_INT32, .rank = 2, .shape = square, .layout = &(hry_layout){ .tag = HRY_LAYOUT_HILBERT } },
        (void *[]){ data });
}

static hry_tensor *sparse(void)
{
    return relaid(&(hry_layout){ .tag = HRY_LAYOUT_CSC });
}

/* ---- Quantized: the row's scale, or that of 64 in a row, times a code ---- */

static int8_t code_at(uint64_t i)
{
    return (int8_t)(naive_random(&(uint64_t){ i }) >> 56);
}

static float scale_at(uint64_t i)
{
    return 0.25F + (float)(i % 7);
}

/* A code for each element that is stored: all, or those of the CSR rows above but for every third element. */
static hry_tensor *channels(void)
{
    uint64_t nnz = 0, *columns = malloc(COUNT * sizeof *columns), *rows = malloc((ROWS + 1) * sizeof *rows);
    int8_t *codes = malloc(COUNT);
    float *scales = malloc(ROWS * sizeof *scales);
    for (uint64_t r = 0; r < ROWS; r++) {
        rows[r] = nnz;
        scales[r] = scale_at(r);
        for (uint64_t c = 0; c < COLUMNS; c++)
            if ((r + c) % 3 != 0) {
                codes[nnz] = code_at(r * COLUMNS + c);
                columns[nnz++] = c;
            }
    }
    rows[ROWS] = nnz;
    hry_layout csr = { .tag = HRY_LAYOUT_CSR, .nnz = nnz };
    hry_quantization q = { .scheme = HRY_SCHEME_PER_CHANNEL,
                           .flags = HRY_QUANT_SYMMETRIC,
                           .scale_buffer_index = 3,
                           .zero_point_buffer_index = HRY_NO_BUFFER };
    return make(
        &(hry_desc_spec){ .type = HRY_TYPE_INT8, .rank = 2, .shape = shape, .layout = &csr, .quantization = &q },
        (void *[]){ codes, columns, rows, scales });
}

static hry_tensor *blocks(void)
{
    enum { BLOCK = 64 };
    int8_t *codes = malloc(COUNT);
    float *scales = malloc(COUNT / BLOCK * sizeof *scales);
    for (uint64_t i = 0; i < COUNT; i++)
        codes[i] = code_at(i);
    for (uint64_t b = 0; b < COUNT / BLOCK; b++)
        scales[b] = scale_at(b);
    hry_quantization q = { .scheme = HRY_SCHEME_PER_BLOCK,
                           .flags = HRY_QUANT_SYMMETRIC,
                           .axis = 1,
                           .block_size = BLOCK,
                           .scale_buffer_index = 1,
                           .zero_point_buffer_index = HRY_NO_BUFFER };
    return make(&(hry_desc_spec){ .type = HRY_TYPE_INT8, .rank = 2, .shape = shape, .quantization = &q },
                (void *[]){ codes, scales });
}

static void test_quantized(void **state)
{
    (void)state;
    double *values = malloc(COUNT * sizeof *values);
    uint64_t nnz = 0;
    hry_statistics want, got;
    hry_error err;
    for (uint64_t i = 0; i < COUNT; i++)
        values[i] = (double)(scale_at(i / 64) * (float)code_at(i));
    naive_statistics(values, COUNT, COLUMNS, &want);
    hry_tensor *t = blocks();
    assert_int_equal(hry_tensor_statistics(t, NULL, &got, &err), HRY_OK);
    assert_statistics(&got, &want, "blocks");
    hry_tensor_release(t);
    for (uint64_t i = 0; i < COUNT; i++) {
        bool stored = (i / COLUMNS + i % COLUMNS) % 3 != 0;
        values[i] = stored ? (double)(scale_at(i / COLUMNS) * (float)code_at(i)) : 0;
        nnz += stored;
    }
    naive_statistics(values, COUNT, COLUMNS, &want);
    want.nnz = nnz;
    want.sparsity_ratio = (double)(COUNT - nnz) / COUNT;
    t = channels();
    assert_int_equal(hry_tensor_statistics(t, NULL, &got, &err), HRY_OK);
    assert_statistics(&got, &want, "channels");
    hry_tensor_release(t);
    free(values);
}

/* Without alignment, as packed codes. */
static _Alignas(64) uint8_t unaligned_room[COUNT * sizeof(float) + 1];

static hry_tensor *unaligned(void)
{
    hry_tensor *t = NULL;
    hry_error err;
    for (size_t i = 0; i < COUNT; i++)
        memcpy(unaligned_room + 1 + i * sizeof(float), &(float){ value_at(i) }, sizeof(float));
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 2, shape, unaligned_room + 1, NULL, NULL, &t, &err), HRY_OK);
    return t;
}

static const struct {
    const char *name;
    hry_tensor *(*make)(void);
    bool same; /* of the same values as the first */
} cases[] = {
    { "row-major", row_major, true }, { "column-major", column_major, true }, { "tiled", tiled, true },
    { "morton", morton, true },       { "unaligned", unaligned, true },       { "partition", halves, true },
    { "overlay", corrections, true }, { "float16", half_precision, false },   { "hilbert", hilbert, false },
    { "csc", sparse, false },         { "channels", channels, false },        { "blocks", blocks, false },
};

enum { CASES = sizeof cases / sizeof *cases };

static hry_statistics statistics_of(const hry_tensor *t, const hry_executor *executor)
{
    hry_statistics_options options = { .executor = executor };
    hry_statistics s;
    hry_error err;
    memset(&s, 0, sizeof s);
    if (hry_tensor_statistics(t, &options, &s, &err))
        fail_msg("%s", err.message);
    return s;
}

static void test_values(void **state)
{
    (void)state;
    double *values = malloc(COUNT * sizeof *values);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (double)value_at(i);
    hry_statistics want, first = { 0 };
    naive_statistics(values, COUNT, COLUMNS, &want);
    for (size_t i = 0; i < CASES; i++) {
        hry_tensor *t = cases[i].same || cases[i].make == sparse ? cases[i].make() : NULL;
        if (!t)
            continue;
        hry_statistics s = statistics_of(t, NULL);
        assert_statistics(&s, &want, cases[i].name);
        if (i == 0)
            first = s;
        if (cases[i].same)
            assert_memory_equal(&s, &first, sizeof s); /* values alone count, and their order */
        hry_tensor_release(t);
    }
    free(values);
}

static void test_threads(void **state)
{
    (void)state;
    hry_pool *pool[5] = { 0 };
    hry_error err;
    for (size_t n = 1; n <= 4; n++)
        assert_int_equal(hry_pool_create(n, NULL, &pool[n], &err), HRY_OK);
    for (size_t i = 0; i < CASES; i++) {
        hry_tensor *t = cases[i].make();
        hry_statistics alone = statistics_of(t, NULL);
        for (size_t n = 1; n <= 4; n++) {
            hry_executor executor = hry_pool_executor(pool[n]);
            hry_statistics s = statistics_of(t, &executor);
            assert_memory_equal(&s, &alone, sizeof s);
        }
        hry_tensor_release(t);
    }
    for (size_t n = 1; n <= 4; n++)
        hry_pool_destroy(pool[n]);
}

/* ---- Processors: a child for each set of kernels, as a process has one set for life ---- */

static const char *const levels[] = { "ref", "avx2", "avx512", "neon" };
enum { LEVELS = sizeof levels / sizeof *levels };
static hry_statistics of_level[LEVELS][CASES];

static void run_level(const char *level, int out)
{
    setenv("HURRAY_CPU", level, 1);
    for (size_t i = 0; i < CASES; i++) {
        hry_statistics_options options = { 0 };
        hry_statistics s;
        memset(&s, 0, sizeof s);
        hry_tensor *t = cases[i].make();
        hry_status status = hry_tensor_statistics(t, &options, &s, NULL);
        if (status || write(out, &s, sizeof s) != (ssize_t)sizeof s)
            _exit(1);
        hry_tensor_release(t);
    }
    _exit(0);
}

static bool run_levels(void)
{
    for (size_t l = 0; l < LEVELS; l++) {
        int ends[2], ended;
        if (pipe(ends))
            return false;
        pid_t child = fork();
        if (child == 0)
            run_level(levels[l], ends[1]);
        close(ends[1]);
        for (size_t i = 0; i < CASES; i++)
            if (read(ends[0], &of_level[l][i], sizeof of_level[l][i]) != (ssize_t)sizeof of_level[l][i])
                return false;
        close(ends[0]);
        if (child < 0 || waitpid(child, &ended, 0) != child || ended)
            return false;
    }
    return true;
}

static void test_levels(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        hry_tensor *t = cases[i].make();
        hry_statistics s = statistics_of(t, NULL);
        for (size_t l = 0; l < LEVELS; l++)
            assert_memory_equal(&s, &of_level[l][i], sizeof s);
        hry_tensor_release(t);
    }
}

/* ---- Histograms ---- */

static void naive_histogram(const double *values, size_t n, hry_histogram *h)
{
    for (size_t i = 0; i < n; i++) {
        double x = values[i], step = (h->hi - h->lo) / (double)h->bins;
        if (isnan(x) || isinf(x))
            isnan(x) ? h->nan++ : h->inf++;
        else if (x < h->lo || x > h->hi)
            x < h->lo ? h->below++ : h->above++;
        else
            h->counts[x == h->hi ? h->bins - 1 : (size_t)floor((x - h->lo) / step)]++;
    }
}

/* Edges are powers of two and their sums, so that there is one answer. */
static void test_histogram(void **state)
{
    (void)state;
    static const struct {
        double lo, hi;
        size_t bins;
    } ranges[] = { { 0, 16, 16 }, { 0.5, 10.5, 5 }, { -8, 24, 2048 }, { 3, 4, 1 } };
    hry_pool *pool;
    hry_error err;
    assert_int_equal(hry_pool_create(3, NULL, &pool, &err), HRY_OK);
    hry_executor executor = hry_pool_executor(pool);
    hry_statistics_options options = { .executor = &executor };
    double *values = malloc(COUNT * sizeof *values);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (double)value_at(i);
    for (size_t i = 0; i < CASES; i++) {
        hry_tensor *t = cases[i].same || cases[i].make == sparse ? cases[i].make() : NULL;
        for (size_t r = 0; t && r < sizeof ranges / sizeof *ranges; r++) {
            hry_histogram want = { ranges[r].lo, ranges[r].hi, ranges[r].bins, calloc(ranges[r].bins, 8), 0, 0, 0, 0 };
            hry_histogram got = { .lo = want.lo, .hi = want.hi, .bins = want.bins, .counts = malloc(want.bins * 8) };
            naive_histogram(values, COUNT, &want);
            assert_int_equal(hry_tensor_histogram(t, r % 2 ? &options : NULL, &got, &err), HRY_OK);
            assert_memory_equal(got.counts, want.counts, want.bins * 8);
            assert_true(got.below == want.below && got.above == want.above && got.nan == 0 && got.inf == 0);
            free(want.counts);
            free(got.counts);
        }
        hry_tensor_release(t);
    }
    free(values);
    hry_pool_destroy(pool);
}

static void test_histogram_edges(void **state)
{
    (void)state;
    static const double data[] = { NAN, INFINITY, -INFINITY, -1e308, 1e308, 0, 5e-324, -0.0 };
    static const uint64_t eight[] = { 8 };
    uint64_t counts[4];
    hry_tensor *t;
    hry_error err;
    hry_histogram h = { .lo = -1e308, .hi = 1e308, .bins = 4, .counts = counts };
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT64, 1, eight, data, NULL, NULL, &t, &err), HRY_OK);
    assert_int_equal(hry_tensor_histogram(t, NULL, &h, &err), HRY_OK);
    assert_memory_equal(counts, ((uint64_t[]){ 1, 0, 3, 1 }), sizeof counts);
    assert_true(h.nan == 1 && h.inf == 2 && h.below == 0 && h.above == 0);
    h.lo = h.hi = 0;
    assert_int_equal(hry_tensor_histogram(t, NULL, &h, &err), HRY_OK);
    assert_memory_equal(counts, ((uint64_t[]){ 0, 0, 0, 2 }), sizeof counts);
    assert_true(h.below == 1 && h.above == 2);
    h.hi = -1;
    assert_int_equal(hry_tensor_histogram(t, NULL, &h, &err), HRY_E_USAGE);
    h = (hry_histogram){ .lo = 0, .hi = INFINITY, .bins = 4, .counts = counts };
    assert_int_equal(hry_tensor_histogram(t, NULL, &h, &err), HRY_E_USAGE);
    h = (hry_histogram){ .lo = 0, .hi = 1, .bins = 0, .counts = counts };
    assert_int_equal(hry_tensor_histogram(t, NULL, &h, &err), HRY_E_USAGE);
    hry_tensor_release(t);
    assert_int_equal(hry_tensor_dense(HRY_TYPE_COMPLEX64, 1, eight, data, NULL, NULL, &t, &err), HRY_OK);
    h = (hry_histogram){ .lo = 0, .hi = 1, .bins = 4, .counts = counts };
    assert_int_equal(hry_tensor_histogram(t, NULL, &h, &err), HRY_E_UNSUPPORTED);
    hry_tensor_release(t);
}

/* ---- Statistics that are found ---- */

static hry_tensor *with_statistics(const hry_tensor *from, const hry_statistics *s)
{
    uint8_t bytes[512];
    hry_desc desc;
    hry_tensor *t = NULL;
    hry_error err;
    if (hry_desc_with_statistics(hry_tensor_desc(from), s, NULL, bytes, sizeof bytes, &desc, &err))
        fail_msg("%s", err.message);
    const void *buffers[3];
    for (uint32_t i = 0; i < hry_desc_buffer_count(&desc); i++)
        buffers[i] = hry_tensor_buffer(from, i, NULL);
    assert_int_equal(hry_tensor_create(&desc, buffers, NULL, NULL, NULL, &t, &err), HRY_OK);
    return t;
}

static void check_alike(const hry_tensor *a, const hry_tensor *b)
{
    hry_error err;
    hry_statistics of_a = statistics_of(a, NULL), of_b = statistics_of(b, NULL);
    assert_memory_equal(&of_a, &of_b, sizeof of_a);
    float *values[2] = { malloc(COUNT * sizeof(float)), malloc(COUNT * sizeof(float)) };
    assert_int_equal(hry_tensor_read(a, NULL, HRY_TYPE_FLOAT32, NULL, values[0], &err), HRY_OK);
    assert_int_equal(hry_tensor_read(b, NULL, HRY_TYPE_FLOAT32, NULL, values[1], &err), HRY_OK);
    assert_memory_equal(values[0], values[1], COUNT * sizeof(float));
    free(values[0]);
    free(values[1]);
    uint64_t counts[2][8];
    for (int i = 0; i < 2; i++) {
        hry_histogram h = { .lo = 0, .hi = 16, .bins = 8, .counts = counts[i] };
        assert_int_equal(hry_tensor_histogram(i ? b : a, NULL, &h, &err), HRY_OK);
    }
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    assert_int_equal(hry_tensor_verify(b, HRY_VERIFY_DEEP, &err), HRY_OK);
}

static void test_found(void **state)
{
    (void)state;
    hry_tensor *const plain[] = { row_major(), sparse() };
    for (size_t i = 0; i < 2; i++) {
        hry_statistics truth = statistics_of(plain[i], NULL), got = { 0 }, lie;
        lie = (hry_statistics){ .computed_mask = 0x3F,
                                .nnz = i ? truth.nnz : 1,
                                .sparsity_ratio = 1,
                                .value_min = -1,
                                .value_abs_max = 1,
                                .nm_n = 1,
                                .nm_m = 32,
                                .has_nan = 1,
                                .has_inf = 1 };
        const hry_statistics *const found[] = { &truth, &lie, NULL };
        for (size_t k = 0; k < 3; k++) {
            hry_tensor *t = with_statistics(plain[i], found[k]);
            assert_int_equal(hry_desc_statistics(hry_tensor_desc(t), &got), found[k] != NULL);
            if (found[k])
                assert_memory_equal(&got, found[k], sizeof got);
            check_alike(plain[i], t);
            hry_tensor *again = with_statistics(t, NULL); /* and taken out */
            size_t lengths[2];
            const void *bytes_again = hry_desc_bytes(hry_tensor_desc(again), &lengths[0]);
            const void *bytes_plain = hry_desc_bytes(hry_tensor_desc(plain[i]), &lengths[1]);
            assert_int_equal(lengths[0], lengths[1]);
            assert_memory_equal(bytes_again, bytes_plain, lengths[0]);
            hry_tensor_release(again);
            hry_tensor_release(t);
        }
    }
    /* Another nnz than the layout's is refused (DW-7). */
    hry_statistics wrong = { .computed_mask = HRY_STATS_NNZ, .nnz = 1 };
    uint8_t room[512];
    hry_desc desc;
    hry_error err;
    assert_int_equal(hry_desc_with_statistics(hry_tensor_desc(plain[1]), &wrong, NULL, room, sizeof room, &desc, &err),
                     HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), "D-57");
    hry_tensor_release(plain[0]);
    hry_tensor_release(plain[1]);
}

int main(void)
{
    if (HRY_HOST_SWAPS)
        return 77; /* its tensors are made of values as this host has them */
    if (!run_levels())
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantized), cmocka_unit_test(test_values),    cmocka_unit_test(test_threads),
        cmocka_unit_test(test_levels),    cmocka_unit_test(test_histogram), cmocka_unit_test(test_histogram_edges),
        cmocka_unit_test(test_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
