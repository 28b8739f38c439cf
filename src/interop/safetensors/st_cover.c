#include "base/alloc.h"
#include "base/radix_sort.h"
#include "base/status.h"
#include "interop/safetensors/st_header.h"

#include <inttypes.h>

static bool comes_before(const hry_st_entry *a, const hry_st_entry *b)
{
    return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
}

static hry_status fail_gap(const hry_st_header *h, size_t i, uint64_t reached, hry_error *err)
{
    const hry_st_entry *e = &h->entries[i];
    uint64_t key_at = HRY_ST_LENGTH_SIZE + e->key_at;
    if (e->begin < reached)
        return hry_st_fail(err, HRY_E_INPUT, key_at, e->begin, h->names[i],
                           "data overlaps another tensor's, which ends at %" PRIu64, reached);
    return hry_st_fail(err, HRY_E_INPUT, key_at, e->begin, h->names[i],
                       "a hole before its data: bytes %" PRIu64 " to %" PRIu64 " belong to no tensor", reached,
                       e->begin);
}

/* keys NULL: as they are. */
static hry_status walk(const hry_st_header *h, const hry_sort_key *keys, hry_error *err)
{
    uint64_t reached = 0;
    for (size_t k = 0; k < h->count; k++) {
        size_t i = keys ? keys[k].position : k;
        if (h->entries[i].begin != reached)
            return fail_gap(h, i, reached, err);
        reached = h->entries[i].end;
    }
    if (reached != h->data_size)
        return hry_fail(err, HRY_E_INPUT, HRY_SECTION_DATA, h->data_at + reached, h->data_size - reached,
                        "%" PRIu64 " bytes after the data of the last tensor", h->data_size - reached);
    return HRY_OK;
}

/* By begin, and by end where an empty tensor begins with another: the sort keeps equals in their order. */
static void sort(const hry_st_header *h, hry_sort_key *keys, hry_sort_key *scratch)
{
    for (size_t i = 0; i < h->count; i++)
        keys[i] = (hry_sort_key){ h->entries[i].end, (uint32_t)i, 0 };
    hry_sort_keys(keys, scratch, h->count);
    for (size_t i = 0; i < h->count; i++)
        keys[i].key = h->entries[keys[i].position].begin;
    hry_sort_keys(keys, scratch, h->count);
}

hry_status hry_st_header_cover(const hry_st_header *h, hry_error *err)
{
    bool sorted = true;
    for (size_t i = 1; i < h->count && sorted; i++)
        sorted = !comes_before(&h->entries[i], &h->entries[i - 1]);
    if (sorted)
        return walk(h, NULL, err);
    hry_sort_key *keys = hry_alloc_array(h->allocator, 2 * h->count, sizeof *keys, _Alignof(hry_sort_key));
    if (!keys)
        return hry_fail_memory(err, 2 * h->count * sizeof *keys);
    sort(h, keys, keys + h->count);
    hry_status status = walk(h, keys, err);
    hry_free(h->allocator, keys, 2 * h->count * sizeof *keys, _Alignof(hry_sort_key));
    return status;
}
