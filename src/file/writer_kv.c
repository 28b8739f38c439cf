#include "base/bytes.h"
#include "base/status.h"
#include "base/utf8.h"
#include "file/kv_list.h"
#include "file/writer.h"

hry_status hry_kv_key_check(hry_str key, hry_error *err)
{
    if (key.len == 0 || key.len > UINT16_MAX)
        return hry_fail_rule_because(err, HRY_RULE_F_27, HRY_SECTION_KV, 0, key.len,
                                     "a key of %zu bytes: it has to have 1 to 65535", key.len);
    if (!hry_utf8_valid(key.ptr, key.len))
        return hry_fail_rule_because(err, HRY_RULE_F_27, HRY_SECTION_KV, 0, 0, "the key is not UTF-8");
    return HRY_OK;
}

static hry_status check_key(const hry_writer *w, hry_str key, hry_error *err)
{
    int shown = key.len < 100 ? (int)key.len : 100;
    hry_status status = hry_kv_key_check(key, err);
    if (!status && hry_pieces_has(&w->kv, key))
        status = hry_fail_rule_because(err, HRY_RULE_F_27, HRY_SECTION_KV, 0, 0, "the key \"%.*s\" is there already",
                                       shown, key.ptr);
    return status;
}

hry_status hry_writer_kv(hry_writer *writer, const char *key, size_t len, const hry_kv_value *value, hry_error *err)
{
    hry_str k = { key, len };
    if (writer->failed || writer->state == HRY_WRITER_DONE)
        return hry_writer_usable(writer, HRY_WRITER_BETWEEN, err);
    if (writer->options.no_kv)
        return hry_fail_usage(err, "this file was promised to have no metadata");
    hry_status status = check_key(writer, k, err);
    if (!status)
        status = hry_kv_value_check(value, err);
    if (status)
        return status;
    uint64_t nbytes = 0;
    hry_kv_value_size(value, &nbytes);
    if (4 + (uint64_t)writer->kv.length + 3 + len + nbytes > UINT32_MAX)
        return hry_fail_rule(err, HRY_RULE_F_30, HRY_SECTION_KV, 0, writer->kv.length);
    uint8_t *piece = hry_pieces_add(&writer->kv, &writer->allocator, k, 1 + (size_t)nbytes);
    if (!piece)
        return hry_fail_memory(err, nbytes);
    *piece = value->type;
    hry_kv_value_put(value, piece + 1);
    return HRY_OK;
}

hry_status hry_writer_kv_string(hry_writer *writer, const char *key, const char *value, hry_error *err)
{
    hry_kv_value v = { .type = HRY_KV_STRING, .as.string = { value, strlen(value) } };
    return hry_writer_kv(writer, key, strlen(key), &v, err);
}

hry_status hry_writer_kv_uint64(hry_writer *writer, const char *key, uint64_t value, hry_error *err)
{
    hry_kv_value v = { .type = HRY_KV_UINT64, .as.uint64 = value };
    return hry_writer_kv(writer, key, strlen(key), &v, err);
}

hry_status hry_writer_kv_int64(hry_writer *writer, const char *key, int64_t value, hry_error *err)
{
    hry_kv_value v = { .type = HRY_KV_INT64, .as.int64 = value };
    return hry_writer_kv(writer, key, strlen(key), &v, err);
}

hry_status hry_writer_kv_float64(hry_writer *writer, const char *key, double value, hry_error *err)
{
    hry_kv_value v = { .type = HRY_KV_FLOAT64, .as.float64 = value };
    return hry_writer_kv(writer, key, strlen(key), &v, err);
}

hry_status hry_writer_kv_bool(hry_writer *writer, const char *key, bool value, hry_error *err)
{
    hry_kv_value v = { .type = HRY_KV_BOOL, .as.boolean = value };
    return hry_writer_kv(writer, key, strlen(key), &v, err);
}
