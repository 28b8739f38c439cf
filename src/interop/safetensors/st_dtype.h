/* The element types of safetensors beside those of the format. (format: element-types, section 6) */
#ifndef HRY_INTEROP_ST_DTYPE_H
#define HRY_INTEROP_ST_DTYPE_H

#include <hurray/type.h>

typedef struct hry_st_dtype {
    const char *name;
    uint8_t type; /* HRY_TYPE_…; 0 where there is none */
    uint8_t bits; /* of an element there: a bool takes a byte */
} hry_st_dtype;

/* NULL for a name that safetensors does not have. */
const hry_st_dtype *hry_st_dtype_by_name(hry_str name);
/* NULL for a type that safetensors does not have. */
const hry_st_dtype *hry_st_dtype_by_type(uint8_t type);

/* Elements narrower than a byte must end with one. */
bool hry_st_dtype_fills_bytes(const hry_st_dtype *dtype, uint64_t count);
/* The bytes that count elements take, where they fill bytes; false when that does not fit 64 bits. */
bool hry_st_dtype_size(const hry_st_dtype *dtype, uint64_t count, uint64_t *nbytes);

#endif
