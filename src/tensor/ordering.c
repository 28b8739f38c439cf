#include "tensor/ordering.h"

#include <string.h>

void hry_ordering_init(hry_ordering *order, uint32_t rank, const uint64_t *shape, const uint32_t *mode)
{
    uint32_t total = 0;
    *order = (hry_ordering){ .rank = rank };
    for (uint32_t level = rank; level-- > 0;) {
        uint32_t k = mode ? mode[level] : level;
        uint32_t bits = shape[k] < 2 ? 0 : 64 - (uint32_t)__builtin_clzll(shape[k] - 1);
        order->mode[level] = k;
        order->bits[level] = bits;
        order->shift[level] = total;
        total += bits;
    }
    order->wide = total > 64;
}

uint32_t hry_ordering_differs(const hry_ordering *order, uint64_t i)
{
    uint32_t level = 0;
    if (!order->wide && order->entries[i].key == order->entries[i - 1].key)
        return order->rank;
    while (level < order->rank && hry_ordering_index(order, i, level) == hry_ordering_index(order, i - 1, level))
        level++;
    return level;
}

/* Level first and below are the dimensions of before, in its order, without those of the levels above. */
static bool follows(const hry_ordering *order, const uint32_t *before, uint32_t first)
{
    uint32_t level = first;
    for (uint32_t i = 0; i < order->rank; i++) {
        bool above = false;
        for (uint32_t j = 0; j < first; j++)
            above |= order->mode[j] == before[i];
        if (!above && order->mode[level++] != before[i])
            return false;
    }
    return true;
}

/* The number of levels that have to be sorted by: entries that ascend by `before` and are moved stably have the levels
 * below in order then. */
static uint32_t unsorted_levels(const hry_ordering *order, const uint32_t *before)
{
    for (uint32_t first = 0; before && first < order->rank; first++)
        if (follows(order, before, first))
            return first;
    return order->rank;
}

enum { DIGIT = 11, BUCKETS = 1 << DIGIT };

static void sort_by_digit(const hry_entry *from, hry_entry *to, uint64_t n, uint32_t shift, uint32_t mask)
{
    uint64_t start[BUCKETS] = { 0 }, sum = 0;
    for (uint64_t i = 0; i < n; i++)
        start[from[i].key >> shift & mask]++;
    for (uint32_t b = 0; b <= mask; b++) {
        uint64_t count = start[b];
        start[b] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++)
        to[start[from[i].key >> shift & mask]++] = from[i];
}

/* Stably, by bits low .. high-1 of the keys. */
static void sort_by_bits(hry_ordering *order, uint32_t low, uint32_t high)
{
    hry_entry *from = order->entries, *to = from + order->count;
    while (low < high) {
        uint32_t bits = high - low < DIGIT ? high - low : DIGIT;
        sort_by_digit(from, to, order->count, low, (1u << bits) - 1);
        hry_entry *sorted = to;
        to = from;
        from = sorted;
        low += bits;
    }
    if (from != order->entries)
        memcpy(order->entries, from, (size_t)order->count * sizeof *from);
}

void hry_ordering_sort(hry_ordering *order, const uint32_t *before)
{
    uint32_t levels = unsorted_levels(order, before);
    if (levels == 0 || order->count < 2)
        return;
    if (!order->wide) {
        sort_by_bits(order, order->shift[levels - 1], order->shift[0] + order->bits[0]);
        return;
    }
    while (levels-- > 0) { /* a level at a time, the innermost first */
        for (uint64_t i = 0; i < order->count; i++)
            order->entries[i].key = hry_ordering_index(order, i, levels);
        sort_by_bits(order, 0, order->bits[levels]);
    }
}
