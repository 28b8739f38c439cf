#include "base/checked.h"
#include "base/status.h"
#include "base/utf8.h"
#include "file/kv_cursor.h"
#include "file/kv_list.h"

#include <string.h>

static bool is_array(const hry_kv_value *value)
{
    return value->type == HRY_KV_ARRAY;
}

static bool is_text(uint8_t type)
{
    return type == HRY_KV_STRING || type == HRY_KV_BYTES;
}

bool hry_kv_value_size(const hry_kv_value *value, uint64_t *nbytes)
{
    uint64_t size = value->type == HRY_KV_BOOL ? 1 : 8;
    if (is_text(value->type) && !hry_add(value->as.string.len, 4, &size))
        return false;
    if (is_array(value) && !hry_add(value->as.array.nbytes, 5, &size))
        return false;
    if (size > UINT32_MAX)
        return false;
    *nbytes = size;
    return true;
}

static uint8_t *put_bytes(uint8_t *dst, const void *bytes, size_t nbytes)
{
    if (nbytes)
        memcpy(dst, bytes, nbytes);
    return dst + nbytes;
}

uint8_t *hry_kv_value_put(const hry_kv_value *value, uint8_t *dst)
{
    switch (value->type) {
    case HRY_KV_STRING:
    case HRY_KV_BYTES:
        hry_store32(dst, (uint32_t)value->as.string.len);
        return put_bytes(dst + 4, value->as.string.ptr, value->as.string.len);
    case HRY_KV_BOOL:
        *dst = value->as.boolean;
        return dst + 1;
    case HRY_KV_FLOAT64:
        hry_store64(dst, hry_f64_bits(value->as.float64));
        return dst + 8;
    case HRY_KV_ARRAY:
        *dst = value->element_type;
        hry_store32(dst + 1, value->as.array.count);
        return put_bytes(dst + 5, value->as.array.encoded, (size_t)value->as.array.nbytes);
    default:
        hry_store64(dst, value->as.uint64);
        return dst + 8;
    }
}

size_t hry_kv_element_put(const hry_kv_value *element, void *dst, size_t room)
{
    uint64_t nbytes;
    if (element->type < HRY_KV_STRING || element->type > HRY_KV_BYTES || !hry_kv_value_size(element, &nbytes))
        return 0;
    if (nbytes <= room)
        hry_kv_value_put(element, dst);
    return (size_t)nbytes;
}

bool hry_kv_array_next(const hry_kv_value *array, uint64_t *cursor, hry_kv_value *element)
{
    if (array->type != HRY_KV_ARRAY || *cursor >= array->as.array.nbytes)
        return false;
    const uint8_t *start = array->as.array.encoded;
    hry_kv_cursor c = { start + *cursor, start + array->as.array.nbytes };
    hry_kv_value value = { .type = array->element_type };
    if (hry_kv_take_scalar(&c, &value) != HRY_RULE_NONE)
        return false;
    *cursor = (uint64_t)(c.p - start);
    *element = value;
    return true;
}

static hry_status check_array(const hry_kv_value *value, hry_error *err)
{
    hry_kv_value element;
    uint64_t cursor = 0, count = 0;
    if (value->element_type < HRY_KV_STRING || value->element_type > HRY_KV_BYTES)
        return hry_fail_rule(err, HRY_RULE_F_29, HRY_SECTION_KV, 0, value->element_type);
    while (hry_kv_array_next(value, &cursor, &element))
        count++;
    return cursor == value->as.array.nbytes && count == value->as.array.count
               ? HRY_OK
               : hry_fail_rule(err, HRY_RULE_F_29, HRY_SECTION_KV, cursor, count);
}

hry_status hry_kv_value_check(const hry_kv_value *value, hry_error *err)
{
    uint64_t nbytes;
    if (value->type < HRY_KV_STRING || value->type > HRY_KV_ARRAY)
        return hry_fail_rule(err, HRY_RULE_F_28, HRY_SECTION_KV, 0, value->type);
    if (!hry_kv_value_size(value, &nbytes))
        return hry_fail_usage(err, "a metadata value takes more than 4 GiB");
    if (is_array(value))
        return check_array(value, err);
    if (value->type == HRY_KV_STRING && !hry_utf8_valid(value->as.string.ptr, value->as.string.len))
        return hry_fail_rule(err, HRY_RULE_F_29, HRY_SECTION_KV, 0, 0);
    return HRY_OK;
}
