#include "interop/gguf/gguf_value.h"

#include <inttypes.h>

unsigned hry_gguf_kv_width(uint32_t type)
{
    static const uint8_t widths[HRY_GGUF_KV_TYPES] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };
    return type < HRY_GGUF_KV_TYPES ? widths[type] : 0;
}

static hry_status skip(hry_gguf_reader *r, uint32_t type, unsigned depth);

static hry_status fail_type(const hry_gguf_reader *r, uint32_t type)
{
    return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_KV, r->at - 4, type, "metadata of type %" PRIu32 ", which is none",
                    type);
}

static hry_status skip_array(hry_gguf_reader *r, unsigned depth)
{
    hry_status status = hry_gguf_need(r, 12, HRY_SECTION_KV, "array");
    if (status)
        return status;
    uint32_t type = hry_gguf_take32(r);
    if (type >= HRY_GGUF_KV_TYPES)
        return fail_type(r, type);
    uint64_t at = r->at, count = hry_gguf_take64(r);
    unsigned width = hry_gguf_kv_width(type), least = width ? width : type == HRY_GGUF_KV_STRING ? 8 : 12;
    if (count > hry_gguf_rest(r) / least)
        return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_KV, at, count,
                        "array of %" PRIu64 " elements, the file has %" PRIu64 " more bytes (truncated?)", count,
                        hry_gguf_rest(r));
    if (width) {
        status = hry_gguf_need(r, count * width, HRY_SECTION_KV, "array");
        r->at += status ? 0 : count * width;
        return status;
    }
    if (type == HRY_GGUF_KV_ARRAY && depth + 1 > HRY_GGUF_ARRAY_DEPTH)
        return hry_fail(r->err, HRY_E_INPUT, HRY_SECTION_KV, at - 4, depth + 1, "arrays nested more than %d deep",
                        HRY_GGUF_ARRAY_DEPTH);
    for (uint64_t i = 0; i < count && status == HRY_OK; i++)
        status = skip(r, type, depth + 1);
    return status;
}

static hry_status skip(hry_gguf_reader *r, uint32_t type, unsigned depth)
{
    hry_str string;
    if (type == HRY_GGUF_KV_STRING)
        return hry_gguf_take_string(r, HRY_SECTION_KV, "string", &string);
    if (type == HRY_GGUF_KV_ARRAY)
        return skip_array(r, depth);
    hry_status status = hry_gguf_need(r, hry_gguf_kv_width(type), HRY_SECTION_KV, "value");
    r->at += status ? 0 : hry_gguf_kv_width(type);
    return status;
}

hry_status hry_gguf_skip_value(hry_gguf_reader *r, uint32_t type)
{
    return type < HRY_GGUF_KV_TYPES ? skip(r, type, 1) : fail_type(r, type);
}

uint64_t hry_gguf_number(const uint8_t *p, uint32_t type, bool swapped)
{
    switch (hry_gguf_kv_width(type)) {
    case 1:
        return type == HRY_GGUF_KV_INT8 ? (uint64_t)(int8_t)*p : *p;
    case 2: {
        uint16_t x = hry_load16(p);
        x = swapped ? __builtin_bswap16(x) : x;
        return type == HRY_GGUF_KV_INT16 ? (uint64_t)(int16_t)x : x;
    }
    case 4: {
        uint32_t x = hry_gguf_load32(p, swapped);
        return type == HRY_GGUF_KV_INT32 ? (uint64_t)(int32_t)x : x;
    }
    default:
        return hry_gguf_load64(p, swapped);
    }
}
