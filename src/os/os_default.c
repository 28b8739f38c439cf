/* Offsets of 64 bits and the calls beyond ISO C, whatever the compiler was told. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#endif

#define UNUSED __attribute__((unused))

/* The most that one call moves on Linux; asking for less keeps counts within ssize_t everywhere. */
#define MOST ((size_t)0x7ffff000)

static int failed_or(int result)
{
    return result < 0 ? -errno : result;
}

static int64_t failed_or_count(ssize_t result)
{
    return result < 0 ? -errno : result;
}

static size_t at_most(uint64_t nbytes)
{
    return nbytes < MOST ? (size_t)nbytes : MOST;
}

/* Offsets beyond off_t cannot be in any file. */
static bool fits(uint64_t offset)
{
    return offset <= INT64_MAX - MOST;
}

static int os_open(UNUSED const struct hry_os *os, const char *path, enum hry_os_open how, uint32_t mode)
{
    static const int flags[] = { [HRY_OS_READ] = O_RDONLY,
                                 [HRY_OS_CREATE] = O_RDWR | O_CREAT | O_EXCL,
                                 [HRY_OS_DIRECTORY] = O_RDONLY | O_DIRECTORY,
                                 [HRY_OS_UPDATE] = O_RDWR };
    return failed_or(open(path, flags[how] | O_CLOEXEC | O_NOCTTY, (mode_t)mode));
}

static int os_close(UNUSED const struct hry_os *os, int fd)
{
    return failed_or(close(fd));
}

static int os_dup(UNUSED const struct hry_os *os, int fd)
{
    return failed_or(fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

static int64_t os_pread(UNUSED const struct hry_os *os, int fd, void *dst, size_t nbytes, uint64_t offset)
{
    return fits(offset) ? failed_or_count(pread(fd, dst, at_most(nbytes), (off_t)offset)) : 0;
}

static int64_t os_pwrite(UNUSED const struct hry_os *os, int fd, const void *src, size_t nbytes, uint64_t offset)
{
    return fits(offset) ? failed_or_count(pwrite(fd, src, at_most(nbytes), (off_t)offset)) : -EFBIG;
}

static int64_t os_read(UNUSED const struct hry_os *os, int fd, void *dst, size_t nbytes)
{
    return failed_or_count(read(fd, dst, at_most(nbytes)));
}

static int64_t os_write(UNUSED const struct hry_os *os, int fd, const void *src, size_t nbytes)
{
    return failed_or_count(write(fd, src, at_most(nbytes)));
}

static int64_t os_copy_range(UNUSED const struct hry_os *os, UNUSED int from, UNUSED uint64_t offset, UNUSED int to,
                             UNUSED uint64_t nbytes)
{
#ifdef __linux__
    off_t position = (off_t)offset;
    return fits(offset) ? failed_or_count(copy_file_range(from, &position, to, NULL, at_most(nbytes), 0)) : -EINVAL;
#else
    return -ENOSYS;
#endif
}

static int64_t os_send(UNUSED const struct hry_os *os, UNUSED int from, UNUSED uint64_t offset, UNUSED int to,
                       UNUSED uint64_t nbytes)
{
#ifdef __linux__
    off_t position = (off_t)offset;
    return fits(offset) ? failed_or_count(sendfile(to, from, &position, at_most(nbytes))) : -EINVAL;
#else
    return -ENOSYS;
#endif
}

static int os_truncate(UNUSED const struct hry_os *os, int fd, uint64_t size)
{
    return fits(size) ? failed_or(ftruncate(fd, (off_t)size)) : -EFBIG;
}

static int os_sync(UNUSED const struct hry_os *os, int fd)
{
    return failed_or(fsync(fd));
}

static int os_chmod(UNUSED const struct hry_os *os, int fd, uint32_t mode)
{
    return failed_or(fchmod(fd, (mode_t)mode));
}

static int take_stat(int result, const struct stat *st, struct hry_os_stat *out)
{
    if (result < 0)
        return -errno;
    *out = (struct hry_os_stat){ .size = st->st_size < 0 ? 0 : (uint64_t)st->st_size,
                                 .device = (uint64_t)st->st_dev,
                                 .inode = (uint64_t)st->st_ino,
                                 .mode = (uint32_t)st->st_mode & 0777,
                                 .regular = S_ISREG(st->st_mode),
                                 .directory = S_ISDIR(st->st_mode),
                                 .link = S_ISLNK(st->st_mode) };
    return 0;
}

static int os_stat(UNUSED const struct hry_os *os, int fd, struct hry_os_stat *out)
{
    struct stat st;
    return take_stat(fstat(fd, &st), &st, out);
}

static int os_stat_path(UNUSED const struct hry_os *os, const char *path, bool follow, struct hry_os_stat *out)
{
    struct stat st;
    return take_stat(follow ? stat(path, &st) : lstat(path, &st), &st, out);
}

static int os_resolve(UNUSED const struct hry_os *os, const char *path, char *dst, size_t size)
{
    char *real = realpath(path, NULL);
    if (!real)
        return -errno;
    size_t length = strlen(real) + 1;
    int result = length <= size ? 0 : -ENAMETOOLONG;
    if (!result)
        memcpy(dst, real, length);
    free(real);
    return result;
}

static int os_rename(UNUSED const struct hry_os *os, const char *from, const char *to)
{
    return failed_or(rename(from, to));
}

static int os_rename_new(UNUSED const struct hry_os *os, UNUSED const char *from, UNUSED const char *to)
{
#if defined(__linux__) && defined(SYS_renameat2)
    const unsigned no_replace = 1; /* RENAME_NOREPLACE */
    return failed_or((int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, no_replace));
#else
    return -ENOSYS;
#endif
}

static int os_link(UNUSED const struct hry_os *os, const char *from, const char *to)
{
    return failed_or(link(from, to));
}

static int os_unlink(UNUSED const struct hry_os *os, const char *path)
{
    return failed_or(unlink(path));
}

/* Room for a mapping at a multiple of align, and nothing around it: NULL where there is none. */
static void *reserve(size_t nbytes, size_t align)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (nbytes + page - 1) & ~(page - 1);
    if (whole < nbytes || whole + align < align)
        return NULL;
    char *room = mmap(NULL, whole + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)room & (align - 1);
    if (before)
        munmap(room, before);
    munmap(room + before + whole, align - before);
    return room + before;
}

static int os_map(UNUSED const struct hry_os *os, int fd, size_t nbytes, size_t align, const void **at)
{
    void *wanted = align > (size_t)sysconf(_SC_PAGESIZE) ? reserve(nbytes, align) : NULL;
    void *mapped = mmap(wanted, nbytes, PROT_READ, MAP_SHARED | (wanted ? MAP_FIXED : 0), fd, 0);
    if (mapped == MAP_FAILED) {
        int error = errno;
        if (wanted)
            munmap(wanted, nbytes);
        return -error;
    }
    *at = mapped;
    return 0;
}

static int os_unmap(UNUSED const struct hry_os *os, const void *at, size_t nbytes)
{
    return failed_or(munmap((void *)(uintptr_t)at, nbytes));
}

static int os_advise(UNUSED const struct hry_os *os, const void *at, size_t nbytes, enum hry_os_advice advice)
{
    static const int codes[] = { [HRY_OS_SEQUENTIAL] = MADV_SEQUENTIAL,
                                 [HRY_OS_RANDOM] = MADV_RANDOM,
                                 [HRY_OS_WILL_NEED] = MADV_WILLNEED,
#ifdef MADV_HUGEPAGE
                                 [HRY_OS_HUGE_PAGES] = MADV_HUGEPAGE
#else
                                 [HRY_OS_HUGE_PAGES] = MADV_NORMAL
#endif
    };
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)at, end = first + nbytes;
    if (advice == HRY_OS_HUGE_PAGES) {
        first = (first + page - 1) & ~(page - 1);
        end &= ~(page - 1);
    } else {
        first &= ~(page - 1);
    }
    return first < end ? failed_or(madvise((void *)first, end - first, codes[advice])) : 0;
}

static uint64_t os_unique(UNUSED const struct hry_os *os)
{
    uint64_t number;
#ifdef __linux__
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
#endif
    static _Atomic uint64_t count;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    number = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + ((uint64_t)getpid() << 40);
    return (number + atomic_fetch_add(&count, 1)) * 0x9E3779B97F4A7C15u;
}

const struct hry_os hry_os_default = {
    .open = os_open,
    .close = os_close,
    .dup = os_dup,
    .pread = os_pread,
    .pwrite = os_pwrite,
    .read = os_read,
    .write = os_write,
    .copy_range = os_copy_range,
    .send = os_send,
    .truncate = os_truncate,
    .sync = os_sync,
    .chmod = os_chmod,
    .stat = os_stat,
    .stat_path = os_stat_path,
    .resolve = os_resolve,
    .rename = os_rename,
    .rename_new = os_rename_new,
    .link = os_link,
    .unlink = os_unlink,
    .map = os_map,
    .unmap = os_unmap,
    .advise = os_advise,
    .unique = os_unique,
};
