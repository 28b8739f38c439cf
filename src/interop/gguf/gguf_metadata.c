#include "base/checked.h"
#include "base/utf8.h"
#include "file/names.h"
#include "interop/gguf/gguf_header.h"
#include "interop/grow.h"
#include "interop/quote.h"

#include <inttypes.h>
#include <string.h>

static hry_str key_at(const void *list, uint32_t i)
{
    return ((const hry_gguf_header *)list)->kvs[i].key;
}

static HRY_COLD hry_status fail_key(hry_gguf_reader *r, uint64_t at, hry_str key, const char *what)
{
    char quoted[HRY_QUOTE_SIZE];
    return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_KV, at, 0, "key %s %s", hry_quote(quoted, key), what);
}

static hry_status read_kv(hry_gguf_reader *r, hry_gguf_kv *kv)
{
    uint64_t at = r->at;
    hry_status status = hry_gguf_take_string(r, HRY_SECTION_KV, "key", &kv->key);
    if (status)
        return status;
    if (kv->key.len == 0)
        return fail_key(r, at, kv->key, "is empty");
    if (memchr(kv->key.ptr, 0, kv->key.len) || !hry_utf8_valid(kv->key.ptr, kv->key.len))
        return fail_key(r, at, kv->key, "holds a NUL or is not UTF-8");
    status = hry_gguf_need(r, 4, HRY_SECTION_KV, "type of a value");
    if (status)
        return status;
    kv->type = hry_gguf_take32(r);
    at = r->at;
    status = hry_gguf_skip_value(r, kv->type);
    kv->value = r->bytes + at;
    kv->nbytes = r->at - at;
    return status;
}

static bool is_key(const hry_gguf_kv *kv, const char *key)
{
    return kv->key.len == strlen(key) && memcmp(kv->key.ptr, key, kv->key.len) == 0;
}

/* Whole numbers of any width: writers do not agree. */
static hry_status take_split(hry_gguf_reader *r, const hry_gguf_kv *kv, uint64_t *number)
{
    uint64_t at = (uint64_t)(kv->value - r->bytes), x;
    bool is_whole = hry_gguf_kv_width(kv->type) != 0 && kv->type != HRY_GGUF_KV_FLOAT32 &&
                    kv->type != HRY_GGUF_KV_FLOAT64 && kv->type != HRY_GGUF_KV_BOOL;
    if (!is_whole)
        return fail_key(r, at, kv->key, "is not a whole number");
    x = hry_gguf_number(kv->value, kv->type, r->swapped);
    if (hry_gguf_kv_is_signed(kv->type) && x > INT64_MAX)
        return fail_key(r, at, kv->key, "is negative");
    *number = x;
    return HRY_OK;
}

static hry_status take_alignment(hry_gguf_reader *r, const hry_gguf_kv *kv, uint32_t *alignment)
{
    uint64_t at = (uint64_t)(kv->value - r->bytes);
    if (kv->type != HRY_GGUF_KV_UINT32)
        return fail_key(r, at - 4, kv->key, "is not of type uint32");
    uint32_t x = hry_gguf_load32(kv->value, r->swapped);
    if (!hry_is_pow2(x))
        return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_KV, at, x,
                        "general.alignment is %" PRIu32 ", which is not a power of two", x);
    *alignment = x;
    return HRY_OK;
}

/* What the container itself wants to know. */
static hry_status take_own(hry_gguf_reader *r, const hry_gguf_kv *kv, hry_gguf_header *h)
{
    if (is_key(kv, "general.alignment"))
        return take_alignment(r, kv, &h->alignment);
    if (is_key(kv, "split.count"))
        return take_split(r, kv, &h->split_count);
    if (is_key(kv, "split.no")) {
        h->has_split_no = true;
        return take_split(r, kv, &h->split_no);
    }
    if (is_key(kv, "split.tensors.count")) {
        h->has_split_tensors = true;
        return take_split(r, kv, &h->split_tensors);
    }
    return HRY_OK;
}

static hry_status read_all(hry_gguf_reader *r, uint64_t count, const hry_allocator *allocator, hry_names *keys,
                           hry_gguf_header *h)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!HRY_GROW(allocator, h->kvs, h->kv_capacity, h->kv_count + 1) ||
            !hry_names_reserve(keys, allocator, h->kv_count + 1))
            return hry_fail_memory(r->err, (h->kv_count + 1) * sizeof *h->kvs);
        uint64_t at = r->at;
        uint32_t earlier;
        hry_gguf_kv *kv = &h->kvs[h->kv_count];
        hry_status status = read_kv(r, kv);
        if (status)
            return status;
        if (!hry_names_add(keys, key_at, h, kv->key, (uint32_t)h->kv_count, &earlier))
            return fail_key(r, at, kv->key, "is there twice (duplicate)");
        h->kv_count++;
        status = take_own(r, kv, h);
        if (status)
            return status;
    }
    return HRY_OK;
}

hry_status hry_gguf_metadata_read(hry_gguf_reader *r, uint64_t count, const hry_allocator *allocator,
                                  hry_gguf_header *header)
{
    hry_names keys = { 0 };
    hry_status status = read_all(r, count, allocator, &keys, header);
    hry_names_fini(&keys, allocator);
    return status;
}
