#include "layout/layouts.h"

#include <string.h>

static const hry_layout_row *const rows[] = {
    &hry_layout_row_major, &hry_layout_column_major, &hry_layout_strided, &hry_layout_tiled, &hry_layout_morton,
    &hry_layout_coo,       &hry_layout_csr,          &hry_layout_csc,     &hry_layout_csf,   &hry_layout_block_paged,
    &hry_layout_composite, &hry_layout_hilbert,      &hry_layout_private,
};

enum { ROWS = sizeof rows / sizeof *rows };

const hry_layout_row *hry_layout_row_of(uint8_t tag)
{
    if (tag >= HRY_LAYOUT_ROW_MAJOR && tag <= HRY_LAYOUT_COMPOSITE)
        return rows[tag - HRY_LAYOUT_ROW_MAJOR];
    if (tag == HRY_LAYOUT_HILBERT)
        return &hry_layout_hilbert;
    return tag >= HRY_LAYOUT_PRIVATE_FIRST && tag <= HRY_LAYOUT_PRIVATE_LAST ? &hry_layout_private : NULL;
}

const hry_layout_row *hry_layout_row_at(size_t position)
{
    return position < ROWS ? rows[position] : NULL;
}

const char *hry_layout_name(uint8_t tag)
{
    const hry_layout_row *row = hry_layout_row_of(tag);
    return row ? row->name : "unknown";
}

uint8_t hry_layout_by_name(const char *name, size_t len)
{
    for (size_t i = 0; i + 1 < ROWS; i++) /* not the private one: it has no tag of its own */
        if (strlen(rows[i]->name) == len && memcmp(rows[i]->name, name, len) == 0)
            return rows[i]->tag;
    return 0;
}
