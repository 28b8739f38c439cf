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

/* *out keeps pointers to itself: it stays where it is until it is finished or aborted. */
hry_status hry_foreign_out_path(const struct hry_os *os, const char *path, const hry_export_options *options,
                                hry_foreign_out *out, hry_error *err);
hry_status hry_foreign_out_fd(const struct hry_os *os, int fd, const hry_export_options *options, hry_foreign_out *out,
                              hry_error *err);
hry_status hry_foreign_out_sink(const struct hry_os *os, const hry_sink *sink, const hry_export_options *options,
                                hry_foreign_out *out, hry_error *err);

/* nbytes of a stored buffer, which has them, from a position on; by the kernel where that pays. */
hry_status hry_foreign_out_stored(hry_foreign_out *out, const hry_file *file, const hry_stored *stored, uint64_t from,
                                  uint64_t nbytes, hry_error *err);

/* Everything is where it belongs: for a path, synced and renamed. The output is closed either way. */
hry_status hry_foreign_out_finish(hry_foreign_out *out, hry_error *err);
/* Gives up: nothing stays of a path's temporary. */
void hry_foreign_out_abort(hry_foreign_out *out);

#endif
