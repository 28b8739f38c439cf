/* Making affine axes of digits, so that a tiling is no more than a box of more axes. */
#include "layout/map.h"

#include "base/checked.h"

/* A curve has a digit for each bit. To go along those is slower than to list what they come to. */
enum { FEW_DIGITS = 3 };

static const hry_digit *digits_of(const hry_map *map, uint32_t k)
{
    return &map->digit[map->axis[k].first];
}

/* How many indices of an axis all digits but the outermost have; 0 where that is beyond reckoning. */
static uint64_t period(const hry_map *map, uint32_t k)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d + 1u < map->axis[k].digits; d++)
        if (!hry_mul(n, digits_of(map, k)[d].size, &n))
            return 0;
    return n;
}

/* Whether an axis has tiles that can be gone along, or none. */
static bool is_tiled(const hry_map *map, uint32_t k)
{
    return map->axis[k].digits == 1 || (map->axis[k].digits <= FEW_DIGITS && map->axis[k].step == 1);
}

uint32_t hry_map_stretches(const hry_map *a, const hry_map *b, uint32_t k, uint64_t *ends)
{
    uint64_t count = a->axis[k].count, tile = 1, start = 0;
    uint32_t n = 0;
    if (!a->hilbert_order && !b->hilbert_order && is_tiled(a, k) && is_tiled(b, k)) {
        uint64_t tile_b = period(b, k);
        tile = period(a, k);
        start = a->axis[k].start;
        if (tile_b > tile) {
            tile = tile_b;
            start = b->axis[k].start;
        }
    }
    if (tile > 1) {
        uint64_t head = (tile - start % tile) % tile, whole = head < count ? (count - head) / tile * tile : 0;
        if (head > 0 && head < count)
            ends[n++] = head;
        if (whole > 0 && head + whole < count)
            ends[n++] = head + whole;
    }
    ends[n++] = count;
    return n;
}

/* The axis k as two: k + 1 goes along the positions in a tile, which the innermost digit falls into. */
static void split_axis(hry_map *map, uint32_t k, uint64_t tile)
{
    hry_axis *outer = &map->axis[k];
    hry_digit *digit = &map->digit[outer->first];
    for (uint32_t i = map->rank++; i > k + 1; i--)
        map->axis[i] = map->axis[i - 1];
    map->axis[k + 1] = (hry_axis){ .count = tile, .step = 1, .first = (uint16_t)map->used, .digits = 1 };
    map->digit[map->used++] = (hry_digit){ tile, digit->stride };
    if (outer->digits > 1 && digit->size == tile) {
        outer->first++;
        outer->digits--;
    } else {
        digit->size = digit->size == HRY_DIGIT_REST ? HRY_DIGIT_REST : digit->size / tile;
        digit->stride = (int64_t)((uint64_t)digit->stride * tile);
    }
    outer->start /= tile;
    hry_map_cut(map, k, 0, outer->count / tile); /* which folds in what the start leaves constant */
}

/* Whether an axis falls into tiles from its first position to its last. */
static bool falls_into(const hry_map *map, uint32_t k, uint64_t tile)
{
    const hry_axis *axis = &map->axis[k];
    if (axis->count % tile != 0 || map->rank == HRY_RANK_MAX || map->used == HRY_MAP_DIGITS)
        return false;
    return is_tiled(map, k) && (axis->digits == 1 || (axis->start % tile == 0 && digits_of(map, k)->size % tile == 0));
}

static bool split_once(hry_map *a, hry_map *b, uint32_t k)
{
    uint64_t tile = UINT64_MAX;
    if (!hry_map_is_affine(a, k))
        tile = digits_of(a, k)->size;
    if (!hry_map_is_affine(b, k) && digits_of(b, k)->size < tile)
        tile = digits_of(b, k)->size;
    if (!falls_into(a, k, tile) || !falls_into(b, k, tile))
        return false;
    split_axis(a, k, tile);
    split_axis(b, k, tile);
    return true;
}

bool hry_map_split(hry_map *a, hry_map *b)
{
    if (a->hilbert_order || b->hilbert_order)
        return false;
    for (uint32_t k = a->rank; k-- > 0;)
        while (!hry_map_is_affine(a, k) || !hry_map_is_affine(b, k))
            if (!split_once(a, b, k))
                return false;
    return true;
}
