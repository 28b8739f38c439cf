/* The kernels of sparse layouts for any vector of BYTES bytes: after vector_load, vector_store, vector_stream,
 * vector_zero and nonzero_8 .. nonzero_64, a bit for each element of a vector. */
#ifndef HRY_KERN_LANES_SPARSE_LANES_H
#define HRY_KERN_LANES_SPARSE_LANES_H

#include <string.h>

enum { AHEAD = 4096 }; /* bytes: what is read comes from memory, mostly */

#define NONZERO(name, type)                                                                                            \
    TARGET static uint64_t nonzero_##name##_bits(const char *p, size_t n, uint64_t *bits)                              \
    {                                                                                                                  \
        enum { PART = BYTES / sizeof(type) };                                                                          \
        uint64_t count = 0;                                                                                            \
        size_t i = 0;                                                                                                  \
        for (; n - i >= 64; i += 64) {                                                                                 \
            uint64_t word = 0;                                                                                         \
            for (size_t j = 0; j < 64; j += PART) {                                                                    \
                const char *at = p + (i + j) * sizeof(type);                                                           \
                __builtin_prefetch(at + AHEAD);                                                                        \
                word |= (uint64_t)nonzero_##name(vector_load(at)) << j;                                                \
            }                                                                                                          \
            bits[i / 64] = word;                                                                                       \
            count += (uint64_t)__builtin_popcountll(word);                                                             \
        }                                                                                                              \
        return i < n ? count + hry_ref_nonzero_bits(p + i * sizeof(type), sizeof(type), n - i, bits + i / 64) : count; \
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
