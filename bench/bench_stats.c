/* Statistics beside what reading the same bytes takes, and with a second thread. */
#include "bench.h"

#include <hurray/pool.h>
#include <hurray/tensor.h>

#include <stdlib.h>

enum { ROWS = 6144, COLUMNS = 8192 };

static const uint64_t shape[] = { ROWS, COLUMNS };

struct job {
    const hry_tensor *tensor;
    hry_statistics_options options;
    hry_statistics statistics;
    uint64_t counts[64];
};

static void run_statistics(void *arg)
{
    struct job *job = arg;
    hry_error err;
    bench_must(hry_tensor_statistics(job->tensor, &job->options, &job->statistics, &err), &err);
    bench_keep(job);
}

static void run_histogram(void *arg)
{
    struct job *job = arg;
    hry_error err;
    hry_histogram histogram = { .lo = -2, .hi = 2, .bins = 64, .counts = job->counts };
    bench_must(hry_tensor_histogram(job->tensor, &job->options, &histogram, &err), &err);
    bench_keep(job);
}

static hry_tensor *dense(uint8_t type, const void *data)
{
    hry_tensor *t;
    hry_error err;
    bench_must(hry_tensor_dense(type, 2, shape, data, NULL, NULL, &t, &err), &err);
    return t;
}

static hry_tensor *relaid(const hry_tensor *from, const hry_layout *layout)
{
    hry_tensor *t;
    hry_error err;
    bench_must(hry_tensor_relayout(from, layout, NULL, &t, &err), &err);
    return t;
}

/* One in ten is kept, so that sparse layouts pay. */
static float *values(void)
{
    float *x = bench_memory((size_t)ROWS * COLUMNS * sizeof *x);
    uint32_t state = 1;
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = state % 1000 < 100 ? 0.001f * (float)(state >> 20) - 2.0f : 0.0f;
    }
    return x;
}

/* By the bytes that are read. */
static double measure(const char *name, const hry_tensor *t, double nbytes, bench_fn *fn, double goal)
{
    struct job job = { .tensor = t };
    double rate = nbytes / bench_seconds(fn, &job);
    bench_rate(name, rate, "read", bench_limits()->read[BENCH_DRAM], goal);
    return rate;
}

/* How much faster two threads are than one, in turns, as other programs may take one processor away. */
static void with_two(const char *name, const hry_tensor *t, bench_fn *fn, double nbytes, double goal)
{
    hry_pool *pool;
    hry_error err;
    bench_must(hry_pool_create(2, NULL, &pool, &err), &err);
    hry_executor executor = hry_pool_executor(pool);
    struct job one = { .tensor = t }, two = { .tensor = t, .options.executor = &executor };
    double alone = bench_seconds(fn, &one), both = bench_seconds(fn, &two);
    bench_rate(name, nbytes / both, "one thread", nbytes / alone, goal);
    hry_pool_destroy(pool);
}

int main(void)
{
    const double count = (double)ROWS * COLUMNS;
    float *x = values();
    hry_error err;
    uint16_t *half = bench_memory((size_t)count * sizeof *half);
    hry_tensor *row = dense(HRY_TYPE_FLOAT32, x), *narrow;
    bench_must(hry_tensor_read(row, NULL, HRY_TYPE_FLOAT16, NULL, half, &err), &err);
    narrow = dense(HRY_TYPE_FLOAT16, half);
    bench_print_limits();
    bench_title("statistics: bytes read");
    double rate = measure("float32, row-major", row, 4 * count, run_statistics, 0.8);
    bench_peer("float32, row-major", rate, "statistics");
    measure("float16, row-major", narrow, 2 * count, run_statistics, 0);
    hry_tensor *bytes = dense(HRY_TYPE_INT8, x), *nibbles = dense(HRY_TYPE_INT4, x);
    measure("int8, row-major", bytes, count, run_statistics, 0);
    measure("int4, row-major", nibbles, count / 2, run_statistics, 0);
    static const uint64_t tile[] = { 64, 64 };
    const struct {
        const char *name;
        hry_layout layout;
    } layouts[] = { { "float32, column-major", { .tag = HRY_LAYOUT_COLUMN_MAJOR } },
                    { "float32, tiles of 64x64", { .tag = HRY_LAYOUT_TILED, .tile_shape = tile } },
                    { "float32, CSR", { .tag = HRY_LAYOUT_CSR } },
                    { "float32, CSC", { .tag = HRY_LAYOUT_CSC } } };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        hry_tensor *t = relaid(row, &layouts[i].layout);
        uint64_t nbytes;
        hry_desc_data_size(hry_tensor_desc(t), &nbytes);
        measure(layouts[i].name, t, (double)nbytes, run_statistics, 0);
        hry_tensor_release(t);
    }
    measure("histogram of float32", row, 4 * count, run_histogram, 0);
    bench_title("statistics with two threads");
    with_two("float16, row-major", narrow, run_statistics, 2 * count, 1.8);
    with_two("histogram of float32", row, run_histogram, 4 * count, 0);
    hry_tensor_release(nibbles);
    hry_tensor_release(bytes);
    hry_tensor_release(narrow);
    hry_tensor_release(row);
    free(half);
    free(x);
    return bench_end();
}
