#include "cli/cli_value.h"
#include "cli/cli_kv.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Decimal digits after a sign, nothing else. */
static bool is_integer(const char *text)
{
    text += *text == '-' || *text == '+';
    size_t digits = strspn(text, "0123456789");
    return digits && !text[digits];
}

static bool parse_int64(const char *text, hry_kv_value *value)
{
    errno = 0;
    long long parsed = strtoll(text, NULL, 10);
    *value = (hry_kv_value){ .type = HRY_KV_INT64, .as.int64 = parsed };
    return is_integer(text) && !errno;
}

static bool parse_uint64(const char *text, hry_kv_value *value)
{
    errno = 0;
    unsigned long long parsed = strtoull(text, NULL, 10);
    *value = (hry_kv_value){ .type = HRY_KV_UINT64, .as.uint64 = parsed };
    return is_integer(text) && *text != '-' && !errno;
}

static bool parse_float64(const char *text, hry_kv_value *value)
{
    char *end;
    double parsed = strtod(text, &end); /* the program stays in the C locale: a point, whatever the environment says */
    *value = (hry_kv_value){ .type = HRY_KV_FLOAT64, .as.float64 = parsed };
    return *text && !isspace((unsigned char)*text) && !*end;
}

static bool parse_bool(const char *text, hry_kv_value *value)
{
    bool yes = strcmp(text, "true") == 0;
    *value = (hry_kv_value){ .type = HRY_KV_BOOL, .as.boolean = yes };
    return yes || strcmp(text, "false") == 0;
}

static bool parse_string(const char *text, hry_kv_value *value)
{
    *value = (hry_kv_value){ .type = HRY_KV_STRING, .as.string = { text, strlen(text) } };
    return true;
}

static bool parse_bytes(const char *text, void *bytes, hry_kv_value *value)
{
    size_t len = strlen(text);
    unsigned char *out = bytes;
    if (len % 2 || strspn(text, "0123456789abcdefABCDEF") != len)
        return false;
    for (size_t k = 0; k < len / 2; k++) {
        char pair[3] = { text[2 * k], text[2 * k + 1], 0 };
        out[k] = (unsigned char)strtoul(pair, NULL, 16);
    }
    *value = (hry_kv_value){ .type = HRY_KV_BYTES, .as.string = { bytes, len / 2 } };
    return true;
}

/* Digits with a point or an exponent; "inf" and "nan" are words as well, and hexadecimal is no habit here. */
static bool looks_like_float(const char *text)
{
    return strspn(text, "+-.0123456789eE") == strlen(text) && strpbrk(text, "0123456789");
}

static bool guess(const char *text, hry_kv_value *value)
{
    return parse_bool(text, value) || parse_int64(text, value) || parse_uint64(text, value) ||
           (looks_like_float(text) && parse_float64(text, value)) || parse_string(text, value);
}

bool cli_value_parse(const char *text, const char *type, void *bytes, hry_kv_value *value)
{
    if (!type)
        return guess(text, value);
    uint8_t tag = HRY_KV_STRING;
    while (tag < HRY_KV_ARRAY && strcmp(type, cli_kv_type_name(tag)) != 0)
        tag++;
    switch (tag) {
    case HRY_KV_STRING:
        return parse_string(text, value);
    case HRY_KV_INT64:
        return parse_int64(text, value);
    case HRY_KV_UINT64:
        return parse_uint64(text, value);
    case HRY_KV_FLOAT64:
        return parse_float64(text, value);
    case HRY_KV_BOOL:
        return parse_bool(text, value);
    case HRY_KV_BYTES:
        return parse_bytes(text, bytes, value);
    default:
        return false;
    }
}
