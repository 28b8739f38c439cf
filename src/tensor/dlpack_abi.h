/*
 * The structures of DLPack 1.x as they lie in memory. The names are our own, so that DLPack's header may stand beside
 * this one: only the two outer tags are DLPack's.
 */
#ifndef HRY_TENSOR_DLPACK_ABI_H
#define HRY_TENSOR_DLPACK_ABI_H

#include <hurray/dlpack.h>

enum { HRY_DL_MAJOR = 1, HRY_DL_MINOR = 1 };

enum { HRY_DL_READ_ONLY = 1u << 0, HRY_DL_IS_COPIED = 1u << 1, HRY_DL_SUBBYTE_PADDED = 1u << 2 };

typedef struct hry_dl_tensor {
    void *data;
    struct {
        int32_t device_type;
        int32_t device_id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code;
        uint8_t bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: row-major */
    uint64_t byte_offset;
} hry_dl_tensor;

struct DLManagedTensorVersioned {
    struct {
        uint32_t major;
        uint32_t minor;
    } version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    hry_dl_tensor dl_tensor;
};

struct DLManagedTensor {
    hry_dl_tensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
};

/* The element type for a DLPack dtype, 0 when there is none; and back: false when there is none. bool is a type here,
 * whatever its width there. */
uint8_t hry_dl_type_to_hurray(uint8_t code, uint8_t bits);
bool hry_dl_type_from_hurray(uint8_t type, uint8_t *code, uint8_t *bits);

/* Device and memory class for a DLPack device, and back; false when there is no counterpart. */
bool hry_dl_device_to_hurray(int32_t device_type, uint8_t *device_tag, uint8_t *memory_class);
bool hry_dl_device_from_hurray(uint8_t device_tag, uint8_t memory_class, int32_t *device_type);

#endif
