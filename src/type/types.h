/* The table of element types, for code that looks types up often. */
#ifndef HRY_TYPE_TYPES_H
#define HRY_TYPE_TYPES_H

#include <hurray/type.h>

/* By tag. Rows of tags without a named type are all zero (kind HRY_KIND_NONE, name NULL). */
extern const hry_type_info hry_type_table[256];

static inline bool hry_type_is_private(uint8_t tag)
{
    return tag >= HRY_TYPE_PRIVATE_FIRST && tag <= HRY_TYPE_PRIVATE_LAST;
}

#endif
