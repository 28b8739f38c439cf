#include "interop/gguf/gguf_record.h"

#include "base/utf8.h"
#include "interop/grow.h"

#include <string.h>

static hry_str key_at(const void *list, uint32_t i)
{
    return ((const hry_gguf_record *)list)->entries[i].key;
}

static hry_str name_at(const void *list, uint32_t i)
{
    return ((const hry_gguf_record_tensors *)list)->items[i].name;
}

/* A value as it may stand in a GGUF file: whole, and of that type. */
static bool is_value(const uint8_t *bytes, uint64_t nbytes, uint32_t type)
{
    hry_gguf_reader r = { .bytes = bytes, .have = nbytes, .size = nbytes, .limit = nbytes };
    return hry_gguf_skip_value(&r, type) == HRY_OK && r.at == nbytes;
}

static bool is_text(hry_str string, const char *text)
{
    return string.len == strlen(text) && memcmp(string.ptr, text, string.len) == 0;
}

static bool is_good_key(hry_str key)
{
    return key.len > 0 && !memchr(key.ptr, 0, key.len) && hry_utf8_valid(key.ptr, key.len);
}

static bool read_entry(hry_gguf_reader *r, hry_gguf_record_entry *e)
{
    *e = (hry_gguf_record_entry){ .nbytes = 0 };
    if (hry_gguf_take_string(r, HRY_SECTION_KV, "", &e->key) || !is_good_key(e->key) || hry_gguf_rest(r) < 4 + 1)
        return false;
    e->type = hry_gguf_take32(r);
    if (e->type == HRY_GGUF_KV_ARRAY) {
        if (hry_gguf_rest(r) < 4 + 1)
            return false;
        e->element_type = hry_gguf_take32(r);
    }
    if (e->type >= HRY_GGUF_KV_TYPES || e->element_type >= HRY_GGUF_KV_TYPES)
        return false;
    uint8_t kept = r->bytes[r->at++];
    e->is_kept = kept == 1;
    if (kept != 1)
        return kept == 0;
    hry_str value;
    if (hry_gguf_take_string(r, HRY_SECTION_KV, "", &value))
        return false;
    e->value = (const uint8_t *)value.ptr;
    e->nbytes = value.len;
    /* What a header's reader looks at is in the metadata, where it is looked at. */
    return is_value(e->value, e->nbytes, e->type) && !is_text(e->key, "general.alignment");
}

static bool read_entries(hry_gguf_reader *r, hry_gguf_record *record, bool *no_memory)
{
    if (hry_gguf_rest(r) < 8)
        return false;
    for (uint64_t left = hry_gguf_take64(r); left > 0; left--) {
        hry_gguf_record_entry entry;
        uint32_t earlier;
        if (!read_entry(r, &entry))
            return false;
        if (!HRY_GROW(record->allocator, record->entries, record->entry_capacity, record->entry_count + 1) ||
            !hry_names_reserve(&record->keys, record->allocator, record->entry_count + 1)) {
            *no_memory = true;
            return false;
        }
        record->entries[record->entry_count] = entry;
        if (!hry_names_add(&record->keys, key_at, record, entry.key, (uint32_t)record->entry_count, &earlier))
            return false;
        record->entry_count++;
    }
    return true;
}

/* The number of blocks, and the turns. */
static bool read_turns(hry_gguf_reader *r, hry_gguf_record_tensor *tensor)
{
    if (hry_gguf_rest(r) < 8)
        return false;
    tensor->blocks = hry_gguf_take64(r);
    return hry_gguf_take_string(r, HRY_SECTION_KV, "", &tensor->turns) == HRY_OK;
}

static bool read_tensors(hry_gguf_reader *r, bool with_turns, const hry_allocator *allocator,
                         hry_gguf_record_tensors *list, bool *no_memory)
{
    if (hry_gguf_rest(r) < 8)
        return false;
    for (uint64_t left = hry_gguf_take64(r); left > 0; left--) {
        hry_gguf_record_tensor tensor = { .type = 0 };
        uint32_t earlier;
        if (hry_gguf_take_string(r, HRY_SECTION_KV, "", &tensor.name) || hry_gguf_rest(r) < 4)
            return false;
        tensor.type = hry_gguf_take32(r);
        if (with_turns && !read_turns(r, &tensor))
            return false;
        if (!HRY_GROW(allocator, list->items, list->capacity, list->count + 1) ||
            !hry_names_reserve(&list->names, allocator, list->count + 1)) {
            *no_memory = true;
            return false;
        }
        list->items[list->count] = tensor;
        if (!hry_names_add(&list->names, name_at, list, tensor.name, (uint32_t)list->count, &earlier))
            return false;
        list->count++;
    }
    return true;
}

static bool read_parts(hry_gguf_reader *r, hry_gguf_record *record, bool *no_memory)
{
    return read_entries(r, record, no_memory) && read_tensors(r, false, record->allocator, &record->types, no_memory) &&
           (hry_gguf_rest(r) == 0 || read_tensors(r, true, record->allocator, &record->ones, no_memory)) &&
           hry_gguf_rest(r) == 0;
}

bool hry_gguf_record_read(hry_gguf_record *record, const uint8_t *bytes, uint64_t nbytes,
                          const hry_allocator *allocator, bool *no_memory)
{
    hry_gguf_reader r = { .bytes = bytes, .have = nbytes, .size = nbytes, .limit = nbytes };
    *record = (hry_gguf_record){ .allocator = allocator };
    *no_memory = false;
    if (nbytes < 16 || hry_gguf_take32(&r) != 1)
        return false;
    record->gguf_version = hry_gguf_take32(&r);
    record->file_size = hry_gguf_take64(&r);
    if ((record->gguf_version == 2 || record->gguf_version == 3) && read_parts(&r, record, no_memory))
        return true;
    hry_gguf_record_fini(record);
    return false;
}

static void drop_tensors(hry_gguf_record_tensors *list, const hry_allocator *allocator)
{
    HRY_DROP(allocator, list->items, list->capacity);
    hry_names_fini(&list->names, allocator);
}

void hry_gguf_record_fini(hry_gguf_record *record)
{
    HRY_DROP(record->allocator, record->entries, record->entry_capacity);
    hry_names_fini(&record->keys, record->allocator);
    drop_tensors(&record->types, record->allocator);
    drop_tensors(&record->ones, record->allocator);
    *record = (hry_gguf_record){ .allocator = record->allocator };
}

const hry_gguf_record_entry *hry_gguf_record_find(const hry_gguf_record *record, hry_str key)
{
    uint32_t i;
    return hry_names_find(&record->keys, key_at, record, key, &i) ? &record->entries[i] : NULL;
}

static const hry_gguf_record_tensor *find_tensor(const hry_gguf_record_tensors *list, hry_str name)
{
    uint32_t i;
    return hry_names_find(&list->names, name_at, list, name, &i) ? &list->items[i] : NULL;
}

bool hry_gguf_record_type(const hry_gguf_record *record, hry_str name, uint32_t *type)
{
    const hry_gguf_record_tensor *tensor = find_tensor(&record->types, name);
    if (tensor)
        *type = tensor->type;
    return tensor;
}

hry_str hry_gguf_record_turns(const hry_gguf_record *record, hry_str name, uint32_t type, uint64_t blocks)
{
    const hry_gguf_record_tensor *tensor = find_tensor(&record->ones, name);
    return tensor && tensor->type == type && tensor->blocks == blocks ? tensor->turns : (hry_str){ NULL, 0 };
}
