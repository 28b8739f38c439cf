#include "layout/blocks.h"

#include "layout/curve.h"

/* Bits of an index inside a block. */
static uint32_t bits_of_rank(uint32_t rank)
{
    return rank == 2 ? 4 : rank == 3 ? 3 : 2;
}

/* The part of an index in the offset, whatever the map starts at. */
static int64_t part_of(const hry_map *map, uint32_t k, uint64_t index)
{
    return hry_map_part(map, k, index - map->axis[k].start);
}

/* The digits of an index inside a block are bits, as Morton's are: tiles have better ways. */
static bool axis_has_blocks(const hry_map *map, uint32_t k, uint32_t bits)
{
    const hry_axis *axis = &map->axis[k];
    for (uint32_t d = 0; d + 1u < axis->digits && d < bits; d++)
        if (map->digit[axis->first + d].size != 2)
            return false;
    /* The outermost is unbounded; of a curve it is a bit, too. */
    bool all_bits = axis->digits > bits || axis->start + axis->count <= (uint64_t)1 << axis->digits;
    return axis->step == 1 && all_bits;
}

/* The one list of a separable map; false when an offset does not fit. */
static bool list_parts(hry_blocks *b)
{
    const hry_map *map = b->map;
    uint32_t side = 1u << b->bits;
    uint16_t *list = b->room;
    list[0] = 0;
    for (uint32_t k = map->rank, below = 1; k-- > 0; below <<= b->bits)
        for (uint32_t i = 1; i < side; i++) {
            bool exists = i < map->axis[k].start + map->axis[k].count;
            int64_t part = exists ? part_of(map, k, i) : 0;
            for (uint32_t e = 0; e < below; e++) {
                if (part < 0 || part > UINT16_MAX - list[e])
                    return false;
                list[i * below + e] = (uint16_t)(list[e] + part);
            }
        }
    return true;
}

bool hry_map_in_blocks(const hry_map *map)
{
    if (map->empty || map->rank < 2 || map->rank > HRY_BLOCK_RANK_MAX || hry_map_long_runs(map))
        return false;
    uint32_t bits = bits_of_rank(map->rank);
    uint64_t side = (uint64_t)1 << bits, rows = 1;
    for (uint32_t k = 0; k < map->rank; k++) {
        if (map->hilbert_order ? map->axis[k].step != 1 : !axis_has_blocks(map, k, bits))
            return false;
        if (k + 1 < map->rank)
            rows *= map->axis[k].count < side ? map->axis[k].count : side;
    }
    bool thin = 4 * rows < (uint64_t)1 << bits * (map->rank - 1);
    return !thin && (map->hilbert_order == 0 || (map->rank <= 3 && map->hilbert_order >= bits));
}

bool hry_blocks_init(hry_blocks *b, const hry_map *map)
{
    b->map = map;
    b->bits = bits_of_rank(map->rank);
    b->elements = 1u << (b->bits * map->rank);
    b->made = 0;
    return map->hilbert_order || list_parts(b);
}

static void line_of_curve(hry_blocks *b, const uint64_t *index, size_t n, int64_t *offsets, uint8_t *lists)
{
    uint32_t rank = b->map->rank;
    uint64_t at[3] = { index[0], index[1], index[rank - 1] };
    for (size_t i = 0; i < n; i++, at[rank - 1] += (uint64_t)1 << b->bits) {
        unsigned way;
        offsets[i] = (int64_t)hry_hilbert_cube(b->map->hilbert_order, rank, at, b->bits, &way);
        if (!(b->made >> way & 1))
            hry_hilbert_list(way, rank, b->bits, b->room + way * b->elements);
        b->made |= (uint32_t)1 << way;
        lists[i] = (uint8_t)way;
    }
}

void hry_blocks_line(hry_blocks *b, const uint64_t *index, size_t n, int64_t *offsets, uint8_t *lists)
{
    const hry_map *map = b->map;
    uint32_t last = map->rank - 1;
    if (map->hilbert_order) {
        line_of_curve(b, index, n, offsets, lists);
        return;
    }
    uint64_t row = (uint64_t)map->base;
    for (uint32_t k = 0; k < last; k++)
        row += (uint64_t)part_of(map, k, index[k]);
    for (size_t i = 0; i < n; i++) {
        offsets[i] = (int64_t)(row + (uint64_t)part_of(map, last, index[last] + ((uint64_t)i << b->bits)));
        lists[i] = 0;
    }
}

void hry_brick_set(hry_brick *brick, const hry_map *map, uint32_t k, uint64_t index)
{
    const hry_axis *axis = &map->axis[k];
    uint64_t end = axis->start + axis->count, side = (uint64_t)1 << brick->bits[k];
    brick->index[k] = index;
    brick->inside[k] = index < axis->start ? axis->start - index : 0;
    brick->count[k] = (end - index < side ? end - index : side) - brick->inside[k];
}

static void set_first(hry_brick *brick, const hry_map *map, uint32_t k)
{
    hry_brick_set(brick, map, k, map->axis[k].start >> brick->bits[k] << brick->bits[k]);
}

bool hry_brick_first(hry_brick *brick, const hry_map *map, uint64_t most)
{
    uint32_t bits = bits_of_rank(map->rank), last = map->rank - 1, all = bits * map->rank;
    if ((uint64_t)1 << all > most)
        return false;
    for (uint32_t k = 0; k <= last; k++)
        brick->bits[k] = bits;
    for (; (uint64_t)2 << all <= most; all++)
        brick->bits[last]++;
    for (uint32_t k = 0; k <= last; k++)
        set_first(brick, map, k);
    return true;
}

bool hry_brick_next(hry_brick *brick, const hry_map *map, uint32_t axes)
{
    for (uint32_t k = axes; k-- > 0;) {
        uint64_t next = brick->index[k] + ((uint64_t)1 << brick->bits[k]);
        if (next < map->axis[k].start + map->axis[k].count) {
            hry_brick_set(brick, map, k, next);
            return true;
        }
        set_first(brick, map, k);
    }
    return false;
}

void hry_brick_cut(const hry_brick *brick, const hry_map *map, const hry_map *other, hry_map *cut)
{
    hry_map_copy(cut, other);
    for (uint32_t k = 0; k < map->rank; k++)
        hry_map_cut(cut, k, hry_brick_position(brick, map, k), brick->count[k]);
}
