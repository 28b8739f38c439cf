/*
 * The Hilbert curve of the format (layouts, section 6): positions along it from coordinates and back. order bits for
 * each of rank coordinates, rank at least 2, rank * order at most 63; coordinates below 2^order.
 */
#ifndef HRY_LAYOUT_CURVE_H
#define HRY_LAYOUT_CURVE_H

#include <stddef.h>
#include <stdint.h>

uint64_t hry_hilbert_encode(uint32_t order, uint32_t rank, const uint64_t *index);
void hry_hilbert_decode(uint32_t order, uint32_t rank, uint64_t h, uint64_t *index);

/* The positions of n elements from index on, the last coordinate growing by step each time. */
void hry_hilbert_line(uint32_t order, uint32_t rank, const uint64_t *index, int64_t step, size_t n, int64_t *offsets);

/*
 * The plane's curve as an automaton that reads two bits of each coordinate at a time, from the top: entry
 * [state][4 * x + y] holds the four bits of the position below 16, and the next state above them.
 */
extern const uint8_t hry_hilbert_plane[4][16];
/* The state before the first two bits; an odd order is read with a 0 bit on top. */
static inline unsigned hry_hilbert_plane_start(uint32_t order)
{
    return order & 1;
}

#endif
