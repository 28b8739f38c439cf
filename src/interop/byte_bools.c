#include "interop/byte_bools.h"

#include "base/bytes.h"

/* Byte i of the word, 0 or 1, is multiplied to bit 56 + i, and no two products meet. */
#define GATHER UINT64_C(0x0102040810204080)
#define EACH_BYTE UINT64_C(0x0101010101010101)
/* Bit i of byte i. */
#define DIAGONAL UINT64_C(0x8040201008040201)

static size_t first_bad(const uint8_t *bytes, size_t from)
{
    while (bytes[from] <= 1)
        from++;
    return from;
}

size_t hry_bools_pack(const uint8_t *bytes, size_t count, uint8_t *bits)
{
    size_t i = 0;
    for (; count - i >= 8; i += 8) {
        uint64_t word = hry_load64(bytes + i);
        if (word & ~EACH_BYTE)
            return first_bad(bytes, i);
        bits[i / 8] = (uint8_t)(word * GATHER >> 56);
    }
    if (i == count)
        return count;
    unsigned last = 0;
    for (size_t k = i; k < count; k++) {
        if (bytes[k] > 1)
            return k;
        last |= (unsigned)bytes[k] << (k - i);
    }
    bits[i / 8] = (uint8_t)last;
    return count;
}

void hry_bools_unpack(const uint8_t *bits, size_t count, uint8_t *bytes)
{
    size_t i = 0;
    for (; count - i >= 8; i += 8) {
        uint64_t spread = bits[i / 8] * EACH_BYTE & DIAGONAL;
        /* Each byte is 0 or a power of two: with 0x7F added its top bit says which. */
        hry_store64(bytes + i, (spread + EACH_BYTE * 0x7F) >> 7 & EACH_BYTE);
    }
    for (; i < count; i++)
        bytes[i] = bits[i / 8] >> (i % 8) & 1;
}
