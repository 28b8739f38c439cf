/*
 * The system calls that this library makes, behind a table that tests replace.
 *
 * Each entry takes the table it was called through, so that a test puts a struct hry_os first in a struct of its own
 * and finds its state there. Each returns a result of 0 or more, or a negative errno. They are single calls: short
 * counts and EINTR are for the functions of io.h, which everybody else uses.
 */
#ifndef HRY_OS_OS_H
#define HRY_OS_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hry_os_stat {
    uint64_t size;
    uint64_t device, inode; /* together they name a file */
    uint32_t mode;          /* permission bits, 0777 at most */
    bool regular;
    bool directory;
    bool link; /* only where links are not followed */
};

enum hry_os_open {
    HRY_OS_READ,
    HRY_OS_CREATE, /* read and write, must not exist */
    HRY_OS_DIRECTORY,
    HRY_OS_UPDATE /* read and write, must exist */
};

enum hry_os_advice { HRY_OS_SEQUENTIAL, HRY_OS_RANDOM, HRY_OS_WILL_NEED, HRY_OS_HUGE_PAGES };

struct hry_os {
    int (*open)(const struct hry_os *os, const char *path, enum hry_os_open how, uint32_t mode);
    int (*close)(const struct hry_os *os, int fd);
    int (*dup)(const struct hry_os *os, int fd);
    int64_t (*pread)(const struct hry_os *os, int fd, void *dst, size_t nbytes, uint64_t offset);
    int64_t (*pwrite)(const struct hry_os *os, int fd, const void *src, size_t nbytes, uint64_t offset);
    int64_t (*read)(const struct hry_os *os, int fd, void *dst, size_t nbytes); /* at the file's position */
    int64_t (*write)(const struct hry_os *os, int fd, const void *src, size_t nbytes);
    /* From an offset to the other file's position, which moves. copy_range shares the blocks where the file system
     * can; send also reaches pipes and sockets. */
    int64_t (*copy_range)(const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes);
    int64_t (*send)(const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes);
    int (*truncate)(const struct hry_os *os, int fd, uint64_t size);
    int (*sync)(const struct hry_os *os, int fd);
    int (*chmod)(const struct hry_os *os, int fd, uint32_t mode);
    int (*stat)(const struct hry_os *os, int fd, struct hry_os_stat *stat);
    int (*stat_path)(const struct hry_os *os, const char *path, bool follow, struct hry_os_stat *stat);
    /* What a path with symbolic links stands for, into size bytes. */
    int (*resolve)(const struct hry_os *os, const char *path, char *dst, size_t size);
    int (*rename)(const struct hry_os *os, const char *from, const char *to);
    int (*rename_new)(const struct hry_os *os, const char *from, const char *to); /* -EEXIST when to exists */
    int (*link)(const struct hry_os *os, const char *from, const char *to);
    int (*unlink)(const struct hry_os *os, const char *path);
    /* Shared, read-only, from the file's start, at a multiple of align: a power of two of any size. */
    int (*map)(const struct hry_os *os, int fd, size_t nbytes, size_t align, const void **at);
    int (*unmap)(const struct hry_os *os, const void *at, size_t nbytes);
    int (*advise)(const struct hry_os *os, const void *at, size_t nbytes, enum hry_os_advice advice);
    uint64_t (*unique)(const struct hry_os *os); /* a number for a new name: hard to guess, seldom the same */
};

/* The real system. */
extern const struct hry_os hry_os_default;

#endif
