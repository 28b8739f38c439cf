#include "interop/gguf/gguf_record.h"
#include "interop/grow.h"

#include <string.h>

uint8_t *hry_gguf_bytes_add(hry_gguf_bytes *to, size_t n)
{
    if (to->no_memory || n > SIZE_MAX - to->used || !HRY_GROW(to->allocator, to->bytes, to->capacity, to->used + n)) {
        to->no_memory = true;
        return NULL;
    }
    to->used += n;
    return to->bytes + to->used - n;
}

void hry_gguf_bytes_put(hry_gguf_bytes *to, const void *bytes, size_t n)
{
    uint8_t *room = hry_gguf_bytes_add(to, n);
    if (room && n)
        memcpy(room, bytes, n);
}

void hry_gguf_bytes_put32(hry_gguf_bytes *to, uint32_t x)
{
    uint8_t *room = hry_gguf_bytes_add(to, 4);
    if (room)
        hry_store32(room, x);
}

void hry_gguf_bytes_put64(hry_gguf_bytes *to, uint64_t x)
{
    uint8_t *room = hry_gguf_bytes_add(to, 8);
    if (room)
        hry_store64(room, x);
}

void hry_gguf_bytes_put64_at(hry_gguf_bytes *to, size_t at, uint64_t x)
{
    if (!to->no_memory)
        hry_store64(to->bytes + at, x);
}

void hry_gguf_bytes_put_string(hry_gguf_bytes *to, hry_str string)
{
    hry_gguf_bytes_put64(to, string.len);
    hry_gguf_bytes_put(to, string.ptr, string.len);
}

void hry_gguf_bytes_fini(hry_gguf_bytes *bytes)
{
    HRY_DROP(bytes->allocator, bytes->bytes, bytes->capacity);
    *bytes = (hry_gguf_bytes){ .allocator = bytes->allocator };
}

/* One number of width bytes turned around. */
static const uint8_t *put_turned(hry_gguf_bytes *to, const uint8_t *p, size_t width)
{
    uint8_t *room = hry_gguf_bytes_add(to, width);
    for (size_t i = 0; room && i < width; i++)
        room[i] = p[width - 1 - i];
    return p + width;
}

/* Arrays lie in each other no deeper than the header's reader allows. */
static const uint8_t *put_turned_value(hry_gguf_bytes *to, const uint8_t *p, uint32_t type, unsigned depth)
{
    size_t width = hry_gguf_kv_width(type);
    if (width)
        return put_turned(to, p, width);
    if (type == HRY_GGUF_KV_STRING) {
        size_t n = (size_t)hry_gguf_load64(p, true);
        p = put_turned(to, p, 8);
        hry_gguf_bytes_put(to, p, n);
        return p + n;
    }
    uint32_t element_type = hry_gguf_load32(p, true);
    uint64_t count = hry_gguf_load64(p + 4, true);
    p = put_turned(to, p, 4);
    p = put_turned(to, p, 8);
    for (uint64_t i = 0; i < count && depth <= HRY_GGUF_ARRAY_DEPTH; i++)
        p = put_turned_value(to, p, element_type, depth + 1);
    return p;
}

void hry_gguf_put_value(hry_gguf_bytes *to, const uint8_t *value, uint64_t nbytes, uint32_t type, bool swapped)
{
    if (swapped)
        put_turned_value(to, value, type, 1);
    else
        hry_gguf_bytes_put(to, value, (size_t)nbytes);
}
