#include "kern/kern.h"

#include <string.h>

#define SQUARE(BYTES)                                                                                              \
    void hry_ref_square_put_##BYTES(const void *rows, ptrdiff_t pitch, const struct hry_square *square, void *run, \
                                    bool stream)                                                                   \
    {                                                                                                              \
        (void)stream;                                                                                              \
        for (unsigned i = 0; i < 16; i++) {                                                                        \
            const char *src = (const char *)rows + (ptrdiff_t)(i / 4 * 4) * pitch + i % 4 * 4 * BYTES;             \
            char *dst = (char *)run + square->place[i] * 16 * BYTES;                                               \
            for (unsigned e = 0; e < 16; e++) {                                                                    \
                unsigned from = square->from[i][e];                                                                \
                memcpy(dst + e * BYTES, src + (ptrdiff_t)(from / 4) * pitch + from % 4 * BYTES, BYTES);            \
            }                                                                                                      \
        }                                                                                                          \
    }                                                                                                              \
    void hry_ref_square_get_##BYTES(const void *run, const struct hry_square *square, void *rows, ptrdiff_t pitch, \
                                    bool stream)                                                                   \
    {                                                                                                              \
        (void)stream;                                                                                              \
        for (unsigned i = 0; i < 16; i++) {                                                                        \
            const char *src = (const char *)run + square->place[i] * 16 * BYTES;                                   \
            char *dst = (char *)rows + (ptrdiff_t)(i / 4 * 4) * pitch + i % 4 * 4 * BYTES;                         \
            for (unsigned e = 0; e < 16; e++)                                                                      \
                memcpy(dst + (ptrdiff_t)(e / 4) * pitch + e % 4 * BYTES, src + square->from[i][e] * BYTES, BYTES); \
        }                                                                                                          \
    }

SQUARE(1)
SQUARE(2)
SQUARE(4)
SQUARE(8)
