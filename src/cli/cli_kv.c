#include "cli/cli_kv.h"

#include <inttypes.h>
#include <string.h>

const char *cli_kv_type_name(uint8_t type)
{
    static const char *const names[] = { NULL, "string", "int64", "uint64", "float64", "bool", "bytes", "array" };
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}

static void put_value(cli_json *json, const char *key, const hry_kv_value *value)
{
    hry_kv_value element;
    uint64_t cursor = 0;
    switch (value->type) {
    case HRY_KV_STRING:
        cli_json_text(json, key, value->as.string.ptr, value->as.string.len);
        break;
    case HRY_KV_INT64:
        cli_json_i64(json, key, value->as.int64);
        break;
    case HRY_KV_UINT64:
        cli_json_u64(json, key, value->as.uint64);
        break;
    case HRY_KV_FLOAT64:
        cli_json_f64(json, key, value->as.float64);
        break;
    case HRY_KV_BOOL:
        cli_json_bool(json, key, value->as.boolean);
        break;
    case HRY_KV_BYTES:
        cli_json_base64(json, key, value->as.string.ptr, value->as.string.len);
        break;
    default:
        cli_json_open_array(json, key);
        while (hry_kv_array_next(value, &cursor, &element))
            put_value(json, NULL, &element);
        cli_json_close_array(json);
    }
}

void cli_kv_json(cli_json *json, const hry_kv *kv)
{
    cli_json_open(json, NULL);
    cli_json_str(json, "type", cli_kv_type_name(kv->value.type));
    if (kv->value.type == HRY_KV_ARRAY)
        cli_json_str(json, "element_type", cli_kv_type_name(kv->value.element_type));
    put_value(json, "value", &kv->value);
    cli_json_close(json);
}

void cli_kv_all_json(cli_json *json, const char *key, const hry_file *file)
{
    cli_json_open(json, key);
    for (uint64_t k = 0; k < hry_file_kv_count(file); k++) {
        const hry_kv *kv = hry_file_kv_at(file, k);
        cli_json_key(json, kv->key.ptr, kv->key.len);
        cli_kv_json(json, kv);
    }
    cli_json_close(json);
}

enum { CUT_TEXT = 160, CUT_BYTES = 16, CUT_ITEMS = 8 };

static void print_string(hry_str text, bool full)
{
    size_t len = text.len;
    if (!full && len > CUT_TEXT) {
        /* Whole code points only, or the cut would show as bad bytes. */
        for (len = CUT_TEXT; len && ((unsigned char)text.ptr[len] & 0xC0) == 0x80;)
            len--;
    }
    fputc('"', stdout);
    cli_put_text(stdout, text.ptr, len);
    fputc('"', stdout);
    if (len < text.len)
        printf("... (%zu bytes)", text.len);
}

static void print_bytes(hry_str bytes, bool full)
{
    size_t len = !full && bytes.len > CUT_BYTES ? CUT_BYTES : bytes.len;
    for (size_t k = 0; k < len; k++)
        printf("%02x", (unsigned char)bytes.ptr[k]);
    if (len < bytes.len)
        printf("... (%zu bytes)", bytes.len);
}

static void print_value(const hry_kv_value *value, bool full);

static void print_array(const hry_kv_value *array, bool full)
{
    hry_kv_value element;
    uint64_t cursor = 0, count = 0;
    fputc('[', stdout);
    while (hry_kv_array_next(array, &cursor, &element)) {
        if (!full && count == CUT_ITEMS) {
            printf(", ...] (%" PRIu32 " elements)", array->as.array.count);
            return;
        }
        fputs(count++ ? ", " : "", stdout);
        print_value(&element, full);
    }
    fputc(']', stdout);
}

static void print_value(const hry_kv_value *value, bool full)
{
    switch (value->type) {
    case HRY_KV_STRING:
        print_string(value->as.string, full);
        break;
    case HRY_KV_INT64:
        printf("%" PRId64, value->as.int64);
        break;
    case HRY_KV_UINT64:
        printf("%" PRIu64, value->as.uint64);
        break;
    case HRY_KV_FLOAT64:
        fputs(cli_f64_text(value->as.float64, 17).text, stdout);
        break;
    case HRY_KV_BOOL:
        fputs(value->as.boolean ? "true" : "false", stdout);
        break;
    case HRY_KV_BYTES:
        print_bytes(value->as.string, full);
        break;
    default:
        print_array(value, full);
    }
}

void cli_kv_print(const hry_kv *kv, bool full)
{
    const char *type = cli_kv_type_name(kv->value.type);
    cli_put_text(stdout, kv->key.ptr, kv->key.len);
    if (kv->value.type == HRY_KV_ARRAY)
        printf("  %s of %s  ", type, cli_kv_type_name(kv->value.element_type));
    else
        printf("  %s  ", type);
    print_value(&kv->value, full);
    fputc('\n', stdout);
}

void cli_kv_value_print(const hry_kv_value *value)
{
    if (value->type == HRY_KV_STRING)
        cli_put_text(stdout, value->as.string.ptr, value->as.string.len);
    else
        print_value(value, true);
    fputc('\n', stdout);
}
