#include "file/kv_list.h"

#include "base/bytes.h"
#include "base/status.h"
#include "base/utf8.h"
#include "file/kv_cursor.h"

#include <inttypes.h>

/* Strings and byte strings: u32 length, then the bytes. */
static enum hry_rule take_string(hry_kv_cursor *c, bool utf8, hry_str *string)
{
    const uint8_t *start = c->p;
    uint32_t length;
    if (!hry_kv_take32(c, &length) || length > hry_kv_left(c)) {
        c->p = start;
        return HRY_RULE_F_26;
    }
    *string = (hry_str){ (const char *)c->p, length };
    if (utf8 && !hry_utf8_valid(c->p, length))
        return HRY_RULE_F_29;
    c->p += length;
    return HRY_RULE_NONE;
}

static enum hry_rule take_word(hry_kv_cursor *c, hry_kv_value *value)
{
    if (hry_kv_left(c) < 8)
        return HRY_RULE_F_26;
    uint64_t word = hry_load64(c->p);
    if (value->type == HRY_KV_FLOAT64)
        value->as.float64 = hry_f64_from_bits(word);
    else if (value->type == HRY_KV_UINT64)
        value->as.uint64 = word;
    else
        value->as.int64 = (int64_t)word;
    c->p += 8;
    return HRY_RULE_NONE;
}

static enum hry_rule take_bool(hry_kv_cursor *c, hry_kv_value *value)
{
    if (hry_kv_left(c) < 1)
        return HRY_RULE_F_26;
    if (*c->p > 1)
        return HRY_RULE_F_29;
    value->as.boolean = *c->p++ != 0;
    return HRY_RULE_NONE;
}

enum hry_rule hry_kv_take_scalar(hry_kv_cursor *c, hry_kv_value *value)
{
    switch (value->type) {
    case HRY_KV_STRING:
    case HRY_KV_BYTES:
        return take_string(c, value->type == HRY_KV_STRING, &value->as.string);
    case HRY_KV_BOOL:
        return take_bool(c, value);
    default:
        return take_word(c, value);
    }
}

/* Numbers need no look at each: any bits are a value. */
static enum hry_rule check_elements(hry_kv_cursor *c, uint8_t type, uint32_t count)
{
    if (type == HRY_KV_INT64 || type == HRY_KV_UINT64 || type == HRY_KV_FLOAT64) {
        c->p += (uint64_t)count * 8;
        return HRY_RULE_NONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        hry_kv_value element = { .type = type };
        enum hry_rule rule = hry_kv_take_scalar(c, &element);
        if (rule)
            return rule;
    }
    return HRY_RULE_NONE;
}

enum hry_rule hry_kv_take_array(hry_kv_cursor *c, hry_kv_value *value)
{
    if (hry_kv_left(c) < 5)
        return HRY_RULE_F_26;
    uint8_t type = c->p[0];
    uint32_t count = hry_load32(c->p + 1);
    if (type < HRY_KV_STRING || type > HRY_KV_BYTES)
        return HRY_RULE_F_29;
    uint64_t least = type == HRY_KV_BOOL ? 1 : type == HRY_KV_STRING || type == HRY_KV_BYTES ? 4 : 8;
    if (count * least > hry_kv_left(c) - 5) {
        c->p += 1;
        return HRY_RULE_F_29;
    }
    c->p += 5;
    value->element_type = type;
    value->as.array.count = count;
    value->as.array.encoded = c->p;
    enum hry_rule rule = check_elements(c, type, count);
    value->as.array.nbytes = (uint64_t)(c->p - (const uint8_t *)value->as.array.encoded);
    return rule;
}

/* Key, tag and value of one entry; c->p stands at the fault when there is one. */
static enum hry_rule take_entry(hry_kv_cursor *c, hry_kv *kv)
{
    if (hry_kv_left(c) < 2)
        return HRY_RULE_F_26;
    uint16_t length = hry_load16(c->p);
    if (length == 0)
        return HRY_RULE_F_27;
    if (length > hry_kv_left(c) - 2)
        return HRY_RULE_F_26;
    c->p += 2;
    kv->key = (hry_str){ (const char *)c->p, length };
    if (!hry_utf8_valid(c->p, length))
        return HRY_RULE_F_27;
    c->p += length;
    if (hry_kv_left(c) < 1)
        return HRY_RULE_F_26;
    kv->value.type = *c->p;
    if (kv->value.type < HRY_KV_STRING || kv->value.type > HRY_KV_ARRAY)
        return HRY_RULE_F_28;
    c->p++;
    return kv->value.type == HRY_KV_ARRAY ? hry_kv_take_array(c, &kv->value) : hry_kv_take_scalar(c, &kv->value);
}

/* What the walk needs to say where a fault is. */
typedef struct section {
    const uint8_t *bytes;
    uint64_t offset;
    hry_error *err;
} section;

static HRY_COLD hry_status fail_entry(const section *s, enum hry_rule rule, const uint8_t *at, const hry_kv *kv)
{
    uint64_t offset = s->offset + (uint64_t)(at - s->bytes);
    if (!kv->key.ptr)
        return hry_fail_rule(s->err, rule, HRY_SECTION_KV, offset, 0);
    int shown = kv->key.len < 100 ? (int)kv->key.len : 100;
    if (rule == HRY_RULE_F_27 && at == (const uint8_t *)kv->key.ptr)
        return hry_fail_rule(s->err, rule, HRY_SECTION_KV, offset, 0);
    return hry_fail_rule_because(s->err, rule, HRY_SECTION_KV, offset, kv->value.type, "key \"%.*s\": %s", shown,
                                 kv->key.ptr, hry_rule_text((uint16_t)rule));
}

static hry_status parse_entries(const section *s, hry_kv_cursor *c, uint32_t count, bool permissive,
                                const hry_allocator *allocator, hry_kv_list *list, bool *unavailable)
{
    for (uint32_t i = 0; i < count; i++) {
        hry_kv kv = { .key = { 0 } };
        enum hry_rule rule = take_entry(c, &kv);
        if (rule == HRY_RULE_F_28 && permissive && kv.value.type >= 0xF0 && kv.value.type < 0xFF) {
            *unavailable = true; /* private values have no length: nothing after one can be found */
            return HRY_OK;
        }
        if (rule)
            return fail_entry(s, rule, c->p, &kv);
        hry_status status;
        if (!hry_kv_list_add(list, allocator, &kv, &status, s->err))
            return status ? status
                          : hry_fail_rule_because(s->err, HRY_RULE_F_27, HRY_SECTION_KV,
                                                  s->offset + (uint64_t)((const uint8_t *)kv.key.ptr - s->bytes), 0,
                                                  "key \"%.*s\" is there twice",
                                                  kv.key.len < 100 ? (int)kv.key.len : 100, kv.key.ptr);
    }
    return HRY_OK;
}

hry_status hry_kv_parse(const uint8_t *bytes, uint64_t nbytes, uint64_t offset, uint8_t minor, bool permissive,
                        const hry_allocator *allocator, hry_kv_list *list, bool *unavailable, hry_error *err)
{
    section s = { bytes, offset, err };
    uint32_t count = hry_load32(bytes);
    if (count > (nbytes - 4) / 4)
        return hry_fail_rule_because(err, HRY_RULE_F_26, HRY_SECTION_KV, offset, count,
                                     "kv_count is %" PRIu32 ", more than %" PRIu64 " bytes can hold", count, nbytes);
    hry_kv_list parsed = { 0 };
    bool dropped = false;
    hry_kv_cursor c = { bytes + 4, bytes + nbytes };
    hry_status status = parse_entries(&s, &c, count, permissive, allocator, &parsed, &dropped);
    if (!status && !dropped && c.p != c.end && minor == 0)
        status = hry_fail_rule_because(err, HRY_RULE_F_26, HRY_SECTION_KV, offset + (uint64_t)(c.p - bytes),
                                       hry_kv_left(&c), "%" PRIu64 " bytes after the last KV entry", hry_kv_left(&c));
    if (status || dropped) {
        hry_kv_list_fini(&parsed, allocator);
        parsed = (hry_kv_list){ 0 };
    }
    if (status)
        return status;
    *list = parsed;
    *unavailable = dropped;
    return HRY_OK;
}
