/* Where a foreign file is written, front to back: a path, a file descriptor, a sink of the caller's. */
#ifndef HRY_INTEROP_FOREIGN_OUT_H
#define HRY_INTEROP_FOREIGN_OUT_H

#include "file/collection.h"
#include "file/emit.h"
#include "os/atomic.h"

#include <hurray/interop.h>

typedef struct hry_foreign_out {
    hry_emit emit; /* small pieces go through it */
    const struct hry_os *os;
    const hry_allocator *allocator;
    int fd;
    bool is_atomic; /* fd is that of atomic */
    struct hry_atomic atomic;
} hry_foreign_out;

/* One of three, as kind says. */
typedef struct hry_target {
    enum { HRY_TARGET_PATH, HRY_TARGET_FD, HRY_TARGET_SINK } kind;
    const char *path;
    int fd;
    const hry_sink *sink;
} hry_target;

/* *out keeps pointers to itself: it stays where it is until its end. */
hry_status hry_foreign_out_open(hry_foreign_out *out, const struct hry_os *os, const hry_target *target,
                                const hry_export_options *options, hry_error *err);

/* nbytes of a stored buffer, which has them, from a position on; by the kernel where that pays. */
hry_status hry_foreign_out_stored(hry_foreign_out *out, const hry_file *file, const hry_stored_buffer *stored,
                                  uint64_t from, uint64_t nbytes, hry_error *err);

/*
 * The output is closed. After HRY_OK everything is where it belongs, for a path synced and renamed; after any other
 * status, which is returned, nothing stays of a path's temporary.
 */
hry_status hry_foreign_out_end(hry_foreign_out *out, hry_status status, hry_error *err);

#endif
