#include "base/checked.h"
#include "interop/gguf/gguf_plan.h"

#include <string.h>

/* Keys that readers of GGUF want in a type of their own. */
static const struct own_key {
    const char *key;
    uint32_t type;
} own_keys[] = {
    { "general.alignment", HRY_GGUF_KV_UINT32 }, { "general.quantization_version", HRY_GGUF_KV_UINT32 },
    { "general.file_type", HRY_GGUF_KV_UINT32 }, { "split.no", HRY_GGUF_KV_UINT16 },
    { "split.count", HRY_GGUF_KV_UINT16 },       { "split.tensors.count", HRY_GGUF_KV_INT32 },
};

static bool is_key(hry_str key, const char *text)
{
    return key.len == strlen(text) && memcmp(key.ptr, text, key.len) == 0;
}

static const uint32_t *own_type(hry_str key)
{
    for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys; i++)
        if (is_key(key, own_keys[i].key))
            return &own_keys[i].type;
    return NULL;
}

/* What can be written as general.alignment. */
static bool take_alignment(const hry_kv_value *v, uint32_t *alignment)
{
    bool good = (v->type == HRY_KV_UINT64 || (v->type == HRY_KV_INT64 && v->as.int64 > 0)) && v->as.uint64 >= 8 &&
                v->as.uint64 <= UINT32_MAX && hry_is_pow2(v->as.uint64);
    if (good)
        *alignment = (uint32_t)v->as.uint64;
    return good;
}

/* True when the key was written. */
static bool put_kv(const hry_kv *kv, const hry_gguf_record_entry *entry, hry_notes *notes, hry_gguf_plan *plan)
{
    const uint32_t *type = entry ? &entry->type : own_type(kv->key);
    hry_gguf_bytes *to = &plan->header;
    const char *reason = NULL;
    if (memchr(kv->key.ptr, 0, kv->key.len))
        reason = "its key holds a NUL";
    else if (is_key(kv->key, "general.alignment") && !take_alignment(&kv->value, &plan->alignment))
        reason = "the alignment of a GGUF file is a power of two from 8 on";
    size_t start = to->used;
    if (!reason) {
        hry_gguf_bytes_put_string(to, kv->key);
        if (hry_gguf_value_put(to, &kv->value, type, entry ? entry->element_type : HRY_GGUF_KV_ARRAY))
            return true;
        to->used = start;
        reason = "an array of byte strings has no counterpart";
    }
    hry_notes_add(notes, HRY_NOTE_LEFT_OUT, HRY_NOTE_KEY, kv->key, reason);
    return false;
}

static void put_kept(const hry_gguf_record_entry *entry, hry_gguf_bytes *to)
{
    hry_gguf_bytes_put_string(to, entry->key);
    hry_gguf_bytes_put32(to, entry->type);
    hry_gguf_bytes_put(to, entry->value, (size_t)entry->nbytes);
}

/* What the record lists, in its order, as far as it is still there. */
static uint64_t put_recorded(const hry_file *file, hry_notes *notes, hry_gguf_plan *plan)
{
    uint64_t count = 0;
    for (size_t i = 0; i < plan->record.entry_count; i++) {
        const hry_gguf_record_entry *entry = &plan->record.entries[i];
        const hry_kv *kv =
            is_key(entry->key, HRY_GGUF_RECORD_KEY) ? NULL : hry_file_kv_find(file, entry->key.ptr, entry->key.len);
        if (entry->is_kept && (!kv || hry_gguf_value_agrees(&kv->value, entry))) {
            put_kept(entry, &plan->header);
            count++;
        } else if (kv) {
            count += put_kv(kv, entry, notes, plan);
        }
    }
    return count;
}

/* Readers expect it beside quantized tensors. A file that was without comes back without. */
static uint64_t put_quantization_version(const hry_file *file, hry_gguf_plan *plan)
{
    static const char key[] = "general.quantization_version";
    if (plan->has_record || hry_file_kv(file, key))
        return 0;
    hry_gguf_bytes_put_string(&plan->header, (hry_str){ key, sizeof key - 1 });
    hry_gguf_bytes_put32(&plan->header, HRY_GGUF_KV_UINT32);
    hry_gguf_bytes_put32(&plan->header, 2);
    return 1;
}

void hry_gguf_plan_metadata(const hry_file *file, bool has_blocks, hry_notes *notes, hry_gguf_plan *plan,
                            uint64_t *count)
{
    *count = put_recorded(file, notes, plan);
    for (uint64_t i = 0; i < hry_file_kv_count(file); i++) {
        const hry_kv *kv = hry_file_kv_at(file, i);
        if (is_key(kv->key, HRY_GGUF_RECORD_KEY)) {
            if (!plan->has_record)
                hry_notes_add(notes, HRY_NOTE_LEFT_OUT, HRY_NOTE_KEY, kv->key,
                              "it is kept for what this library writes there, and is nothing of the kind");
        } else if (!hry_gguf_record_find(&plan->record, kv->key)) {
            *count += put_kv(kv, NULL, notes, plan);
        }
    }
    if (has_blocks)
        *count += put_quantization_version(file, plan);
}
