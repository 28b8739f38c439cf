#include "quant/schemes.h"

#include <hurray/type.h>
#include <string.h>

static const hry_scheme_row *const rows[] = {
    &hry_scheme_per_tensor, &hry_scheme_per_channel, &hry_scheme_per_block, &hry_scheme_nf4, &hry_scheme_mxfp,
};

enum { ROWS = sizeof rows / sizeof *rows };

const hry_scheme_row *hry_scheme_row_of(uint8_t tag)
{
    return tag >= HRY_SCHEME_PER_TENSOR && tag <= HRY_SCHEME_MXFP ? rows[tag - HRY_SCHEME_PER_TENSOR] : NULL;
}

const hry_scheme_row *hry_scheme_row_at(size_t position)
{
    return position < ROWS ? rows[position] : NULL;
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
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i]->name) == len && memcmp(rows[i]->name, name, len) == 0)
            return rows[i]->tag;
    return 0;
}

bool hry_scheme_takes(const hry_scheme_row *row, uint8_t type)
{
    for (const uint8_t *tag = row->storage; *tag; tag++)
        if (*tag == type)
            return true;
    return false;
}

uint32_t hry_scheme_parameter_buffers(const uint8_t *payload)
{
    switch (payload[0]) {
    case HRY_SCHEME_PER_TENSOR:
        return 0;
    case HRY_SCHEME_PER_CHANNEL:
    case HRY_SCHEME_PER_BLOCK: {
        const uint8_t *indices = payload + (payload[0] == HRY_SCHEME_PER_CHANNEL ? 8 : 12);
        bool symmetric = hry_load16(payload + 2) & HRY_QUANT_SYMMETRIC;
        return symmetric || hry_load32(indices) == hry_load32(indices + 4) ? 1 : 2;
    }
    default:
        return 1;
    }
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
