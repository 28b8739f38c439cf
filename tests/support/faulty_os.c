#include "support/faulty_os.h"

#include <string.h>

static struct faulty_os *of(const struct hry_os *os)
{
    return (struct faulty_os *)(uintptr_t)os;
}

/* True when this call shall not happen; *result is then what it gives. */
static bool hit(const struct hry_os *os, enum faulty_call kind, int *result)
{
    struct faulty_os *faulty = of(os);
    unsigned number = faulty->calls[kind]++;
    *result = -faulty->error;
    return kind == faulty->kind && number >= faulty->first && number - faulty->first < faulty->count;
}

static size_t piece_of(const struct hry_os *os, uint64_t nbytes)
{
    size_t piece = of(os)->piece;
    return piece && piece < nbytes ? piece : (size_t)nbytes;
}

#define FAULT(kind)            \
    int fault;                 \
    if (hit(os, kind, &fault)) \
    return fault

static int faulty_open(const struct hry_os *os, const char *path, enum hry_os_open how, uint32_t mode)
{
    FAULT(CALL_OPEN);
    int fd = hry_os_default.open(os, path, how, mode);
    of(os)->open_files += fd >= 0;
    return fd;
}

/* A close that fails has closed all the same, as on Linux. */
static int faulty_close(const struct hry_os *os, int fd)
{
    int fault;
    bool fails = hit(os, CALL_CLOSE, &fault);
    int result = hry_os_default.close(os, fd);
    of(os)->open_files--;
    return fails ? fault : result;
}

static int faulty_dup(const struct hry_os *os, int fd)
{
    FAULT(CALL_DUP);
    int copy = hry_os_default.dup(os, fd);
    of(os)->open_files += copy >= 0;
    return copy;
}

static int64_t faulty_read(const struct hry_os *os, int fd, void *dst, size_t nbytes)
{
    FAULT(CALL_READ);
    return hry_os_default.read(os, fd, dst, piece_of(os, nbytes));
}

static int64_t faulty_pread(const struct hry_os *os, int fd, void *dst, size_t nbytes, uint64_t offset)
{
    FAULT(CALL_PREAD);
    return hry_os_default.pread(os, fd, dst, piece_of(os, nbytes), offset);
}

static int64_t faulty_pwrite(const struct hry_os *os, int fd, const void *src, size_t nbytes, uint64_t offset)
{
    FAULT(CALL_PWRITE);
    return hry_os_default.pwrite(os, fd, src, piece_of(os, nbytes), offset);
}

static int64_t faulty_write(const struct hry_os *os, int fd, const void *src, size_t nbytes)
{
    FAULT(CALL_WRITE);
    return hry_os_default.write(os, fd, src, piece_of(os, nbytes));
}

static int64_t faulty_copy_range(const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes)
{
    FAULT(CALL_COPY_RANGE);
    return hry_os_default.copy_range(os, from, offset, to, piece_of(os, nbytes));
}

static int64_t faulty_send(const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes)
{
    FAULT(CALL_SEND);
    return hry_os_default.send(os, from, offset, to, piece_of(os, nbytes));
}

static int faulty_truncate(const struct hry_os *os, int fd, uint64_t size)
{
    FAULT(CALL_TRUNCATE);
    return hry_os_default.truncate(os, fd, size);
}

static int faulty_sync(const struct hry_os *os, int fd)
{
    FAULT(CALL_SYNC);
    return hry_os_default.sync(os, fd);
}

static int faulty_chmod(const struct hry_os *os, int fd, uint32_t mode)
{
    FAULT(CALL_CHMOD);
    return hry_os_default.chmod(os, fd, mode);
}

static int faulty_stat(const struct hry_os *os, int fd, struct hry_os_stat *stat)
{
    FAULT(CALL_STAT);
    return hry_os_default.stat(os, fd, stat);
}

static int faulty_stat_path(const struct hry_os *os, const char *path, bool follow, struct hry_os_stat *stat)
{
    FAULT(CALL_STAT_PATH);
    return hry_os_default.stat_path(os, path, follow, stat);
}

static int faulty_resolve(const struct hry_os *os, const char *path, char *dst, size_t size)
{
    FAULT(CALL_RESOLVE);
    return hry_os_default.resolve(os, path, dst, size);
}

static int faulty_rename(const struct hry_os *os, const char *from, const char *to)
{
    FAULT(CALL_RENAME);
    return hry_os_default.rename(os, from, to);
}

static int faulty_rename_new(const struct hry_os *os, const char *from, const char *to)
{
    FAULT(CALL_RENAME_NEW);
    return hry_os_default.rename_new(os, from, to);
}

static int faulty_link(const struct hry_os *os, const char *from, const char *to)
{
    FAULT(CALL_LINK);
    return hry_os_default.link(os, from, to);
}

static int faulty_unlink(const struct hry_os *os, const char *path)
{
    FAULT(CALL_UNLINK);
    return hry_os_default.unlink(os, path);
}

static int faulty_map(const struct hry_os *os, int fd, size_t nbytes, size_t align, const void **at)
{
    FAULT(CALL_MAP);
    return hry_os_default.map(os, fd, nbytes, align, at);
}

static int faulty_unmap(const struct hry_os *os, const void *at, size_t nbytes)
{
    FAULT(CALL_UNMAP);
    return hry_os_default.unmap(os, at, nbytes);
}

static uint64_t faulty_unique(const struct hry_os *os)
{
    return of(os)->unique ? of(os)->unique++ : hry_os_default.unique(os);
}

void faulty_os_init(struct faulty_os *faulty)
{
    memset(faulty, 0, sizeof *faulty);
    faulty->os = (struct hry_os){
        .open = faulty_open,
        .close = faulty_close,
        .dup = faulty_dup,
        .pread = faulty_pread,
        .read = faulty_read,
        .pwrite = faulty_pwrite,
        .write = faulty_write,
        .copy_range = faulty_copy_range,
        .send = faulty_send,
        .truncate = faulty_truncate,
        .sync = faulty_sync,
        .chmod = faulty_chmod,
        .stat = faulty_stat,
        .stat_path = faulty_stat_path,
        .resolve = faulty_resolve,
        .rename = faulty_rename,
        .rename_new = faulty_rename_new,
        .link = faulty_link,
        .unlink = faulty_unlink,
        .map = faulty_map,
        .unmap = faulty_unmap,
        .advise = hry_os_default.advise,
        .unique = faulty_unique,
    };
}

void faulty_os_fail(struct faulty_os *faulty, enum faulty_call kind, unsigned first, unsigned count, int error)
{
    memset(faulty->calls, 0, sizeof faulty->calls);
    faulty->kind = kind;
    faulty->first = first;
    faulty->count = count;
    faulty->error = error;
}
