/* JSON as a row of tokens, without a tree: each with its place, strings decoded, numbers as their text. */
#ifndef HRY_INTEROP_JSON_PARSE_H
#define HRY_INTEROP_JSON_PARSE_H

#include <hurray/base.h>

typedef enum hry_json_kind {
    HRY_JSON_NULL,
    HRY_JSON_FALSE,
    HRY_JSON_TRUE,
    HRY_JSON_NUMBER,
    HRY_JSON_STRING,
    HRY_JSON_KEY,
    HRY_JSON_MAP,
    HRY_JSON_MAP_END,
    HRY_JSON_ARRAY,
    HRY_JSON_ARRAY_END
} hry_json_kind;

typedef struct hry_json_token {
    hry_json_kind kind;
    bool in_place;   /* text lies in the JSON's own bytes; else it is gone when the callback returns */
    uint64_t offset; /* of its first byte in the JSON */
    hry_str text;    /* of numbers, strings and keys */
} hry_json_token;

typedef hry_status hry_json_fn(void *ctx, const hry_json_token *token, hry_error *err);

/*
 * Calls fn for each token, in order, until it fails. HRY_E_INPUT for bytes that are not one JSON text in UTF-8 (half
 * surrogates included), or nested deeper than depth; offsets count from the first byte of the JSON.
 */
hry_status hry_json_parse(const void *bytes, size_t nbytes, unsigned depth, const hry_allocator *allocator,
                          hry_json_fn *fn, void *ctx, hry_error *err);

/* A number that is an integer from 0 to 2^64 - 1, without fraction or exponent. */
bool hry_json_u64(const hry_json_token *token, uint64_t *value);

#endif
