/* What of a tensor goes into a .npy file, settled before the first byte is written. */
#ifndef HRY_INTEROP_NPY_PLAN_H
#define HRY_INTEROP_NPY_PLAN_H

#include "interop/notes.h"

enum { HRY_NPY_HEADER_MAX = 64 + 64 + 23 * HRY_RANK_MAX };

typedef struct hry_npy_plan {
    const hry_tensor *tensor;
    uint8_t type;   /* of the elements there */
    size_t size;    /* bytes of one */
    uint64_t count; /* of elements */
    size_t header_length;
    uint8_t header[HRY_NPY_HEADER_MAX];
} hry_npy_plan;

/* HRY_E_UNSUPPORTED for what cannot be carried; changes go to notes. */
hry_status hry_npy_plan_make(const hry_tensor *tensor, hry_str name, const hry_export_options *options,
                             hry_notes *notes, hry_npy_plan *plan, hry_error *err);

#endif
