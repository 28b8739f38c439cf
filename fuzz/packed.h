/*
 * Containers are mostly padding. In the inputs of these targets the byte F5, which no UTF-8 holds, and a 16-bit count
 * stand for so many zeros, so that a file of several pages is a few hundred bytes to an engine.
 */
#ifndef HRY_FUZZ_PACKED_H
#define HRY_FUZZ_PACKED_H

#include "base/bytes.h"
#include "kern/kern.h"

#include <stdlib.h>
#include <string.h>

#define CHECK(condition) ((condition) ? (void)0 : abort())
#define UNPACKED_MAX ((size_t)1 << 18)

/* The unpacked bytes, malloc'd with *nbytes; NULL when they are too many. */
static inline uint8_t *unpack(const uint8_t *data, size_t size, size_t *nbytes)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        size_t run = data[i] == 0xF5 && size - i >= 3 ? hry_load16(data + i + 1) : 1;
        n += run;
        i += data[i] == 0xF5 && size - i >= 3 ? 2 : 0;
        if (n > UNPACKED_MAX)
            return NULL;
    }
    uint8_t *bytes = calloc(1, n + 1), *p = bytes;
    CHECK(bytes);
    for (size_t i = 0; i < size; i++)
        if (data[i] == 0xF5 && size - i >= 3) {
            p += hry_load16(data + i + 1);
            i += 2;
        } else {
            *p++ = data[i];
        }
    *nbytes = n;
    return bytes;
}

/* Has the unpacked bytes judged, and once more with a trailer that holds: engines do not guess checksums. */
static inline void judge_packed(const uint8_t *data, size_t size, void (*judge)(const uint8_t *bytes, size_t nbytes))
{
    size_t nbytes;
    uint8_t *bytes = unpack(data, size, &nbytes);
    if (!bytes)
        return;
    judge(bytes, nbytes);
    if (nbytes >= 112) {
        uint64_t index = hry_load64(bytes + nbytes - 40), length = hry_load64(bytes + nbytes - 32);
        if (index <= nbytes && length <= nbytes - index && bytes[12] & 4)
            hry_store32(bytes + nbytes - 12, hry_kern()->crc32c(0, bytes + index, (size_t)length));
        memcpy(bytes + nbytes - 4, "HRRY", 4);
        judge(bytes, nbytes);
    }
    free(bytes);
}

#endif
