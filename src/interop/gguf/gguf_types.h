/* The tensor types of GGUF files: how many bytes a block of how many elements takes, and which of them are numbers. */
#ifndef HRY_INTEROP_GGUF_TYPES_H
#define HRY_INTEROP_GGUF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HRY_GGUF_F32 = 0,
    HRY_GGUF_F16 = 1,
    HRY_GGUF_Q4_0 = 2,
    HRY_GGUF_Q4_1 = 3,
    HRY_GGUF_Q5_0 = 6,
    HRY_GGUF_Q5_1 = 7,
    HRY_GGUF_Q8_0 = 8,
    HRY_GGUF_Q8_1 = 9,
    HRY_GGUF_Q2_K = 10,
    HRY_GGUF_Q3_K = 11,
    HRY_GGUF_Q4_K = 12,
    HRY_GGUF_Q5_K = 13,
    HRY_GGUF_Q6_K = 14,
    HRY_GGUF_Q8_K = 15,
    HRY_GGUF_IQ2_XXS = 16,
    HRY_GGUF_IQ2_XS = 17,
    HRY_GGUF_IQ3_XXS = 18,
    HRY_GGUF_IQ1_S = 19,
    HRY_GGUF_IQ4_NL = 20,
    HRY_GGUF_IQ3_S = 21,
    HRY_GGUF_IQ2_S = 22,
    HRY_GGUF_IQ4_XS = 23,
    HRY_GGUF_I8 = 24,
    HRY_GGUF_I16 = 25,
    HRY_GGUF_I32 = 26,
    HRY_GGUF_I64 = 27,
    HRY_GGUF_F64 = 28,
    HRY_GGUF_IQ1_M = 29,
    HRY_GGUF_BF16 = 30,
    HRY_GGUF_TQ1_0 = 34,
    HRY_GGUF_TQ2_0 = 35,
    HRY_GGUF_MXFP4 = 39,
    HRY_GGUF_NVFP4 = 40,
    HRY_GGUF_Q1_0 = 41,
    HRY_GGUF_Q2_0 = 42,
    HRY_GGUF_TYPES = 43
};

enum { HRY_GGUF_BLOCK_MAX = 292 }; /* bytes of the largest block */

/* count numbers of width bytes each, one after the other, in the file's byte order. */
typedef struct hry_gguf_field {
    uint16_t at; /* byte in the block */
    uint8_t width, count;
} hry_gguf_field;

typedef struct hry_gguf_type {
    const char *name;  /* NULL: a type that was removed, or never was */
    uint16_t elements; /* of a block */
    uint16_t bytes;
    uint8_t element; /* the type tag of single elements; 0: blocks */
    bool grid;       /* codes index tables that are not known here, and hide numbers in bytes */
    hry_gguf_field fields[2];
} hry_gguf_type;

/* NULL for ids that no type has. A constant. */
const hry_gguf_type *hry_gguf_type_of(uint32_t id);
/* The id of single elements of a type tag; false when GGUF has no such type. */
bool hry_gguf_type_of_element(uint8_t tag, uint32_t *id);

/* Turns the numbers in count blocks around, in place. */
void hry_gguf_swap(const hry_gguf_type *type, uint8_t *blocks, uint64_t count);

#endif
