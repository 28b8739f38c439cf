/* Reading values one after the other out of a KV section or an encoded array. */
#ifndef HRY_FILE_KV_CURSOR_H
#define HRY_FILE_KV_CURSOR_H

#include "base/bytes.h"
#include "base/rules.h"

#include <hurray/file.h>

typedef struct hry_kv_cursor {
    const uint8_t *p, *end;
} hry_kv_cursor;

static inline uint64_t hry_kv_left(const hry_kv_cursor *c)
{
    return (uint64_t)(c->end - c->p);
}

static inline bool hry_kv_take32(hry_kv_cursor *c, uint32_t *x)
{
    if (hry_kv_left(c) < 4)
        return false;
    *x = hry_load32(c->p);
    c->p += 4;
    return true;
}

/* Reads a value of value->type (not an array); on a broken rule c->p stands at the field at fault. */
enum hry_rule hry_kv_take_scalar(hry_kv_cursor *c, hry_kv_value *value);
/* An array, with a look at every element; as above. */
enum hry_rule hry_kv_take_array(hry_kv_cursor *c, hry_kv_value *value);

#endif
