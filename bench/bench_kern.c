/* The kernels, from their list: each beside the limit of memory that it could reach. */
#include "bench.h"

#include "kern/kern.h"

#include <hurray/base.h>

#include <stdio.h>
#include <stdlib.h>

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

int main(void)
{
    kern = hry_kern();
    printf("kernels: %s\n", hry_cpu_level());
    bench_print_limits();
    crc32c();
    return bench_end();
}
