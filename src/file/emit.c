#include "file/emit.h"

#include "base/alloc.h"
#include "base/status.h"
#include "os/io.h"

#include <string.h>

/* Below this, what the kernel saves by copying is less than what a call of its own costs. */
#define KERNEL_COPY_MIN ((uint64_t)64 << 10)
/* Pages that do not line up are neither shared nor copied whole: then the kernel is slower than a large buffer. */
#define KERNEL_COPY_PAGE ((uint64_t)4096)

hry_status hry_emit_init(hry_emit *emit, const hry_sink *sink, const struct hry_os *os, int fd,
                         const hry_allocator *allocator, hry_error *err)
{
    *emit = (hry_emit){ .sink = *sink, .os = os, .fd = fd };
    emit->buffer = hry_alloc(allocator, HRY_EMIT_BUFFER, 64);
    return emit->buffer ? HRY_OK : hry_fail_memory(err, HRY_EMIT_BUFFER);
}

void hry_emit_fini(hry_emit *emit, const hry_allocator *allocator)
{
    hry_free(allocator, emit->buffer, HRY_EMIT_BUFFER, 64);
    emit->buffer = NULL;
}

hry_status hry_emit_flush(hry_emit *emit, hry_error *err)
{
    if (emit->fill == 0)
        return HRY_OK;
    hry_status status = emit->sink.write(emit->sink.ctx, emit->buffer, emit->fill, err);
    emit->fill = 0;
    return status;
}

hry_status hry_emit_room(hry_emit *emit, uint8_t **at, size_t *room, hry_error *err)
{
    hry_status status = emit->fill == HRY_EMIT_BUFFER ? hry_emit_flush(emit, err) : HRY_OK;
    *at = emit->buffer + emit->fill;
    *room = HRY_EMIT_BUFFER - emit->fill;
    return status;
}

void hry_emit_filled(hry_emit *emit, size_t nbytes)
{
    emit->fill += nbytes;
    emit->position += nbytes;
}

/* Whole buffers' worth goes out as it is, once the buffer is empty. */
static hry_status emit_directly(hry_emit *emit, const uint8_t **p, uint64_t *left, hry_error *err)
{
    size_t piece = *left < SIZE_MAX ? (size_t)*left : SIZE_MAX;
    hry_status status = emit->sink.write(emit->sink.ctx, *p, piece, err);
    *p += piece;
    *left -= piece;
    emit->position += piece;
    return status;
}

hry_status hry_emit_bytes(hry_emit *emit, const void *bytes, uint64_t nbytes, hry_error *err)
{
    const uint8_t *p = bytes;
    while (nbytes > 0) {
        uint8_t *at;
        size_t room;
        hry_status status = hry_emit_room(emit, &at, &room, err);
        if (!status && emit->fill == 0 && nbytes >= HRY_EMIT_BUFFER)
            status = emit_directly(emit, &p, &nbytes, err);
        if (status)
            return status;
        size_t piece = nbytes < room ? (size_t)nbytes : room;
        if (piece)
            memcpy(at, p, piece);
        hry_emit_filled(emit, piece);
        p += piece;
        nbytes -= piece;
    }
    return HRY_OK;
}

hry_status hry_emit_zeros_to(hry_emit *emit, uint64_t to, hry_error *err)
{
    while (emit->position < to) {
        uint8_t *at;
        size_t room;
        hry_status status = hry_emit_room(emit, &at, &room, err);
        if (status)
            return status;
        uint64_t left = to - emit->position;
        size_t piece = left < room ? (size_t)left : room;
        memset(at, 0, piece);
        hry_emit_filled(emit, piece);
    }
    return HRY_OK;
}

hry_status hry_emit_file(hry_emit *emit, int fd, uint64_t offset, uint64_t nbytes, hry_error *err)
{
    bool in_step = (emit->position - offset) % KERNEL_COPY_PAGE == 0;
    if (emit->fd >= 0 && nbytes >= KERNEL_COPY_MIN && in_step) {
        hry_status status = hry_emit_flush(emit, err);
        if (!status)
            status = hry_os_copy(emit->os, fd, offset, emit->fd, nbytes, err);
        emit->position += nbytes;
        return status;
    }
    while (nbytes > 0) {
        uint8_t *at;
        size_t room;
        hry_status status = hry_emit_room(emit, &at, &room, err);
        size_t piece = nbytes < room ? (size_t)nbytes : room;
        if (!status)
            status = hry_os_read_exact(emit->os, fd, offset, at, piece, err);
        if (status)
            return status;
        hry_emit_filled(emit, piece);
        offset += piece;
        nbytes -= piece;
    }
    return HRY_OK;
}
