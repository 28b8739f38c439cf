/* What a target checks, and a sink that keeps what is saved. */
#ifndef HRY_FUZZ_SAVED_H
#define HRY_FUZZ_SAVED_H

#include <hurray/file.h>

#include <stdlib.h>
#include <string.h>

#define CHECK(condition) ((condition) ? (void)0 : abort())

/* Zeroed to start with; bytes are the caller's to free. */
typedef struct kept {
    uint8_t *bytes;
    size_t nbytes, capacity;
} kept;

static inline hry_status keep(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    kept *k = ctx;
    (void)err;
    if (k->capacity - k->nbytes < nbytes) {
        k->capacity = (k->nbytes + nbytes) * 2;
        k->bytes = realloc(k->bytes, k->capacity);
        CHECK(k->bytes);
    }
    if (nbytes)
        memcpy(k->bytes + k->nbytes, bytes, nbytes);
    k->nbytes += nbytes;
    return HRY_OK;
}

#endif
