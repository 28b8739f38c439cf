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

/* --- conversions and dequantization, by what is written: float32 --- */

enum family { WIDEN, NARROW, DEQUANT };

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
#include "kern/kern.inc"
#undef HRY_KERN
};

struct job {
    union {
        void (*widen)(const void *src, size_t n, float *dst, bool stream);
        void (*narrow)(const float *src, size_t n, void *dst, bool stream);
        void (*dequant)(const void *q, size_t n, size_t block, const float *scale, const int32_t *zp, float *dst,
                        bool stream);
    } call;
    enum family family;
    void *codes;
    float *floats, *scale;
    int32_t *zp;
    size_t n, block;
    bool stream;
};

static void run_job(void *arg)
{
    const struct job *job = arg;
    if (job->family == WIDEN)
        job->call.widen(job->codes, job->n, job->floats, job->stream);
    else if (job->family == NARROW)
        job->call.narrow(job->floats, job->n, job->codes, job->stream);
    else
        job->call.dequant(job->codes, job->n, job->block, job->scale, job->zp, job->floats, job->stream);
    bench_keep(job);
}

static struct job job_of(const struct row *row, enum bench_place place, size_t block, bool zp)
{
    size_t total = place == BENCH_L2 ? BENCH_L2_BYTES : BENCH_DRAM_BYTES;
    size_t n = total / (4 + (row->bits + 7) / 8) / 4096 * 4096, blocks = n / block + 1;
    struct job job = { .family = row->family, .n = n, .block = block, .stream = place == BENCH_DRAM };
    memcpy(&job.call, (const char *)kern + row->offset, sizeof job.call);
    job.codes = bench_memory(4 * n);
    job.floats = bench_memory(4 * n);
    job.scale = bench_memory(blocks * sizeof *job.scale);
    job.zp = zp ? bench_memory(blocks * sizeof *job.zp) : NULL;
    for (size_t b = 0; b < blocks; b++)
        job.scale[b] = 0.01f * (float)(b % 7 + 1);
    for (size_t b = 0; zp && b < blocks; b++)
        job.zp[b] = (int32_t)(b % 5);
    for (size_t i = 0; i < n; i++)
        job.floats[i] = 0.001f * (float)(i % 4001) - 2;
    return job;
}

/* goal: of float32 written in L2; beyond the caches it is 0.9 of the limit, or half of that. */
static void measure(const struct row *row, const char *what, size_t block, bool zp, double goal)
{
    static const char *const places[] = { "L2", "DRAM" };
    const struct bench_limits *limits = bench_limits();
    for (int place = 0; place < BENCH_PLACES; place++) {
        struct job job = job_of(row, (enum bench_place)place, block, zp);
        char name[96];
        snprintf(name, sizeof name, "%s%s, %s", row->name, what, places[place]);
        double rate = 4 * (double)job.n / bench_seconds(run_job, &job);
        if (row->family == NARROW)
            bench_rate(name, rate, "read", limits->read[place], 0);
        else if (place == BENCH_L2)
            bench_rate_absolute(name, rate, "write", limits->write[place], goal);
        else
            bench_rate(name, rate, "write past", limits->write_nt[place], goal >= 40e9 ? 0.9 : goal > 0 ? 0.45 : 0);
        free(job.codes);
        free(job.floats);
        free(job.scale);
        free(job.zp);
    }
}

static void conversions(void)
{
    bench_title("conversions: float32 written or read");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (rows[r].family != DEQUANT)
            measure(&rows[r], "", 1, false, rows[r].family == WIDEN && rows[r].bits == 16 ? 60e9 : 0);
}

static void dequantization(void)
{
    bench_title("dequantization: float32 written");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct row *row = &rows[r];
        if (row->family != DEQUANT)
            continue;
        bool fp8 = strchr(row->name, 'e') == row->name && row->bits == 8;
        double goal = row->bits == 6 ? 30e9 : fp8 ? 40e9 : row->bits <= 8 ? 60e9 : 0;
        if (row->bits < 8 || fp8)
            measure(row, ", blocks of 32", 32, false, goal);
        else
            measure(row, ", one scale", SIZE_MAX / 2, true, goal);
        if (strcmp(row->name, "i8") == 0 || strcmp(row->name, "i4") == 0) {
            measure(row, ", blocks of 32, zero points", 32, true, goal);
            measure(row, ", a scale each", 1, true, 0);
            measure(row, ", blocks of 4", 4, false, 0);
            measure(row, ", blocks of 50", 50, false, 0);
        }
    }
}

int main(void)
{
    kern = hry_kern();
    printf("kernels: %s\n", hry_cpu_level());
    bench_print_limits();
    crc32c();
    conversions();
    dequantization();
    return bench_end();
}
