#include "kern/fill.h"

#if HRY_KERN_X86

#include "base/bytes.h"

#include <immintrin.h>

#define SSE42 __attribute__((target("sse4.2")))
#define CLMUL __attribute__((target("sse4.2,pclmul")))

/* crc is the raw register here, without the inversions. */
SSE42 static uint64_t chain(uint64_t crc, const unsigned char *p, size_t n)
{
    for (; n >= 8; n -= 8, p += 8)
        crc = _mm_crc32_u64(crc, hry_load64(p));
    if (n & 4) {
        crc = _mm_crc32_u32((uint32_t)crc, hry_load32(p));
        p += 4;
    }
    if (n & 2) {
        crc = _mm_crc32_u16((uint32_t)crc, hry_load16(p));
        p += 2;
    }
    if (n & 1)
        crc = _mm_crc32_u8((uint32_t)crc, *p);
    return crc;
}

SSE42 static uint32_t crc32c_sse42(uint32_t crc, const void *p, size_t n)
{
    return ~(uint32_t)chain(~crc, p, n);
}

/* crc * factor as polynomials, to be added to the 64 bits that the register is combined with next. */
CLMUL static inline uint64_t advance(uint64_t crc, uint32_t factor)
{
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)crc), _mm_cvtsi32_si128((int)factor), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

/* Three streams at once keep the processor from seeing what comes next in memory: twice as fast beyond the caches. */
#define AHEAD 4096

CLMUL static inline void fetch_ahead(const unsigned char *p)
{
    for (int line = 0; line < 3; line++)
        _mm_prefetch((const char *)p + 64 * line, _MM_HINT_T0);
}

/*
 * The crc32 instruction takes three cycles and starts each cycle: three chains over three neighbouring stripes keep it
 * busy. Then the first two registers are carried over what lies behind them: times x^(8 distance - 33), the product
 * added to the last word.
 */
CLMUL static inline uint64_t three(uint64_t crc, const unsigned char *p, size_t stripe, uint32_t one, uint32_t two)
{
    uint64_t a = crc, b = 0, c = 0;
    for (size_t i = 0; i < stripe - 8; i += 8) {
        if (i % 64 == 0)
            fetch_ahead(p + 3 * i + AHEAD);
        a = _mm_crc32_u64(a, hry_load64(p + i));
        b = _mm_crc32_u64(b, hry_load64(p + stripe + i));
        c = _mm_crc32_u64(c, hry_load64(p + 2 * stripe + i));
    }
    a = _mm_crc32_u64(a, hry_load64(p + stripe - 8));
    b = _mm_crc32_u64(b, hry_load64(p + 2 * stripe - 8));
    return _mm_crc32_u64(c, hry_load64(p + 3 * stripe - 8) ^ advance(a, two) ^ advance(b, one));
}

CLMUL static uint32_t crc32c_clmul(uint32_t crc, const void *p, size_t n)
{
    const unsigned char *bytes = p;
    uint64_t state = ~crc;
    for (; n >= 3 * 1024; n -= 3 * 1024, bytes += 3 * 1024)
        state = three(state, bytes, 1024, 0x170076FA, 0xA51B6135);
    for (; n >= 3 * 128; n -= 3 * 128, bytes += 3 * 128)
        state = three(state, bytes, 128, 0x0D3B6092, 0xB9E02B86);
    return ~(uint32_t)chain(state, bytes, n);
}

void hry_fill_crc32c_sse42(struct hry_kern *table)
{
    table->crc32c = crc32c_sse42;
}

void hry_fill_crc32c_clmul(struct hry_kern *table)
{
    table->crc32c = crc32c_clmul;
}

#endif
