#include "os/io.h"

#include "base/checked.h"
#include "base/status.h"

#include <errno.h>
#include <inttypes.h>

static hry_status fail(hry_error *err, int64_t result, const char *what)
{
    return hry_fail_errno(err, (int)-result, what);
}

static hry_status open_as(const struct hry_os *os, const char *path, enum hry_os_open how, int *fd, hry_error *err)
{
    int result;
    do
        result = os->open(os, path, how, 0);
    while (result == -EINTR);
    if (result < 0)
        return fail(err, result, path);
    *fd = result;
    return HRY_OK;
}

hry_status hry_os_open_read(const struct hry_os *os, const char *path, int *fd, hry_error *err)
{
    return open_as(os, path, HRY_OS_READ, fd, err);
}

hry_status hry_os_open_update(const struct hry_os *os, const char *path, int *fd, hry_error *err)
{
    return open_as(os, path, HRY_OS_UPDATE, fd, err);
}

hry_status hry_os_dup(const struct hry_os *os, int fd, int *copy, hry_error *err)
{
    int result = os->dup(os, fd);
    if (result < 0)
        return fail(err, result, "duplicating a file descriptor");
    *copy = result;
    return HRY_OK;
}

void hry_os_close(const struct hry_os *os, int fd)
{
    if (fd >= 0)
        os->close(os, fd);
}

hry_status hry_os_stat_fd(const struct hry_os *os, int fd, struct hry_os_stat *stat, hry_error *err)
{
    int result = os->stat(os, fd, stat);
    return result < 0 ? fail(err, result, "asking for a file's size") : HRY_OK;
}

hry_status hry_os_read_some(const struct hry_os *os, int fd, uint64_t offset, void *dst, size_t nbytes, size_t *got,
                            hry_error *err)
{
    size_t done = 0;
    while (done < nbytes) {
        int64_t count = os->pread(os, fd, (char *)dst + done, nbytes - done, offset + done);
        if (count == -EINTR)
            continue;
        if (count < 0)
            return fail(err, count, "reading");
        if (count == 0)
            break;
        done += (size_t)count;
    }
    *got = done;
    return HRY_OK;
}

static hry_status fail_end(hry_error *err, uint64_t end)
{
    return hry_fail(err, HRY_E_IO, HRY_SECTION_NONE, end, 0, "reading: the file ends at byte %" PRIu64, end);
}

hry_status hry_os_read_exact(const struct hry_os *os, int fd, uint64_t offset, void *dst, size_t nbytes, hry_error *err)
{
    size_t got = 0;
    hry_status status = hry_os_read_some(os, fd, offset, dst, nbytes, &got, err);
    return status || got == nbytes ? status : fail_end(err, offset + got);
}

hry_status hry_os_read_next(const struct hry_os *os, int fd, void *dst, size_t nbytes, size_t *got, hry_error *err)
{
    int64_t count;
    do
        count = os->read(os, fd, dst, nbytes);
    while (count == -EINTR);
    if (count < 0)
        return fail(err, count, "reading");
    *got = (size_t)count;
    return HRY_OK;
}

/* A write that takes nothing and gives no reason would loop for ever. */
static hry_status took(int64_t count, size_t *done, hry_error *err)
{
    if (count == -EINTR)
        return HRY_OK;
    if (count <= 0)
        return fail(err, count ? count : -EIO, "writing");
    *done += (size_t)count;
    return HRY_OK;
}

hry_status hry_os_write_all(const struct hry_os *os, int fd, const void *src, size_t nbytes, hry_error *err)
{
    hry_status status = HRY_OK;
    for (size_t done = 0; done < nbytes && !status;)
        status = took(os->write(os, fd, (const char *)src + done, nbytes - done), &done, err);
    return status;
}

hry_status hry_os_write_at(const struct hry_os *os, int fd, uint64_t offset, const void *src, size_t nbytes,
                           hry_error *err)
{
    hry_status status = HRY_OK;
    for (size_t done = 0; done < nbytes && !status;)
        status = took(os->pwrite(os, fd, (const char *)src + done, nbytes - done, offset + done), &done, err);
    return status;
}

/* Errors that say "not between these two files" rather than "not at all"; 0 is for files whose size the kernel's
 * copying does not know. The next way finds out. */
static bool try_next_way(int64_t count)
{
    return count == 0 || count == -EXDEV || count == -EINVAL || count == -ENOSYS || count == -EOPNOTSUPP ||
           count == -EBADF || count == -EPERM || count == -EACCES || count == -ETXTBSY || count == -EOVERFLOW;
}

typedef int64_t copy_call(const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes);

/* Moves what the call can move: *done < nbytes, with HRY_OK, when another way has to go on. */
static hry_status copy_by(copy_call *call, const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes,
                          uint64_t *done, hry_error *err)
{
    while (*done < nbytes) {
        int64_t count = call(os, from, offset + *done, to, nbytes - *done);
        if (count == -EINTR)
            continue;
        if (try_next_way(count))
            return HRY_OK;
        if (count < 0)
            return fail(err, count, "copying");
        *done += (uint64_t)count;
    }
    return HRY_OK;
}

static hry_status copy_through_buffer(const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes,
                                      hry_error *err)
{
    char buffer[16384];
    for (uint64_t done = 0; done < nbytes;) {
        size_t piece = nbytes - done < sizeof buffer ? (size_t)(nbytes - done) : sizeof buffer;
        hry_status status = hry_os_read_exact(os, from, offset + done, buffer, piece, err);
        if (!status)
            status = hry_os_write_all(os, to, buffer, piece, err);
        if (status)
            return status;
        done += piece;
    }
    return HRY_OK;
}

hry_status hry_os_copy(const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes, hry_error *err)
{
    uint64_t done = 0;
    hry_status status = copy_by(os->copy_range, os, from, offset, to, nbytes, &done, err);
    if (!status && done < nbytes)
        status = copy_by(os->send, os, from, offset, to, nbytes, &done, err);
    return status ? status : copy_through_buffer(os, from, offset + done, to, nbytes - done, err);
}

hry_status hry_os_truncate(const struct hry_os *os, int fd, uint64_t size, hry_error *err)
{
    int result;
    do
        result = os->truncate(os, fd, size);
    while (result == -EINTR);
    return result < 0 ? fail(err, result, "cutting a file to its size") : HRY_OK;
}

hry_status hry_os_sync(const struct hry_os *os, int fd, hry_error *err)
{
    int result;
    do
        result = os->sync(os, fd);
    while (result == -EINTR);
    return result < 0 ? fail(err, result, "waiting for the disk") : HRY_OK;
}

hry_status hry_os_map(const struct hry_os *os, int fd, uint64_t nbytes, size_t align, const void **at, hry_error *err)
{
    size_t size;
    if (!hry_to_size(nbytes, &size) || size > PTRDIFF_MAX)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, nbytes,
                        "a mapping of %" PRIu64 " bytes does not fit the address space", nbytes);
    const void *mapped = NULL;
    int result = size ? os->map(os, fd, size, align, &mapped) : 0;
    if (result < 0)
        return fail(err, result, "mapping a file");
    *at = mapped;
    return HRY_OK;
}

void hry_os_unmap(const struct hry_os *os, const void *at, uint64_t nbytes)
{
    if (nbytes)
        os->unmap(os, at, (size_t)nbytes);
}

void hry_os_advise(const struct hry_os *os, const void *at, uint64_t nbytes, enum hry_os_advice advice)
{
    if (nbytes)
        os->advise(os, at, (size_t)nbytes, advice);
}
