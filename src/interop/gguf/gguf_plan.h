/* What of a file goes into a GGUF file, and where: settled before the first byte is written. */
#ifndef HRY_INTEROP_GGUF_PLAN_H
#define HRY_INTEROP_GGUF_PLAN_H

#include "interop/gguf/gguf_file.h"
#include "interop/notes.h"

typedef struct hry_gguf_item {
    uint64_t position; /* of the tensor in the source */
    uint32_t type_id;
    uint32_t rank;
    uint64_t dims[HRY_GGUF_MAX_DIMS]; /* fastest first */
    uint64_t nbytes, offset;          /* in the GGUF file's data section */
    uint64_t skip;                    /* bytes of the tensor's first buffer before its elements */
    const hry_gguf_form *form;        /* codes and scales become blocks; NULL: the bytes are the same */
    hry_str turns;                    /* with form: where zeros had a scale of 1 (gguf_ones.h) */
    bool is_raw;                      /* blocks of a GGUF file, as they are there */
} hry_gguf_item;

typedef struct hry_gguf_plan {
    const hry_allocator *allocator;
    hry_gguf_file *source; /* where the file is one of ours; NULL: any other */
    hry_gguf_item *items;
    size_t count, capacity;
    hry_gguf_record record; /* of the GGUF file that the source once was, if it was one */
    bool has_record;
    uint32_t alignment;
    hry_gguf_bytes header;
    uint64_t data_at, end; /* where the data start, and where the file ends */
} hry_gguf_plan;

/* Remarks go to notes. On failure the plan is as after hry_gguf_plan_fini. */
hry_status hry_gguf_plan_make(hry_file *file, const hry_allocator *allocator, hry_notes *notes, hry_gguf_plan *plan,
                              hry_error *err);
void hry_gguf_plan_fini(hry_gguf_plan *plan);

/* ---- Its parts ---- */

/* Adds tensor i, unless there is no way to; its offset comes later. */
hry_status hry_gguf_plan_tensor(hry_file *file, uint64_t i, hry_notes *notes, hry_gguf_plan *plan, hry_error *err);
/* The metadata into the header, and plan->alignment from them; *count is how many there are. */
void hry_gguf_plan_metadata(const hry_file *file, bool has_blocks, hry_notes *notes, hry_gguf_plan *plan,
                            uint64_t *count);

/* ---- Values: from a container's types to GGUF's ---- */

/* Puts type and value, of the wished types where they hold it exactly (element_type counts for arrays), else of the
 * narrowest that do. False, with nothing put, for what GGUF has no type for. */
bool hry_gguf_value_put(hry_gguf_bytes *to, const hry_kv_value *value, const uint32_t *type, uint32_t element_type);
/* Whether the value says what the record holds in more detail. */
bool hry_gguf_value_agrees(const hry_kv_value *value, const hry_gguf_record_entry *entry);

/* ---- Codes and scales of a tensor as the form wants them ---- */

typedef struct hry_gguf_source {
    hry_tensor *tensor;
    const uint8_t *codes, *scales;
    uint8_t scale_type; /* what scales are; 0: e8m0 */
    bool flip;          /* uint4 with a zero point of 8 for int4 */
} hry_gguf_source;

/* The tensor's buffers; to be released by hry_tensor_release(source->tensor). */
hry_status hry_gguf_source_open(hry_file *file, uint64_t i, hry_gguf_source *source, hry_error *err);
/* Blocks first .. first + count - 1 as the form's own, in room for count blocks of codes and scales where they have to
 * be changed. */
typedef struct hry_gguf_parts {
    const uint8_t *codes, *scales;
} hry_gguf_parts;
enum { HRY_GGUF_PIECE = 128 }; /* the most blocks at a time */
hry_gguf_parts hry_gguf_source_parts(const hry_gguf_source *source, const hry_gguf_form *form, uint64_t first,
                                     size_t count, uint8_t *codes, uint8_t *scales);
/* All scales can be had, and all codes and scales are what blocks of the type give. */
bool hry_gguf_source_fits(const hry_gguf_source *source, const hry_gguf_form *form, uint64_t blocks);

#endif
