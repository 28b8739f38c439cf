/* GGUF's metadata as a container has it. What a container cannot hold stands in the record alone. */
#include "base/checked.h"
#include "base/utf8.h"
#include "interop/gguf/gguf_ones.h"
#include "interop/grow.h"

#include <inttypes.h>
#include <string.h>

/* An array's head, and where its elements start. */
typedef struct array {
    const uint8_t *elements;
    uint64_t nbytes, count;
    uint32_t type;
    bool swapped;
} array;

static array array_of(const hry_gguf_kv *kv, bool swapped)
{
    return (array){ .elements = kv->value + 12,
                    .nbytes = kv->nbytes - 12,
                    .count = hry_gguf_load64(kv->value + 4, swapped),
                    .type = hry_gguf_load32(kv->value, swapped),
                    .swapped = swapped };
}

/* String i of an array whose first i lie before p; p moves behind it. */
static hry_str next_string(const array *a, const uint8_t **p)
{
    hry_str string = { (const char *)*p + 8, (size_t)hry_gguf_load64(*p, a->swapped) };
    *p += 8 + string.len;
    return string;
}

static bool are_utf8(const array *a)
{
    const uint8_t *p = a->elements;
    for (uint64_t i = 0; i < a->count; i++) {
        hry_str string = next_string(a, &p);
        if (!hry_utf8_valid(string.ptr, string.len))
            return false;
    }
    return true;
}

static uint8_t number_type(uint32_t type)
{
    if (type == HRY_GGUF_KV_BOOL)
        return HRY_KV_BOOL;
    if (type == HRY_GGUF_KV_FLOAT32 || type == HRY_GGUF_KV_FLOAT64)
        return HRY_KV_FLOAT64;
    return hry_gguf_kv_is_signed(type) ? HRY_KV_INT64 : HRY_KV_UINT64;
}

/* The bits of a float32 as float64: exact, NaN with all that is in it. */
static uint64_t widen_bits(uint32_t x)
{
    uint64_t sign = (uint64_t)(x >> 31) << 63, mantissa = (uint64_t)(x & 0x7FFFFF) << 29;
    if ((x >> 23 & 0xFF) == 0xFF)
        return sign | UINT64_C(0x7FF) << 52 | mantissa;
    return hry_f64_bits((double)hry_f32_from_bits(x));
}

/* The 64 bits, or the truth, that stand for a number in a container. */
static uint64_t word_of(const uint8_t *p, uint32_t type, bool swapped)
{
    uint64_t x = hry_gguf_number(p, type, swapped);
    return type == HRY_GGUF_KV_FLOAT32 ? widen_bits((uint32_t)x) : type == HRY_GGUF_KV_BOOL ? x != 0 : x;
}

static bool is_odd_bool(const uint8_t *p, uint64_t count)
{
    unsigned odd = 0;
    for (uint64_t i = 0; i < count; i++)
        odd |= p[i] & 0xFEu;
    return odd != 0;
}

static bool is_nested(const hry_gguf_kv *kv, bool swapped)
{
    return kv->type == HRY_GGUF_KV_ARRAY && array_of(kv, swapped).type == HRY_GGUF_KV_ARRAY;
}

/* A container can have a key of that name, and it is not the record's. */
static bool is_free_key(hry_str key)
{
    static const hry_str record = { HRY_GGUF_RECORD_KEY, sizeof HRY_GGUF_RECORD_KEY - 1 };
    return key.len <= UINT16_MAX && !hry_str_equal(key, record);
}

/* Whether it stands in the metadata. */
static bool is_shown(const hry_gguf_kv *kv, bool swapped)
{
    return is_free_key(kv->key) && !is_nested(kv, swapped);
}

/* The container's value does not say all: the record has to hold it. */
static bool is_kept(const hry_gguf_kv *kv, bool swapped)
{
    if (!is_shown(kv, swapped))
        return true;
    if (kv->type == HRY_GGUF_KV_BOOL)
        return is_odd_bool(kv->value, 1);
    if (kv->type != HRY_GGUF_KV_ARRAY)
        return false;
    array a = array_of(kv, swapped);
    return a.type == HRY_GGUF_KV_BOOL && is_odd_bool(a.elements, a.count);
}

/* Elements that are the same bytes in both, and need no copy. */
static bool is_same(const array *a)
{
    return a->type == HRY_GGUF_KV_UINT8 || (hry_gguf_kv_width(a->type) == 8 && !a->swapped);
}

/* Bytes that the elements take in a container. */
static uint64_t encoded_size(const array *a)
{
    if (a->type == HRY_GGUF_KV_STRING)
        return a->nbytes - 4 * a->count;
    return a->type == HRY_GGUF_KV_BOOL || a->type == HRY_GGUF_KV_UINT8 ? a->count : 8 * a->count;
}

static void encode(const array *a, uint8_t *to)
{
    const uint8_t *p = a->elements;
    for (uint64_t i = 0; i < a->count; i++) {
        if (a->type == HRY_GGUF_KV_STRING) {
            hry_str string = next_string(a, &p);
            hry_store32(to, (uint32_t)string.len);
            if (string.len)
                memcpy(to + 4, string.ptr, string.len);
            to += 4 + string.len;
            continue;
        }
        uint64_t word = word_of(p, a->type, a->swapped);
        p += hry_gguf_kv_width(a->type);
        if (a->type == HRY_GGUF_KV_BOOL) {
            *to++ = (uint8_t)word;
        } else {
            hry_store64(to, word);
            to += 8;
        }
    }
}

/* Takes room from *room for elements that change. */
static hry_kv_value map_array(const array *a, uint8_t **room)
{
    hry_kv_value v = { .type = HRY_KV_ARRAY };
    if (a->type == HRY_GGUF_KV_UINT8) {
        v.type = HRY_KV_BYTES;
        v.as.string = (hry_str){ (const char *)a->elements, (size_t)a->count };
        return v;
    }
    v.element_type = number_type(a->type);
    if (a->type == HRY_GGUF_KV_STRING)
        v.element_type = are_utf8(a) ? HRY_KV_STRING : HRY_KV_BYTES;
    v.as.array.count = (uint32_t)a->count;
    v.as.array.nbytes = encoded_size(a);
    v.as.array.encoded = is_same(a) ? a->elements : *room;
    if (!is_same(a)) {
        encode(a, *room);
        *room += v.as.array.nbytes;
    }
    return v;
}

static hry_kv_value map_value(const hry_gguf_kv *kv, bool swapped, uint8_t **room)
{
    hry_kv_value v = { .type = number_type(kv->type) };
    if (kv->type == HRY_GGUF_KV_ARRAY) {
        array a = array_of(kv, swapped);
        return map_array(&a, room);
    }
    if (kv->type == HRY_GGUF_KV_STRING) {
        v.as.string = (hry_str){ (const char *)kv->value + 8, (size_t)(kv->nbytes - 8) };
        v.type = hry_utf8_valid(v.as.string.ptr, v.as.string.len) ? HRY_KV_STRING : HRY_KV_BYTES;
        return v;
    }
    uint64_t word = word_of(kv->value, kv->type, swapped);
    if (v.type == HRY_KV_BOOL)
        v.as.boolean = word != 0;
    else if (v.type == HRY_KV_FLOAT64)
        v.as.float64 = hry_f64_from_bits(word);
    else
        v.as.uint64 = word;
    return v;
}

static bool is_split_key(hry_str key)
{
    static const hry_str keys[] = { { "split.no", 8 }, { "split.count", 11 }, { "split.tensors.count", 19 } };
    return hry_str_equal(key, keys[0]) || hry_str_equal(key, keys[1]) || hry_str_equal(key, keys[2]);
}

/* Room for all arrays that change, found out before the first of them does. */
static hry_status reserve(hry_gguf_file *f, bool merged, hry_error *err)
{
    const hry_gguf_header *h = &f->parts[0].header;
    uint64_t total = 0;
    for (size_t i = 0; i < h->kv_count; i++) {
        const hry_gguf_kv *kv = &h->kvs[i];
        if (kv->type != HRY_GGUF_KV_ARRAY || !is_shown(kv, h->swapped) || (merged && is_split_key(kv->key)))
            continue;
        array a = array_of(kv, h->swapped);
        uint64_t size = a.count > UINT32_MAX ? UINT64_MAX : encoded_size(&a);
        if (size > f->limits.kv_length || (!is_same(&a) && !hry_add(total, size, &total)) ||
            total > f->limits.kv_length)
            return hry_fail(err, HRY_E_LIMIT, HRY_SECTION_KV, (uint64_t)(kv->value - h->bytes), size,
                            "the metadata take more than the limit of %" PRIu64 " bytes", f->limits.kv_length);
    }
    f->arrays_size = (size_t)total;
    f->arrays = total ? hry_alloc(&f->allocator, f->arrays_size, 8) : NULL;
    f->kv_capacity = h->kv_count + 1; /* and the record */
    f->kvs = hry_alloc_array(&f->allocator, f->kv_capacity, sizeof *f->kvs, _Alignof(hry_kv));
    return (total && !f->arrays) || !f->kvs ? hry_fail_memory(err, total) : HRY_OK;
}

static void record_kv(hry_gguf_file *f, const hry_gguf_kv *kv, bool swapped)
{
    hry_gguf_bytes *to = &f->record;
    uint8_t kept = is_kept(kv, swapped);
    hry_gguf_bytes_put_string(to, kv->key);
    hry_gguf_bytes_put32(to, kv->type);
    if (kv->type == HRY_GGUF_KV_ARRAY)
        hry_gguf_bytes_put32(to, array_of(kv, swapped).type);
    hry_gguf_bytes_put(to, &kept, 1);
    if (!kept)
        return;
    hry_gguf_bytes_put64(to, kv->nbytes);
    hry_gguf_put_value(to, kv->value, kv->nbytes, kv->type, swapped);
}

/* Types whose descriptor another type has too, which is what it would become on the way back. */
#define AMBIGUOUS                                                                                    \
    (UINT64_C(1) << HRY_GGUF_Q5_0 | UINT64_C(1) << HRY_GGUF_IQ4_NL | UINT64_C(1) << HRY_GGUF_NVFP4 | \
     UINT64_C(1) << HRY_GGUF_Q8_K)

static void record_tensor(hry_gguf_bytes *to, hry_str name, uint32_t id)
{
    uint8_t *room = hry_gguf_bytes_add(to, 8 + name.len + 4);
    if (!room)
        return;
    hry_store64(room, name.len);
    memcpy(room + 8, name.ptr, name.len);
    hry_store32(room + 8 + name.len, id);
}

static void record_tensors(hry_gguf_file *f)
{
    uint64_t count = 0;
    hry_gguf_bytes_put64(&f->record, 0);
    size_t at = f->record.used - 8;
    if ((hry_gguf_file_types(f) & AMBIGUOUS) == 0)
        return;
    /* Room for all in one go: less than the header takes. */
    uint64_t most = f->record.used;
    for (size_t part = 0; part < f->part_count; part++)
        most += f->parts[part].header.length;
    f->record.no_memory |= !HRY_GROW(&f->allocator, f->record.bytes, f->record.capacity, (size_t)most);
    for (size_t part = 0; part < f->part_count; part++) {
        const hry_gguf_header *h = &f->parts[part].header;
        const hry_str *names = f->names.items + f->parts[part].first;
        for (uint64_t i = 0; i < h->tensor_count; i++) {
            uint32_t id = hry_gguf_header_type(h, names[i]);
            if (id == HRY_GGUF_TYPES || (UINT64_C(1) << id & AMBIGUOUS) == 0 || f->how[id] != HRY_GGUF_FORMED)
                continue;
            record_tensor(&f->record, names[i], id);
            count++;
        }
    }
    hry_gguf_bytes_put64_at(&f->record, at, count);
}

hry_status hry_gguf_file_map_metadata(hry_gguf_file *f, bool merged, hry_error *err)
{
    const hry_gguf_header *h = &f->parts[0].header;
    hry_status status = reserve(f, merged, err);
    if (status)
        return status;
    uint8_t *room = f->arrays;
    uint64_t count = 0;
    hry_gguf_bytes_put32(&f->record, 1);
    hry_gguf_bytes_put32(&f->record, h->version);
    hry_gguf_bytes_put64(&f->record, merged ? 0 : h->file_size);
    hry_gguf_bytes_put64(&f->record, 0);
    size_t at = f->record.used - 8;
    for (size_t i = 0; i < h->kv_count; i++) {
        const hry_gguf_kv *kv = &h->kvs[i];
        if (merged && is_split_key(kv->key))
            continue;
        record_kv(f, kv, h->swapped);
        count++;
        if (is_shown(kv, h->swapped))
            f->kvs[f->kv_count++] = (hry_kv){ .key = kv->key, .value = map_value(kv, h->swapped, &room) };
    }
    hry_gguf_bytes_put64_at(&f->record, at, count);
    record_tensors(f);
    if (f->look_at_blocks)
        status = hry_gguf_ones_record(f, err);
    if (status)
        return status;
    if (f->record.no_memory)
        return hry_fail_memory(err, f->record.used);
    f->kvs[f->kv_count++] =
        (hry_kv){ .key = { HRY_GGUF_RECORD_KEY, sizeof HRY_GGUF_RECORD_KEY - 1 },
                  .value = { .type = HRY_KV_BYTES, .as.string = { (const char *)f->record.bytes, f->record.used } } };
    return HRY_OK;
}
