/*
 * Elements of less than a byte as what they are: pieces of one string of bits, bit k of which is bit k % 8 of byte
 * k / 8 (element-types, section 3). Places count bits from a byte and may be negative. No checks; nothing outside of
 * the bytes that hold the bits is touched.
 */
#ifndef HRY_TENSOR_BITS_H
#define HRY_TENSOR_BITS_H

#include <stddef.h>
#include <stdint.h>

/* The element of width (1 to 7) bits at any place: some of 1 or 2 bits that stay together are one, too. */
static inline unsigned hry_bits_get(unsigned width, const uint8_t *base, int64_t at)
{
    const uint8_t *byte = base + (at >> 3);
    unsigned shift = (unsigned)at & 7, code = (unsigned)*byte >> shift;
    if (shift + width > 8)
        code |= (unsigned)byte[1] << (8 - shift);
    return code & ((1u << width) - 1);
}

/* code has no bits above width. */
static inline void hry_bits_set(unsigned width, uint8_t *base, int64_t at, unsigned code)
{
    uint8_t *byte = base + (at >> 3);
    unsigned shift = (unsigned)at & 7, mask = (1u << width) - 1;
    *byte = (uint8_t)((*byte & ~(mask << shift)) | code << shift);
    if (shift + width > 8)
        byte[1] = (uint8_t)((byte[1] & ~(mask >> (8 - shift))) | code >> (8 - shift));
}

/* n bits in a row. dst and src do not overlap. */
void hry_bits_copy(uint8_t *dst, int64_t to, const uint8_t *src, int64_t from, uint64_t n);

/* n elements, each to_step and from_step bits behind the one before. */
void hry_bits_move(unsigned width, uint8_t *dst, int64_t to, int64_t to_step, const uint8_t *src, int64_t from,
                   int64_t from_step, uint64_t n);

/* n elements of a width up to 7 in a row, made one byte each, and the other way round. */
void hry_bits_unpack(unsigned width, const uint8_t *src, int64_t from, size_t n, uint8_t *bytes);
void hry_bits_pack(unsigned width, const uint8_t *bytes, size_t n, uint8_t *dst, int64_t to);

#endif
