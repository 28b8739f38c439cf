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

size_t hry_ref_pick_ones(const uint64_t *words, size_t n, uint64_t first, uint64_t *list, const void *x, size_t size,
                         void *values)
{
    size_t taken = 0;
    for (size_t i = 0; i < n; i++)
        for (uint64_t word = words[i]; word; word &= word - 1, taken++) {
            size_t at = 64 * i + (size_t)__builtin_ctzll(word);
            list[taken] = first + at;
            memcpy((char *)values + taken * size, (const char *)x + at * size, size);
        }
    return taken;
}

void hry_ref_move_out(void *room, size_t n, void *dst, bool stream)
{
    (void)stream;
    if (n == 0)
        return;
    memcpy(dst, room, n);
    memset(room, 0, n);
}
