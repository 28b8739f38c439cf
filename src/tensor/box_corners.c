#include "tensor/box_corners.h"

#include "base/alloc.h"
#include "base/radix_sort.h"

#include <string.h>

/* How a coordinate of each dimension becomes bits of one key. */
typedef struct packing {
    unsigned shift[64];
    const uint64_t *places[64]; /* where set, the coordinate's rank among these counts instead of its value */
    size_t place_count[64];
} packing;

static unsigned bit_length(uint64_t x)
{
    return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

static uint64_t rank_among(const uint64_t *places, size_t count, uint64_t x)
{
    size_t low = 0;
    for (size_t n = count; n > 1;) { /* the last place not above x */
        size_t half = n / 2;
        low = places[low + half] <= x ? low + half : low;
        n -= half;
    }
    return low;
}

static uint64_t part(const packing *p, uint32_t k, uint64_t x)
{
    return (p->places[k] ? rank_among(p->places[k], p->place_count[k], x) : x) << p->shift[k];
}

/* All corners of one box, those of positive sign and the others to different lists. */
static void emit(const packing *p, uint32_t rank, const uint64_t *offset, const uint64_t *size, uint64_t **even,
                 uint64_t **odd)
{
    uint64_t near[6], far[6];
    for (uint32_t k = 0; k < rank; k++) {
        near[k] = part(p, k, offset[k]);
        far[k] = part(p, k, offset[k] + size[k]);
    }
    for (uint32_t m = 0; m < 1u << rank; m++) {
        uint64_t key = 0;
        for (uint32_t k = 0; k < rank; k++)
            key |= m >> k & 1 ? far[k] : near[k];
        if (__builtin_parity(m))
            *(*odd)++ = key;
        else
            *(*even)++ = key;
    }
}

/* Places of one dimension, sorted and each once. */
static size_t distinct_places(const hry_boxes *b, uint32_t k, uint64_t *places, uint64_t *scratch)
{
    size_t n = 0, kept = 1;
    places[n++] = 0;
    places[n++] = b->space[k];
    for (size_t i = 0; i < b->count; i++) {
        places[n++] = b->offset[i * b->rank + k];
        places[n++] = b->offset[i * b->rank + k] + b->size[i * b->rank + k];
    }
    hry_sort_u64(places, scratch, n);
    for (size_t i = 1; i < n; i++)
        if (places[i] != places[kept - 1])
            places[kept++] = places[i];
    return kept;
}

/* Values where they fit 64 bits together; ranks, from the memory given, where they do not. */
static bool plan(const hry_boxes *b, packing *p, uint64_t *memory)
{
    unsigned bits = 0;
    for (uint32_t k = 0; k < b->rank; k++)
        bits += bit_length(b->space[k]);
    bool ranked = bits > 64;
    unsigned shift = 0;
    for (uint32_t k = 0; k < b->rank; k++) {
        unsigned own = bit_length(b->space[k]);
        if (ranked) {
            p->places[k] = memory;
            p->place_count[k] = distinct_places(b, k, memory, memory + 2 * b->count + 2);
            own = bit_length(p->place_count[k] - 1);
            memory += 2 * b->count + 2;
        }
        p->shift[k] = shift < 64 ? shift : 63;
        shift += own;
    }
    return shift <= 64;
}

hry_cover hry_corners_match(const hry_boxes *boxes, const hry_allocator *allocator, bool *match)
{
    /* Two lists with half of all corners each, one of scratch; places for every dimension and scratch for one. */
    uint32_t rank = boxes->rank;
    size_t half = (boxes->count + 1) << (rank - 1), places = (rank + 1) * (2 * boxes->count + 2);
    uint64_t *memory = hry_alloc_array(allocator, 3 * (uint64_t)half + places, sizeof *memory, _Alignof(uint64_t));
    if (!memory)
        return HRY_COVER_NO_MEMORY;
    packing p = { 0 };
    uint64_t none[6] = { 0 }, *even = memory, *odd = memory + half, *scratch = memory + 2 * half;
    bool fits = plan(boxes, &p, memory + 3 * half);
    if (fits) {
        uint64_t *e = even, *o = odd;
        for (size_t i = 0; i < boxes->count; i++)
            emit(&p, rank, boxes->offset + i * rank, boxes->size + i * rank, &e, &o);
        emit(&p, rank, none, boxes->space, &o, &e); /* the space itself, signs turned around */
        hry_sort_u64(even, scratch, half);
        hry_sort_u64(odd, scratch, half);
        *match = memcmp(even, odd, half * sizeof *even) == 0;
    }
    hry_free(allocator, memory, (3 * half + places) * sizeof *memory, _Alignof(uint64_t));
    return fits ? HRY_COVER_EXACT : HRY_COVER_UNKNOWN;
}
