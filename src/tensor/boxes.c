#include "tensor/boxes.h"

#include "base/alloc.h"
#include "base/radix_sort.h"
#include "tensor/box_corners.h"
#include "tensor/wide.h"

#include <string.h>

/* Up to here every pair is compared; above, corners are matched while they are few for each box, else boxes swept. */
enum { FEW = 64, CORNER_DIMENSIONS_MAX = 6 };
#define PAIRS_MAX ((uint64_t)1 << 28)

static const uint64_t *offset_of(const hry_boxes *b, size_t i)
{
    return b->offset + i * b->rank;
}

static const uint64_t *size_of(const hry_boxes *b, size_t i)
{
    return b->size + i * b->rank;
}

/* Leaves out the dimensions that every box spans: they decide nothing. */
static void drop_spanned(hry_boxes *b, uint64_t *space)
{
    uint32_t kept[64], n = 0;
    for (uint32_t k = 0; k < b->rank; k++) {
        bool spanned = true;
        for (size_t i = 0; i < b->count && spanned; i++)
            spanned = offset_of(b, i)[k] == 0 && size_of(b, i)[k] == b->space[k];
        if (!spanned)
            kept[n++] = k;
    }
    for (size_t i = 0; i < b->count && n != b->rank; i++)
        for (uint32_t k = 0; k < n; k++) { /* never ahead of what is still to be read */
            b->offset[i * n + k] = b->offset[i * b->rank + kept[k]];
            b->size[i * n + k] = b->size[i * b->rank + kept[k]];
        }
    for (uint32_t k = 0; k < n; k++)
        space[k] = b->space[kept[k]];
    b->space = space;
    b->rank = n;
}

static bool overlap(const hry_boxes *b, size_t i, size_t j)
{
    const uint64_t *oi = offset_of(b, i), *si = size_of(b, i), *oj = offset_of(b, j), *sj = size_of(b, j);
    for (uint32_t k = 0; k < b->rank; k++)
        if (oi[k] >= oj[k] + sj[k] || oj[k] >= oi[k] + si[k])
            return false;
    return true;
}

static hry_cover found(size_t i, size_t j, size_t pair[2])
{
    pair[0] = i < j ? i : j;
    pair[1] = i < j ? j : i;
    return HRY_COVER_OVERLAP;
}

/* HRY_COVER_EXACT stands for "no overlap" in the functions that only look for one. */
static hry_cover compare_all(const hry_boxes *b, size_t pair[2])
{
    for (size_t j = 1; j < b->count; j++)
        for (size_t i = 0; i < j; i++)
            if (overlap(b, i, j))
                return found(i, j, pair);
    return HRY_COVER_EXACT;
}

static void sort_by(const hry_boxes *b, uint32_t k, hry_sort_key *keys, hry_sort_key *scratch)
{
    for (size_t i = 0; i < b->count; i++)
        keys[i] = (hry_sort_key){ offset_of(b, i)[k], (uint32_t)i, 0 };
    hry_sort_keys(keys, scratch, b->count);
}

/* The dimension in which the boxes start at the most places: few of them meet there. */
static uint32_t widest_spread(const hry_boxes *b, hry_sort_key *keys, hry_sort_key *scratch)
{
    uint32_t best = 0;
    size_t most = 0;
    for (uint32_t k = 0; k < b->rank; k++) {
        size_t distinct = 1;
        sort_by(b, k, keys, scratch);
        for (size_t i = 1; i < b->count; i++)
            distinct += keys[i].key != keys[i - 1].key;
        best = distinct > most ? k : best;
        most = distinct > most ? distinct : most;
    }
    return best;
}

/* Compares only boxes whose intervals meet in one dimension. */
static hry_cover sweep(const hry_boxes *b, hry_sort_key *keys, size_t pair[2])
{
    uint32_t k = widest_spread(b, keys, keys + b->count);
    uint64_t work = 0;
    sort_by(b, k, keys, keys + b->count);
    for (size_t i = 0; i < b->count; i++) {
        size_t box = keys[i].position;
        uint64_t end = keys[i].key + size_of(b, box)[k];
        for (size_t j = i + 1; j < b->count && keys[j].key < end; j++) {
            if (overlap(b, box, keys[j].position))
                return found(box, keys[j].position, pair);
            if (++work > PAIRS_MAX)
                return HRY_COVER_UNKNOWN;
        }
    }
    return HRY_COVER_EXACT;
}

static hry_cover find_overlap(const hry_boxes *b, const hry_allocator *allocator, size_t pair[2])
{
    if (b->count <= FEW)
        return compare_all(b, pair);
    hry_sort_key *keys = hry_alloc_array(allocator, 2 * (uint64_t)b->count, sizeof *keys, _Alignof(hry_sort_key));
    if (!keys)
        return HRY_COVER_NO_MEMORY;
    hry_cover cover = sweep(b, keys, pair);
    hry_free(allocator, keys, 2 * b->count * sizeof *keys, _Alignof(hry_sort_key));
    return cover;
}

/* Boxes that do not overlap cover the space when their volumes add up to its own. */
static bool volumes_add_up(const hry_boxes *b)
{
    hry_wide sum = { 0 }, whole;
    for (size_t i = 0; i < b->count; i++) {
        hry_wide volume;
        hry_wide_product(size_of(b, i), b->rank, &volume);
        hry_wide_add(&sum, &volume);
    }
    hry_wide_product(b->space, b->rank, &whole);
    return hry_wide_equal(&sum, &whole);
}

static hry_cover by_volumes(const hry_boxes *b, const hry_allocator *allocator, size_t pair[2])
{
    hry_cover cover = find_overlap(b, allocator, pair);
    return cover != HRY_COVER_EXACT || volumes_add_up(b) ? cover : HRY_COVER_GAP;
}

static bool has_empty(const uint64_t *size, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (size[k] == 0)
            return true;
    return false;
}

/* A box of size zero has no corners to match, but one inside another counts as an overlap. (B-97) */
static hry_cover by_corners(const hry_boxes *b, const hry_allocator *allocator, size_t pair[2])
{
    bool match;
    hry_cover cover = hry_corners_match(b, allocator, &match);
    if (cover != HRY_COVER_EXACT)
        return cover == HRY_COVER_UNKNOWN ? by_volumes(b, allocator, pair) : cover;
    if (match && !has_empty(b->size, b->count * b->rank))
        return HRY_COVER_EXACT;
    cover = find_overlap(b, allocator, pair);
    if (match)
        return cover;
    return cover == HRY_COVER_EXACT || cover == HRY_COVER_UNKNOWN ? HRY_COVER_GAP : cover;
}

hry_cover hry_boxes_cover(hry_boxes *boxes, const hry_allocator *allocator, size_t pair[2])
{
    uint64_t space[64];
    if (has_empty(boxes->space, boxes->rank))
        return HRY_COVER_EXACT;
    if (boxes->count == 0)
        return HRY_COVER_GAP;
    drop_spanned(boxes, space);
    if (boxes->rank == 0)
        return boxes->count == 1 ? HRY_COVER_EXACT : found(0, 1, pair);
    return boxes->count <= FEW || boxes->rank > CORNER_DIMENSIONS_MAX ? by_volumes(boxes, allocator, pair)
                                                                      : by_corners(boxes, allocator, pair);
}
