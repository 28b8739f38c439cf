/* Bytes on their way out, in order, through one large buffer: small pieces reach the system together. */
#ifndef HRY_FILE_EMIT_H
#define HRY_FILE_EMIT_H

#include <hurray/file.h>

struct hry_os;

/* Files written a page at a time are slow to read ever after. */
#define HRY_EMIT_BUFFER ((size_t)1 << 20)

typedef struct hry_emit {
    hry_sink sink;
    const struct hry_os *os;
    int fd; /* what the sink writes to, for copies inside the kernel; -1: not a file */
    uint8_t *buffer;
    size_t fill;
    uint64_t position; /* of the next byte, those in the buffer included */
} hry_emit;

hry_status hry_emit_init(hry_emit *emit, const hry_sink *sink, const struct hry_os *os, int fd,
                         const hry_allocator *allocator, hry_error *err);
void hry_emit_fini(hry_emit *emit, const hry_allocator *allocator);

hry_status hry_emit_bytes(hry_emit *emit, const void *bytes, uint64_t nbytes, hry_error *err);
/* Zeros up to position to, which is not behind. */
hry_status hry_emit_zeros_to(hry_emit *emit, uint64_t to, hry_error *err);
/* nbytes of an open file. */
hry_status hry_emit_file(hry_emit *emit, int fd, uint64_t offset, uint64_t nbytes, hry_error *err);
hry_status hry_emit_flush(hry_emit *emit, hry_error *err);

/* Free room in the buffer, for bytes to be read into: *room of at least 1. Taken with hry_emit_filled. */
hry_status hry_emit_room(hry_emit *emit, uint8_t **at, size_t *room, hry_error *err);
void hry_emit_filled(hry_emit *emit, size_t nbytes);

#endif
