/*
 * Where an element lies: sub-byte widths are packed from the lowest bit of each byte (element-types, section 3).
 * Widths below 8 that have elements are 1, 2, 4 and 6. No checks: the bytes of the element must be there, which for 6
 * bits means its whole group of 3.
 */
#ifndef HRY_TYPE_PACK_H
#define HRY_TYPE_PACK_H

#include "base/bytes.h"

#include <stddef.h>

/* The first byte that is read for an element, and in it (6 bits: in its group's 24 bits) the element's first bit. */
typedef struct hry_element_place {
    int64_t byte;
    unsigned bit;
} hry_element_place;

/*
 * bits: a width that hry_type_size takes. offset counts elements and may be negative: the byte is then below the base,
 * the bit never. The product offset * bits / 8 must fit.
 */
static inline hry_element_place hry_element_locate(uint32_t bits, int64_t offset)
{
    hry_element_place place = { 0, 0 };
    if (bits >= 8) {
        place.byte = offset * (int64_t)(bits / 8);
    } else {
        /* An element count per unit is a power of two, so that masks and arithmetic shifts are floor and modulus. */
        unsigned log2_per_unit = bits == 1 ? 3 : bits == 2 ? 2 : bits == 4 ? 1 : 2;
        place.byte = (offset >> log2_per_unit) * (bits == 6 ? 3 : 1);
        place.bit = (unsigned)((uint64_t)offset & ((1u << log2_per_unit) - 1)) * bits;
    }
    return place;
}

static inline uint32_t hry_load24(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

static inline void hry_store24(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)x;
    p[1] = (uint8_t)(x >> 8);
    p[2] = (uint8_t)(x >> 16);
}

/* Element index of the given width. */
static inline uint32_t hry_packed_get(unsigned bits, const uint8_t *base, uint64_t index)
{
    if (bits == 6)
        return hry_load24(base + (size_t)(index / 4 * 3)) >> (index % 4 * 6) & 0x3F;
    unsigned per_byte = 8 / bits;
    return (uint32_t)base[(size_t)(index / per_byte)] >> (index % per_byte * bits) & ((1u << bits) - 1);
}

/* Changes the element's bits only; code's higher bits are ignored. */
static inline void hry_packed_set(unsigned bits, uint8_t *base, uint64_t index, uint32_t code)
{
    uint32_t mask = (1u << bits) - 1;
    code &= mask;
    if (bits == 6) {
        uint8_t *group = base + (size_t)(index / 4 * 3);
        unsigned shift = (unsigned)(index % 4 * 6);
        hry_store24(group, (hry_load24(group) & ~(mask << shift)) | code << shift);
        return;
    }
    unsigned per_byte = 8 / bits, shift = (unsigned)(index % per_byte) * bits;
    uint8_t *byte = base + (size_t)(index / per_byte);
    *byte = (uint8_t)((*byte & ~(mask << shift)) | code << shift);
}

#endif
