#include "layout/map.h"

#include <string.h>

bool hry_walk_init(hry_walk *walk, const hry_map *map)
{
    walk->map = map;
    walk->taken = 0;
    memset(walk->at, 0, map->rank * sizeof *walk->at);
    walk->row = map->base;
    for (uint32_t k = 0; k + 1 < map->rank; k++) {
        walk->part[k] = map->empty || map->hilbert_order ? 0 : hry_map_part(map, k, 0);
        walk->row = (int64_t)((uint64_t)walk->row + (uint64_t)walk->part[k]);
    }
    return !map->empty;
}

static int64_t part_at(const hry_map *map, uint32_t k, uint64_t j)
{
    if (map->hilbert_order)
        return 0;
    return hry_map_is_affine(map, k) ? (int64_t)(j * (uint64_t)hry_map_stride(map, k)) : hry_map_part(map, k, j);
}

bool hry_walk_row(hry_walk *walk)
{
    const hry_map *map = walk->map;
    walk->at[map->rank - 1] = walk->taken = 0;
    for (uint32_t k = map->rank - 1; k-- > 0;) {
        bool carry = ++walk->at[k] == map->axis[k].count;
        if (carry)
            walk->at[k] = 0;
        int64_t part = part_at(map, k, walk->at[k]);
        walk->row = (int64_t)((uint64_t)walk->row - (uint64_t)walk->part[k] + (uint64_t)part);
        walk->part[k] = part;
        if (!carry)
            return true;
    }
    return false;
}

bool hry_walk_next(hry_walk *walk, hry_run *run)
{
    const hry_map *map = walk->map;
    uint32_t last = map->rank - 1;
    if (map->empty)
        return false;
    walk->at[last] += walk->taken;
    if (walk->at[last] == map->axis[last].count && !hry_walk_row(walk))
        return false;
    if (map->hilbert_order) {
        *run = (hry_run){ .offset = hry_map_offset(map, walk->at), .count = 1 };
    } else {
        run->count = hry_map_piece(map, last, walk->at[last], &run->offset, &run->stride);
        run->offset = (int64_t)((uint64_t)run->offset + (uint64_t)walk->row);
    }
    walk->taken = run->count;
    return true;
}

bool hry_map_long_runs(const hry_map *map)
{
    if (map->hilbert_order)
        return false;
    const hry_axis *axis = &map->axis[map->rank - 1];
    if (axis->digits == 1)
        return true;
    uint64_t step = axis->step < 0 ? 0 - (uint64_t)axis->step : (uint64_t)axis->step;
    return map->digit[axis->first].size / step >= 16;
}
