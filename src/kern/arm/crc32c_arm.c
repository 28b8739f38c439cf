#include "kern/fill.h"

#if HRY_KERN_ARM

#include "base/bytes.h"

#include <stdint.h>

/* Clang does not declare the ACLE functions without the extension turned on for the whole file; assembly needs neither
 * compiler's flags. */
static inline uint32_t step8(uint32_t crc, uint64_t x)
{
    __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(x));
    return crc;
}

static inline uint32_t step1(uint32_t crc, uint32_t x)
{
    __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(x));
    return crc;
}

static uint32_t crc32c_arm(uint32_t crc, const void *p, size_t n)
{
    const unsigned char *bytes = p;
    crc = ~crc;
    for (; n >= 8; n -= 8, bytes += 8)
        crc = step8(crc, hry_load64(bytes));
    for (; n; n--)
        crc = step1(crc, *bytes++);
    return ~crc;
}

void hry_fill_crc32c_arm(struct hry_kern *table)
{
    table->crc32c = crc32c_arm;
}

#endif
