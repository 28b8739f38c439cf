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
 * In planes and in space there are few ways to pass a cube, 4 and 24, so that tables read the curve. Ranks 2 and 3
 * only: the position of the first element that the curve passes in the cube of 2^bits indices along each axis to which
 * index belongs, and the number of the way in which it passes it. bits is at most the order; even in the plane.
 */
enum { HRY_HILBERT_WAYS = 24 };
uint64_t hry_hilbert_cube(uint32_t order, uint32_t rank, const uint64_t *index, uint32_t bits, unsigned *way);
/* Of the elements of such a cube, in row-major order, their positions behind the first. rank * bits is at most 16. */
void hry_hilbert_list(unsigned way, uint32_t rank, uint32_t bits, uint16_t *list);

#endif
