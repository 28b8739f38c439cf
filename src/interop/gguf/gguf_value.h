/* The values of GGUF's metadata: their types, and how long one is. (format: gguf, section 1.5) */
#ifndef HRY_INTEROP_GGUF_VALUE_H
#define HRY_INTEROP_GGUF_VALUE_H

#include "interop/gguf/gguf_reader.h"

enum {
    HRY_GGUF_KV_UINT8 = 0,
    HRY_GGUF_KV_INT8 = 1,
    HRY_GGUF_KV_UINT16 = 2,
    HRY_GGUF_KV_INT16 = 3,
    HRY_GGUF_KV_UINT32 = 4,
    HRY_GGUF_KV_INT32 = 5,
    HRY_GGUF_KV_FLOAT32 = 6,
    HRY_GGUF_KV_BOOL = 7,
    HRY_GGUF_KV_STRING = 8,
    HRY_GGUF_KV_ARRAY = 9,
    HRY_GGUF_KV_UINT64 = 10,
    HRY_GGUF_KV_INT64 = 11,
    HRY_GGUF_KV_FLOAT64 = 12,
    HRY_GGUF_KV_TYPES = 13
};

enum { HRY_GGUF_ARRAY_DEPTH = 8 }; /* arrays in arrays */

/* Bytes of a value of fixed size; 0 for strings and arrays. */
unsigned hry_gguf_kv_width(uint32_t type);
static inline bool hry_gguf_kv_is_signed(uint32_t type)
{
    return type == HRY_GGUF_KV_INT8 || type == HRY_GGUF_KV_INT16 || type == HRY_GGUF_KV_INT32 ||
           type == HRY_GGUF_KV_INT64;
}

/* Steps over a value of that type, which starts at r->at, and checks all of it. */
hry_status hry_gguf_skip_value(hry_gguf_reader *r, uint32_t type);

/* One number or boolean of width bytes as 64 bits: signed ones extended, floats as their bits. */
uint64_t hry_gguf_number(const uint8_t *p, uint32_t type, bool swapped);

#endif
