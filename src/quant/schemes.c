#include "quant/schemes.h"

#include <hurray/type.h>
#include <string.h>

const hry_scheme_row *const hry_scheme_by_tag[HRY_SCHEMES] = {
    [HRY_SCHEME_PER_TENSOR] = &hry_scheme_per_tensor,
    [HRY_SCHEME_PER_CHANNEL] = &hry_scheme_per_channel,
    [HRY_SCHEME_PER_BLOCK] = &hry_scheme_per_block,
    [HRY_SCHEME_NF4] = &hry_scheme_nf4,
    [HRY_SCHEME_MXFP] = &hry_scheme_mxfp,
};

const hry_scheme_row *hry_scheme_row_at(size_t position)
{
    return position < HRY_SCHEMES - 1 ? hry_scheme_by_tag[position + 1] : NULL; /* tag 0 is no scheme */
}

const char *hry_scheme_name(uint8_t tag)
{
    const hry_scheme_row *row = hry_scheme_row_of(tag);
    if (row)
        return row->name;
    return tag >= HRY_SCHEME_PRIVATE_FIRST && tag <= HRY_SCHEME_PRIVATE_LAST ? "private" : "unknown";
}

uint8_t hry_scheme_by_name(const char *name, size_t len)
{
    const hry_scheme_row *row;
    for (size_t i = 0; (row = hry_scheme_row_at(i)); i++)
        if (strlen(row->name) == len && memcmp(row->name, name, len) == 0)
            return row->tag;
    return 0;
}

bool hry_scheme_takes(const hry_scheme_row *row, uint8_t type)
{
    for (const uint8_t *tag = row->storage; *tag; tag++)
        if (*tag == type)
            return true;
    return false;
}

uint32_t hry_scheme_scale_size(const uint8_t *payload)
{
    enum { SCALE_TYPE = 20 }; /* of a per-block payload */
    if (payload[0] == HRY_SCHEME_MXFP)
        return 1;
    return payload[0] == HRY_SCHEME_PER_BLOCK && payload[SCALE_TYPE] != HRY_TYPE_FLOAT32 ? 2 : 4;
}

bool hry_storage_range(uint8_t type, int64_t *lowest, int64_t *highest)
{
    const hry_type_info *info = hry_type_find(type);
    if (!info || info->bits > 32 || (info->kind != HRY_KIND_INT && info->kind != HRY_KIND_UINT))
        return false;
    bool is_signed = info->kind == HRY_KIND_INT;
    int64_t span = (int64_t)1 << (info->bits - is_signed);
    *lowest = is_signed ? -span : 0;
    *highest = span - 1;
    return true;
}
