/* Scales in half precision, by their bits. */
#ifndef HRY_INTEROP_GGUF_HALF_H
#define HRY_INTEROP_GGUF_HALF_H

#include "base/bytes.h"

#include <stddef.h>

#define HRY_GGUF_HALF_ONE UINT16_C(0x3C00)

static inline bool hry_gguf_half_is_zero(uint16_t d)
{
    return (d & 0x7FFF) == 0;
}

/* Infinite or NaN. */
static inline bool hry_gguf_half_is_bad(uint16_t d)
{
    return (d & 0x7C00) == 0x7C00;
}

/* The scale at a place in blocks of nbytes: as it is, 1 for zero. Stops at a block whose scale is bad. */
static inline size_t hry_gguf_half_scales(const uint8_t *blocks, size_t count, size_t nbytes, size_t at, uint8_t *dst)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t d = hry_load16(blocks + i * nbytes + at);
        if (hry_gguf_half_is_bad(d))
            return i;
        hry_store16(dst + 2 * i, hry_gguf_half_is_zero(d) ? HRY_GGUF_HALF_ONE : d);
    }
    return count;
}

/* n bytes are all zero; n a multiple of 8. */
static inline bool hry_gguf_all_zero(const uint8_t *p, size_t n)
{
    uint64_t any = 0;
    for (size_t i = 0; i < n; i += 8)
        any |= hry_load64(p + i);
    return any == 0;
}

/* What a block with a scale of zero was stored as; whether it is one, or had a scale of 1 before, the record knows. */
static inline bool hry_gguf_half_is_mark(const uint8_t *scale, const uint8_t *codes, size_t n)
{
    return hry_load16(scale) == HRY_GGUF_HALF_ONE && hry_gguf_all_zero(codes, n);
}

#endif
