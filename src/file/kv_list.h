/* Metadata: keys with values, in file order, found by key. (file-format, 4) */
#ifndef HRY_FILE_KV_LIST_H
#define HRY_FILE_KV_LIST_H

#include "file/names.h"

#include <hurray/file.h>

/* Zero is an empty list. */
typedef struct hry_kv_list {
    hry_kv *items;
    size_t count, capacity;
    hry_names names;
} hry_kv_list;

/*
 * A KV section (F-26 .. F-29); keys and values point into bytes. offset is the section's in the file, minor the
 * container's. permissive: a section with private values gives an empty list and *unavailable.
 */
hry_status hry_kv_parse(const uint8_t *bytes, uint64_t nbytes, uint64_t offset, uint8_t minor, bool permissive,
                        const hry_allocator *allocator, hry_kv_list *list, bool *unavailable, hry_error *err);

/* Adds an item; false when its key is there already. HRY_E_MEMORY is told apart by *status. */
bool hry_kv_list_add(hry_kv_list *list, const hry_allocator *allocator, const hry_kv *kv, hry_status *status,
                     hry_error *err);
const hry_kv *hry_kv_list_find(const hry_kv_list *list, hry_str key);
void hry_kv_list_fini(hry_kv_list *list, const hry_allocator *allocator);

/* ---- Values as bytes ---- */

/* Bytes that a value takes after its tag. False when it does not fit 32 bits. */
bool hry_kv_value_size(const hry_kv_value *value, uint64_t *nbytes);
/* Writes them; the next free byte. */
uint8_t *hry_kv_value_put(const hry_kv_value *value, uint8_t *dst);
/* A key that a writer may write: 1 to 65,535 bytes of UTF-8 (F-27). */
hry_status hry_kv_key_check(hry_str key, hry_error *err);
/* What a writer may write: a known type, UTF-8 where it must be, an array whose bytes are what it says. */
hry_status hry_kv_value_check(const hry_kv_value *value, hry_error *err);

#endif
