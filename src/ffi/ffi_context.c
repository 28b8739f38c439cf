#include <hurray.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct HurrayTensorContext {
    uint32_t abi_version; /* first: what any consumer may ask, whatever else there is */
    void *owner;
    HurrayOwnerReleaseFn release_owner;
    uint64_t len;
    uint8_t bytes[];
};

HurrayStatus hurray_tensor_context_new(uint32_t abi_version, const uint8_t *descriptor, uint64_t len, void *owner,
                                       HurrayOwnerReleaseFn release_owner, HurrayTensorContext **out)
{
    if (!out || (!descriptor && len > 0))
        return HURRAY_ERR_NULL_POINTER;
    if (len > SIZE_MAX - sizeof(HurrayTensorContext))
        return HURRAY_ERR_OUT_OF_MEMORY;
    HurrayTensorContext *context = malloc(sizeof *context + (size_t)len);
    if (!context)
        return HURRAY_ERR_OUT_OF_MEMORY;
    *context = (HurrayTensorContext){ abi_version, owner, release_owner, len };
    if (len)
        memcpy(context->bytes, descriptor, (size_t)len);
    *out = context;
    return HURRAY_OK;
}

HurrayStatus hurray_tensor_context_abi_version(const HurrayTensorContext *context, uint32_t *out)
{
    if (!context || !out)
        return HURRAY_ERR_NULL_POINTER;
    *out = context->abi_version;
    return HURRAY_OK;
}

HurrayStatus hurray_tensor_context_descriptor(const HurrayTensorContext *context, const uint8_t **bytes, uint64_t *len)
{
    if (!context || !bytes || !len)
        return HURRAY_ERR_NULL_POINTER;
    *bytes = context->len ? context->bytes : NULL;
    *len = context->len;
    return HURRAY_OK;
}

HurrayStatus hurray_tensor_context_destroy(HurrayTensorContext **context)
{
    if (!context)
        return HURRAY_ERR_NULL_POINTER;
    HurrayTensorContext *last = *context;
    *context = NULL;
    if (!last)
        return HURRAY_OK;
    void *owner = last->owner;
    HurrayOwnerReleaseFn release_owner = last->release_owner;
    free(last);
    if (release_owner)
        release_owner(owner);
    return HURRAY_OK;
}
