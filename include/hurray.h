/*
 * The in-process C ABI of the Hurray format, version 4, for programs written to it. (format: buffers, section 7)
 *
 * This is an exchange interface between independently built libraries: opaque handles, fixed-width integers, negative
 * status codes. Programs written for this library alone use <hurray/hurray.h>. One thread at a time may use a handle;
 * handles may move between threads. A required pointer that is NULL gives HURRAY_ERR_NULL_POINTER and nothing else
 * happens; outputs are written on success only.
 */
#ifndef HURRAY_H
#define HURRAY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HURRAY_API __attribute__((visibility("default")))
#else
#define HURRAY_API
#endif

#define HURRAY_C_ABI_VERSION 4u

typedef int32_t HurrayStatus;

/* From -101 on, codes of this implementation follow; -1 to -11 are the format's. */
#define HURRAY_OK ((HurrayStatus)0)
#define HURRAY_ERR_INVALID_MAGIC ((HurrayStatus)-1)
#define HURRAY_ERR_VERSION_MISMATCH ((HurrayStatus)-2)
#define HURRAY_ERR_INVALID_LAYOUT ((HurrayStatus)-3)
#define HURRAY_ERR_INVALID_TYPE ((HurrayStatus)-4)
#define HURRAY_ERR_BUFFER_TOO_SMALL ((HurrayStatus)-5)
#define HURRAY_ERR_NULL_POINTER ((HurrayStatus)-6)
#define HURRAY_ERR_INTERNAL_PANIC ((HurrayStatus)-7) /* never returned by this library */
#define HURRAY_ERR_INVALID_SYNC_MODE ((HurrayStatus)-8)
#define HURRAY_ERR_SYNC_MODE_MISMATCH ((HurrayStatus)-9)
#define HURRAY_ERR_INTERNAL ((HurrayStatus)-10)
#define HURRAY_ERR_INDEX_OUT_OF_BOUNDS ((HurrayStatus)-11)
#define HURRAY_ERR_OUT_OF_MEMORY ((HurrayStatus)-101)

typedef struct HurrayBuffer HurrayBuffer;
typedef struct HurrayBufferList HurrayBufferList;
typedef struct HurrayDescriptor HurrayDescriptor;
typedef struct HurrayTensorContext HurrayTensorContext;

typedef void (*HurrayReleaseCallback)(void *data, void *release_context);
typedef void (*HurrayOwnerReleaseFn)(void *owner);

typedef struct HurraySyncEventPayload {
    void *sync_handle;
    uint8_t sync_handle_device_tag;
    void (*event_release_fn)(void *sync_handle, void *event_release_context);
    void *event_release_context;
} HurraySyncEventPayload;

typedef struct HurraySyncConsumerStreamPayload {
    void *consumer_stream;
    uint8_t consumer_stream_device_tag;
} HurraySyncConsumerStreamPayload;

/* 4. Callers compare before they use anything newer. */
HURRAY_API uint32_t hurray_c_abi_version(void);

/*
 * A handle over memory of the producer's. data may be NULL when byte_size is 0; a host pointer has to have the
 * alignment that is declared (HURRAY_ERR_INVALID_LAYOUT). release, which may be NULL, runs once, with these two
 * pointers, when the handle is destroyed.
 */
HURRAY_API HurrayStatus hurray_buffer_from_ptr(void *data, uint64_t byte_size, uint32_t alignment, uint8_t device_tag,
                                               uint8_t sync_mode, uint8_t memory_class, HurrayReleaseCallback release,
                                               void *release_context, HurrayBuffer **out);
HURRAY_API HurrayStatus hurray_buffer_destroy(HurrayBuffer *buffer);

HURRAY_API HurrayStatus hurray_buffer_byte_size(const HurrayBuffer *buffer, uint64_t *out);
HURRAY_API HurrayStatus hurray_buffer_alignment(const HurrayBuffer *buffer, uint32_t *out);
HURRAY_API HurrayStatus hurray_buffer_device_tag(const HurrayBuffer *buffer, uint8_t *out);
HURRAY_API HurrayStatus hurray_buffer_sync_mode(const HurrayBuffer *buffer, uint8_t *out);
HURRAY_API HurrayStatus hurray_buffer_memory_class(const HurrayBuffer *buffer, uint8_t *out);
HURRAY_API HurrayStatus hurray_buffer_data_ptr(const HurrayBuffer *buffer, void **out);

/* Each is ok only for a buffer of that sync mode, with a complete payload for the same device. */
HURRAY_API HurrayStatus hurray_buffer_handoff_producer_synced(const HurrayBuffer *buffer);
HURRAY_API HurrayStatus hurray_buffer_handoff_event(const HurrayBuffer *buffer, const HurraySyncEventPayload *payload);
HURRAY_API HurrayStatus hurray_buffer_handoff_consumer_stream(const HurrayBuffer *buffer,
                                                              const HurraySyncConsumerStreamPayload *payload);

/* Buffers in the order of the buffer table. capacity is a hint. */
HURRAY_API HurrayStatus hurray_buffer_list_new(uint64_t capacity, HurrayBufferList **out);
HURRAY_API HurrayStatus hurray_buffer_list_push(HurrayBufferList *list, HurrayBuffer *buffer); /* takes ownership */
HURRAY_API HurrayStatus hurray_buffer_list_len(const HurrayBufferList *list, uint64_t *out);
/* Borrowed: valid as long as the list, not to be destroyed. HURRAY_ERR_INDEX_OUT_OF_BOUNDS. */
HURRAY_API HurrayStatus hurray_buffer_list_get(const HurrayBufferList *list, uint64_t index, HurrayBuffer **out);
/* Destroys each buffer once, and sets *list to NULL. A NULL list is ok. */
HURRAY_API HurrayStatus hurray_buffer_list_destroy(HurrayBufferList **list);

/* Parses and verifies; copies the bytes. */
HURRAY_API HurrayStatus hurray_descriptor_decode(const uint8_t *bytes, uintptr_t len, HurrayDescriptor **out);
HURRAY_API HurrayStatus hurray_descriptor_destroy(HurrayDescriptor *descriptor);
HURRAY_API HurrayStatus hurray_descriptor_rank(const HurrayDescriptor *descriptor, uint32_t *out);
HURRAY_API HurrayStatus hurray_descriptor_element_type_tag(const HurrayDescriptor *descriptor, uint8_t *out);
HURRAY_API HurrayStatus hurray_descriptor_layout_tag(const HurrayDescriptor *descriptor, uint8_t *out);
HURRAY_API HurrayStatus hurray_descriptor_byte_offset(const HurrayDescriptor *descriptor, uint64_t *out);
HURRAY_API HurrayStatus hurray_descriptor_buffer_count(const HurrayDescriptor *descriptor, uint32_t *out);
/* *inout_len: the capacity of dims in, always the rank out. HURRAY_ERR_BUFFER_TOO_SMALL when dims is NULL or short. */
HURRAY_API HurrayStatus hurray_descriptor_shape(const HurrayDescriptor *descriptor, uint64_t *dims,
                                                uintptr_t *inout_len);

/* A tensor's descriptor bytes (copied; NULL only with length 0) and who owns the rest: release_owner(owner) runs once,
 * after the context is gone. */
HURRAY_API HurrayStatus hurray_tensor_context_new(uint32_t abi_version, const uint8_t *descriptor, uint64_t len,
                                                  void *owner, HurrayOwnerReleaseFn release_owner,
                                                  HurrayTensorContext **out);
HURRAY_API HurrayStatus hurray_tensor_context_abi_version(const HurrayTensorContext *context, uint32_t *out);
/* Borrowed until the context is destroyed; NULL and 0 when it is empty. */
HURRAY_API HurrayStatus hurray_tensor_context_descriptor(const HurrayTensorContext *context, const uint8_t **bytes,
                                                         uint64_t *len);
HURRAY_API HurrayStatus hurray_tensor_context_destroy(HurrayTensorContext **context);

#ifdef __cplusplus
}
#endif

#endif
