/* Elements from one dense place to another, bits unchanged. */
#ifndef HRY_TENSOR_MOVE_H
#define HRY_TENSOR_MOVE_H

#include "layout/map.h"

/*
 * Copies each position of from, behind src, to the same position of to, behind dst. An element of bits (1, 2, 4, 6 or a
 * multiple of 8) at offset o is o * bits bits behind the first bit of its pointer, which needs no alignment; offsets
 * may be negative. The counts of both maps are equal; the maps are used up. No two positions of to share bits; what is
 * read and what is written do not overlap. No allocation. With an executor, in parallel.
 */
void hry_move(uint32_t bits, const uint8_t *src, hry_map *from, uint8_t *dst, hry_map *to,
              const hry_executor *executor);

/* Zeros at each position of to. */
void hry_move_zeros(uint32_t bits, uint8_t *dst, hry_map *to, const hry_executor *executor);

/* The same for n elements: from two offsets on by two strides, and from and to offsets of a list. */
void hry_move_piece(uint32_t bits, const uint8_t *src, int64_t from, int64_t from_step, uint8_t *dst, int64_t to,
                    int64_t to_step, uint64_t n);
void hry_move_list(uint32_t bits, const uint8_t *src, const int64_t *from, uint8_t *dst, const int64_t *to, size_t n);

/*
 * Work on two maps of equal counts, cut along an axis for an executor: work gets parts of both, at being the position
 * of the part's first element in the uncut maps. Where to_bits is below 8, parts share no byte of to. Small jobs and
 * those that cannot be cut are one part, on the calling thread.
 */
typedef void hry_part_fn(void *ctx, hry_map *from, hry_map *to, const uint64_t *at);
void hry_in_parts(hry_map *from, hry_map *to, uint32_t to_bits, const hry_executor *executor, hry_part_fn *work,
                  void *ctx);

#endif
