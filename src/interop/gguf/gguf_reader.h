/* Walks the header of a GGUF file from front to back, in either byte order, with no more than a part of it at hand. */
#ifndef HRY_INTEROP_GGUF_READER_H
#define HRY_INTEROP_GGUF_READER_H

#include "base/bytes.h"
#include "base/status.h"

typedef struct hry_gguf_reader {
    const uint8_t *bytes;
    uint64_t have;  /* bytes at hand, from the file's first */
    uint64_t size;  /* of the file */
    uint64_t limit; /* of the header */
    uint64_t at;
    uint64_t want; /* with HRY_E_BUSY: so many bytes have to be at hand to get on */
    bool swapped;  /* the file is big-endian */
    hry_error *err;
} hry_gguf_reader;

/* What is left of the file. */
static inline uint64_t hry_gguf_rest(const hry_gguf_reader *r)
{
    return r->size - r->at;
}

/* Why n bytes are not at hand: the file ends, the limit is reached, or they have to be fetched (HRY_E_BUSY). */
HRY_COLD hry_status hry_gguf_short(hry_gguf_reader *r, uint64_t n, enum hry_section section, const char *what);

/* n bytes are at hand; what says of which part of the file. */
static inline hry_status hry_gguf_need(hry_gguf_reader *r, uint64_t n, enum hry_section section, const char *what)
{
    return n <= r->have - r->at ? HRY_OK : hry_gguf_short(r, n, section, what);
}

static inline uint32_t hry_gguf_load32(const uint8_t *p, bool swapped)
{
    uint32_t x = hry_load32(p);
    return swapped ? __builtin_bswap32(x) : x;
}

static inline uint64_t hry_gguf_load64(const uint8_t *p, bool swapped)
{
    uint64_t x = hry_load64(p);
    return swapped ? __builtin_bswap64(x) : x;
}

/* For bytes that are known to be at hand. */
static inline uint32_t hry_gguf_take32(hry_gguf_reader *r)
{
    r->at += 4;
    return hry_gguf_load32(r->bytes + r->at - 4, r->swapped);
}

static inline uint64_t hry_gguf_take64(hry_gguf_reader *r)
{
    r->at += 8;
    return hry_gguf_load64(r->bytes + r->at - 8, r->swapped);
}

/* A string: its length, and as many bytes. */
hry_status hry_gguf_take_string(hry_gguf_reader *r, enum hry_section section, const char *what, hry_str *string);

#endif
