/* Sums and products wrap in unsigned arithmetic: offsets of elements that exist fit, whatever passes on the way. */
#include "layout/map.h"

#include "base/checked.h"
#include "layout/curve.h"
#include "layout/layouts.h"

#include <string.h>

static int64_t times(uint64_t a, int64_t b)
{
    return (int64_t)(a * (uint64_t)b);
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

void hry_map_begin(hry_map *map)
{
    map->rank = map->used = map->hilbert_order = 0;
    map->empty = false;
    map->base = 0;
}

void hry_map_axis(hry_map *map, uint64_t count)
{
    map->empty |= count == 0;
    map->axis[map->rank++] = (hry_axis){ .count = count, .step = 1, .first = (uint16_t)map->used };
}

void hry_map_digit(hry_map *map, uint64_t size, int64_t stride)
{
    hry_axis *axis = &map->axis[map->rank - 1];
    if (size == 1)
        return;
    if (axis->digits) {
        hry_digit *below = &map->digit[map->used - 1];
        uint64_t joined = HRY_DIGIT_REST;
        if (stride == times(below->size, below->stride) &&
            (size == HRY_DIGIT_REST || hry_mul(below->size, size, &joined))) {
            below->size = joined;
            return;
        }
    }
    map->digit[map->used++] = (hry_digit){ size, stride };
    axis->digits++;
}

/* Leaves out the outermost digits while they do not change between two indices; what is left is unbounded again. */
static void drop_outer(hry_map *map, hry_axis *axis, uint64_t low, uint64_t high)
{
    while (axis->digits > 1) {
        uint64_t below = 1;
        for (uint32_t d = 0; d + 1u < axis->digits; d++)
            below *= map->digit[axis->first + d].size;
        uint64_t value = low / below;
        if (value != high / below)
            return;
        hry_digit *top = &map->digit[axis->first + axis->digits - 1];
        map->base = plus(map->base, times(value, top->stride));
        low -= value * below;
        high -= value * below;
        axis->start -= value * below;
        axis->digits--;
        top[-1].size = HRY_DIGIT_REST;
    }
}

/* Leaves out the innermost digit where every step is a multiple of its size. */
static void drop_inner(hry_map *map, hry_axis *axis)
{
    while (axis->digits > 1) {
        hry_digit *inner = &map->digit[axis->first];
        if (inner->size > INT64_MAX || axis->step % (int64_t)inner->size != 0)
            return;
        map->base = plus(map->base, times(axis->start % inner->size, inner->stride));
        axis->start /= inner->size;
        axis->step /= (int64_t)inner->size;
        axis->first++;
        axis->digits--;
    }
}

static void simplify(hry_map *map, hry_axis *axis)
{
    if (axis->count == 0)
        return;
    uint64_t last = (uint64_t)plus((int64_t)axis->start, times(axis->count - 1, axis->step));
    bool rises = last >= axis->start;
    drop_outer(map, axis, rises ? axis->start : last, rises ? last : axis->start);
    drop_inner(map, axis);
    hry_digit *digit = &map->digit[axis->first];
    if (axis->digits > 1)
        return;
    map->base = plus(map->base, times(axis->start, digit->stride));
    digit->stride = axis->count == 1 ? 0 : times((uint64_t)axis->step, digit->stride);
    axis->start = 0;
    axis->step = 1;
}

static void finish(hry_map *map)
{
    if (map->rank == 0) {
        hry_map_axis(map, 1);
        hry_map_digit(map, HRY_DIGIT_REST, 0);
    }
    if (map->hilbert_order || map->empty)
        return;
    for (uint32_t k = 0; k < map->rank; k++)
        simplify(map, &map->axis[k]);
}

void hry_map_strided(hry_map *map, uint32_t rank, const uint64_t *shape, const int64_t *strides)
{
    hry_map_begin(map);
    for (uint32_t k = 0; k < rank; k++) {
        hry_map_axis(map, shape[k]);
        hry_map_digit(map, HRY_DIGIT_REST, strides[k]);
    }
    finish(map);
}

/* Dimensions beside one that is empty may be of any size: of no layout's digits there are enough for them. */
static bool map_empty(hry_map *map, uint32_t rank, const uint64_t *shape)
{
    const int64_t nowhere[HRY_RANK_MAX] = { 0 };
    bool empty = false;
    for (uint32_t k = 0; k < rank; k++)
        empty |= shape[k] == 0;
    if (empty)
        hry_map_strided(map, rank, shape, nowhere);
    return empty;
}

bool hry_map_layout(hry_map *map, const hry_layout *layout, uint32_t rank, const uint64_t *shape,
                    const uint64_t *storage_shape)
{
    const hry_layout_row *row = hry_layout_row_of(layout->tag ? layout->tag : HRY_LAYOUT_ROW_MAJOR);
    if (!row || !row->map)
        return false;
    if (map_empty(map, rank, shape))
        return true;
    hry_map_begin(map);
    row->map(layout, rank, storage_shape ? storage_shape : shape, map);
    for (uint32_t k = 0; storage_shape && k < rank; k++)
        map->axis[k].count = shape[k];
    finish(map);
    return true;
}

void hry_map_packed(hry_map *map, uint32_t rank, const uint64_t *shape)
{
    hry_map_begin(map);
    hry_layout_row_major.map(NULL, rank, shape, map);
    finish(map);
}

void hry_map_copy(hry_map *to, const hry_map *from)
{
    memcpy(to, from, offsetof(hry_map, axis) + from->rank * sizeof *from->axis);
    memcpy(to->digit, from->digit, from->used * sizeof *from->digit);
}

void hry_map_select(hry_map *map, const hry_box *box)
{
    for (uint32_t k = 0; k < map->rank; k++) {
        hry_axis *axis = &map->axis[k];
        axis->start = (uint64_t)plus((int64_t)axis->start, times(box->start[k], axis->step));
        axis->step = times((uint64_t)box->step[k], axis->step);
        axis->count = box->count[k];
        map->empty |= axis->count == 0;
    }
    finish(map);
}

void hry_map_cut(hry_map *map, uint32_t k, uint64_t start, uint64_t count)
{
    hry_axis *axis = &map->axis[k];
    axis->start += start * (uint64_t)axis->step;
    axis->count = count;
    map->empty |= count == 0;
    if (!map->hilbert_order && !map->empty)
        simplify(map, axis);
}

/* Positions of axis k + 1 and then of axis k lie as those of one axis. */
static bool runs_on(const hry_map *map, uint32_t k)
{
    return hry_map_is_affine(map, k) && hry_map_is_affine(map, k + 1) &&
           hry_map_stride(map, k) == times(map->axis[k + 1].count, hry_map_stride(map, k + 1));
}

static void remove_axis(hry_map *map, uint32_t k)
{
    map->rank--;
    for (; k < map->rank; k++)
        map->axis[k] = map->axis[k + 1];
}

/* One axis of both: the outer one's place, the inner one's stride. */
static void join_axis(hry_map *map, uint32_t k)
{
    map->axis[k + 1].count *= map->axis[k].count;
    remove_axis(map, k);
}

static bool single(const hry_map *map, uint32_t k)
{
    return map->axis[k].count == 1 && map->axis[k].digits == 1;
}

void hry_map_join(hry_map *a, hry_map *b)
{
    if (a->hilbert_order || a->empty || (b && b->hilbert_order))
        return;
    for (uint32_t k = a->rank; k-- > 0 && a->rank > 1;)
        if (single(a, k) && (!b || single(b, k))) {
            remove_axis(a, k);
            if (b)
                remove_axis(b, k);
        }
    for (uint32_t k = a->rank - 1; k-- > 0;) {
        uint64_t count;
        if (runs_on(a, k) && (!b || runs_on(b, k)) && hry_mul(a->axis[k].count, a->axis[k + 1].count, &count)) {
            join_axis(a, k);
            if (b)
                join_axis(b, k);
        }
    }
}

/* How far apart neighbours on an axis lie; those that lie on one another or are alone, infinitely. */
static uint64_t distance(const hry_map *map, uint32_t k)
{
    int64_t stride = times((uint64_t)map->axis[k].step, map->digit[map->axis[k].first].stride);
    uint64_t apart = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
    return apart ? apart : UINT64_MAX;
}

uint32_t hry_map_fastest(const hry_map *map)
{
    uint32_t fastest = map->rank - 1;
    for (uint32_t k = fastest; k-- > 0;)
        if (distance(map, k) < distance(map, fastest))
            fastest = k;
    return fastest;
}

static void move_axis(hry_map *map, uint32_t from, uint32_t to)
{
    hry_axis moved = map->axis[from];
    for (; from > to; from--)
        map->axis[from] = map->axis[from - 1];
    for (; from < to; from++)
        map->axis[from] = map->axis[from + 1];
    map->axis[to] = moved;
}

void hry_map_reorder(hry_map *a, hry_map *b)
{
    if (a->hilbert_order || b->hilbert_order || a->empty)
        return;
    for (uint32_t k = 1; k < b->rank; k++) {
        uint32_t to = k;
        while (to > 0 && distance(b, to - 1) < distance(b, k))
            to--;
        move_axis(a, k, to);
        move_axis(b, k, to);
    }
    hry_map_join(a, b);
}

bool hry_map_count(const hry_map *map, uint64_t *count)
{
    uint64_t total = 1;
    for (uint32_t k = 0; k < map->rank; k++)
        if (!map->empty && !hry_mul(total, map->axis[k].count, &total))
            return false;
    *count = map->empty ? 0 : total;
    return true;
}

static uint64_t index_at(const hry_axis *axis, uint64_t j)
{
    return axis->start + j * (uint64_t)axis->step;
}

static int64_t part_of_index(const hry_map *map, const hry_axis *axis, uint64_t index)
{
    const hry_digit *digit = &map->digit[axis->first], *last = digit + axis->digits - 1;
    int64_t part = 0;
    for (; digit < last; digit++) {
        if (digit->size == 2) { /* all of Morton's are, and there are many */
            part = plus(part, times(index & 1, digit->stride));
            index >>= 1;
            continue;
        }
        part = plus(part, times(index % digit->size, digit->stride));
        index /= digit->size;
    }
    return plus(part, times(index, last->stride));
}

int64_t hry_map_part(const hry_map *map, uint32_t k, uint64_t j)
{
    return part_of_index(map, &map->axis[k], index_at(&map->axis[k], j));
}

uint64_t hry_map_piece(const hry_map *map, uint32_t k, uint64_t j, int64_t *part, int64_t *stride)
{
    const hry_axis *axis = &map->axis[k];
    const hry_digit *digit = &map->digit[axis->first];
    uint64_t left = axis->count - j;
    *part = hry_map_part(map, k, j);
    *stride = times((uint64_t)axis->step, digit->stride);
    if (axis->digits == 1)
        return left;
    uint64_t place = index_at(axis, j) % digit->size;
    uint64_t piece =
        axis->step > 0 ? (digit->size - 1 - place) / (uint64_t)axis->step + 1 : place / (0 - (uint64_t)axis->step) + 1;
    return piece < left ? piece : left;
}

/* Counts up in the mixed radix: the sum changes by one stride, or by a carry, which gets rarer from digit to digit. */
static void count_up(const hry_map *map, const hry_axis *axis, int64_t base, uint64_t index, size_t n, int64_t *parts)
{
    const hry_digit *digit = &map->digit[axis->first];
    uint64_t value[HRY_RANK_MAX];
    int64_t part = plus(base, part_of_index(map, axis, index));
    uint32_t last = axis->digits - 1u;
    for (uint32_t d = 0; d < last; d++) {
        value[d] = index % digit[d].size;
        index /= digit[d].size;
    }
    for (size_t i = 0; i < n; i++) {
        parts[i] = part;
        uint32_t d = 0;
        for (; d < last && ++value[d] == digit[d].size; d++) {
            part = plus(part, times(0 - (digit[d].size - 1), digit[d].stride));
            value[d] = 0;
        }
        part = plus(part, digit[d].stride);
    }
}

/* How many indices the innermost digits take that are few enough for a list; 1 for none. */
static uint64_t period_of(const hry_map *map, const hry_axis *axis, uint64_t most)
{
    uint64_t period = 1;
    for (uint32_t d = 0; d + 1u < axis->digits && map->digit[axis->first + d].size <= most / period; d++)
        period *= map->digit[axis->first + d].size;
    return period;
}

/* The innermost digits are listed once; each further time that they are gone through adds what the outer ones make. */
static void repeat(const hry_map *map, const hry_axis *axis, int64_t base, uint64_t index, size_t n, int64_t *parts)
{
    enum { MOST = 64 };
    int64_t inner[MOST];
    size_t period = (size_t)period_of(map, axis, MOST), head = (size_t)((period - index % period) % period);
    if (n < 2 * period || period < 4) {
        count_up(map, axis, base, index, n, parts);
        return;
    }
    count_up(map, axis, base, index, head, parts);
    count_up(map, axis, 0, 0, period, inner);
    for (size_t done = head, some; done < n; done += some) {
        int64_t outer = plus(base, part_of_index(map, axis, index + done));
        some = n - done < period ? n - done : period;
        for (size_t i = 0; i < some; i++)
            parts[done + i] = plus(outer, inner[i]);
    }
}

/* The same as hry_map_parts, added to base. */
static void parts_from(const hry_map *map, uint32_t k, int64_t base, uint64_t j, size_t n, int64_t *parts)
{
    const hry_axis *axis = &map->axis[k];
    if (axis->step == 1) {
        repeat(map, axis, base, index_at(axis, j), n, parts);
        return;
    }
    for (size_t i = 0; i < n; i++)
        parts[i] = plus(base, hry_map_part(map, k, j + i));
}

void hry_map_parts(const hry_map *map, uint32_t k, uint64_t j, size_t n, int64_t *parts)
{
    parts_from(map, k, 0, j, n, parts);
}

int64_t hry_map_offset(const hry_map *map, const uint64_t *at)
{
    if (map->hilbert_order) {
        uint64_t index[HRY_RANK_MAX];
        for (uint32_t k = 0; k < map->rank; k++)
            index[k] = index_at(&map->axis[k], at[k]);
        return (int64_t)hry_hilbert_encode(map->hilbert_order, map->rank, index);
    }
    int64_t offset = map->base;
    for (uint32_t k = 0; k < map->rank; k++)
        offset = plus(offset, hry_map_part(map, k, at[k]));
    return offset;
}

void hry_map_line(const hry_map *map, const uint64_t *at, size_t n, int64_t *offsets)
{
    uint32_t last = map->rank - 1;
    if (map->hilbert_order) {
        uint64_t index[HRY_RANK_MAX];
        for (uint32_t k = 0; k <= last; k++)
            index[k] = index_at(&map->axis[k], at[k]);
        hry_hilbert_line(map->hilbert_order, map->rank, index, map->axis[last].step, n, offsets);
        return;
    }
    int64_t row = map->base;
    for (uint32_t k = 0; k < last; k++)
        row = plus(row, hry_map_part(map, k, at[k]));
    parts_from(map, last, row, at[last], n, offsets);
}
