/*
 * A tensor: a descriptor with its buffers. Opaque, immutable, reference-counted.
 *
 * Every function that yields a tensor gives the caller one reference; hry_tensor_release gives it back. A tensor keeps
 * alive what its buffers lie in (a file's mapping, memory of the caller's). Any number of threads may use one tensor.
 */
#ifndef HURRAY_TENSOR_H
#define HURRAY_TENSOR_H

#include <hurray/desc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hry_tensor hry_tensor;

/* Called once, from any thread, when the last reference to a tensor over the caller's memory is gone. */
typedef void hry_release_fn(void *ctx);

/*
 * A tensor over memory of the caller's, not copied. desc is copied; buffers has one pointer for each row of the buffer
 * table, to byte_size bytes that stay valid and unchanged until release(ctx) runs (release may be NULL). A pointer may
 * be NULL where byte_size is 0; others must have the alignment that the row declares (H-05), else HRY_E_USAGE.
 * allocator NULL: the C heap. On failure release is not called and the memory stays the caller's.
 */
HRY_API hry_status hry_tensor_create(const hry_desc *desc, const void *const *buffers, hry_release_fn *release,
                                     void *ctx, const hry_allocator *allocator, hry_tensor **tensor, hry_error *err);

/*
 * The plain case: row-major, one buffer. shape has rank entries; data holds the packed elements and may have any
 * alignment: what the descriptor declares is 64, which counts for files and peers, while reading copes with less.
 */
HRY_API hry_status hry_tensor_dense(uint8_t type, uint32_t rank, const uint64_t *shape, const void *data,
                                    hry_release_fn *release, void *ctx, hry_tensor **tensor, hry_error *err);

/*
 * A composite: head is a composite head's descriptor with member_count = count. The members are checked against it
 * (L-CMP-20..31); each gets one more reference.
 */
HRY_API hry_status hry_tensor_composite(const hry_desc *head, hry_tensor *const *members, size_t count,
                                        const hry_allocator *allocator, hry_tensor **tensor, hry_error *err);

HRY_API hry_tensor *hry_tensor_retain(hry_tensor *tensor); /* the same pointer; NULL allowed */
HRY_API void hry_tensor_release(hry_tensor *tensor);       /* NULL allowed */

/* The descriptor; valid as long as the tensor. */
HRY_API const hry_desc *hry_tensor_desc(const hry_tensor *tensor);
HRY_API uint8_t hry_tensor_type(const hry_tensor *tensor);
HRY_API uint32_t hry_tensor_rank(const hry_tensor *tensor);
HRY_API uint64_t hry_tensor_dim(const hry_tensor *tensor, uint32_t k);

/* Buffer i and its size in bytes; NULL with *nbytes 0 for an empty or absent buffer. nbytes may be NULL. */
HRY_API const void *hry_tensor_buffer(const hry_tensor *tensor, uint32_t i, uint64_t *nbytes);

/* The first element, when the tensor is row-major, unquantized, of that type, in host memory and aligned; else NULL.
 * Valid as long as the tensor. */
HRY_API const float *hry_tensor_f32(const hry_tensor *tensor);
HRY_API const double *hry_tensor_f64(const hry_tensor *tensor);
/* The same for any whole-byte type. */
HRY_API const void *hry_tensor_data(const hry_tensor *tensor, uint8_t type);

HRY_API size_t hry_tensor_member_count(const hry_tensor *tensor);          /* 0 for all but composites */
HRY_API hry_tensor *hry_tensor_member(const hry_tensor *tensor, size_t i); /* borrowed; NULL when out of range */

#ifdef __cplusplus
}
#endif

#endif
