/* Morton and Hilbert layouts beside memcpy of the same bytes, and the codes alone. */
#include "bench.h"

#include "layout/curve.h"
#include "layout/map.h"

#include <hurray/pool.h>
#include <hurray/tensor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Moving ---- */

struct job {
    hry_tensor *tensor; /* over curve */
    uint8_t type;       /* of the rows */
    unsigned char *rows, *curve;
    size_t nbytes;
    const hry_executor *executor;
};

static void run_copy(void *arg)
{
    struct job *job = arg;
    memcpy(job->curve, job->rows, job->nbytes);
    bench_keep(job->curve);
}

static void run_write(void *arg)
{
    struct job *job = arg;
    hry_error err;
    hry_write_options options = { .executor = job->executor };
    bench_must(hry_desc_write(hry_tensor_desc(job->tensor), NULL, job->type, NULL, job->rows, &options,
                              (void *const[]){ job->curve }, &err),
               &err);
    bench_keep(job->curve);
}

static void run_read(void *arg)
{
    struct job *job = arg;
    hry_error err;
    hry_read_options options = { .executor = job->executor };
    bench_must(hry_tensor_read_with(job->tensor, NULL, job->type, NULL, &options, job->rows, &err), &err);
    bench_keep(job->rows);
}

static struct job job_of(uint8_t type, uint8_t layout, uint32_t rank, uint64_t side)
{
    struct job job = { .nbytes = hry_type_find(type)->bits / 8u };
    uint8_t bytes[1024];
    uint64_t shape[8];
    hry_desc desc;
    hry_error err;
    for (uint32_t k = 0; k < rank; k++) {
        shape[k] = side;
        job.nbytes *= side;
    }
    hry_desc_spec spec = { .type = type, .rank = rank, .shape = shape, .layout = &(hry_layout){ .tag = layout } };
    bench_must(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), &err);
    job.rows = bench_memory(job.nbytes);
    job.curve = bench_memory(job.nbytes);
    bench_must(hry_tensor_create(&desc, (const void *const[]){ job.curve }, NULL, NULL, NULL, &job.tensor, &err), &err);
    return job;
}

static void free_job(struct job *job)
{
    hry_tensor_release(job->tensor);
    free(job->curve);
    free(job->rows);
}

/* Bytes read and written. */
static double rate_of(struct job *job, bench_fn *fn)
{
    return 2 * (double)job->nbytes / bench_seconds(fn, job);
}

static void measure(const char *name, uint8_t type, uint8_t layout, uint32_t rank, uint64_t side, double goal)
{
    char line[64];
    struct job job = job_of(type, layout, rank, side);
    double copy = rate_of(&job, run_copy);
    snprintf(line, sizeof line, "rows to %s", name);
    bench_rate(line, rate_of(&job, run_write), "memcpy", copy, goal);
    snprintf(line, sizeof line, "%s to rows", name);
    bench_rate(line, rate_of(&job, run_read), "memcpy", copy, goal);
    free_job(&job);
}

/* Values of another type in the rows: beside the same conversion of rows. */
static void measure_converting(const char *name, uint8_t layout)
{
    char line[64];
    struct job rows = job_of(HRY_TYPE_FLOAT32, HRY_LAYOUT_ROW_MAJOR, 2, 4096), curve = rows, plain = rows;
    struct job half = job_of(HRY_TYPE_FLOAT16, HRY_LAYOUT_ROW_MAJOR, 2, 4096);
    struct job curved = job_of(HRY_TYPE_FLOAT16, layout, 2, 4096);
    plain.tensor = half.tensor, plain.curve = half.curve, plain.type = HRY_TYPE_FLOAT32;
    curve.tensor = curved.tensor, curve.curve = curved.curve, curve.type = HRY_TYPE_FLOAT32;
    snprintf(line, sizeof line, "float32 rows to %s", name);
    bench_rate(line, rate_of(&curve, run_write), "float16 rows", rate_of(&plain, run_write), 0);
    snprintf(line, sizeof line, "%s to float32 rows", name);
    bench_rate(line, rate_of(&curve, run_read), "float16 rows", rate_of(&plain, run_read), 0);
    free_job(&curved);
    free_job(&half);
    free_job(&rows);
}

/* How much faster two threads are than one. */
static void with_two(const char *name, uint8_t layout, double goal)
{
    hry_pool *pool;
    hry_error err;
    struct job job = job_of(HRY_TYPE_FLOAT32, layout, 2, 4096);
    bench_must(hry_pool_create(2, NULL, &pool, &err), &err);
    hry_executor executor = hry_pool_executor(pool);
    double alone = rate_of(&job, run_write);
    job.executor = &executor;
    bench_rate(name, rate_of(&job, run_write), "one thread", alone, goal);
    hry_pool_destroy(pool);
    free_job(&job);
}

/* ---- Codes: line by line of a plane, as offsets ---- */

enum { SIDE = 4096, LINES = 256 };

static void run_morton_codes(void *arg)
{
    const hry_map *map = arg;
    static int64_t codes[SIDE];
    for (uint64_t i = 0; i < LINES; i++) {
        const uint64_t at[] = { i * 5 % SIDE, 0 };
        hry_map_line(map, at, SIDE, codes);
        bench_keep(codes);
    }
}

static void run_hilbert_codes(void *arg)
{
    (void)arg;
    static int64_t codes[SIDE];
    for (uint64_t i = 0; i < LINES; i++) {
        const uint64_t at[] = { i * 5 % SIDE, 0 };
        hry_hilbert_line(12, 2, at, 1, SIDE, codes);
        bench_keep(codes);
    }
}

static void measure_codes(void)
{
    hry_map map;
    const uint64_t shape[] = { SIDE, SIDE };
    const uint32_t bits[] = { 12, 12 };
    hry_map_layout(&map, &(hry_layout){ .tag = HRY_LAYOUT_MORTON, .morton_bits = bits }, 2, shape, NULL);
    bench_title("codes of a plane of order 12: time for each");
    const double count = (double)SIDE * LINES;
    bench_time("Morton", bench_seconds(run_morton_codes, &map) / count, 1 / 3e9);
    bench_time("Hilbert", bench_seconds(run_hilbert_codes, NULL) / count, 1 / 0.15e9);
}

int main(void)
{
    bench_print_limits();
    bench_title("curves: bytes read and written");
    measure("Morton, float32", HRY_TYPE_FLOAT32, HRY_LAYOUT_MORTON, 2, 4096, 0.65);
    measure("Hilbert, float32", HRY_TYPE_FLOAT32, HRY_LAYOUT_HILBERT, 2, 4096, 0.35);
    measure("Morton, int8", HRY_TYPE_INT8, HRY_LAYOUT_MORTON, 2, 8192, 0);
    measure("Morton, float16", HRY_TYPE_FLOAT16, HRY_LAYOUT_MORTON, 2, 4096, 0);
    measure("Morton, float64", HRY_TYPE_FLOAT64, HRY_LAYOUT_MORTON, 2, 2048, 0);
    measure("Hilbert, float16", HRY_TYPE_FLOAT16, HRY_LAYOUT_HILBERT, 2, 4096, 0);
    measure("Morton, float32, rank 3", HRY_TYPE_FLOAT32, HRY_LAYOUT_MORTON, 3, 256, 0);
    measure("Hilbert, float32, rank 3", HRY_TYPE_FLOAT32, HRY_LAYOUT_HILBERT, 3, 256, 0);
    measure("Hilbert, float32, rank 4", HRY_TYPE_FLOAT32, HRY_LAYOUT_HILBERT, 4, 64, 0);
    bench_title("curves with conversion: twice the bytes of float32");
    measure_converting("Morton, float16", HRY_LAYOUT_MORTON);
    measure_converting("Hilbert, float16", HRY_LAYOUT_HILBERT);
    bench_title("curves with two threads");
    with_two("rows to Morton, float32", HRY_LAYOUT_MORTON, 0);
    with_two("rows to Hilbert, float32", HRY_LAYOUT_HILBERT, 1.8);
    measure_codes();
    return bench_end();
}
