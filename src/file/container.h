/* A hry_file over the bytes of a container. */
#ifndef HRY_FILE_CONTAINER_H
#define HRY_FILE_CONTAINER_H

#include "file/collection.h"
#include "file/container_index.h"
#include "file/parse_settings.h"
#include "file/store.h"

/* Bytes of the container that are kept for as long as it is open: in memory of their own, or in place. */
typedef struct hry_region {
    const uint8_t *bytes;
    void *owned; /* nbytes from the allocator, NULL when in place */
    uint64_t nbytes;
} hry_region;

/* A descriptor that was read because it cannot be shown in place. */
typedef struct hry_kept_desc hry_kept_desc;

typedef struct hry_container {
    hry_file base; /* first, so that a hry_file of this kind is one of these */
    hry_store store;
    hry_frame frame;
    hry_access access;
    bool passed_by; /* a directory of tensors that are gone: they were read in one pass */
    hry_parse_settings parse;
    hry_region index_bytes, kv_bytes;
    hry_index index;
    _Atomic(uint32_t *) write_order;           /* positions by descriptor_offset; made when first asked for */
    _Atomic(_Atomic(hry_kept_desc *) *) descs; /* one each, made when first asked for; for stores without a view */
} hry_container;

extern const hry_file_ops hry_container_ops;

static inline hry_container *hry_container_of(const hry_file *file)
{
    return (hry_container *)(uintptr_t)file;
}

/* Opens what the store holds. The store belongs to the container when this succeeds. */
hry_status hry_container_open(hry_store *store, const hry_file_options *options, hry_file **file, hry_error *err);

/* The bytes in place, NULL where they have to be read (or were asked to be). */
const uint8_t *hry_container_view(hry_container *container, uint64_t offset, uint64_t nbytes);

/* The descriptor of tensor i, verified against its entry (F-T01, F-T02): a view that lives as long as the container. */
hry_status hry_container_desc(hry_container *container, uint32_t i, hry_desc *desc, hry_error *err);

/* Where buffer k starts, by the placement rules. (file-format, 3) */
uint64_t hry_container_buffer_offset(const hry_container *container, const hry_file_entry *entry, const hry_desc *desc,
                                     uint32_t k);

/* The tensor that entry i stands for, alone: for a composite head, its members are not looked for. */
hry_status hry_container_tensor(hry_container *container, uint32_t i, const hry_desc *desc, hry_tensor **tensor,
                                hry_error *err);

/* F-T04: a dynamic dimension of a tensor whose values are asked for. */
hry_status hry_container_check_static(const hry_container *container, uint32_t i, const hry_desc *desc, hry_error *err);

#endif
