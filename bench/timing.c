#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define SAMPLES 11
#define SAMPLE_SECONDS 0.004

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* How long this thread has waited for a processor while other programs had it; 0 where the system does not say. */
static double waited(void)
{
    unsigned long long ran, wait = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (file) {
        if (fscanf(file, "%llu %llu", &ran, &wait) != 2)
            wait = 0;
        fclose(file);
    }
    return 1e-9 * (double)wait;
}

static double time_calls(bench_fn *fn, void *arg, size_t calls)
{
    double lost = waited(), start = bench_now();
    for (size_t i = 0; i < calls; i++)
        fn(arg);
    double seconds = bench_now() - start;
    return seconds - (waited() - lost);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_seconds(bench_fn *fn, void *arg)
{
    size_t calls = 1;
    double seconds;
    time_calls(fn, arg, 1);
    while ((seconds = time_calls(fn, arg, calls)) < SAMPLE_SECONDS)
        calls = seconds > SAMPLE_SECONDS / 50 ? (size_t)((double)calls * SAMPLE_SECONDS / seconds) + 1 : calls * 10;
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = time_calls(fn, arg, calls) / (double)calls;
    qsort(samples, SAMPLES, sizeof *samples, ascending);
    return samples[SAMPLES / 2];
}

void *bench_memory(size_t size)
{
    size_t huge = (size_t)2 << 20, rounded = (size + huge - 1) & ~(huge - 1);
    unsigned char *memory = aligned_alloc(huge, rounded);
    if (!memory)
        bench_stop("no memory");
    madvise(memory, rounded, MADV_HUGEPAGE);
    uint32_t seed = 12345;
    for (size_t i = 0; i < size; i++)
        memory[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
    return memory;
}
