/* The kernels, from their list: each beside the limit of memory that it could reach. */
#include "bench.h"

#include "kern/kern.h"

#include <hurray/base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hry_kern *kern;

struct sum {
    const void *bytes;
    size_t n;
    uint32_t crc;
};

static void run_crc32c(void *arg)
{
    struct sum *sum = arg;
    sum->crc = kern->crc32c(sum->crc, sum->bytes, sum->n);
    bench_keep(sum);
}

static void crc32c(void)
{
    static const struct {
        const char *name;
        size_t n;
        double goal;
    } sizes[] = { { "crc32c, 256 bytes", 256, 10e9 },
                  { "crc32c, 64 KiB", 65536, 25e9 },
                  { "crc32c, L2", BENCH_L2_BYTES, 25e9 },
                  { "crc32c, DRAM", BENCH_DRAM_BYTES, 0 } };
    void *memory = bench_memory(BENCH_DRAM_BYTES);
    bench_title("checksums: bytes read");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sum sum = { .bytes = memory, .n = sizes[i].n };
        double limit = bench_limits()->read[sizes[i].n < BENCH_DRAM_BYTES ? BENCH_L2 : BENCH_DRAM];
        bench_rate_absolute(sizes[i].name, (double)sum.n / bench_seconds(run_crc32c, &sum), "read", limit,
                            sizes[i].goal);
    }
    free(memory);
}

/* --- conversions, dequantization, quantization: by the bytes of float32, written or read --- */

enum family { WIDEN, NARROW, DEQUANT, QUANT };

struct row {
    const char *name;
    size_t offset;
    unsigned bits;
    enum family family;
};

static const struct row rows[] = {
#define HRY_KERN(result, name, parameters)
#define HRY_KERN_WIDEN(name, bits) { #name, offsetof(struct hry_kern, name), bits, WIDEN },
#define HRY_KERN_NARROW(name, bits) { #name, offsetof(struct hry_kern, name), bits, NARROW },
#define HRY_KERN_DEQUANT(name, bits, affine) { #name, offsetof(struct hry_kern, dequant_##name), bits, DEQUANT },
#define HRY_KERN_QUANT(name, bits, affine) { #name, offsetof(struct hry_kern, quant_##name), bits, QUANT },
#include "kern/kern.inc"
#undef HRY_KERN
};

struct job {
    union {
        void (*widen)(const void *src, size_t n, float *dst, bool stream);
        void (*narrow)(const float *src, size_t n, void *dst, bool stream);
        void (*dequant)(const void *q, size_t n, size_t block, const float *scale, const int32_t *zp, float *dst,
                        bool stream);
        void (*quant)(const float *x, size_t n, size_t block, const float *scale, const int32_t *zp, int64_t lo,
                      int64_t hi, void *q);
    } call;
    enum family family;
    unsigned bits;
    char *codes;
    float *floats, *scale;
    int32_t *zp;
    size_t n, line, block;
    int64_t lo, hi;
    bool stream;
};

/* Line by line, all with the same scales: as long as the whole, but where each element of a line has its own scale. */
static void run_job(void *arg)
{
    const struct job *job = arg;
    for (size_t i = 0; i < job->n; i += job->line) {
        size_t n = job->n - i < job->line ? job->n - i : job->line;
        char *codes = job->codes + i * job->bits / 8;
        float *floats = job->floats + i;
        if (job->family == WIDEN)
            job->call.widen(codes, n, floats, job->stream);
        else if (job->family == NARROW)
            job->call.narrow(floats, n, codes, job->stream);
        else if (job->family == DEQUANT)
            job->call.dequant(codes, n, job->block, job->scale, job->zp, floats, job->stream);
        else
            job->call.quant(floats, n, job->block, job->scale, job->zp, job->lo, job->hi, codes);
    }
    kern->stream_end();
    bench_keep(job);
}

#define CHANNELS 4096

static struct job job_of(const struct row *row, enum bench_place place, size_t block, bool zp)
{
    size_t total = place == BENCH_L2 ? BENCH_L2_BYTES : BENCH_DRAM_BYTES;
    size_t n = total / (32 + row->bits) * 8 / CHANNELS * CHANNELS, line = block == 1 ? CHANNELS : n;
    size_t blocks = line / block + 1;
    struct job job = { .family = row->family, .bits = row->bits, .n = n, .line = line, .block = block };
    memcpy(&job.call, (const char *)kern + row->offset, sizeof job.call);
    job.stream = place == BENCH_DRAM;
    job.codes = bench_memory(n * row->bits / 8);
    job.floats = bench_memory(4 * n);
    job.scale = bench_memory(blocks * sizeof *job.scale);
    job.zp = zp ? bench_memory(blocks * sizeof *job.zp) : NULL;
    bool power = row->name[0] == 'e';
    for (size_t b = 0; b < blocks; b++)
        job.scale[b] = power ? 0.25f : 0.01f * (float)(b % 7 + 1);
    for (size_t b = 0; zp && b < blocks; b++)
        job.zp[b] = (int32_t)(b % 4);
    for (size_t i = 0; i < n; i++)
        job.floats[i] = 0.001f * (float)(i % 4001) - 2;
    job.lo = row->name[0] == 'i' ? -(INT64_C(1) << (row->bits - 1)) : 0;
    job.hi = (INT64_C(1) << (row->bits - (row->name[0] == 'i'))) - 1;
    return job;
}

static void free_job(struct job *job)
{
    free(job->codes);
    free(job->floats);
    free(job->scale);
    free(job->zp);
}

static double rate_of(const struct row *row, enum bench_place place, size_t block, bool zp)
{
    struct job job = job_of(row, place, block, zp);
    double rate = 4 * (double)job.n / bench_seconds(run_job, &job);
    free_job(&job);
    return rate;
}

/* l2: the goal in the cache, in GB/s. beyond: the goal in memory, as a ratio to a loop that only moves as many bytes.
 */
static void measure(const struct row *row, const char *what, size_t block, bool zp, double l2, double beyond)
{
    char name[96];
    double code_bytes = row->bits / 8.0;
    bool writes_floats = row->family == WIDEN || row->family == DEQUANT;
    const struct bench_limits *limits = bench_limits();
    snprintf(name, sizeof name, "%s%s, L2", row->name, what);
    bench_rate_absolute(name, rate_of(row, BENCH_L2, block, zp), writes_floats ? "write" : "read",
                        writes_floats ? limits->write[BENCH_L2] : limits->read[BENCH_L2], l2 * 1e9);
    snprintf(name, sizeof name, "%s%s, DRAM", row->name, what);
    double rate = rate_of(row, BENCH_DRAM, block, zp);
    if (writes_floats)
        bench_rate(name, rate, "as many bytes", bench_mixed_limit(code_bytes / 4), beyond);
    else
        bench_rate(name, rate, "read", bench_read_limit(), beyond);
}

static void conversions(void)
{
    bench_title("conversions: float32 written or read");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (rows[r].family == WIDEN && rows[r].bits == 16)
            measure(&rows[r], "", SIZE_MAX / 2, false, 60, 0.9);
        else if (rows[r].family == WIDEN || rows[r].family == NARROW)
            measure(&rows[r], "", SIZE_MAX / 2, false, 0, 0);
}

static bool is_named(const struct row *row, const char *name)
{
    return strcmp(row->name, name) == 0;
}

static void dequantization(void)
{
    bench_title("dequantization: float32 written");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct row *row = &rows[r];
        bool small = row->name[0] == 'e' || row->bits < 8;
        double l2 = row->bits == 6 ? 30 : small && row->bits == 8 ? 40 : row->bits <= 8 ? 60 : 0;
        double beyond = row->bits == 6 ? 0.45 : row->bits <= 8 ? 0.9 : 0;
        if (row->family != DEQUANT)
            continue;
        if (is_named(row, "nf4"))
            measure(row, ", blocks of 64", 64, false, l2, beyond);
        else if (small)
            measure(row, ", blocks of 32", 32, false, l2, beyond);
        else
            measure(row, ", one scale", SIZE_MAX / 2, true, l2, beyond);
        if (is_named(row, "i8") || is_named(row, "i4")) {
            measure(row, ", blocks of 32, zero points", 32, true, l2, beyond);
            measure(row, ", a scale each of 4096", 1, true, l2, beyond);
            measure(row, ", blocks of 4", 4, false, 0, 0);
            measure(row, ", blocks of 50", 50, false, 0, 0);
        }
    }
}

static void quantization(void)
{
    bench_title("quantization: float32 read");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct row *row = &rows[r];
        if (row->family != QUANT)
            continue;
        if (is_named(row, "i8") || is_named(row, "u8"))
            measure(row, ", one scale", SIZE_MAX / 2, true, 0, 0.75);
        else if (row->bits >= 16)
            measure(row, ", one scale", SIZE_MAX / 2, true, 0, 0);
        else
            measure(row, ", blocks of 32", 32, false, row->bits == 4 ? 10 : 8, 0);
        if (is_named(row, "i8") || is_named(row, "i4")) {
            measure(row, ", blocks of 32, zero points", 32, true, 0, 0);
            measure(row, ", a scale each of 4096", 1, true, 0, 0);
        }
    }
}

/* What the machine's own instructions are worth. */
static void references(void)
{
    static const size_t whole = SIZE_MAX / 2;
    struct hry_kern reference;
    const struct hry_kern *best = kern;
    hry_kern_level(0, &reference);
    bench_title("beside the C reference, in L2");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char name[64];
        size_t block = rows[r].bits < 8 ? 32 : whole;
        snprintf(name, sizeof name, "%s%s",
                 rows[r].family == DEQUANT ? "dequant_"
                 : rows[r].family == QUANT ? "quant_"
                                           : "",
                 rows[r].name);
        kern = &reference;
        double plain = rate_of(&rows[r], BENCH_L2, block, false);
        kern = best;
        bench_rate(name, rate_of(&rows[r], BENCH_L2, block, false), "C", plain, 3);
    }
}

static void peers(void)
{
    static const struct {
        const char *job, *name;
        enum family family;
    } jobs[] = { { "float16_to_float32", "f16_f32", WIDEN },
                 { "int8_to_float32", "i8", DEQUANT },
                 { "float32_to_int8", "i8", QUANT } };
    bench_title("beside others, from memory to memory");
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            if (rows[r].family == jobs[i].family && is_named(&rows[r], jobs[i].name))
                bench_peer(jobs[i].job, rate_of(&rows[r], BENCH_DRAM, SIZE_MAX / 2, false), jobs[i].job);
}

/* --- reductions --- */

struct reduction {
    const float *x;
    size_t n, block;
    float *lo, *hi;
    bool range;
};

static void run_reduction(void *arg)
{
    const struct reduction *job = arg;
    bool finite = job->range ? kern->range(job->x, job->n, job->block, job->lo, job->hi)
                             : kern->absmax(job->x, job->n, job->block, job->hi);
    bench_keep(&finite);
}

static void reductions(void)
{
    bench_title("what parameters are made from: float32 read");
    float *x = bench_memory(BENCH_DRAM_BYTES), *lo = bench_memory(BENCH_DRAM_BYTES / 32);
    float *hi = bench_memory(BENCH_DRAM_BYTES / 32);
    for (size_t i = 0; i < BENCH_DRAM_BYTES / 4; i++)
        x[i] = 0.001f * (float)(i % 4001) - 2;
    for (int range = 0; range < 2; range++)
        for (size_t block = 32; block <= SIZE_MAX / 2; block = SIZE_MAX / 2 + (block > 32))
            for (int place = 0; place < BENCH_PLACES; place++) {
                size_t nbytes = place == BENCH_L2 ? BENCH_L2_BYTES : BENCH_DRAM_BYTES;
                struct reduction job = { x, nbytes / 4, block, lo, hi, range };
                char name[64];
                snprintf(name, sizeof name, "%s, %s, %s", range ? "range" : "absmax",
                         block == 32 ? "blocks of 32" : "one block", place == BENCH_L2 ? "L2" : "DRAM");
                double rate = (double)nbytes / bench_seconds(run_reduction, &job);
                bench_rate(name, rate, "read", place == BENCH_L2 ? bench_limits()->read[place] : bench_read_limit(), 0);
            }
    free(x);
    free(lo);
    free(hi);
}

int main(void)
{
    kern = hry_kern();
    printf("kernels: %s\n", hry_cpu_level());
    bench_print_limits();
    crc32c();
    conversions();
    dequantization();
    quantization();
    reductions();
    references();
    peers();
    return bench_end();
}
