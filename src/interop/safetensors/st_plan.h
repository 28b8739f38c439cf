/* What of a file goes into a safetensors file, and where: settled before the first byte is written. */
#ifndef HRY_INTEROP_ST_PLAN_H
#define HRY_INTEROP_ST_PLAN_H

#include "interop/json_write.h"
#include "interop/notes.h"

typedef struct hry_st_item {
    uint64_t skip;     /* bytes of the buffer before the elements */
    uint64_t nbytes;   /* in the safetensors file */
    uint32_t position; /* of the tensor in the source */
    bool is_bool;      /* a byte an element there, a bit here */
} hry_st_item;

typedef struct hry_st_plan {
    const hry_allocator *allocator;
    hry_st_item *items;
    size_t count, capacity;
    hry_json_text json; /* the header, padded */
} hry_st_plan;

/* Remarks go to notes. On failure the plan is as after hry_st_plan_fini. */
hry_status hry_st_plan_make(hry_file *file, const hry_allocator *allocator, hry_notes *notes, hry_st_plan *plan,
                            hry_error *err);
void hry_st_plan_fini(hry_st_plan *plan);

/* __metadata__ with its comma, from the file's metadata; nothing when there is none. */
void hry_st_plan_metadata(const hry_file *file, hry_json_text *json, hry_notes *notes);

#endif
