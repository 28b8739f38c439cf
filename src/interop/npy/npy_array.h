/* One array, in the bytes of an open file. Everything here may be called from any thread. */
#ifndef HRY_INTEROP_NPY_ARRAY_H
#define HRY_INTEROP_NPY_ARRAY_H

#include "interop/foreign_bytes.h"
#include "interop/npy/npy_header.h"

typedef struct hry_npy_array {
    hry_npy_header header;
    uint64_t start; /* of the array, where it lies in a larger file */
    uint64_t end;   /* of its data */
    hry_desc desc;
    uint8_t desc_bytes[64 + 8 * HRY_RANK_MAX];
} hry_npy_array;

/* The array whose first byte is at start, and that may take size bytes. Offsets of reports are those of the file. */
hry_status hry_npy_array_open(const hry_foreign_bytes *bytes, uint64_t start, uint64_t size, const hry_limits *limits,
                              const hry_allocator *allocator, hry_npy_array *array, hry_error *err);

/* The bytes of the file are those of the tensor's buffer. */
static inline bool hry_npy_array_is_plain(const hry_npy_array *array)
{
    return !array->header.dtype.swapped && array->header.dtype.type != HRY_TYPE_BOOL;
}

/* What hry_provider asks for. */
hry_status hry_npy_array_read(const hry_npy_array *array, const hry_foreign_bytes *bytes, uint64_t offset, void *dst,
                              size_t nbytes, hry_error *err);
hry_status hry_npy_array_buffer(const hry_npy_array *array, const hry_foreign_bytes *bytes,
                                const hry_allocator *allocator, const void **buffer, hry_release_fn **release,
                                void **release_ctx, hry_error *err);

#endif
