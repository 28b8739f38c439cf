#include "kern/kern.h"

#include <string.h>

#define NONZERO(type)                                             \
    for (size_t i = 0; i < n; i++) {                              \
        type element;                                             \
        memcpy(&element, p + i * sizeof element, sizeof element); \
        bits[i / 64] |= (uint64_t)(element != 0) << i % 64;       \
        count += element != 0;                                    \
    }                                                             \
    break

uint64_t hry_ref_nonzero_bits(const void *x, size_t size, size_t n, uint64_t *bits)
{
    const char *p = x;
    uint64_t count = 0;
    if (n > 0)
        memset(bits, 0, (n + 63) / 64 * sizeof *bits);
    switch (size) {
    case 1:
        NONZERO(uint8_t);
    case 2:
        NONZERO(uint16_t);
    case 4:
        NONZERO(uint32_t);
    default:
        NONZERO(uint64_t);
    }
    return count;
}

void hry_ref_move_out(void *room, size_t n, void *dst, bool stream)
{
    (void)stream;
    if (n == 0)
        return;
    memcpy(dst, room, n);
    memset(room, 0, n);
}
