/* Sixteen bytes at once, in the compilers' own notation: it becomes the processor's vectors where it has them. */
#ifndef HRY_INTEROP_GGUF_VECTOR_H
#define HRY_INTEROP_GGUF_VECTOR_H

#include <stdint.h>
#include <string.h>

typedef uint8_t hry_gguf_vector __attribute__((vector_size(16)));

/* Eight bytes of a, then eight of b: in registers, as memory would make the processor wait. */
static inline hry_gguf_vector hry_gguf_vector_of(uint8_t a, uint8_t b)
{
    typedef uint64_t halves __attribute__((vector_size(16)));
    const uint64_t spread = UINT64_C(0x0101010101010101);
    return (hry_gguf_vector)(halves){ a * spread, b * spread };
}

static inline hry_gguf_vector hry_gguf_vector_load(const void *p)
{
    hry_gguf_vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void hry_gguf_vector_store(void *p, hry_gguf_vector v)
{
    memcpy(p, &v, sizeof v);
}

#endif
