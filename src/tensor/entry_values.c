#include "tensor/entry_values.h"

#include "base/checked.h"
#include "tensor/bits.h"

#include <string.h>

hry_entry_values hry_entry_values_of(const hry_ordering *order, const uint8_t *bytes, uint32_t bits)
{
    bool fits = bits < 8 || (bits <= 64 && hry_is_pow2(bits));
    return (hry_entry_values){ bytes, bits, fits && !order->wide };
}

#define LOAD(type)                                                       \
    for (size_t i = 0; i < n; i++) {                                     \
        type x;                                                          \
        memcpy(&x, v->bytes + (size_t)(first + i) * sizeof x, sizeof x); \
        entries[i].load = x;                                             \
    }                                                                    \
    break

void hry_entry_values_load(const void *values, uint64_t first, size_t n, hry_entry *entries)
{
    const hry_entry_values *v = values;
    switch (v->carried ? v->bits : 0) {
    case 8:
        LOAD(uint8_t);
    case 16:
        LOAD(uint16_t);
    case 32:
        LOAD(uint32_t);
    case 64:
        LOAD(uint64_t);
    default:
        for (size_t i = 0; i < n; i++)
            entries[i].load =
                v->carried ? hry_bits_get(v->bits, v->bytes, (int64_t)((first + i) * v->bits)) : first + i;
    }
}

#define PUT(type)                                        \
    for (uint64_t i = first; i < end; i++) {             \
        type x = (type)entries[i].load;                  \
        memcpy(to + (size_t)i * sizeof x, &x, sizeof x); \
    }                                                    \
    break

/* Bits, and what is found by position. */
static void put_each(const hry_entry_values *v, const hry_entry *entries, uint64_t first, uint64_t end, uint8_t *to)
{
    size_t size = v->bits / 8;
    for (uint64_t i = first; i < end; i++) {
        uint64_t load = entries[i].load;
        if (v->bits >= 8)
            memcpy(to + (size_t)i * size, v->bytes + (size_t)load * size, size);
        else
            hry_bits_set(v->bits, to, (int64_t)(i * v->bits),
                         v->carried ? (unsigned)load : hry_bits_get(v->bits, v->bytes, (int64_t)(load * v->bits)));
    }
}

void hry_entry_values_put(const hry_entry_values *v, const hry_entry *entries, uint64_t first, uint64_t end,
                          uint8_t *to)
{
    switch (v->carried ? v->bits : 0) {
    case 8:
        PUT(uint8_t);
    case 16:
        PUT(uint16_t);
    case 32:
        PUT(uint32_t);
    case 64:
        PUT(uint64_t);
    default:
        put_each(v, entries, first, end, to);
    }
}
