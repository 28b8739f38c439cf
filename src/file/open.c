/* The ways to open a container. */
#include "file/open.h"

#include "base/status.h"
#include "file/container.h"
#include "os/io.h"

hry_status hry_file_open_memory(const void *bytes, uint64_t nbytes, hry_release_fn *release, void *ctx,
                                const hry_file_options *options, hry_file **file, hry_error *err)
{
    hry_store store;
    hry_store_memory(bytes, nbytes, release, ctx, &store);
    return hry_container_open(&store, options, file, err);
}

hry_status hry_file_open_source(const hry_source *source, const hry_file_options *options, hry_file **file,
                                hry_error *err)
{
    hry_store store;
    hry_store_source(source, &store);
    return hry_container_open(&store, options, file, err);
}

/* fd is closed when this fails. */
static hry_status open_owned(const struct hry_os *os, int fd, const hry_file_options *options, hry_file **file,
                             hry_error *err)
{
    hry_store store;
    hry_status status = hry_store_file(os, fd, &store, err);
    if (status) {
        hry_os_close(os, fd);
        return status;
    }
    status = hry_container_open(&store, options, file, err);
    if (status)
        store.ops->close(&store);
    return status;
}

hry_status hry_file_open_on(const struct hry_os *os, const char *path, const hry_file_options *options, hry_file **file,
                            hry_error *err)
{
    int fd;
    hry_status status = hry_os_open_read(os, path, &fd, err);
    return status ? status : open_owned(os, fd, options, file, err);
}

hry_status hry_file_open(const char *path, const hry_file_options *options, hry_file **file, hry_error *err)
{
    return hry_file_open_on(&hry_os_default, path, options, file, err);
}

hry_status hry_file_open_fd(int fd, const hry_file_options *options, hry_file **file, hry_error *err)
{
    int copy;
    hry_status status = hry_os_dup(&hry_os_default, fd, &copy, err);
    return status ? status : open_owned(&hry_os_default, copy, options, file, err);
}
