/*
 * Where the elements of a dense layout lie: element offset as a function of the logical index.
 *
 * All dense layouts but Hilbert are separable: offset(i) = base + sum over k of T_k(i[k]), and each T_k is a sum over
 * the digits of i[k] in a mixed radix: row- and column-major and strided have one digit, tiled one for each level and
 * one for the place inside the innermost tile, Morton one for each bit. So a map has for each axis its digits,
 * innermost first, each with a size (the number of its values; the outermost digit is unbounded) and a stride (in
 * elements). It takes no memory beyond itself, whatever the size of the tensor. The Hilbert curve is not separable; its
 * map holds the box alone, and the functions below that take any map know how to ask the curve.
 *
 * A map is made for a box of the tensor (start, count, step for each axis) and speaks of positions in it, from 0 to
 * count - 1. What the box leaves constant is folded into base, so that an axis inside one tile is as simple as one of
 * a plain array. Offsets are those of elements that exist, so that they fit int64_t; strides that nothing is ever
 * multiplied with are 0.
 */
#ifndef HRY_LAYOUT_MAP_H
#define HRY_LAYOUT_MAP_H

#include "base/status.h"

#include <hurray/layout.h>

/* The most that a layout can have: a digit for each level of tiling and the place in the innermost tile. */
#define HRY_MAP_DIGITS (HRY_RANK_MAX * (HRY_TILE_LEVELS_MAX + 1))

typedef struct hry_digit {
    uint64_t size;
    int64_t stride;
} hry_digit;

/* Position j of an axis is index start + j * step, whose digits are digit[first] .. digit[first + digits - 1]. */
typedef struct hry_axis {
    uint64_t start, count;
    int64_t step;
    uint16_t first, digits;
} hry_axis;

typedef struct hry_map {
    uint32_t rank;          /* at least 1: a scalar has one axis of one element */
    uint32_t used;          /* digits in use */
    uint32_t hilbert_order; /* not 0: a Hilbert curve, without digits */
    bool empty;             /* some count is 0: there are no offsets */
    int64_t base;
    hry_axis axis[HRY_RANK_MAX];
    hry_digit digit[HRY_MAP_DIGITS];
} hry_map;

/* ---- Making one ---- */

/*
 * The map of a whole tensor. shape is static, and the tensor one whose elements all lie in a buffer (D-37 was
 * checked), layout as hry_desc_layout_get gives it. Where rows are longer in storage than shape says (padded blocks),
 * storage_shape has their lengths; else it is NULL. False for layouts that are not dense.
 */
bool hry_map_layout(hry_map *map, const hry_layout *layout, uint32_t rank, const uint64_t *shape,
                    const uint64_t *storage_shape);

/* Any strides, in elements: a destination of the caller's. */
void hry_map_strided(hry_map *map, uint32_t rank, const uint64_t *shape, const int64_t *strides);
/* Packed in row-major order. */
void hry_map_packed(hry_map *map, uint32_t rank, const uint64_t *shape);

/*
 * Makes *whole of a caller's box: NULL is everything, a step of 0 becomes 1, and a scalar has one dimension of one
 * element, as in its map. HRY_E_USAGE when an index is outside of shape. whole may be box.
 */
hry_status hry_box_resolve(const hry_box *box, uint32_t rank, const uint64_t *shape, hry_box *whole, hry_error *err);

/* Copies what is in use; a map has room for much more. */
void hry_map_copy(hry_map *to, const hry_map *from);

/* Narrows a map to a box of what it maps, one that hry_box_resolve has made. */
void hry_map_select(hry_map *map, const hry_box *box);

/* Narrows one axis to count positions from start on. */
void hry_map_cut(hry_map *map, uint32_t k, uint64_t start, uint64_t count);

/*
 * Takes axes of one element away, and makes one of neighbours that run on in both maps. The order of elements does not
 * change, the axes and positions do. b may be NULL; else its counts are those of a. No effect on Hilbert's.
 */
void hry_map_join(hry_map *a, hry_map *b);

/*
 * Puts the axes in an order that suits b, when any order will do: as they follow one another there, from the slowest to
 * the fastest, and joined. Not for Hilbert's.
 */
void hry_map_reorder(hry_map *a, hry_map *b);

/*
 * The stretches of axis k, three at most, that hry_map_split likes to find alone: up to where a tile starts, of whole
 * tiles, and what is left. ends gets the position behind each, the count last; returns how many there are.
 */
uint32_t hry_map_stretches(const hry_map *a, const hry_map *b, uint32_t k, uint64_t *ends);

/*
 * Makes each axis that has several digits in either map into several, each affine in both: position j of axis k becomes
 * j / n of axis k and j % n of axis k + 1, n being the size of a tile. The order of elements does not change. False
 * where that cannot be done for all of it: maps that are no tilings, or whose tiles do not meet.
 */
bool hry_map_split(hry_map *a, hry_map *b);

/* ---- Asking one ---- */

static inline bool hry_map_is_affine(const hry_map *map, uint32_t k)
{
    return map->axis[k].digits == 1;
}

/* The stride along an axis that is affine. */
static inline int64_t hry_map_stride(const hry_map *map, uint32_t k)
{
    return map->digit[map->axis[k].first].stride;
}

/* The axis along which neighbours lie nearest to one another, the last of such. Not for Hilbert's. */
uint32_t hry_map_fastest(const hry_map *map);

/* The product of the counts; false when it does not fit. */
bool hry_map_count(const hry_map *map, uint64_t *count);

/* The part of position j on axis k in the offset. Not for Hilbert's. */
int64_t hry_map_part(const hry_map *map, uint32_t k, uint64_t j);

/*
 * The longest piece of an axis from position j on that one stride describes: returns its length, with the part of its
 * first position in *part and the stride in *stride. Not for Hilbert's.
 */
uint64_t hry_map_piece(const hry_map *map, uint32_t k, uint64_t j, int64_t *part, int64_t *stride);

/* The parts of n positions of axis k from j on. Not for Hilbert's. */
void hry_map_parts(const hry_map *map, uint32_t k, uint64_t j, size_t n, int64_t *parts);

/* The offset of a position. Any map. */
int64_t hry_map_offset(const hry_map *map, const uint64_t *at);

/* The offsets of n positions along the last axis from at on. Any map. */
void hry_map_line(const hry_map *map, const uint64_t *at, size_t n, int64_t *offsets);

/* ---- Walking one ---- */

/* A piece of a row along the last axis: element i of count is at offset + i * stride. */
typedef struct hry_run {
    int64_t offset, stride;
    uint64_t count;
} hry_run;

/*
 * Goes through the positions in row-major order, run by run; works for any map. at is the position of the first element
 * of the run that was given last. Where pieces of the last axis are short (hry_map_long_runs), lines are faster:
 *     for (bool more = hry_walk_init(&walk, &map); more; more = hry_walk_row(&walk))
 *         hry_map_line(&map, walk.at, n, offsets);
 */
typedef struct hry_walk {
    const hry_map *map;
    int64_t row;    /* the sum of base and all parts but the last axis's */
    uint64_t taken; /* elements of this row that were given last */
    uint64_t at[HRY_RANK_MAX];
    int64_t part[HRY_RANK_MAX];
} hry_walk;

/* To the start of the first row, before its first run; false when there is none. */
bool hry_walk_init(hry_walk *walk, const hry_map *map);
/* The next run; false when there is no more. */
bool hry_walk_next(hry_walk *walk, hry_run *run);
/* To the start of the next row; false behind the last. */
bool hry_walk_row(hry_walk *walk);

/* Runs of the last axis have at least 16 elements, or all there are. */
bool hry_map_long_runs(const hry_map *map);

/* ---- For the layouts that fill a map in ---- */

void hry_map_begin(hry_map *map);
/* The next axis, whole; its digits follow, innermost first. */
void hry_map_axis(hry_map *map, uint64_t count);
/* A digit of the last axis. size HRY_DIGIT_REST for the outermost. */
void hry_map_digit(hry_map *map, uint64_t size, int64_t stride);
#define HRY_DIGIT_REST UINT64_MAX

#endif
