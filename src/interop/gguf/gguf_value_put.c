/* A container's values in GGUF's types. */
#include "interop/gguf/gguf_plan.h"

#include <string.h>

/* A number's bits as float32, where it is one exactly. */
static bool narrow_bits(uint64_t x, uint32_t *narrow)
{
    if ((x >> 52 & 0x7FF) == 0x7FF) {
        *narrow = (uint32_t)(x >> 63) << 31 | UINT32_C(0xFF) << 23 | (uint32_t)(x >> 29 & 0x7FFFFF);
        return (x & 0x1FFFFFFF) == 0;
    }
    double value = hry_f64_from_bits(x);
    float nearest = (float)value;
    *narrow = hry_f32_bits(nearest);
    return hry_f64_bits((double)nearest) == x;
}

static bool is_whole(uint32_t type)
{
    return hry_gguf_kv_width(type) && type != HRY_GGUF_KV_BOOL && type != HRY_GGUF_KV_FLOAT32 &&
           type != HRY_GGUF_KV_FLOAT64;
}

static bool is_array_type(uint32_t type)
{
    return type == HRY_GGUF_KV_ARRAY;
}

/* Whole numbers of either sign in a type of either sign. */
static bool holds_whole(uint32_t type, const hry_kv_value *v)
{
    unsigned bits = 8 * hry_gguf_kv_width(type);
    bool negative = v->type == HRY_KV_INT64 && v->as.int64 < 0;
    if (!hry_gguf_kv_is_signed(type))
        return !negative && (bits == 64 || v->as.uint64 >> bits == 0);
    return negative ? bits == 64 || v->as.int64 >= -(INT64_C(1) << (bits - 1)) : v->as.uint64 >> (bits - 1) == 0;
}

/* A value that is no array in a type that is none. */
static bool holds(uint32_t type, const hry_kv_value *v)
{
    uint32_t narrow;
    switch (v->type) {
    case HRY_KV_INT64:
    case HRY_KV_UINT64:
        return is_whole(type) && holds_whole(type, v);
    case HRY_KV_FLOAT64:
        return type == HRY_GGUF_KV_FLOAT64 ||
               (type == HRY_GGUF_KV_FLOAT32 && narrow_bits(hry_f64_bits(v->as.float64), &narrow));
    case HRY_KV_BOOL:
        return type == HRY_GGUF_KV_BOOL;
    default:
        return type == HRY_GGUF_KV_STRING;
    }
}

static void put_scalar(hry_gguf_bytes *to, uint32_t type, const hry_kv_value *v)
{
    if (type == HRY_GGUF_KV_STRING) {
        hry_gguf_bytes_put_string(to, v->as.string);
        return;
    }
    size_t width = hry_gguf_kv_width(type);
    uint8_t bytes[8];
    uint32_t narrow = 0;
    uint64_t word = v->type == HRY_KV_BOOL ? v->as.boolean : v->as.uint64;
    if (v->type == HRY_KV_FLOAT64)
        word = hry_f64_bits(v->as.float64);
    if (type == HRY_GGUF_KV_FLOAT32) {
        narrow_bits(word, &narrow);
        word = narrow;
    }
    hry_store64(bytes, word);
    hry_gguf_bytes_put(to, bytes, width);
}

/* Types from narrow to wide, for each of the container's. */
static const uint8_t *types_for(uint8_t type)
{
    static const uint8_t none[] = { HRY_GGUF_KV_TYPES };
    static const uint8_t lists[][5] = {
        [HRY_KV_STRING] = { HRY_GGUF_KV_STRING, HRY_GGUF_KV_TYPES },
        [HRY_KV_INT64] = { HRY_GGUF_KV_INT8, HRY_GGUF_KV_INT16, HRY_GGUF_KV_INT32, HRY_GGUF_KV_INT64,
                           HRY_GGUF_KV_TYPES },
        [HRY_KV_UINT64] = { HRY_GGUF_KV_UINT8, HRY_GGUF_KV_UINT16, HRY_GGUF_KV_UINT32, HRY_GGUF_KV_UINT64,
                            HRY_GGUF_KV_TYPES },
        [HRY_KV_FLOAT64] = { HRY_GGUF_KV_FLOAT32, HRY_GGUF_KV_FLOAT64, HRY_GGUF_KV_TYPES },
        [HRY_KV_BOOL] = { HRY_GGUF_KV_BOOL, HRY_GGUF_KV_TYPES },
    };
    return type >= HRY_KV_STRING && type <= HRY_KV_BOOL ? lists[type] : none;
}

static bool array_holds(uint32_t type, const hry_kv_value *array)
{
    hry_kv_value element;
    for (uint64_t cursor = 0; hry_kv_array_next(array, &cursor, &element);)
        if (!holds(type, &element))
            return false;
    return true;
}

static bool put_array(hry_gguf_bytes *to, const hry_kv_value *array, uint32_t wish)
{
    uint32_t type = wish;
    bool is_text =
        wish == HRY_GGUF_KV_STRING && (array->element_type == HRY_KV_STRING || array->element_type == HRY_KV_BYTES);
    if (is_array_type(wish) || !(is_text || array_holds(wish, array))) {
        const uint8_t *types = types_for(array->element_type);
        while (*types != HRY_GGUF_KV_TYPES && !array_holds(*types, array))
            types++;
        type = *types;
    }
    if (type == HRY_GGUF_KV_TYPES)
        return false;
    hry_kv_value element;
    hry_gguf_bytes_put32(to, HRY_GGUF_KV_ARRAY);
    hry_gguf_bytes_put32(to, type);
    hry_gguf_bytes_put64(to, array->as.array.count);
    for (uint64_t cursor = 0; hry_kv_array_next(array, &cursor, &element);)
        put_scalar(to, type, &element);
    return true;
}

/* Bytes: a string that was no UTF-8, or an array of uint8. */
static bool put_blob(hry_gguf_bytes *to, const hry_kv_value *v, const uint32_t *type)
{
    if (type && *type == HRY_GGUF_KV_STRING) {
        hry_gguf_bytes_put32(to, HRY_GGUF_KV_STRING);
        put_scalar(to, HRY_GGUF_KV_STRING, v);
        return true;
    }
    hry_gguf_bytes_put32(to, HRY_GGUF_KV_ARRAY);
    hry_gguf_bytes_put32(to, HRY_GGUF_KV_UINT8);
    hry_gguf_bytes_put_string(to, v->as.string);
    return true;
}

bool hry_gguf_value_put(hry_gguf_bytes *to, const hry_kv_value *v, const uint32_t *type, uint32_t element_type)
{
    if (v->type == HRY_KV_BYTES)
        return put_blob(to, v, type);
    if (v->type == HRY_KV_ARRAY)
        return put_array(to, v, type && is_array_type(*type) ? element_type : HRY_GGUF_KV_ARRAY);
    uint32_t chosen = HRY_GGUF_KV_TYPES;
    if (type && holds(*type, v))
        chosen = *type;
    const uint8_t *types = types_for(v->type);
    while (chosen == HRY_GGUF_KV_TYPES && *types != HRY_GGUF_KV_TYPES && !holds(*types, v))
        types++;
    chosen = chosen == HRY_GGUF_KV_TYPES ? *types : chosen;
    if (chosen == HRY_GGUF_KV_TYPES)
        return false;
    hry_gguf_bytes_put32(to, chosen);
    put_scalar(to, chosen, v);
    return true;
}

/* Only booleans are both in the metadata and in the record. */
bool hry_gguf_value_agrees(const hry_kv_value *value, const hry_gguf_record_entry *entry)
{
    if (value->type == HRY_KV_BOOL)
        return entry->type == HRY_GGUF_KV_BOOL && value->as.boolean == (entry->value[0] != 0);
    if (value->type != HRY_KV_ARRAY || value->element_type != HRY_KV_BOOL || entry->type != HRY_GGUF_KV_ARRAY ||
        hry_load32(entry->value) != HRY_GGUF_KV_BOOL || hry_load64(entry->value + 4) != value->as.array.count)
        return false;
    hry_kv_value element;
    const uint8_t *p = entry->value + 12;
    for (uint64_t cursor = 0; hry_kv_array_next(value, &cursor, &element); p++)
        if (element.as.boolean != (*p != 0))
            return false;
    return true;
}
