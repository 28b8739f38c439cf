#include "interop/foreign_out.h"

#include "os/io.h"

static hry_status write_fd(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    const hry_foreign_out *out = ctx;
    return hry_os_write_all(out->os, out->fd, bytes, nbytes, err);
}

static hry_status init_fd(hry_foreign_out *out, hry_error *err)
{
    const hry_sink sink = { .write = write_fd, .ctx = out };
    return hry_emit_init(&out->emit, &sink, out->os, out->fd, out->allocator, err);
}

static hry_status open_path(hry_foreign_out *out, const char *path, const hry_export_options *options, hry_error *err)
{
    unsigned flags =
        (options->replace ? (unsigned)HRY_ATOMIC_REPLACE : 0) | (options->no_sync ? (unsigned)HRY_ATOMIC_NO_SYNC : 0);
    out->is_atomic = true;
    hry_status status = hry_atomic_begin(&out->atomic, out->os, out->allocator, path, flags, err);
    if (status)
        return status;
    out->fd = out->atomic.fd;
    status = init_fd(out, err);
    if (status)
        hry_atomic_abort(&out->atomic);
    return status;
}

hry_status hry_foreign_out_open(hry_foreign_out *out, const struct hry_os *os, const hry_target *target,
                                const hry_export_options *options, hry_error *err)
{
    *out = (hry_foreign_out){ .os = os, .allocator = options->allocator, .fd = -1 };
    if (target->kind == HRY_TARGET_PATH)
        return open_path(out, target->path, options, err);
    if (target->kind == HRY_TARGET_SINK)
        return hry_emit_init(&out->emit, target->sink, os, -1, out->allocator, err);
    out->fd = target->fd;
    return init_fd(out, err);
}

static hry_status write_read(hry_foreign_out *out, const hry_file *file, const hry_stored_buffer *stored, uint64_t from,
                             uint64_t nbytes, hry_error *err)
{
    while (nbytes) {
        uint8_t *at;
        size_t room;
        hry_status status = hry_emit_room(&out->emit, &at, &room, err);
        size_t n = nbytes < room ? (size_t)nbytes : room;
        if (status == HRY_OK)
            status = file->ops->read_stored(file, stored, from, at, n, err);
        if (status)
            return status;
        hry_emit_filled(&out->emit, n);
        from += n;
        nbytes -= n;
    }
    return HRY_OK;
}

hry_status hry_foreign_out_stored(hry_foreign_out *out, const hry_file *file, const hry_stored_buffer *stored,
                                  uint64_t from, uint64_t nbytes, hry_error *err)
{
    if (stored->fd >= 0)
        return hry_emit_file(&out->emit, stored->fd, stored->offset + from, nbytes, err);
    if (stored->bytes)
        return hry_emit_bytes(&out->emit, stored->bytes + from, nbytes, err);
    return write_read(out, file, stored, from, nbytes, err);
}

hry_status hry_foreign_out_end(hry_foreign_out *out, hry_status status, hry_error *err)
{
    if (status == HRY_OK)
        status = hry_emit_flush(&out->emit, err);
    if (out->is_atomic && status)
        hry_atomic_abort(&out->atomic);
    else if (out->is_atomic)
        status = hry_atomic_commit(&out->atomic, err);
    else if (status == HRY_OK && out->emit.sink.finish)
        status = out->emit.sink.finish(out->emit.sink.ctx, err);
    hry_emit_fini(&out->emit, out->allocator);
    return status;
}
