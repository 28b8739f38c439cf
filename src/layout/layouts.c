#include "layout/layouts.h"

#include <string.h>

const hry_layout_row *const hry_layout_by_tag[256] = {
    [HRY_LAYOUT_ROW_MAJOR] = &hry_layout_row_major,
    [HRY_LAYOUT_COLUMN_MAJOR] = &hry_layout_column_major,
    [HRY_LAYOUT_STRIDED] = &hry_layout_strided,
    [HRY_LAYOUT_TILED] = &hry_layout_tiled,
    [HRY_LAYOUT_MORTON] = &hry_layout_morton,
    [HRY_LAYOUT_COO] = &hry_layout_coo,
    [HRY_LAYOUT_CSR] = &hry_layout_csr,
    [HRY_LAYOUT_CSC] = &hry_layout_csc,
    [HRY_LAYOUT_CSF] = &hry_layout_csf,
    [HRY_LAYOUT_BLOCK_PAGED] = &hry_layout_block_paged,
    [HRY_LAYOUT_COMPOSITE] = &hry_layout_composite,
    [HRY_LAYOUT_HILBERT] = &hry_layout_hilbert,
    [HRY_LAYOUT_PRIVATE_FIRST... HRY_LAYOUT_PRIVATE_LAST] = &hry_layout_private,
};

static const hry_layout_row *const rows[] = {
    &hry_layout_row_major, &hry_layout_column_major, &hry_layout_strided, &hry_layout_tiled, &hry_layout_morton,
    &hry_layout_coo,       &hry_layout_csr,          &hry_layout_csc,     &hry_layout_csf,   &hry_layout_block_paged,
    &hry_layout_composite, &hry_layout_hilbert,      &hry_layout_private,
};

enum { ROWS = sizeof rows / sizeof *rows };

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
