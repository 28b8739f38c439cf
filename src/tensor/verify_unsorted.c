/* Duplicates in unsorted coordinates (L-COO-22): sorting finds them, however they were chosen. */
#include "base/alloc.h"
#include "base/checked.h"
#include "tensor/sparse.h"
#include "tensor/verify.h"

#include <string.h>

/* Sorts keys by their lowest `bytes` bytes, a byte at a time, with as much room beside them; returns where they are. */
static uint64_t *sort_keys(uint64_t *keys, uint64_t *room, size_t n, unsigned bytes)
{
    for (unsigned byte = 0; byte < bytes; byte++) {
        size_t start[256] = { 0 }, sum = 0;
        for (size_t i = 0; i < n; i++)
            start[keys[i] >> 8 * byte & 255]++;
        for (unsigned b = 0; b < 256; b++) {
            size_t count = start[b];
            start[b] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            room[start[keys[i] >> 8 * byte & 255]++] = keys[i];
        uint64_t *other = keys;
        keys = room;
        room = other;
    }
    return keys;
}

/* The place of an entry among all elements in row-major order. */
static uint64_t key_of(const hry_sparse *s, uint64_t i)
{
    uint64_t key = 0;
    for (uint32_t k = 0; k < s->rank; k++)
        key = key * s->shape[k] + hry_index_at(&s->index[0], i * s->rank + k);
    return key;
}

static hry_status fail_at(hry_verifier *v, const hry_sparse *s, uint64_t i)
{
    return hry_verify_fail(v, HRY_RULE_L_COO_22, 1, i * s->rank * 8, i);
}

static hry_status verify_keys(hry_verifier *v, const hry_sparse *s, uint64_t elements, uint64_t *room)
{
    size_t n = (size_t)s->nnz;
    unsigned bytes = (64u - (unsigned)__builtin_clzll(elements) + 7) / 8;
    for (size_t i = 0; i < n; i++)
        room[i] = key_of(s, i);
    const uint64_t *sorted = sort_keys(room, room + n, n, bytes);
    for (size_t i = 1; i < n; i++) {
        if (sorted[i] != sorted[i - 1])
            continue;
        uint64_t at = n;
        while (key_of(s, --at) != sorted[i]) /* the last of those that are equal */
            ;
        return fail_at(v, s, at);
    }
    return HRY_OK;
}

static int compare(const hry_sparse *s, uint64_t a, uint64_t b)
{
    for (uint32_t k = 0; k < s->rank; k++) {
        uint64_t x = hry_index_at(&s->index[0], a * s->rank + k), y = hry_index_at(&s->index[0], b * s->rank + k);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static void merge(const hry_sparse *s, const uint64_t *from, uint64_t *to, size_t low, size_t middle, size_t high)
{
    size_t a = low, b = middle;
    for (size_t i = low; i < high; i++)
        to[i] = a < middle && (b >= high || compare(s, from[a], from[b]) <= 0) ? from[a++] : from[b++];
}

/* Shapes of more elements than 64 bits can count: entry numbers, merged from pairs upwards. */
static hry_status verify_tuples(hry_verifier *v, const hry_sparse *s, uint64_t *room)
{
    size_t n = (size_t)s->nnz;
    uint64_t *from = room, *to = room + n;
    for (size_t i = 0; i < n; i++)
        from[i] = i;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t middle = low + width < n ? low + width : n, high = middle + width < n ? middle + width : n;
            merge(s, from, to, low, middle, high);
        }
        uint64_t *other = from;
        from = to;
        to = other;
    }
    for (size_t i = 1; i < n; i++)
        if (compare(s, from[i - 1], from[i]) == 0)
            return fail_at(v, s, from[i] > from[i - 1] ? from[i] : from[i - 1]);
    return HRY_OK;
}

hry_status hry_verify_unsorted(hry_verifier *v)
{
    const hry_tensor *t = v->tensor;
    hry_sparse s;
    uint64_t elements;
    size_t nbytes;
    if (!hry_sparse_of(t, &s) || s.tag != HRY_LAYOUT_COO || s.is_sorted || s.nnz < 2)
        return HRY_OK;
    if (s.nnz > SIZE_MAX / 16)
        return hry_fail_memory(v->err, UINT64_MAX);
    nbytes = (size_t)s.nnz * 16;
    uint64_t *room = hry_alloc(&t->allocator, nbytes, _Alignof(uint64_t));
    if (!room)
        return hry_fail_memory(v->err, nbytes);
    hry_status status =
        hry_desc_count(&t->desc, &elements) ? verify_keys(v, &s, elements, room) : verify_tuples(v, &s, room);
    hry_free(&t->allocator, room, nbytes, _Alignof(uint64_t));
    return status;
}
