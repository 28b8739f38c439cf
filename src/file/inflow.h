/* Bytes that come in order, through a buffer that can be looked into before anything is taken. */
#ifndef HRY_FILE_INFLOW_H
#define HRY_FILE_INFLOW_H

#include <hurray/file.h>

#define HRY_INFLOW_BUFFER ((size_t)64 << 10)

typedef struct hry_inflow {
    hry_pull pull;
    uint8_t *buffer;
    size_t start, fill; /* what is there and not taken: buffer[start .. fill) */
    uint64_t position;  /* of buffer[start] from the beginning */
    bool ended;
} hry_inflow;

hry_status hry_inflow_init(hry_inflow *in, const hry_pull *pull, const hry_allocator *allocator, hry_error *err);
void hry_inflow_fini(hry_inflow *in, const hry_allocator *allocator);

/* Makes nbytes (at most HRY_INFLOW_BUFFER) available at *at, or as many as there are: *got. */
hry_status hry_inflow_peek(hry_inflow *in, size_t nbytes, const uint8_t **at, size_t *got, hry_error *err);
/* Takes what was peeked at. */
void hry_inflow_take(hry_inflow *in, size_t nbytes);
/* nbytes into dst, or as many as there are: *got. */
hry_status hry_inflow_read(hry_inflow *in, void *dst, size_t nbytes, size_t *got, hry_error *err);
/* Passes over bytes up to position to, or to the end when that comes first. */
hry_status hry_inflow_skip_to(hry_inflow *in, uint64_t to, hry_error *err);

#endif
