/* What a tensor is made of. */
#ifndef HRY_TENSOR_OBJECT_H
#define HRY_TENSOR_OBJECT_H

#include <hurray/tensor.h>
#include <stdatomic.h>

/* One allocation: the structure, then buffer pointers or members, then the descriptor's bytes. */
struct hry_tensor {
    atomic_size_t references;
    hry_allocator allocator;
    size_t allocated; /* bytes of this allocation */
    hry_desc desc;    /* a view of the bytes below */
    hry_release_fn *release;
    void *release_ctx;
    const void **buffers;
    hry_tensor **members; /* one reference each */
    size_t member_count;
    uint32_t split_axis;         /* of a composite: split.h */
    bool in_host;                /* the buffers can be read by this process */
    int32_t device_id;           /* which of its kind, where the tensor came from another library */
    atomic_bool scales_verified; /* and zero points: found right */
    atomic_int verified;         /* the HRY_VERIFY_… up to which the contents were found right; 0: not looked at */
};

/*
 * hry_tensor_create for bytes that were stored: they are in host memory whatever device the descriptor hopes for, and
 * may be aligned to less than it says, as reading copes with any alignment.
 */
hry_status hry_tensor_create_stored(const hry_desc *desc, const void *const *buffers, hry_release_fn *release,
                                    void *ctx, const hry_allocator *allocator, hry_tensor **tensor, hry_error *err);

/* hry_tensor_create for another library's memory: of any alignment, on that device. */
hry_status hry_tensor_create_foreign(const hry_desc *desc, const void *const *buffers, int32_t device_id,
                                     hry_release_fn *release, void *ctx, const hry_allocator *allocator,
                                     hry_tensor **tensor, hry_error *err);

/* A composite over members that are known to fit the head; takes over one reference to each on success. */
hry_status hry_tensor_adopt_members(const hry_desc *head, hry_tensor *const *members, size_t count,
                                    const hry_allocator *allocator, hry_tensor **tensor, hry_error *err);

/* Refuses (HRY_E_UNSUPPORTED) a tensor whose values must not be touched: opaque, dynamic or not in host memory. */
hry_status hry_tensor_check_readable(const hry_tensor *tensor, hry_error *err);

#endif
