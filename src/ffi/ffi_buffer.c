#include "ffi/ffi_buffer.h"

#include "ffi/ffi_status.h"

#include <hurray/desc.h>
#include <stdlib.h>

/*
 * A handle is a row of a buffer table, and the rules of one hold for it (D-24 .. D-31): a descriptor with that one
 * buffer is verified.
 */
static HurrayStatus verify(const hry_buffer *row)
{
    uint8_t bytes[64];
    hry_desc desc;
    hry_error err = { 0 };
    hry_allow allow = { .all = true };
    hry_parse_options options = { .allow = &allow };
    hry_desc_spec spec = {
        .type = HRY_TYPE_UINT8,
        .rank = 1,
        .shape = (uint64_t[]){ 0 },
        .buffer_count = 1,
        .buffers = row,
    };
    hry_desc_encode(&spec, &options, bytes, sizeof bytes, &desc, &err);
    return hurray_status_of(&err);
}

HurrayStatus hurray_buffer_from_ptr(void *data, uint64_t byte_size, uint32_t alignment, uint8_t device_tag,
                                    uint8_t sync_mode, uint8_t memory_class, HurrayReleaseCallback release,
                                    void *release_context, HurrayBuffer **out)
{
    if (!out || (!data && byte_size > 0))
        return HURRAY_ERR_NULL_POINTER;
    if (alignment == 0) /* in a spec it would stand for a default */
        return HURRAY_ERR_INVALID_LAYOUT;
    hry_buffer row = { byte_size, alignment, device_tag, sync_mode, memory_class };
    HurrayStatus status = verify(&row);
    if (status)
        return status;
    if (device_tag == HRY_DEVICE_CPU && byte_size > 0 && (uintptr_t)data % alignment != 0)
        return HURRAY_ERR_INVALID_LAYOUT;
    HurrayBuffer *buffer = malloc(sizeof *buffer);
    if (!buffer)
        return HURRAY_ERR_OUT_OF_MEMORY;
    *buffer =
        (HurrayBuffer){ data, byte_size, alignment, device_tag, sync_mode, memory_class, release, release_context };
    *out = buffer;
    return HURRAY_OK;
}

/* The handle is gone before the callback runs, which may not call back, but may free what it was told of. */
HurrayStatus hurray_buffer_destroy(HurrayBuffer *buffer)
{
    if (!buffer)
        return HURRAY_ERR_NULL_POINTER;
    HurrayBuffer last = *buffer;
    free(buffer);
    if (last.release)
        last.release(last.data, last.release_context);
    return HURRAY_OK;
}

#define GETTER(type, name, field)                                            \
    HurrayStatus hurray_buffer_##name(const HurrayBuffer *buffer, type *out) \
    {                                                                        \
        if (!buffer || !out)                                                 \
            return HURRAY_ERR_NULL_POINTER;                                  \
        *out = buffer->field;                                                \
        return HURRAY_OK;                                                    \
    }

GETTER(uint64_t, byte_size, byte_size)
GETTER(uint32_t, alignment, alignment)
GETTER(uint8_t, device_tag, device_tag)
GETTER(uint8_t, sync_mode, sync_mode)
GETTER(uint8_t, memory_class, memory_class)
GETTER(void *, data_ptr, data)

HurrayStatus hurray_buffer_handoff_producer_synced(const HurrayBuffer *buffer)
{
    if (!buffer)
        return HURRAY_ERR_NULL_POINTER;
    return buffer->sync_mode == HRY_SYNC_PRODUCER ? HURRAY_OK : HURRAY_ERR_SYNC_MODE_MISMATCH;
}

HurrayStatus hurray_buffer_handoff_event(const HurrayBuffer *buffer, const HurraySyncEventPayload *payload)
{
    if (!buffer || !payload)
        return HURRAY_ERR_NULL_POINTER;
    bool fits = buffer->sync_mode == HRY_SYNC_EVENT && payload->sync_handle && payload->event_release_fn &&
                payload->sync_handle_device_tag == buffer->device_tag;
    return fits ? HURRAY_OK : HURRAY_ERR_SYNC_MODE_MISMATCH;
}

HurrayStatus hurray_buffer_handoff_consumer_stream(const HurrayBuffer *buffer,
                                                   const HurraySyncConsumerStreamPayload *payload)
{
    if (!buffer || !payload)
        return HURRAY_ERR_NULL_POINTER;
    bool fits = buffer->sync_mode == HRY_SYNC_CONSUMER_STREAM && payload->consumer_stream &&
                payload->consumer_stream_device_tag == buffer->device_tag;
    return fits ? HURRAY_OK : HURRAY_ERR_SYNC_MODE_MISMATCH;
}
