/* The index of a sharded set: which tensor lies in which part. */
#ifndef HRY_INTEROP_ST_INDEX_H
#define HRY_INTEROP_ST_INDEX_H

#include "file/names.h"
#include "interop/notes.h"
#include "interop/text_arena.h"

typedef struct hry_st_index {
    const hry_allocator *allocator;
    size_t count, part_count, kv_count;
    hry_str *names;    /* of the tensors, in the index's order */
    uint32_t *part_of; /* one each: a position in parts */
    hry_str *parts;    /* file names without a folder, each once, in the order they are first named */
    hry_kv *kvs;       /* of the index's own metadata */
    hry_text_arena texts;
    hry_names by_name, by_part;
    size_t name_capacity, part_of_capacity, part_capacity, kv_capacity;
} hry_st_index;

/* Keeps nothing of json. HRY_E_INPUT for what is no index, and for a part outside the index's folder. */
hry_status hry_st_index_read(hry_st_index *index, const uint8_t *json, uint64_t nbytes, const hry_limits *limits,
                             const hry_allocator *allocator, hry_notes *notes, hry_error *err);
bool hry_st_index_find(const hry_st_index *index, hry_str name, uint32_t *i);
void hry_st_index_fini(hry_st_index *index);

#endif
