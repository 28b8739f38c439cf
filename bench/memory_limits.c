/* What the memory itself allows: plain loops over vectors as wide as the processor has. */
#include "bench.h"

#include "base/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct span {
    unsigned char *src, *dst;
    size_t n;    /* a multiple of 512 */
    size_t step; /* mixed: bytes read for 64 written */
};

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDE __attribute__((target("avx512f")))
#define HALF __attribute__((target("avx2")))

WIDE static void read_wide(void *arg)
{
    const struct span *span = arg;
    __m512i sum[4] = { _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512() };
    for (size_t i = 0; i < span->n; i += 256)
        for (int k = 0; k < 4; k++)
            sum[k] = _mm512_xor_si512(sum[k], _mm512_load_si512(span->src + i + 64 * k));
    sum[0] = _mm512_xor_si512(_mm512_xor_si512(sum[0], sum[1]), _mm512_xor_si512(sum[2], sum[3]));
    bench_keep(&sum[0]);
}

WIDE static void write_wide(void *arg)
{
    const struct span *span = arg;
    for (size_t i = 0; i < span->n; i += 256)
        for (int k = 0; k < 4; k++)
            _mm512_store_si512(span->dst + i + 64 * k, _mm512_set1_epi8(1));
    bench_keep(span->dst);
}

WIDE static void write_nt_wide(void *arg)
{
    const struct span *span = arg;
    for (size_t i = 0; i < span->n; i += 256)
        for (int k = 0; k < 4; k++)
            _mm512_stream_si512((void *)(span->dst + i + 64 * k), _mm512_set1_epi8(1));
    _mm_sfence();
    bench_keep(span->dst);
}

WIDE static void copy_nt_wide(void *arg)
{
    const struct span *span = arg;
    for (size_t i = 0; i < span->n; i += 256)
        for (int k = 0; k < 4; k++)
            _mm512_stream_si512((void *)(span->dst + i + 64 * k), _mm512_load_si512(span->src + i + 64 * k));
    _mm_sfence();
    bench_keep(span->dst);
}

/* Whatever is read has a part in what is written, which thus is no constant. */
WIDE static void mixed_wide(void *arg)
{
    const struct span *span = arg;
    const unsigned char *src = span->src;
    __m512i x = _mm512_set1_epi8(1);
    for (size_t i = 0; i < span->n; i += 64, src += span->step) {
        for (size_t k = 0; k < span->step; k += 64)
            x = _mm512_xor_si512(x, _mm512_loadu_si512(src + k));
        _mm512_stream_si512((void *)(span->dst + i), x);
    }
    _mm_sfence();
    bench_keep(span->dst);
}

HALF static void read_half(void *arg)
{
    const struct span *span = arg;
    __m256i sum[4] = { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256() };
    for (size_t i = 0; i < span->n; i += 128)
        for (int k = 0; k < 4; k++)
            sum[k] = _mm256_xor_si256(sum[k], _mm256_load_si256((const void *)(span->src + i + 32 * k)));
    sum[0] = _mm256_xor_si256(_mm256_xor_si256(sum[0], sum[1]), _mm256_xor_si256(sum[2], sum[3]));
    bench_keep(&sum[0]);
}

HALF static void write_half(void *arg)
{
    const struct span *span = arg;
    for (size_t i = 0; i < span->n; i += 128)
        for (int k = 0; k < 4; k++)
            _mm256_store_si256((void *)(span->dst + i + 32 * k), _mm256_set1_epi8(1));
    bench_keep(span->dst);
}

HALF static void write_nt_half(void *arg)
{
    const struct span *span = arg;
    for (size_t i = 0; i < span->n; i += 128)
        for (int k = 0; k < 4; k++)
            _mm256_stream_si256((void *)(span->dst + i + 32 * k), _mm256_set1_epi8(1));
    _mm_sfence();
    bench_keep(span->dst);
}

HALF static void copy_nt_half(void *arg)
{
    const struct span *span = arg;
    for (size_t i = 0; i < span->n; i += 128)
        for (int k = 0; k < 4; k++)
            _mm256_stream_si256((void *)(span->dst + i + 32 * k),
                                _mm256_load_si256((const void *)(span->src + i + 32 * k)));
    _mm_sfence();
    bench_keep(span->dst);
}

HALF static void mixed_half(void *arg)
{
    const struct span *span = arg;
    const unsigned char *src = span->src;
    __m256i x = _mm256_set1_epi8(1);
    for (size_t i = 0; i < span->n; i += 64, src += span->step) {
        for (size_t k = 0; k < span->step; k += 32)
            x = _mm256_xor_si256(x, _mm256_loadu_si256((const void *)(src + k)));
        _mm256_stream_si256((void *)(span->dst + i), x);
        _mm256_stream_si256((void *)(span->dst + i + 32), x);
    }
    _mm_sfence();
    bench_keep(span->dst);
}
#endif

static void mixed_plain(void *arg)
{
    const struct span *span = arg;
    const unsigned char *src = span->src;
    uint64_t x[8] = { 1 };
    for (size_t i = 0; i < span->n; i += sizeof x, src += span->step) {
        for (size_t k = 0; k < span->step; k += sizeof x)
            for (int j = 0; j < 8; j++)
                x[j] ^= src[k + (size_t)j * 8];
        memcpy(span->dst + i, x, sizeof x);
    }
    bench_keep(span->dst);
}

static void read_plain(void *arg)
{
    const struct span *span = arg;
    uint64_t sum[4] = { 0 };
    for (size_t i = 0; i < span->n; i += sizeof sum) {
        uint64_t x[4];
        memcpy(x, span->src + i, sizeof x);
        for (int k = 0; k < 4; k++)
            sum[k] ^= x[k];
    }
    bench_keep(sum);
}

static void write_plain(void *arg)
{
    const struct span *span = arg;
    memset(span->dst, 1, span->n);
    bench_keep(span->dst);
}

static void copy_plain(void *arg)
{
    const struct span *span = arg;
    memcpy(span->dst, span->src, span->n);
    bench_keep(span->dst);
}

struct loops {
    bench_fn *read, *write, *write_nt, *copy_nt, *mixed;
};

static struct loops choose(void)
{
#if defined(__x86_64__)
    if (hry_cpu_features() & HRY_CPU_AVX512)
        return (struct loops){ read_wide, write_wide, write_nt_wide, copy_nt_wide, mixed_wide };
    if (hry_cpu_features() & HRY_CPU_AVX2)
        return (struct loops){ read_half, write_half, write_nt_half, copy_nt_half, mixed_half };
#endif
    return (struct loops){ read_plain, write_plain, write_plain, copy_plain, mixed_plain };
}

static double rate(bench_fn *fn, unsigned char *memory, size_t n, size_t moved)
{
    struct span span = { .src = memory, .dst = memory + n, .n = n };
    return (double)moved / bench_seconds(fn, &span);
}

static void measure(struct bench_limits *limits, enum bench_place place, size_t total)
{
    struct loops loops = choose();
    unsigned char *memory = bench_memory(total);
    size_t half = total / 2;
    limits->read[place] = rate(loops.read, memory, half, half);
    limits->write[place] = rate(loops.write, memory, half, half);
    limits->write_nt[place] = rate(loops.write_nt, memory, half, half);
    limits->copy[place] = rate(copy_plain, memory, half, total);
    limits->copy_nt[place] = rate(loops.copy_nt, memory, half, total);
    free(memory);
}

/* n bytes of the larger side, from memory kept between calls, with room for a vector that is read past the end. */
static unsigned char *dram(void)
{
    static unsigned char *memory;
    if (!memory)
        memory = bench_memory(BENCH_DRAM_BYTES + 4096);
    return memory;
}

double bench_mixed_limit(double read_for_written)
{
    size_t step = (size_t)(64 * read_for_written + 0.5);
    size_t n = BENCH_DRAM_BYTES / (64 + step) * 64 / 512 * 512;
    struct span span = { .dst = dram(), .src = dram() + n, .n = n, .step = step };
    return (double)n / bench_seconds(choose().mixed, &span);
}

double bench_read_limit(void)
{
    struct span span = { .src = dram(), .n = BENCH_DRAM_BYTES };
    return (double)span.n / bench_seconds(choose().read, &span);
}

const struct bench_limits *bench_limits(void)
{
    static struct bench_limits limits;
    if (limits.read[BENCH_L2] <= 0) {
        measure(&limits, BENCH_L2, BENCH_L2_BYTES);
        measure(&limits, BENCH_DRAM, BENCH_DRAM_BYTES);
    }
    return &limits;
}

void bench_print_limits(void)
{
    const struct bench_limits *l = bench_limits();
    printf("memory, GB/s     read  write  past caches  memcpy  copy past caches\n");
    for (int p = 0; p < BENCH_PLACES; p++)
        printf("%-14s %6.1f %6.1f %12.1f %7.1f %17.1f\n", p == BENCH_L2 ? "L2" : "DRAM", l->read[p] * 1e-9,
               l->write[p] * 1e-9, l->write_nt[p] * 1e-9, l->copy[p] * 1e-9, l->copy_nt[p] * 1e-9);
}
