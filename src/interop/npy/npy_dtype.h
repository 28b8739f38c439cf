/* NumPy's names of element types. */
#ifndef HRY_INTEROP_NPY_DTYPE_H
#define HRY_INTEROP_NPY_DTYPE_H

#include <hurray/type.h>

typedef struct hry_npy_dtype {
    uint8_t type; /* HRY_TYPE_…; a bool takes a byte */
    uint8_t size; /* bytes of an element */
    bool swapped; /* most significant byte first */
} hry_npy_dtype;

/*
 * From a description such as "<f4". HRY_E_UNSUPPORTED for what there is no counterpart of, which the message names;
 * HRY_E_INPUT for what is no description. offset is its place, for the report.
 */
hry_status hry_npy_dtype_read(hry_str text, uint64_t offset, hry_npy_dtype *dtype, hry_error *err);

/* The description of a type, little-endian: 4 characters at most. False where NumPy has no such type. */
bool hry_npy_dtype_write(uint8_t type, char text[8]);

/*
 * The narrowest type of NumPy's that holds the values of one that it does not have; the type itself where it does, and
 * 0 where there is none. *exact: no value changes.
 */
uint8_t hry_npy_wider_type(uint8_t type, bool *exact);

#endif
