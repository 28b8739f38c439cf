/* The kernels of sparse layouts for any vector of BYTES bytes: after vector_load, vector_store, vector_stream,
 * vector_zero, nonzero_8 .. nonzero_64, a bit for each element of a vector, and lowest_one, 0 where there is none. */
#ifndef HRY_KERN_LANES_SPARSE_LANES_H
#define HRY_KERN_LANES_SPARSE_LANES_H

#include <string.h>

enum { AHEAD = 4096 }; /* bytes: what is read comes from memory, mostly */

#define NONZERO(name, type)                                                                 \
    TARGET static uint64_t nonzero_##name##_bits(const char *p, size_t n, uint64_t *bits)   \
    {                                                                                       \
        enum { PART = BYTES / sizeof(type) };                                               \
        uint64_t count = 0;                                                                 \
        size_t i = 0;                                                                       \
        for (; n - i >= 64; i += 64) {                                                      \
            uint64_t word = 0;                                                              \
            for (size_t j = 0; j < 64; j += PART) {                                         \
                const char *at = p + (i + j) * sizeof(type);                                \
                __builtin_prefetch(at + AHEAD);                                             \
                word |= (uint64_t)nonzero_##name(vector_load(at)) << j;                     \
            }                                                                               \
            bits[i / 64] = word;                                                            \
            count += (uint64_t)__builtin_popcountll(word);                                  \
        }                                                                                   \
        if (i == n)                                                                         \
            return count;                                                                   \
        uint64_t word = 0;                                                                  \
        size_t j = 0;                                                                       \
        for (; n - i - j >= PART; j += PART)                                                \
            word |= (uint64_t)nonzero_##name(vector_load(p + (i + j) * sizeof(type))) << j; \
        for (; i + j < n; j++) {                                                            \
            type element;                                                                   \
            memcpy(&element, p + (i + j) * sizeof element, sizeof element);                 \
            word |= (uint64_t)(element != 0) << j;                                          \
        }                                                                                   \
        bits[i / 64] = word;                                                                \
        return count + (uint64_t)__builtin_popcountll(word);                                \
    }

NONZERO(8, uint8_t)
NONZERO(16, uint16_t)
NONZERO(32, uint32_t)
NONZERO(64, uint64_t)

TARGET static uint64_t nonzero_bits(const void *x, size_t size, size_t n, uint64_t *bits)
{
    switch (size) {
    case 1:
        return nonzero_8_bits(x, n, bits);
    case 2:
        return nonzero_16_bits(x, n, bits);
    case 4:
        return nonzero_32_bits(x, n, bits);
    default:
        return nonzero_64_bits(x, n, bits);
    }
}

/* Four at a time, the last of them too many: how many there are follows no pattern that a branch could. */
#define PICK(name, type)                                                                                             \
    TARGET static size_t pick_##name(const uint64_t *words, size_t n, uint64_t first, uint64_t *list, const char *x, \
                                     char *values)                                                                   \
    {                                                                                                                \
        size_t taken = 0;                                                                                            \
        for (size_t i = 0; i < n; i++, first += 64, x += 64 * sizeof(type)) {                                        \
            uint64_t word = words[i];                                                                                \
            size_t count = (size_t)__builtin_popcountll(word);                                                       \
            for (size_t line = 0; line < 64 * sizeof(type); line += 64)                                              \
                __builtin_prefetch(x + line + AHEAD / 2);                                                            \
            for (size_t k = 0; k < count; k += 4)                                                                    \
                for (size_t j = 0; j < 4; j++, word &= word - 1) {                                                   \
                    size_t at = lowest_one(word);                                                                    \
                    list[taken + k + j] = first + at;                                                                \
                    memcpy(values + (taken + k + j) * sizeof(type), x + at * sizeof(type), sizeof(type));            \
                }                                                                                                    \
            taken += count;                                                                                          \
        }                                                                                                            \
        return taken;                                                                                                \
    }

PICK(8, uint8_t)
PICK(16, uint16_t)
PICK(32, uint32_t)
PICK(64, uint64_t)

TARGET static size_t pick_ones(const uint64_t *words, size_t n, uint64_t first, uint64_t *list, const void *x,
                               size_t size, void *values)
{
    switch (size) {
    case 1:
        return pick_8(words, n, first, list, x, values);
    case 2:
        return pick_16(words, n, first, list, x, values);
    case 4:
        return pick_32(words, n, first, list, x, values);
    default:
        return pick_64(words, n, first, list, x, values);
    }
}

TARGET static void move_out(void *room, size_t n, void *dst, bool stream)
{
    char *from = room, *to = dst;
    size_t i = 0;
    stream = stream && (uintptr_t)dst % BYTES == 0;
    for (; n - i >= BYTES; i += BYTES) {
        vector x = vector_load(from + i);
        if (stream)
            vector_stream(to + i, x);
        else
            vector_store(to + i, x);
        vector_store(from + i, vector_zero());
    }
    hry_ref_move_out(from + i, n - i, to + i, false);
}

#endif
