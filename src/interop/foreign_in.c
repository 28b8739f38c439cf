#include "interop/foreign_in.h"

static hry_status open_origin(const hry_origin *origin, hry_access access, hry_foreign_bytes *bytes, hry_error *err)
{
    if (origin->kind == HRY_ORIGIN_PATH)
        return hry_foreign_bytes_open(origin->path, access, bytes, err);
    if (origin->kind == HRY_ORIGIN_FD)
        return hry_foreign_bytes_open_fd(origin->fd, access, bytes, err);
    hry_foreign_bytes_memory(origin->bytes, origin->nbytes, bytes);
    bytes->release = origin->release;
    bytes->release_ctx = origin->release_ctx;
    return HRY_OK;
}

hry_status hry_foreign_in_open(const hry_origin *origin, hry_foreign_open_fn *open, const hry_import_options *options,
                               hry_file **file, hry_error *err)
{
    static const hry_import_options no_options;
    hry_foreign_bytes bytes;
    options = options ? options : &no_options;
    hry_status status = open_origin(origin, options->file.access, &bytes, err);
    if (status)
        return status;
    status = open(&bytes, origin->path, options, file, err);
    if (status && origin->kind != HRY_ORIGIN_MEMORY) /* memory stays the caller's */
        hry_foreign_bytes_close(&bytes);
    return status;
}
