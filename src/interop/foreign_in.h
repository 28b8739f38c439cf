/* Where a foreign file is read from: a path, a file descriptor, memory of the caller's. */
#ifndef HRY_INTEROP_FOREIGN_IN_H
#define HRY_INTEROP_FOREIGN_IN_H

#include "interop/foreign_bytes.h"

#include <hurray/interop.h>

/* One of three, as kind says. */
typedef struct hry_origin {
    enum { HRY_ORIGIN_PATH, HRY_ORIGIN_FD, HRY_ORIGIN_MEMORY } kind;
    const char *path; /* for the others a name, or NULL */
    int fd;
    const void *bytes;
    uint64_t nbytes;
    hry_release_fn *release;
    void *release_ctx;
} hry_origin;

/* Makes a file of a format's bytes, which it takes over on success only. path is the origin's. */
typedef hry_status hry_foreign_open_fn(const hry_foreign_bytes *bytes, const char *path,
                                       const hry_import_options *options, hry_file **file, hry_error *err);

/* options NULL: the defaults. */
hry_status hry_foreign_in_open(const hry_origin *origin, hry_foreign_open_fn *open, const hry_import_options *options,
                               hry_file **file, hry_error *err);

#endif
