#include "desc/reader.h"

/* The sections behind a table of count buffers at offset table, and the end of the descriptor, fit. */
static bool fits(const hry_frame *f, const hry_reader *reader, uint32_t table, uint32_t count)
{
    hry_frame trial = *f;
    hry_sections sections;
    trial.err = NULL;
    trial.buffers_offset = table;
    trial.buffer_count = (uint8_t)count;
    if (hry_sections_parse(&trial, reader, table + 1 + 16 * count, &sections))
        return false;
    return sections.end == f->end || f->bytes[5] > reader->profile->descriptor_minor;
}

/*
 * Position by position from the end, with the length of the run of valid rows that starts at each one: rows are 16
 * bytes, so that sixteen counters do, and the whole search is linear.
 */
static int candidates(const hry_frame *f, const hry_reader *reader, bool virtual_layout, uint32_t *found)
{
    hry_frame quiet = *f;
    uint32_t run[16] = { 0 }, first = HRY_FRAME_SHAPE + 8 + 8u * f->rank;
    int count = 0;
    quiet.err = NULL;
    for (uint32_t at = f->end; at-- > first && count < 2;) {
        uint32_t row = at + 1, buffers = f->bytes[at], *rows = &run[row % 16];
        if (f->end - row < 16 || hry_handle_verify(&quiet, row))
            *rows = 0;
        else if (*rows && hry_handle_place(f, row) != hry_handle_place(f, row + 16))
            *rows = 1;
        else
            ++*rows;
        if ((buffers == 0) == virtual_layout && buffers <= *rows && fits(f, reader, at, buffers)) {
            *found = at;
            count++;
        }
    }
    return count;
}

bool hry_table_search(const hry_frame *f, const hry_reader *reader, uint32_t *buffers_offset)
{
    int count = candidates(f, reader, false, buffers_offset);
    if (count == 0)
        count = candidates(f, reader, true, buffers_offset);
    return count == 1;
}
