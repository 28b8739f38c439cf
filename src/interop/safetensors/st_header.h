/* The header of a safetensors file: verified, and turned into names, descriptors and places. */
#ifndef HRY_INTEROP_ST_HEADER_H
#define HRY_INTEROP_ST_HEADER_H

#include "file/names.h"
#include "interop/notes.h"
#include "interop/text_arena.h"

#include <hurray/file.h>

enum { HRY_ST_LENGTH_SIZE = 8 }; /* the header's length, in front of it */

typedef struct hry_st_entry {
    uint64_t begin, end; /* in the data */
    uint64_t desc_at;    /* its descriptor, in descs */
    uint32_t key_at;     /* its name, in the header's JSON: for messages */
    uint32_t dims_at;    /* its shape, in dims */
    uint8_t type, rank;
} hry_st_entry;

typedef struct hry_st_header {
    const hry_allocator *allocator; /* outlives the header */
    size_t count, kv_count;
    hry_st_entry *entries; /* in the header's order */
    hry_str *names;
    hry_kv *kvs;
    uint64_t *dims;
    uint8_t *descs;
    uint64_t data_at, data_size;
    hry_text_arena texts; /* what is not in the JSON as it is */
    hry_names index;      /* of names */
    size_t entry_capacity, name_capacity, kv_capacity, dims_used, dims_capacity, descs_size;
} hry_st_header;

/*
 * Reads the JSON of nbytes at json, which stays where it is as long as the header is used; file_size says how much
 * data there is. Metadata that has no counterpart is passed to notes. Errors carry offsets in the file.
 */
hry_status hry_st_header_read(hry_st_header *header, const uint8_t *json, uint64_t nbytes, uint64_t file_size,
                              const hry_limits *limits, const hry_allocator *allocator, hry_notes *notes,
                              hry_error *err);
/* Gives up what only hry_st_header_find needs. */
void hry_st_header_trim(hry_st_header *header);
bool hry_st_header_find(const hry_st_header *header, hry_str name, uint32_t *i);
void hry_st_header_fini(hry_st_header *header);

/* ---- Between the parts of the reader ---- */

/* The tokens of the JSON into entries, names, dims and kvs, each entry by itself verified. */
hry_status hry_st_header_parse(hry_st_header *header, const uint8_t *json, uint64_t nbytes, const hry_limits *limits,
                               hry_notes *notes, hry_error *err);
/* Every byte of the data belongs to one tensor. */
hry_status hry_st_header_cover(const hry_st_header *header, hry_error *err);

/* Fails with a message that starts with the tensor's name. offset is in the file. */
__attribute__((format(printf, 6, 7))) hry_status hry_st_fail(hry_error *err, hry_status status, uint64_t offset,
                                                             uint64_t value, hry_str name, const char *format, ...);

#endif
