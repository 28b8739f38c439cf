/* The table of element types, for code that looks types up often. */
#ifndef HRY_TYPE_TYPES_H
#define HRY_TYPE_TYPES_H

#include "base/checked.h"

#include <hurray/type.h>

/* By tag. Rows of tags without a named type are all zero (kind HRY_KIND_NONE, name NULL). */
extern const hry_type_info hry_type_table[256];

/* hry_type_size, with the common widths at hand. */
static inline bool hry_size_of(uint32_t bits, uint64_t count, uint64_t *nbytes)
{
    return bits >= 8 && bits % 8 == 0 ? hry_mul(count, bits / 8, nbytes) : hry_type_size(bits, count, nbytes);
}

static inline bool hry_type_is_private(uint8_t tag)
{
    return tag >= HRY_TYPE_PRIVATE_FIRST && tag <= HRY_TYPE_PRIVATE_LAST;
}

#endif
