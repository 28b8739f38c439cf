/* The state of reading a safetensors header, token by token. */
#ifndef HRY_INTEROP_ST_PARSER_H
#define HRY_INTEROP_ST_PARSER_H

#include "interop/json_parse.h"
#include "interop/safetensors/st_dtype.h"
#include "interop/safetensors/st_header.h"

/* What may come next: a token of an object's or array's inside (IN_), or a value (AT_). */
enum hry_st_state {
    HRY_ST_AT_START,
    HRY_ST_IN_NAMES,
    HRY_ST_AT_METADATA,
    HRY_ST_IN_METADATA,
    HRY_ST_AT_VALUE,
    HRY_ST_AT_ENTRY,
    HRY_ST_IN_ENTRY,
    HRY_ST_AT_DTYPE,
    HRY_ST_AT_SHAPE,
    HRY_ST_IN_SHAPE,
    HRY_ST_AT_OFFSETS,
    HRY_ST_IN_OFFSETS,
    HRY_ST_STATE_COUNT
};

enum { HRY_ST_NAME_MAX = 65535 }; /* bytes of a name or key of the format */

typedef struct hry_st_parser {
    hry_st_header *header;
    hry_notes *notes;
    uint64_t tensor_limit;
    enum hry_st_state state;
    bool has_metadata;
    hry_names keys; /* of the metadata */
    hry_str name, key;
    /* the entry at hand */
    hry_st_entry entry;
    const hry_st_dtype *dtype;
    unsigned has, offset_count;
    uint64_t offsets_at;
} hry_st_parser;

typedef hry_status hry_st_step(hry_st_parser *p, const hry_json_token *token, hry_error *err);

/* The steps inside an entry, by state. */
hry_st_step hry_st_at_entry, hry_st_in_entry, hry_st_at_dtype, hry_st_at_shape, hry_st_in_shape, hry_st_at_offsets,
    hry_st_in_offsets;

#endif
