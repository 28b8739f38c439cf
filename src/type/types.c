#include "type/types.h"

#include "base/checked.h"

#include <string.h>

const hry_type_info hry_type_table[256] = {
#define HRY_TYPE_ROW(tag, name, tier, bits, alignment, kind) [tag] = { name, tag, tier, bits, alignment, kind },
#include "type/types.def"
#undef HRY_TYPE_ROW
};

static const uint8_t tags[] = {
#define HRY_TYPE_ROW(tag, name, tier, bits, alignment, kind) tag,
#include "type/types.def"
#undef HRY_TYPE_ROW
};

const hry_type_info *hry_type_find(uint8_t tag)
{
    const hry_type_info *row = &hry_type_table[tag];
    return row->kind != HRY_KIND_NONE ? row : NULL;
}

const char *hry_type_name(uint8_t tag)
{
    if (hry_type_table[tag].name)
        return hry_type_table[tag].name;
    return hry_type_is_private(tag) ? "private" : "unknown";
}

uint8_t hry_type_by_name(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof tags; i++) {
        const char *known = hry_type_table[tags[i]].name;
        if (strlen(known) == len && memcmp(known, name, len) == 0)
            return tags[i];
    }
    return 0;
}

const hry_type_info *hry_type_at(size_t position)
{
    return position < sizeof tags ? &hry_type_table[tags[position]] : NULL;
}

bool hry_type_size(uint32_t bits, uint64_t count, uint64_t *nbytes)
{
    switch (bits) {
    case 1:
    case 2:
    case 4:
        *nbytes = hry_ceil_div(count, 8 / bits);
        return true;
    case 6:
        /* Whole groups, not ceil(6 * count / 8): a group read must never overrun. At most 2^62 groups. */
        *nbytes = hry_ceil_div(count, 4) * 3;
        return true;
    default: {
        uint64_t product;
        if (bits < 8 || bits % 8 != 0 || !hry_mul(count, bits / 8, &product))
            return false;
        *nbytes = product;
        return true;
    }
    }
}
