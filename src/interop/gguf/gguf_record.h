/*
 * What a container cannot tell of a GGUF file, kept beside its metadata under one reserved key, as bytes, so that the
 * way back gives the same file. All numbers are little-endian:
 *
 *   u32  1, the version of this record
 *   u32  GGUF version
 *   u64  size of the file in bytes; 0 for a split set
 *   u64  entries of metadata, in the file's order; for each
 *        u64 length of the key, key, u32 type, for an array (9) u32 element type,
 *        u8 0: the value stands under its key in the metadata;
 *           1: u64 length of the value, value as in a GGUF file (an array from its element type on)
 *   u64  tensors whose type does not follow from their descriptor; for each
 *        u64 length of the name, name, u32 type
 *   u64  tensors with blocks of zeros whose scale was 1, where it was looked for and there are any; for each
 *        u64 length of the name, name, u32 type, u64 blocks, u64 length of the turns, turns (gguf_ones.h)
 */
#ifndef HRY_INTEROP_GGUF_RECORD_H
#define HRY_INTEROP_GGUF_RECORD_H

#include "file/names.h"
#include "interop/gguf/gguf_header.h"

#define HRY_GGUF_RECORD_KEY "gguf.metadata"

/* ---- Writing ---- */

/* Bytes that grow; zero is empty but for the allocator. */
typedef struct hry_gguf_bytes {
    const hry_allocator *allocator;
    uint8_t *bytes;
    size_t used, capacity;
    bool no_memory; /* set once something found no room; then nothing is added any more */
} hry_gguf_bytes;

/* Room for n bytes more, which the caller fills; NULL when there is none. */
uint8_t *hry_gguf_bytes_add(hry_gguf_bytes *to, size_t n);
void hry_gguf_bytes_put(hry_gguf_bytes *to, const void *bytes, size_t n);
void hry_gguf_bytes_put32(hry_gguf_bytes *to, uint32_t x);
void hry_gguf_bytes_put64(hry_gguf_bytes *to, uint64_t x);
/* In the place of 8 bytes that were put before. */
void hry_gguf_bytes_put64_at(hry_gguf_bytes *to, size_t at, uint64_t x);
void hry_gguf_bytes_put_string(hry_gguf_bytes *to, hry_str string);
void hry_gguf_bytes_fini(hry_gguf_bytes *bytes);

/* A value of any type in little-endian order. */
void hry_gguf_put_value(hry_gguf_bytes *to, const uint8_t *value, uint64_t nbytes, uint32_t type, bool swapped);

/* ---- Reading one, which nobody has checked ---- */

typedef struct hry_gguf_record_entry {
    hry_str key;
    uint32_t type, element_type;
    bool is_kept; /* value holds it */
    const uint8_t *value;
    uint64_t nbytes;
} hry_gguf_record_entry;

typedef struct hry_gguf_record_tensor {
    hry_str name;
    uint32_t type;
    uint64_t blocks; /* with turns */
    hry_str turns;
} hry_gguf_record_tensor;

typedef struct hry_gguf_record_tensors {
    hry_gguf_record_tensor *items;
    size_t count, capacity;
    hry_names names;
} hry_gguf_record_tensors;

typedef struct hry_gguf_record {
    const hry_allocator *allocator;
    uint32_t gguf_version;
    uint64_t file_size;
    hry_gguf_record_entry *entries;
    size_t entry_count, entry_capacity;
    hry_names keys;
    hry_gguf_record_tensors types, ones;
} hry_gguf_record;

/* False, with *record empty, for bytes that are no such record; *no_memory says when that is the reason. */
bool hry_gguf_record_read(hry_gguf_record *record, const uint8_t *bytes, uint64_t nbytes,
                          const hry_allocator *allocator, bool *no_memory);
void hry_gguf_record_fini(hry_gguf_record *record);
/* NULL when it has no such entry. */
const hry_gguf_record_entry *hry_gguf_record_find(const hry_gguf_record *record, hry_str key);
/* The type of a tensor; false when it has none of that name. */
bool hry_gguf_record_type(const hry_gguf_record *record, hry_str name, uint32_t *type);
/* The turns of a tensor, where one of that name had so many blocks of that type; else none. */
hry_str hry_gguf_record_turns(const hry_gguf_record *record, hry_str name, uint32_t type, uint64_t blocks);

#endif
