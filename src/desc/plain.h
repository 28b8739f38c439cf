/* The short way through the parser. */
#ifndef HRY_DESC_PLAIN_H
#define HRY_DESC_PLAIN_H

#include "base/checked.h"
#include "desc/reader.h"
#include "type/types.h"

/* The product of a shape whose dimensions are all known and not 0; false for any other, and when it does not fit. */
static inline bool hry_count_usual_shape(const uint8_t *shape, uint32_t rank, uint64_t *count)
{
    uint64_t total = 1;
    for (uint32_t k = 0; k < rank; k++) {
        uint64_t dim = hry_load64(shape + 8 * k);
        if (dim - 1 >= HRY_DYNAMIC - 1 || !hry_mul(total, dim, &total))
            return false;
    }
    *count = total;
    return true;
}

/* The caller's options say nothing about a plain descriptor of so many bytes. */
static inline bool hry_plain_options(const hry_parse_options *options, uint32_t length)
{
    if (!options)
        return true;
    const hry_limits *limits = options->limits;
    return (!options->profile || !options->profile->extra_count) &&
           (!limits || !limits->descriptor_length || length <= limits->descriptor_length);
}

/*
 * Most descriptors say: elements of a named whole-byte type in row- or column-major order, one buffer in host memory,
 * nothing else. True, with *desc written, when this is one of them and breaks no rule. Whatever is not as plain, or
 * has a fault, takes the long way, which comes to the same view or finds out what the fault is.
 */
static inline bool hry_parse_plain(const uint8_t *p, size_t nbytes, const hry_parse_options *options, hry_desc *desc)
{
    enum { SCALAR_SIZE = 45, MAGIC = 0x59525248, VERSION_1_0 = 0x0001 };
    if (nbytes < SCALAR_SIZE || hry_load32(p + 10) != 0) /* flags */
        return false;
    uint32_t length = hry_load32(p + 6), rank = hry_load32(p + 16), bits = hry_type_table[p[14]].bits;
    uint8_t layout = p[15];
    if (hry_load32(p) != MAGIC || hry_load16(p + 4) != VERSION_1_0 || layout < HRY_LAYOUT_ROW_MAJOR ||
        layout > HRY_LAYOUT_COLUMN_MAJOR || bits < 8 || rank > HRY_RANK_MAX ||
        (rank == 0 && layout == HRY_LAYOUT_COLUMN_MAJOR) || length != SCALAR_SIZE + 8 * rank || length > nbytes ||
        !hry_plain_options(options, length))
        return false;
    const uint8_t *byte_offset = p + 20 + 8 * rank, *table = byte_offset + 8;
    uint64_t count, end;
    if (table[0] != 1 || !hry_handle_is_plain(table + 1) || !hry_count_usual_shape(p + 20, rank, &count) ||
        !hry_mul_add(count, bits / 8, hry_load64(byte_offset), &end) || end > hry_load64(table + 1))
        return false;
    *desc = (hry_desc){
        .bytes = p,
        .length = length,
        .type = p[14],
        .layout = layout,
        .rank = (uint8_t)rank,
        .buffer_count = 1,
        .layout_offset = 28 + 8 * rank,
        .buffers_offset = 28 + 8 * rank,
        .end = length,
    };
    return true;
}

#endif
