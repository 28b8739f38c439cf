#include "interop/foreign_bytes.h"

#include "base/status.h"
#include "os/io.h"

#include <inttypes.h>
#include <string.h>

/* Takes fd over. */
static hry_status adopt(const struct hry_os *os, int fd, hry_access access, hry_foreign_bytes *bytes, hry_error *err)
{
    struct hry_os_stat stat;
    const void *at = NULL;
    hry_status status = hry_os_stat_fd(os, fd, &stat, err);
    if (status == HRY_OK && !stat.regular)
        status = hry_fail_usage(err, "not a regular file");
    if (status == HRY_OK && access == HRY_MAP)
        status = hry_os_map(os, fd, stat.size, 1, &at, err);
    if (status) {
        hry_os_close(os, fd);
        return status;
    }
    *bytes = (hry_foreign_bytes){ .os = os, .size = stat.size, .at = at, .fd = fd, .mapped = at != NULL };
    return HRY_OK;
}

hry_status hry_foreign_bytes_open(const char *path, hry_access access, hry_foreign_bytes *bytes, hry_error *err)
{
    int fd;
    hry_status status = hry_os_open_read(&hry_os_default, path, &fd, err);
    return status ? status : adopt(&hry_os_default, fd, access, bytes, err);
}

hry_status hry_foreign_bytes_open_fd(int fd, hry_access access, hry_foreign_bytes *bytes, hry_error *err)
{
    int copy;
    hry_status status = hry_os_dup(&hry_os_default, fd, &copy, err);
    return status ? status : adopt(&hry_os_default, copy, access, bytes, err);
}

void hry_foreign_bytes_memory(const void *at, uint64_t size, hry_foreign_bytes *bytes)
{
    *bytes = (hry_foreign_bytes){ .os = &hry_os_default, .size = size, .at = at, .fd = -1 };
}

hry_status hry_foreign_bytes_read(const hry_foreign_bytes *bytes, uint64_t offset, void *dst, size_t nbytes,
                                  hry_error *err)
{
    if (bytes->fd >= 0 && !bytes->at)
        return hry_os_read_exact(bytes->os, bytes->fd, offset, dst, nbytes, err);
    if (nbytes)
        memcpy(dst, bytes->at + offset, nbytes);
    return HRY_OK;
}

hry_status hry_foreign_bytes_still(const hry_foreign_bytes *bytes, uint64_t end, hry_error *err)
{
    struct hry_os_stat stat;
    if (!bytes->mapped)
        return HRY_OK;
    hry_status status = hry_os_stat_fd(bytes->os, bytes->fd, &stat, err);
    if (status || stat.size >= end)
        return status;
    return hry_fail(err, HRY_E_IO, HRY_SECTION_DATA, stat.size, 0,
                    "the file has shrunk to %" PRIu64 " bytes since it was opened", stat.size);
}

void hry_foreign_bytes_close(hry_foreign_bytes *bytes)
{
    if (bytes->mapped)
        hry_os_unmap(bytes->os, bytes->at, bytes->size);
    hry_os_close(bytes->os, bytes->fd);
    if (bytes->release)
        bytes->release(bytes->release_ctx);
    *bytes = (hry_foreign_bytes){ .fd = -1 };
}
