/*
 * Whole tensors through the calls that users make: values from codes, codes from values, one thread. Rates count the
 * bytes of the floats. In memory, reading values is held against a loop that reads and writes as many bytes, making
 * codes against reading.
 */
#include "bench.h"

#include <hurray/quantize.h>

#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 4096, ROWS_L2 = 16, ROWS_DRAM = 8192 };

static const struct {
    const char *name;
    hry_quantizer how;
    double make;        /* goal for making codes: a ratio to the read limit; 0: an absolute one */
    double make_rate;   /* GB/s in cache */
    double values_rate; /* goal for values, GB/s in cache */
    double read_factor; /* of the goal for values in memory: 6-bit types at half */
} schemes[] = {
    { "per-tensor int8", { .scheme = HRY_SCHEME_PER_TENSOR, .symmetric = true }, 0.4, 0, 60, 1 },
    { "per-channel int8, first axis", { .scheme = HRY_SCHEME_PER_CHANNEL, .symmetric = true }, 0.4, 0, 60, 1 },
    { "per-channel int8, last axis",
      { .scheme = HRY_SCHEME_PER_CHANNEL, .axis = 1, .symmetric = true },
      0.4,
      0,
      60,
      1 },
    { "per-channel uint8, zero points",
      { .scheme = HRY_SCHEME_PER_CHANNEL, .storage = HRY_TYPE_UINT8 },
      0.4,
      0,
      60,
      1 },
    { "per-block int4, 32, float16",
      { .scheme = HRY_SCHEME_PER_BLOCK,
        .storage = HRY_TYPE_INT4,
        .scale_type = HRY_TYPE_FLOAT16,
        .axis = 1,
        .block = 32,
        .symmetric = true },
      0.3,
      0,
      60,
      1 },
    { "NF4, 64", { .scheme = HRY_SCHEME_NF4, .axis = 1, .block = 64 }, 0, 8, 60, 1 },
    { "MXFP4, 32", { .scheme = HRY_SCHEME_MXFP, .axis = 1, .block = 32 }, 0, 8, 60, 1 },
    { "MXFP6, 32",
      { .scheme = HRY_SCHEME_MXFP, .storage = HRY_TYPE_FLOAT6_E2M3, .axis = 1, .block = 32 },
      0,
      0,
      30,
      0.5 },
    { "MXFP8, 32",
      { .scheme = HRY_SCHEME_MXFP, .storage = HRY_TYPE_FLOAT8_E4M3, .axis = 1, .block = 32 },
      0,
      0,
      40,
      1 },
};

typedef struct job {
    const hry_tensor *values, *codes;
    const hry_quantizer *how;
    float *to;
} job;

static void read_values(void *arg)
{
    job *j = arg;
    hry_error err;
    bench_must(hry_tensor_read(j->codes, NULL, HRY_TYPE_FLOAT32, NULL, j->to, &err), &err);
    bench_keep(j->to);
}

static void read_rows(void *arg)
{
    job *j = arg;
    hry_error err;
    hry_rows rows;
    bench_must(hry_rows_init(&rows, j->codes, &err), &err);
    for (uint64_t i = 0; i < rows.count; i++)
        hry_rows_f32(&rows, i, j->to + i * rows.length);
    bench_keep(j->to);
}

/* Fresh pages for each result cost more than the work: memory is used again, as a program in a loop would. */
typedef struct pool {
    void *block[8];
    size_t size[8];
} pool;

static void *take(void *ctx, size_t size, size_t align)
{
    pool *p = ctx;
    for (int i = 0; i < 8; i++)
        if (p->block[i] && p->size[i] == size) {
            void *found = p->block[i];
            p->block[i] = NULL;
            return found;
        }
    return aligned_alloc(align < 64 ? 64 : align, (size + 63) / 64 * 64);
}

static void give(void *ctx, void *ptr, size_t size, size_t align)
{
    pool *p = ctx;
    (void)align;
    for (int i = 0; i < 8; i++)
        if (!p->block[i]) {
            p->block[i] = ptr;
            p->size[i] = size;
            return;
        }
    free(ptr);
}

static void make_codes(void *arg)
{
    job *j = arg;
    hry_error err;
    hry_tensor *t;
    bench_must(hry_tensor_quantize(j->values, j->how, &t, &err), &err);
    bench_keep(t);
    hry_tensor_release(t);
}

static void bench_scheme(size_t s, const float *x, float *to, uint64_t rows, enum bench_place place)
{
    hry_error err;
    hry_tensor *values, *codes;
    pool blocks = { { NULL }, { 0 } };
    hry_allocator allocator = { take, give, &blocks };
    hry_quantizer how = schemes[s].how;
    how.allocator = &allocator;
    double nbytes = (double)rows * COLUMNS * sizeof(float);
    const struct bench_limits *limits = bench_limits();
    char name[96];
    bench_must(hry_tensor_dense(HRY_TYPE_FLOAT32, 2, (uint64_t[]){ rows, COLUMNS }, x, NULL, NULL, &values, &err),
               &err);
    bench_must(hry_tensor_quantize(values, &how, &codes, &err), &err);
    job j = { values, codes, &how, to };
    double code_bytes = hry_type_find(hry_tensor_desc(codes)->type)->bits / 8.0;
    double rate = nbytes / bench_seconds(read_values, &j);
    snprintf(name, sizeof name, "%s: values", schemes[s].name);
    if (place == BENCH_L2)
        bench_rate_absolute(name, rate, "L2 write", limits->write[place], schemes[s].values_rate * 1e9);
    else
        bench_rate(name, rate, "as many bytes", bench_mixed_limit(code_bytes / sizeof(float)),
                   0.9 * schemes[s].read_factor);
    if (place == BENCH_L2) {
        snprintf(name, sizeof name, "%s: row by row", schemes[s].name);
        bench_rate_absolute(name, nbytes / bench_seconds(read_rows, &j), "L2 write", limits->write[place], 0);
    }
    rate = nbytes / bench_seconds(make_codes, &j);
    snprintf(name, sizeof name, "%s: codes", schemes[s].name);
    if (place == BENCH_L2)
        bench_rate_absolute(name, rate, "L2 read", limits->read[place], schemes[s].make_rate * 1e9);
    else
        bench_rate(name, rate, "read", bench_read_limit(), schemes[s].make);
    hry_tensor_release(codes);
    hry_tensor_release(values);
    for (int i = 0; i < 8; i++)
        free(blocks.block[i]);
}

int main(void)
{
    size_t n = (size_t)ROWS_DRAM * COLUMNS;
    float *x = bench_memory(n * sizeof *x), *to = bench_memory(n * sizeof *to);
    uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = (float)(int32_t)state / 0x1p31f;
    }
    bench_title("Quantized tensors in cache (256 KiB of floats)");
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
        bench_scheme(s, x, to, ROWS_L2, BENCH_L2);
    bench_title("Quantized tensors in memory (128 MiB of floats)");
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
        bench_scheme(s, x, to, ROWS_DRAM, BENCH_DRAM);
    free(x);
    free(to);
    return bench_end();
}
