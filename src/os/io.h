/*
 * Files by descriptor: whole reads and writes, copies inside the kernel, mappings. EINTR and short counts are dealt
 * with here. Failures are HRY_E_IO with errno, HRY_E_ABSENT for a path that does not exist.
 */
#ifndef HRY_OS_IO_H
#define HRY_OS_IO_H

#include "os/os.h"

#include <hurray/base.h>

/* what names the file in error messages: its path, or what it is for. */
hry_status hry_os_open_update(const struct hry_os *os, const char *path, int *fd, hry_error *err);
hry_status hry_os_open_read(const struct hry_os *os, const char *path, int *fd, hry_error *err);
hry_status hry_os_dup(const struct hry_os *os, int fd, int *copy, hry_error *err);
void hry_os_close(const struct hry_os *os, int fd); /* for files that were only read; fd -1 allowed */
hry_status hry_os_stat_fd(const struct hry_os *os, int fd, struct hry_os_stat *stat, hry_error *err);

/* *got < nbytes only where the file ends. */
hry_status hry_os_read_some(const struct hry_os *os, int fd, uint64_t offset, void *dst, size_t nbytes, size_t *got,
                            hry_error *err);
/* Exactly nbytes: a file that ends before is HRY_E_IO with value 0 and offset the file's end. */
hry_status hry_os_read_exact(const struct hry_os *os, int fd, uint64_t offset, void *dst, size_t nbytes,
                             hry_error *err);

/* From the file's position, as many as there are just now, up to nbytes: *got is 0 only at the end. */
hry_status hry_os_read_next(const struct hry_os *os, int fd, void *dst, size_t nbytes, size_t *got, hry_error *err);

/* At the file's position, all of it. */
hry_status hry_os_write_all(const struct hry_os *os, int fd, const void *src, size_t nbytes, hry_error *err);
hry_status hry_os_write_at(const struct hry_os *os, int fd, uint64_t offset, const void *src, size_t nbytes,
                           hry_error *err);

/*
 * nbytes of one file to the position of another, which may be a pipe or socket: by the fastest way that the two
 * allow, at worst through a small buffer. A source that ends before is an error as for hry_os_read_exact.
 */
hry_status hry_os_copy(const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes, hry_error *err);

hry_status hry_os_truncate(const struct hry_os *os, int fd, uint64_t size, hry_error *err);

/* Until the disk has it. */
hry_status hry_os_sync(const struct hry_os *os, int fd, hry_error *err);

/*
 * The first nbytes of a file, read-only, at a page boundary and, where there is room, at a multiple of align (a power
 * of two; 1: any page); nbytes 0 gives NULL without a mapping. A file that
 * shrinks afterwards takes the pages with it: touching them then kills the process, and that is the caller's risk.
 * HRY_E_UNSUPPORTED when the address space is too small.
 */
hry_status hry_os_map(const struct hry_os *os, int fd, uint64_t nbytes, size_t align, const void **at, hry_error *err);
void hry_os_unmap(const struct hry_os *os, const void *at, uint64_t nbytes);
/* Only advice: nothing happens where it cannot be taken. The range is widened to whole pages for mappings; for
 * HRY_OS_HUGE_PAGES, which is for fresh memory of the program's own, narrowed. */
void hry_os_advise(const struct hry_os *os, const void *at, uint64_t nbytes, enum hry_os_advice advice);

#endif
