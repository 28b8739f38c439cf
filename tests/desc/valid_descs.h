/* Valid descriptors of every kind, by name: what tests damage, cut, take apart and build again. */
#ifndef HRY_TESTS_VALID_DESCS_H
#define HRY_TESTS_VALID_DESCS_H

#include "desc/desc_bytes.h"

#include <stdbool.h>

typedef struct valid_desc {
    const char *name;
    void (*make)(desc_bytes *d);
} valid_desc;

/* By position; NULL from the end on. */
const valid_desc *valid_desc_at(size_t i);

/* Made by name; false when there is none. */
bool valid_desc_make(const char *name, desc_bytes *d);

/* ---- Between the files that make them ---- */

/* Tags of the format. */
enum { F16 = 0x01, F32 = 0x03, I8 = 0x10, U8 = 0x11, I32 = 0x14, BOOL = 0x20, E4M3 = 0x40, E2M3 = 0x44 };
enum { I4 = 0x48, U4 = 0x49, COMPLEX128 = 0x51 };
enum { ROW = 1, COLUMN, STRIDED, TILED, MORTON, COO, CSR, CSC, CSF, PAGED, COMPOSITE, HILBERT = 0x40 };

extern const valid_desc valid_sections[]; /* ended by a row without a name */
/* The example of layouts, section 10, up to its buffers. */
void valid_put_paged(desc_bytes *d, unsigned type);

#endif
