#include "kern/kern.h"

#include "base/cpu.h"
#include "kern/fill.h"

#include <stdatomic.h>

typedef void fill(struct hry_kern *table);

static void fill_ref(struct hry_kern *table)
{
#define HRY_KERN(result, name, parameters) table->name = hry_ref_##name;
#include "kern/kern.inc"
#undef HRY_KERN
}

/* In ascending order: what comes later is better, and needs all the features named with it. */
static const struct {
    unsigned features;
    fill *fill;
} fills[] = {
    { HRY_CPU_REF, fill_ref },
#if HRY_KERN_X86
    { HRY_CPU_SSE42, hry_fill_crc32c_sse42 },
    { HRY_CPU_SSE42 | HRY_CPU_CLMUL, hry_fill_crc32c_clmul },
    { HRY_CPU_AVX2, hry_fill_convert_avx2 },
    { HRY_CPU_AVX2, hry_fill_dequant_avx2 },
    { HRY_CPU_AVX2, hry_fill_quant_avx2 },
    { HRY_CPU_AVX2, hry_fill_reduce_avx2 },
    { HRY_CPU_AVX2, hry_fill_stats_avx2 },
    { HRY_CPU_AVX2, hry_fill_sparse_avx2 },
    { HRY_CPU_AVX2, hry_fill_move_avx2 },
    { HRY_CPU_AVX2, hry_fill_square_avx2 },
    { HRY_CPU_AVX512, hry_fill_convert_avx512 },
    { HRY_CPU_AVX512, hry_fill_dequant_avx512 },
    { HRY_CPU_AVX512, hry_fill_quant_avx512 },
    { HRY_CPU_AVX512, hry_fill_reduce_avx512 },
    { HRY_CPU_AVX512, hry_fill_stats_avx512 },
    { HRY_CPU_AVX512, hry_fill_sparse_avx512 },
    { HRY_CPU_AVX512, hry_fill_move_avx512 },
    { HRY_CPU_AVX512, hry_fill_square_avx512 },
#elif HRY_KERN_ARM
    { HRY_CPU_ARM_CRC, hry_fill_crc32c_arm },
    { HRY_CPU_NEON, hry_fill_convert_neon },
    { HRY_CPU_NEON, hry_fill_dequant_neon },
    { HRY_CPU_NEON, hry_fill_quant_neon },
    { HRY_CPU_NEON, hry_fill_reduce_neon },
    { HRY_CPU_NEON, hry_fill_stats_neon },
#endif
};

void hry_kern_level(unsigned features, struct hry_kern *table)
{
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
        if ((features & fills[i].features) == fills[i].features)
            fills[i].fill(table);
}

const struct hry_kern *hry_kern(void)
{
    enum { EMPTY, FILLING, FULL };
    static struct hry_kern table;
    static _Atomic int state = EMPTY;
    if (atomic_load_explicit(&state, memory_order_acquire) == FULL)
        return &table;
    int expected = EMPTY;
    if (atomic_compare_exchange_strong(&state, &expected, FILLING)) {
        hry_kern_level(hry_cpu_features(), &table);
        atomic_store_explicit(&state, FULL, memory_order_release);
    }
    /* Another thread is at it, for less than a microsecond. */
    while (atomic_load_explicit(&state, memory_order_acquire) != FULL)
        ;
    return &table;
}
