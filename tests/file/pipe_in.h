/* Bytes that come as from a pipe, and a container read so beside the same read at random. */
#ifndef HRY_TESTS_FILE_PIPE_IN_H
#define HRY_TESTS_FILE_PIPE_IN_H

#include <hurray/file.h>

typedef struct pipe_in {
    const uint8_t *bytes;
    size_t left;
    size_t piece; /* the most that one call gives */
} pipe_in;

/* The read of a hry_pull whose ctx is a pipe_in. */
hry_status pull_pipe(void *ctx, void *dst, size_t nbytes, size_t *got, hry_error *err);

typedef struct scanned {
    size_t tensors;
    bool same_as_at_random; /* names, descriptors and data */
} scanned;

/* Reads all tensors with all their data; when that succeeds, compares them with what hry_file has. */
hry_status scan_all(const uint8_t *bytes, size_t nbytes, size_t piece, const hry_file_options *options, scanned *seen,
                    hry_error *err);

#endif
