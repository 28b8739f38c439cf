#include "file/offset_order.h"

#include <string.h>

enum { BITS = 11, BUCKETS = 1 << BITS };

/* One pass of a radix sort, by the digit that starts at shift. */
static void sort_digit(const hry_offset_key *from, hry_offset_key *to, size_t count, unsigned shift)
{
    size_t start[BUCKETS] = { 0 };
    for (size_t i = 0; i < count; i++)
        start[from[i].offset >> shift & (BUCKETS - 1)]++;
    size_t sum = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t n = start[b];
        start[b] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++)
        to[start[from[i].offset >> shift & (BUCKETS - 1)]++] = from[i];
}

static void insertion_sort(hry_offset_key *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        hry_offset_key key = keys[i];
        size_t k = i;
        for (; k > 0 && keys[k - 1].offset > key.offset; k--)
            keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

void hry_offset_sort(hry_offset_key *keys, hry_offset_key *scratch, size_t count)
{
    if (count <= 32) {
        insertion_sort(keys, count);
        return;
    }
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++)
        differ |= keys[i].offset ^ keys[0].offset;
    hry_offset_key *from = keys, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += BITS) {
        if ((differ >> shift & (BUCKETS - 1)) == 0)
            continue; /* all have the same digit here */
        sort_digit(from, to, count, shift);
        hry_offset_key *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}
