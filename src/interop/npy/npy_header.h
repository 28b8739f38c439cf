/* The header of a .npy file: versions 1, 2 and 3. */
#ifndef HRY_INTEROP_NPY_HEADER_H
#define HRY_INTEROP_NPY_HEADER_H

#include "interop/npy/npy_dtype.h"

#include <hurray/desc.h>

enum { HRY_NPY_PREFIX = 12 }; /* bytes that say where the header's text is: 10 in version 1 */

typedef struct hry_npy_header {
    hry_npy_dtype dtype;
    bool fortran_order; /* the first index runs fastest */
    uint32_t rank;
    uint64_t shape[HRY_RANK_MAX];
    uint64_t count;   /* elements */
    uint64_t data_at; /* from the file's first byte */
} hry_npy_header;

/*
 * Where the text lies, from the first HRY_NPY_PREFIX bytes of a file of `size` (all of a smaller one). HRY_E_LIMIT when
 * it is longer than most. Offsets of all reports are from the file's first byte.
 */
hry_status hry_npy_header_locate(const uint8_t *prefix, uint64_t size, uint64_t most, uint64_t *text_at,
                                 uint32_t *text_length, hry_error *err);

/* The text at text_at. The data is there, or it is HRY_E_INPUT; what follows it is for the caller to judge. */
hry_status hry_npy_header_read(const char *text, uint64_t text_at, uint32_t text_length, uint64_t size,
                               hry_npy_header *header, hry_error *err);

#endif
