#include "os/atomic.h"

#include "base/alloc.h"
#include "base/status.h"
#include "os/io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PATH_ROOM 4096
#define ATTEMPTS 100

static const char *target_of(const struct hry_atomic *atomic)
{
    return atomic->names;
}

static const char *temporary_of(const struct hry_atomic *atomic)
{
    return atomic->names + atomic->temporary;
}

static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Room for the target's name and one of the same directory with a file name of ".hurray-", 16 digits, ".tmp". */
static hry_status make_names(struct hry_atomic *atomic, const char *target, hry_error *err)
{
    size_t length = strlen(target);
    atomic->directory = directory_length(target);
    atomic->temporary = length + 1;
    atomic->size = atomic->temporary + atomic->directory + sizeof ".hurray-0123456789abcdef.tmp";
    atomic->names = hry_alloc(&atomic->allocator, atomic->size, 1);
    if (!atomic->names)
        return hry_fail_memory(err, atomic->size);
    memcpy(atomic->names, target, length + 1);
    memcpy(atomic->names + atomic->temporary, target, atomic->directory);
    return HRY_OK;
}

static void free_names(struct hry_atomic *atomic)
{
    if (atomic->names)
        hry_free(&atomic->allocator, atomic->names, atomic->size, 1);
    atomic->names = NULL;
}

/*
 * What path stands for, where a link is followed, and the permissions of the file there, 0666 less umask when there is
 * none. Renaming over a device or a pipe would destroy it, and over a link only the link.
 */
static hry_status find_target(const struct hry_os *os, const char **path, char *room, uint32_t *mode, bool *exists,
                              hry_error *err)
{
    struct hry_os_stat stat;
    int result = os->stat_path(os, *path, false, &stat);
    if (result == 0 && stat.link) {
        result = os->resolve(os, *path, room, PATH_ROOM);
        if (result == 0)
            result = os->stat_path(os, room, true, &stat);
        if (result < 0)
            return hry_fail_errno(err, -result, *path);
        *path = room;
    }
    *exists = result == 0;
    if (result == -ENOENT)
        return HRY_OK;
    if (result < 0)
        return hry_fail_errno(err, -result, *path);
    if (!stat.regular)
        return hry_fail_usage(err, "%s: not a regular file", *path);
    *mode = stat.mode;
    return HRY_OK;
}

static hry_status open_temporary(struct hry_atomic *atomic, uint32_t mode, hry_error *err)
{
    const struct hry_os *os = atomic->os;
    char *name = atomic->names + atomic->temporary, *file = name + atomic->directory;
    int fd = -EEXIST;
    for (int attempt = 0; attempt < ATTEMPTS && (fd == -EEXIST || fd == -EINTR); attempt++) {
        snprintf(file, atomic->size - (size_t)(file - atomic->names), ".hurray-%016llx.tmp",
                 (unsigned long long)os->unique(os));
        fd = os->open(os, name, HRY_OS_CREATE, mode);
    }
    if (fd < 0)
        return hry_fail_errno(err, -fd, target_of(atomic));
    atomic->fd = fd;
    return HRY_OK;
}

hry_status hry_atomic_begin(struct hry_atomic *atomic, const struct hry_os *os, const hry_allocator *allocator,
                            const char *path, unsigned flags, hry_error *err)
{
    *atomic =
        (struct hry_atomic){ .fd = -1, .flags = flags, .os = os, .allocator = hry_allocator_or_default(allocator) };
    if (!*path)
        return hry_fail_usage(err, "the file to write has no name");
    char room[PATH_ROOM];
    uint32_t mode = 0666;
    bool exists = false;
    hry_status status = find_target(os, &path, room, &mode, &exists, err);
    if (!status)
        status = make_names(atomic, path, err);
    if (status)
        return status;
    bool keep_mode = exists && (flags & HRY_ATOMIC_REPLACE);
    status = open_temporary(atomic, keep_mode ? 0600 : 0666, err);
    if (!status && keep_mode) {
        int result = os->chmod(os, atomic->fd, mode);
        if (result < 0)
            status = hry_fail_errno(err, -result, target_of(atomic));
    }
    if (status)
        hry_atomic_abort(atomic);
    return status;
}

void hry_atomic_abort(struct hry_atomic *atomic)
{
    if (atomic->fd >= 0) {
        atomic->os->close(atomic->os, atomic->fd);
        atomic->os->unlink(atomic->os, temporary_of(atomic));
    }
    atomic->fd = -1;
    free_names(atomic);
}

/* A link that may not exist yet, where the system or the file system cannot rename that way. */
static int rename_new(const struct hry_os *os, const char *from, const char *to)
{
    int result = os->rename_new(os, from, to);
    if (result != -EINVAL && result != -ENOSYS)
        return result;
    result = os->link(os, from, to);
    if (result == 0)
        os->unlink(os, from);
    return result;
}

static hry_status put_in_place(const struct hry_atomic *atomic, hry_error *err)
{
    const struct hry_os *os = atomic->os;
    const char *from = temporary_of(atomic), *to = target_of(atomic);
    int result = atomic->flags & HRY_ATOMIC_REPLACE ? os->rename(os, from, to) : rename_new(os, from, to);
    if (result == -EEXIST)
        return hry_fail(err, HRY_E_BUSY, HRY_SECTION_NONE, 0, EEXIST, "%s: exists", to);
    return result < 0 ? hry_fail_errno(err, -result, to) : HRY_OK;
}

/* Some file systems cannot sync a directory: EINVAL. One may be written but not read: EACCES. */
static hry_status sync_directory(const struct hry_os *os, const char *directory, const char *what, hry_error *err)
{
    int fd = os->open(os, directory, HRY_OS_DIRECTORY, 0);
    if (fd == -EACCES)
        return HRY_OK;
    int result = fd;
    if (fd >= 0) {
        do
            result = os->sync(os, fd);
        while (result == -EINTR);
        os->close(os, fd);
    }
    return result < 0 && result != -EINVAL ? hry_fail_errno(err, -result, what) : HRY_OK;
}

hry_status hry_os_sync_directory_of(const struct hry_os *os, const hry_allocator *allocator, const char *path,
                                    hry_error *err)
{
    size_t length = directory_length(path);
    if (length == 0)
        return sync_directory(os, ".", path, err);
    char *directory = hry_alloc(allocator, length + 1, 1);
    if (!directory)
        return hry_fail_memory(err, length + 1);
    memcpy(directory, path, length);
    directory[length] = '\0';
    hry_status status = sync_directory(os, directory, path, err);
    hry_free(allocator, directory, length + 1, 1);
    return status;
}

/* The new name lasts only when the directory is on disk. */
static hry_status sync_own_directory(struct hry_atomic *atomic, hry_error *err)
{
    char *path = atomic->names + atomic->temporary;
    path[atomic->directory] = '\0';
    return sync_directory(atomic->os, atomic->directory ? path : ".", target_of(atomic), err);
}

hry_status hry_atomic_commit(struct hry_atomic *atomic, hry_error *err)
{
    const struct hry_os *os = atomic->os;
    bool sync = !(atomic->flags & HRY_ATOMIC_NO_SYNC);
    hry_status status = sync ? hry_os_sync(os, atomic->fd, err) : HRY_OK;
    if (status) {
        hry_atomic_abort(atomic);
        return status;
    }
    /* Network file systems report what they could not write when the file is closed. */
    int result = os->close(os, atomic->fd);
    atomic->fd = -1;
    if (result < 0 && result != -EINTR)
        status = hry_fail_errno(err, -result, target_of(atomic));
    else
        status = put_in_place(atomic, err);
    if (status)
        os->unlink(os, temporary_of(atomic));
    else if (sync)
        status = sync_own_directory(atomic, err);
    free_names(atomic);
    return status;
}
