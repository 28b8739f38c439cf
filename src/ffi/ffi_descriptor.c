#include "ffi/ffi_status.h"

#include <hurray/desc.h>
#include <stdlib.h>
#include <string.h>

struct HurrayDescriptor {
    hry_desc desc; /* a view of the bytes behind it */
    uint8_t bytes[];
};

/* Private values are the parties' own matter here: both hold the same descriptor (as agreed out of band). */
HurrayStatus hurray_descriptor_decode(const uint8_t *bytes, uintptr_t len, HurrayDescriptor **out)
{
    if (!bytes || !out)
        return HURRAY_ERR_NULL_POINTER;
    hry_error err = { 0 };
    hry_desc desc;
    hry_allow allow = { .all = true };
    hry_parse_options options = { .allow = &allow };
    if (hry_desc_parse(bytes, len, &options, &desc, &err))
        return hurray_status_of(&err);
    HurrayDescriptor *d = malloc(sizeof *d + desc.length);
    if (!d)
        return HURRAY_ERR_OUT_OF_MEMORY;
    memcpy(d->bytes, bytes, desc.length);
    d->desc = desc;
    d->desc.bytes = d->bytes;
    *out = d;
    return HURRAY_OK;
}

HurrayStatus hurray_descriptor_destroy(HurrayDescriptor *descriptor)
{
    if (!descriptor)
        return HURRAY_ERR_NULL_POINTER;
    free(descriptor);
    return HURRAY_OK;
}

#define GETTER(type, name, call)                                                         \
    HurrayStatus hurray_descriptor_##name(const HurrayDescriptor *descriptor, type *out) \
    {                                                                                    \
        if (!descriptor || !out)                                                         \
            return HURRAY_ERR_NULL_POINTER;                                              \
        *out = call(&descriptor->desc);                                                  \
        return HURRAY_OK;                                                                \
    }

GETTER(uint32_t, rank, hry_desc_rank)
GETTER(uint8_t, element_type_tag, hry_desc_type)
GETTER(uint8_t, layout_tag, hry_desc_layout)
GETTER(uint64_t, byte_offset, hry_desc_byte_offset)
GETTER(uint32_t, buffer_count, hry_desc_buffer_count)

HurrayStatus hurray_descriptor_shape(const HurrayDescriptor *descriptor, uint64_t *dims, uintptr_t *inout_len)
{
    if (!descriptor || !inout_len)
        return HURRAY_ERR_NULL_POINTER;
    uintptr_t room = *inout_len, rank = hry_desc_rank(&descriptor->desc);
    *inout_len = rank;
    if (!dims || room < rank)
        return HURRAY_ERR_BUFFER_TOO_SMALL;
    hry_desc_shape(&descriptor->desc, dims);
    return HURRAY_OK;
}
