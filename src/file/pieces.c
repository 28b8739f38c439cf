#include "base/alloc.h"
#include "base/bytes.h"
#include "file/writer.h"

static hry_str name_at(const void *list, uint32_t i)
{
    return hry_pieces_name(list, i);
}

hry_str hry_pieces_name(const hry_pieces *pieces, size_t i)
{
    const uint8_t *p = pieces->bytes + pieces->at[i];
    return (hry_str){ (const char *)p + 2, hry_load16(p) };
}

static bool make_room(hry_pieces *pieces, const hry_allocator *allocator, size_t nbytes)
{
    void *bytes = pieces->bytes, *at = pieces->at;
    if (!hry_grow(allocator, &bytes, &pieces->capacity, pieces->length + nbytes, 1, 1))
        return false;
    pieces->bytes = bytes;
    if (!hry_grow(allocator, &at, &pieces->at_capacity, pieces->count + 1, sizeof(uint32_t), _Alignof(uint32_t)))
        return false;
    pieces->at = at;
    return hry_names_reserve(&pieces->names, allocator, pieces->count + 1);
}

uint8_t *hry_pieces_add(hry_pieces *pieces, const hry_allocator *allocator, hry_str name, size_t nbytes)
{
    size_t total = 2 + name.len + nbytes;
    if (!make_room(pieces, allocator, total))
        return NULL;
    uint8_t *piece = pieces->bytes + pieces->length;
    hry_store16(piece, (uint16_t)name.len);
    memcpy(piece + 2, name.ptr, name.len);
    uint32_t i = (uint32_t)pieces->count, earlier;
    pieces->at[i] = (uint32_t)pieces->length;
    pieces->count++;
    hry_names_add(&pieces->names, name_at, pieces, hry_pieces_name(pieces, i), i, &earlier);
    pieces->length += total;
    return piece + 2 + name.len;
}

bool hry_pieces_has(const hry_pieces *pieces, hry_str name)
{
    uint32_t i;
    return hry_names_find(&pieces->names, name_at, pieces, name, &i);
}

/* Merges two sorted neighbours of from into to. */
static void merge(const hry_pieces *pieces, const uint32_t *from, uint32_t *to, size_t low, size_t middle, size_t high)
{
    size_t a = low, b = middle;
    for (size_t k = low; k < high; k++) {
        bool left = b == high || (a < middle && hry_str_compare(hry_pieces_name(pieces, from[a]),
                                                                hry_pieces_name(pieces, from[b])) <= 0);
        to[k] = left ? from[a++] : from[b++];
    }
}

void hry_pieces_sort(const hry_pieces *pieces, uint32_t *order, uint32_t *scratch)
{
    size_t count = pieces->count;
    uint32_t *from = order, *to = scratch;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = low + width < count ? low + width : count;
            merge(pieces, from, to, low, middle, middle + width < count ? middle + width : count);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order)
        memcpy(order, from, count * sizeof *order);
}

void hry_pieces_fini(hry_pieces *pieces, const hry_allocator *allocator)
{
    hry_free(allocator, pieces->bytes, pieces->capacity, 1);
    hry_free(allocator, pieces->at, pieces->at_capacity * sizeof *pieces->at, _Alignof(uint32_t));
    hry_names_fini(&pieces->names, allocator);
    *pieces = (hry_pieces){ 0 };
}
