/* A sharded set, open: an index and its parts. */
#ifndef HRY_INTEROP_ST_SET_H
#define HRY_INTEROP_ST_SET_H

#include "interop/safetensors/st_file.h"
#include "interop/safetensors/st_index.h"

#include <hurray/interop.h>

typedef struct hry_st_set {
    hry_allocator allocator;
    hry_st_index index;
    uint64_t index_size; /* bytes of its file */
    hry_st_file **parts; /* one for each of index.parts; NULL when it is missing */
    uint32_t *entry_of;  /* for each of index.names: its position in its part */
    hry_kv *kvs;         /* of all */
    size_t kv_count, kv_capacity;
} hry_st_set;

/* Compares the index with what the parts have. Whatever is missing or there twice is passed to notes. */
hry_status hry_st_set_match(hry_st_set *set, hry_notes *notes, hry_error *err);
/* Puts the metadata of the parts and the index together. What contradicts is passed to notes. */
hry_status hry_st_set_merge(hry_st_set *set, hry_notes *notes, hry_error *err);

#endif
