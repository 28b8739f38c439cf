#include "ffi/ffi_buffer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct HurrayBufferList {
    HurrayBuffer **buffers;
    size_t count, room;
};

enum { MOST_AT_FIRST = 64 }; /* a hint is not worth more memory than that */

HurrayStatus hurray_buffer_list_new(uint64_t capacity, HurrayBufferList **out)
{
    if (!out)
        return HURRAY_ERR_NULL_POINTER;
    HurrayBufferList *list = calloc(1, sizeof *list);
    size_t room = capacity > MOST_AT_FIRST ? MOST_AT_FIRST : capacity < 1 ? 1 : (size_t)capacity;
    if (list)
        list->buffers = calloc(room, sizeof *list->buffers);
    if (!list || !list->buffers) {
        free(list);
        return HURRAY_ERR_OUT_OF_MEMORY;
    }
    list->room = room;
    *out = list;
    return HURRAY_OK;
}

HurrayStatus hurray_buffer_list_push(HurrayBufferList *list, HurrayBuffer *buffer)
{
    if (!list || !buffer)
        return HURRAY_ERR_NULL_POINTER;
    if (list->count == list->room) {
        if (list->room > SIZE_MAX / 2 / sizeof *list->buffers)
            return HURRAY_ERR_OUT_OF_MEMORY;
        HurrayBuffer **grown = realloc(list->buffers, 2 * list->room * sizeof *grown);
        if (!grown)
            return HURRAY_ERR_OUT_OF_MEMORY;
        list->buffers = grown;
        list->room *= 2;
    }
    list->buffers[list->count++] = buffer;
    return HURRAY_OK;
}

HurrayStatus hurray_buffer_list_len(const HurrayBufferList *list, uint64_t *out)
{
    if (!list || !out)
        return HURRAY_ERR_NULL_POINTER;
    *out = list->count;
    return HURRAY_OK;
}

HurrayStatus hurray_buffer_list_get(const HurrayBufferList *list, uint64_t index, HurrayBuffer **out)
{
    if (!list || !out)
        return HURRAY_ERR_NULL_POINTER;
    if (index >= list->count)
        return HURRAY_ERR_INDEX_OUT_OF_BOUNDS;
    *out = list->buffers[index];
    return HURRAY_OK;
}

HurrayStatus hurray_buffer_list_destroy(HurrayBufferList **list)
{
    if (!list)
        return HURRAY_ERR_NULL_POINTER;
    HurrayBufferList *last = *list;
    *list = NULL;
    if (!last)
        return HURRAY_OK;
    for (size_t i = 0; i < last->count; i++) {
        HurrayBuffer *buffer = last->buffers[i];
        last->buffers[i] = NULL;
        hurray_buffer_destroy(buffer);
    }
    free(last->buffers);
    free(last);
    return HURRAY_OK;
}
