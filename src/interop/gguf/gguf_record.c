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
    return ((const hry_gguf_record *)list)->tensors[i].name;
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

static bool read_tensors(hry_gguf_reader *r, hry_gguf_record *record, bool *no_memory)
{
    if (hry_gguf_rest(r) < 8)
        return false;
    for (uint64_t left = hry_gguf_take64(r); left > 0; left--) {
        hry_gguf_record_tensor tensor;
        uint32_t earlier;
        if (hry_gguf_take_string(r, HRY_SECTION_KV, "", &tensor.name) || hry_gguf_rest(r) < 4)
            return false;
        tensor.type = hry_gguf_take32(r);
        if (!HRY_GROW(record->allocator, record->tensors, record->tensor_capacity, record->tensor_count + 1) ||
            !hry_names_reserve(&record->names, record->allocator, record->tensor_count + 1)) {
            *no_memory = true;
            return false;
        }
        record->tensors[record->tensor_count] = tensor;
        if (!hry_names_add(&record->names, name_at, record, tensor.name, (uint32_t)record->tensor_count, &earlier))
            return false;
        record->tensor_count++;
    }
    return true;
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
    if ((record->gguf_version == 2 || record->gguf_version == 3) && read_entries(&r, record, no_memory) &&
        read_tensors(&r, record, no_memory) && hry_gguf_rest(&r) == 0)
        return true;
    hry_gguf_record_fini(record);
    return false;
}

void hry_gguf_record_fini(hry_gguf_record *record)
{
    HRY_DROP(record->allocator, record->entries, record->entry_capacity);
    HRY_DROP(record->allocator, record->tensors, record->tensor_capacity);
    hry_names_fini(&record->keys, record->allocator);
    hry_names_fini(&record->names, record->allocator);
    *record = (hry_gguf_record){ .allocator = record->allocator };
}

const hry_gguf_record_entry *hry_gguf_record_find(const hry_gguf_record *record, hry_str key)
{
    uint32_t i;
    return hry_names_find(&record->keys, key_at, record, key, &i) ? &record->entries[i] : NULL;
}

bool hry_gguf_record_type(const hry_gguf_record *record, hry_str name, uint32_t *type)
{
    uint32_t i;
    if (!hry_names_find(&record->names, name_at, record, name, &i))
        return false;
    *type = record->tensors[i].type;
    return true;
}
