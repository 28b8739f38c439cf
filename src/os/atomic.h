/* A file that is there whole or not at all: written under a temporary name beside the target, then renamed. */
#ifndef HRY_OS_ATOMIC_H
#define HRY_OS_ATOMIC_H

#include "os/os.h"

#include <hurray/base.h>

enum {
    HRY_ATOMIC_REPLACE = 1u << 0, /* take the place of a file of that name, with its permissions */
    HRY_ATOMIC_NO_SYNC = 1u << 1  /* do not wait for the disk: after a power cut the file may be incomplete */
};

/* fd is for the caller to write to (io.h); the rest is private. */
struct hry_atomic {
    int fd; /* -1 when there is nothing open */
    unsigned flags;
    const struct hry_os *os;
    hry_allocator allocator;
    char *names;      /* target and temporary, one after the other; NULL when there is nothing to give up */
    size_t size;      /* bytes of names */
    size_t temporary; /* where in names it starts */
    size_t directory; /* bytes of the directory that both names begin with, its slash included; 0: none */
};

/*
 * Opens the temporary. A symbolic link at path is followed: it is the file behind it that is replaced. HRY_E_USAGE for
 * a path at which something other than a file stands. On failure *atomic is as after hry_atomic_abort.
 */
hry_status hry_atomic_begin(struct hry_atomic *atomic, const struct hry_os *os, const hry_allocator *allocator,
                            const char *path, unsigned flags, hry_error *err);

/*
 * Syncs, closes and renames, then syncs the directory. Without HRY_ATOMIC_REPLACE a file at the target stays
 * untouched: HRY_E_BUSY. Nothing is left of the temporary on failure either; only when the very last step fails, the
 * sync of the directory, the new file stands at its place all the same.
 */
hry_status hry_atomic_commit(struct hry_atomic *atomic, hry_error *err);

/* Makes what was created, renamed or removed in the directory of path last. */
hry_status hry_os_sync_directory_of(const struct hry_os *os, const hry_allocator *allocator, const char *path,
                                    hry_error *err);

/* Gives the temporary up. Nothing to do after a commit, or for a struct that is all zero with fd -1. */
void hry_atomic_abort(struct hry_atomic *atomic);

#endif
