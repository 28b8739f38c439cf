#include "base/cpu.h"

#include <hurray/base.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#if defined(__x86_64__) || defined(__i386__)
/* Clang 14 has no name for it. */
static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

static unsigned detect(void)
{
    unsigned found = HRY_CPU_REF;
#if defined(__x86_64__) || defined(__i386__)
    /* The compiler's runtime also asks whether the system saves the wide registers. */
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2"))
        found |= HRY_CPU_SSE42;
    if (__builtin_cpu_supports("pclmul"))
        found |= HRY_CPU_CLMUL;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c() &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        found |= HRY_CPU_AVX2;
    if ((found & HRY_CPU_AVX2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi"))
        found |= HRY_CPU_AVX512;
#elif defined(__aarch64__)
    found |= HRY_CPU_NEON;
#if defined(__linux__)
    if (getauxval(AT_HWCAP) & (1u << 7)) /* HWCAP_CRC32 */
        found |= HRY_CPU_ARM_CRC;
#endif
#endif
    return found;
}

static unsigned mask(void)
{
    const char *wish = getenv("HURRAY_CPU");
    if (!wish || strcmp(wish, "avx512") == 0 || strcmp(wish, "neon") == 0)
        return ~0u;
    if (strcmp(wish, "avx2") == 0)
        return ~(unsigned)HRY_CPU_AVX512;
    return strcmp(wish, "ref") == 0 ? HRY_CPU_REF : ~0u;
}

unsigned hry_cpu_features(void)
{
    static _Atomic unsigned cached; /* the top bit says that it is set; racing threads find the same */
    unsigned found = atomic_load_explicit(&cached, memory_order_relaxed);
    if (!found) {
        found = (detect() & mask()) | 1u << 31;
        atomic_store_explicit(&cached, found, memory_order_relaxed);
    }
    return found & ~(1u << 31);
}

const char *hry_cpu_level(void)
{
    unsigned found = hry_cpu_features();
    return found & HRY_CPU_AVX512 ? "avx512" : found & HRY_CPU_AVX2 ? "avx2" : found & HRY_CPU_NEON ? "neon" : "ref";
}
