#include "base/alloc.h"
#include "base/status.h"
#include "interop/grow.h"
#include "interop/quote.h"
#include "interop/safetensors/st_set.h"

#include <stdio.h>
#include <string.h>

enum { REASON_SIZE = HRY_QUOTE_SIZE + 64 };

static void note(hry_notes *notes, hry_note_kind kind, hry_str tensor, hry_str part, const char *what)
{
    char quoted[HRY_QUOTE_SIZE], reason[REASON_SIZE];
    snprintf(reason, sizeof reason, "part %s %s", hry_quote(quoted, part), what);
    hry_notes_add(notes, kind, HRY_NOTE_TENSOR, tensor, reason);
}

/* Each tensor of the index is looked up in its part. */
static void match_index(hry_st_set *set, hry_notes *notes)
{
    const hry_st_index *index = &set->index;
    for (uint32_t p = 0; p < index->part_count; p++)
        if (!set->parts[p])
            hry_notes_add(notes, HRY_NOTE_MISSING, HRY_NOTE_PART, index->parts[p], "no such file");
    for (size_t i = 0; i < index->count; i++) {
        uint32_t p = index->part_of[i];
        if (!set->parts[p])
            note(notes, HRY_NOTE_MISSING, index->names[i], index->parts[p], "has no file");
        else if (!hry_st_header_find(&set->parts[p]->header, index->names[i], &set->entry_of[i]))
            note(notes, HRY_NOTE_MISSING, index->names[i], index->parts[p], "does not have it");
    }
}

/* Each tensor of a part must be one that the index looks for there. */
static void match_part(const hry_st_set *set, uint32_t p, hry_notes *notes)
{
    const hry_st_index *index = &set->index;
    const hry_st_header *header = &set->parts[p]->header;
    for (size_t k = 0; k < header->count; k++) {
        uint32_t i;
        if (!hry_st_index_find(index, header->names[k], &i))
            note(notes, HRY_NOTE_MISSING, header->names[k], index->parts[p], "has it, but not the index");
        else if (index->part_of[i] != p)
            note(notes, HRY_NOTE_DUPLICATE, header->names[k], index->parts[p], "has it too");
    }
}

hry_status hry_st_set_match(hry_st_set *set, hry_notes *notes, hry_error *err)
{
    set->entry_of = hry_alloc_array(&set->allocator, set->index.count, sizeof *set->entry_of, _Alignof(uint32_t));
    if (!set->entry_of)
        return hry_fail_memory(err, set->index.count * sizeof *set->entry_of);
    match_index(set, notes);
    for (uint32_t p = 0; p < set->index.part_count; p++)
        if (set->parts[p])
            match_part(set, p, notes);
    return HRY_OK;
}

/* ---- Metadata ---- */

static hry_str key_at(const void *list, uint32_t i)
{
    return ((const hry_kv *)list)[i].key;
}

static bool same_value(const hry_kv_value *a, const hry_kv_value *b)
{
    if (a->type != b->type)
        return false;
    return a->type == HRY_KV_STRING ? hry_str_equal(a->as.string, b->as.string)
           : a->type == HRY_KV_BOOL ? a->as.boolean == b->as.boolean
                                    : a->as.uint64 == b->as.uint64;
}

static hry_status add_kvs(hry_st_set *set, hry_names *keys, const hry_kv *kvs, size_t count, hry_notes *notes,
                          hry_error *err)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t earlier;
        if (!HRY_GROW(&set->allocator, set->kvs, set->kv_capacity, set->kv_count + 1) ||
            !hry_names_reserve(keys, &set->allocator, set->kv_count + 1))
            return hry_fail_memory(err, (set->kv_count + 1) * sizeof *set->kvs);
        if (hry_names_add(keys, key_at, set->kvs, kvs[k].key, (uint32_t)set->kv_count, &earlier))
            set->kvs[set->kv_count++] = kvs[k];
        else if (!same_value(&set->kvs[earlier].value, &kvs[k].value))
            hry_notes_add(notes, HRY_NOTE_LEFT_OUT, HRY_NOTE_KEY, kvs[k].key,
                          "parts give it different values, of which the first is kept");
    }
    return HRY_OK;
}

hry_status hry_st_set_merge(hry_st_set *set, hry_notes *notes, hry_error *err)
{
    hry_names keys = { 0 };
    hry_status status = HRY_OK;
    for (size_t p = 0; p < set->index.part_count && status == HRY_OK; p++)
        status = add_kvs(set, &keys, set->parts[p]->header.kvs, set->parts[p]->header.kv_count, notes, err);
    if (status == HRY_OK)
        status = add_kvs(set, &keys, set->index.kvs, set->index.kv_count, notes, err);
    hry_names_fini(&keys, &set->allocator);
    return status;
}
