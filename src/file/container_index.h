/* The index of a container: one walk that verifies every entry, then names and entries by position. (file-format, 5) */
#ifndef HRY_FILE_CONTAINER_INDEX_H
#define HRY_FILE_CONTAINER_INDEX_H

#include "base/bytes.h"
#include "file/container_header.h"
#include "file/names.h"

/* An entry's fixed fields, from the end of its name. */
enum {
    HRY_ENTRY_DESCRIPTOR_OFFSET = 0,
    HRY_ENTRY_DESCRIPTOR_LENGTH = 8,
    HRY_ENTRY_DATA_OFFSET = 12,
    HRY_ENTRY_DATA_LENGTH = 20,
    HRY_ENTRY_FLAGS = 28,
    HRY_ENTRY_FIXED = 32
};

typedef struct hry_index {
    const uint8_t *bytes; /* the section; borrowed */
    uint32_t *at;         /* of each entry, from bytes */
    uint32_t count;
    uint32_t length;
    bool sorted;    /* by name: looked up by binary search, else in names */
    bool ascending; /* descriptor_offset ascends: write order is index order */
    hry_names names;
} hry_index;

/* Verifies F-15 .. F-25 over the index_length bytes that the CRC was checked over. */
hry_status hry_index_parse(const uint8_t *bytes, const hry_frame *frame, const hry_limits *limits,
                           const hry_allocator *allocator, hry_index *index, hry_error *err);
void hry_index_fini(hry_index *index, const hry_allocator *allocator);

bool hry_index_find(const hry_index *index, hry_str name, uint32_t *i);

/*
 * Positions in ascending order of descriptor_offset, which is write order: count of them, to be freed by the caller.
 * NULL when there is no memory.
 */
uint32_t *hry_index_order(const hry_index *index, const hry_allocator *allocator);

static inline hry_str hry_index_name(const hry_index *index, uint32_t i)
{
    const uint8_t *p = index->bytes + index->at[i];
    return (hry_str){ (const char *)p + 2, hry_load16(p) };
}

/* The fixed fields of entry i. */
static inline const uint8_t *hry_index_fixed(const hry_index *index, uint32_t i)
{
    const uint8_t *p = index->bytes + index->at[i];
    return p + 2 + hry_load16(p);
}

static inline hry_file_entry hry_index_entry(const hry_index *index, uint32_t i)
{
    const uint8_t *fixed = hry_index_fixed(index, i);
    return (hry_file_entry){
        .name = hry_index_name(index, i),
        .descriptor_offset = hry_load64(fixed + HRY_ENTRY_DESCRIPTOR_OFFSET),
        .descriptor_length = hry_load32(fixed + HRY_ENTRY_DESCRIPTOR_LENGTH),
        .data_offset = hry_load64(fixed + HRY_ENTRY_DATA_OFFSET),
        .data_length = hry_load64(fixed + HRY_ENTRY_DATA_LENGTH),
    };
}

/* Where a tensor's bytes end: its data, or its descriptor when it has none. */
static inline uint64_t hry_entry_end(const hry_file_entry *entry)
{
    uint64_t descriptor_end = entry->descriptor_offset + entry->descriptor_length;
    uint64_t data_end = entry->data_length == 0 ? 0 : entry->data_offset + entry->data_length;
    return data_end > descriptor_end ? data_end : descriptor_end;
}

#endif
