#ifndef HRY_FFI_FFI_BUFFER_H
#define HRY_FFI_FFI_BUFFER_H

#include <hurray.h>

struct HurrayBuffer {
    void *data;
    uint64_t byte_size;
    uint32_t alignment;
    uint8_t device_tag, sync_mode, memory_class;
    HurrayReleaseCallback release;
    void *release_context;
};

#endif
