#include "desc/reader.h"

/* The sections behind a table of count buffers at offset table, and the end of the descriptor, fit. */
static bool fits(const hry_draft *f, uint32_t table, uint32_t count)
{
    hry_draft trial = *f;
    trial.err = NULL;
    trial.view.buffers_offset = table;
    trial.view.buffer_count = (uint8_t)count;
    if (hry_sections_scan(&trial, table + 1 + 16 * count))
        return false;
    return trial.view.end == f->view.length || f->view.bytes[5] > f->profile->descriptor_minor;
}

/*
 * Position by position from the end, with the length of the run of valid rows that starts at each one: rows are 16
 * bytes, so that sixteen counters do, and the whole search is linear.
 */
static int candidates(const hry_draft *f, bool virtual_layout, uint32_t *found)
{
    hry_draft quiet = *f;
    uint32_t run[16] = { 0 }, first = f->view.layout_offset;
    int count = 0;
    quiet.err = NULL;
    for (uint32_t at = f->view.length; at-- > first && count < 2;) {
        uint32_t row = at + 1, buffers = f->view.bytes[at], *rows = &run[row % 16];
        if (f->view.length - row < 16 || hry_handle_verify(&quiet, row))
            *rows = 0;
        else if (*rows && hry_handle_place(f, row) != hry_handle_place(f, row + 16))
            *rows = 1;
        else
            ++*rows;
        if ((buffers == 0) == virtual_layout && buffers <= *rows && fits(f, at, buffers)) {
            *found = at;
            count++;
        }
    }
    return count;
}

bool hry_table_search(const hry_draft *f, uint32_t *buffers_offset)
{
    int count = candidates(f, false, buffers_offset);
    if (count == 0)
        count = candidates(f, true, buffers_offset);
    return count == 1;
}
