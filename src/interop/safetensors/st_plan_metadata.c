#include "interop/safetensors/st_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_SIZE = 40 };

/* %.17g with a point, whatever the locale calls for. */
static void format_f64(double value, char out[NUMBER_SIZE])
{
    if (value - value != 0) {
        snprintf(out, NUMBER_SIZE, "%s", value > 0 ? "Infinity" : value < 0 ? "-Infinity" : "NaN");
        return;
    }
    char local[NUMBER_SIZE];
    snprintf(local, sizeof local, "%.17g", value);
    size_t used = 0;
    for (const char *p = local; *p; p++) {
        if (strchr("0123456789+-e", *p))
            out[used++] = *p;
        else if (used == 0 || out[used - 1] != '.')
            out[used++] = '.';
    }
    out[used] = '\0';
}

/* A value as text. false: it has none. */
static bool as_text(const hry_kv_value *value, char number[NUMBER_SIZE], hry_str *text)
{
    switch (value->type) {
    case HRY_KV_STRING:
        *text = value->as.string;
        return true;
    case HRY_KV_INT64:
        snprintf(number, NUMBER_SIZE, "%" PRId64, value->as.int64);
        break;
    case HRY_KV_UINT64:
        snprintf(number, NUMBER_SIZE, "%" PRIu64, value->as.uint64);
        break;
    case HRY_KV_FLOAT64:
        format_f64(value->as.float64, number);
        break;
    case HRY_KV_BOOL:
        snprintf(number, NUMBER_SIZE, "%s", value->as.boolean ? "true" : "false");
        break;
    default:
        return false;
    }
    *text = (hry_str){ number, strlen(number) };
    return true;
}

static const char *type_reason(uint8_t type)
{
    switch (type) {
    case HRY_KV_BYTES:
        return "bytes are no text";
    case HRY_KV_ARRAY:
        return "an array is no text";
    case HRY_KV_BOOL:
        return "a bool, written as its text";
    default:
        return "a number, written as its text";
    }
}

void hry_st_plan_metadata(const hry_file *file, hry_json_text *json, hry_notes *notes)
{
    uint64_t written = 0, count = hry_file_kv_count(file);
    for (uint64_t i = 0; i < count; i++) {
        const hry_kv *kv = hry_file_kv_at(file, i);
        char number[NUMBER_SIZE];
        hry_str text;
        bool kept = as_text(&kv->value, number, &text);
        if (kv->value.type != HRY_KV_STRING)
            hry_notes_add(notes, kept ? HRY_NOTE_CHANGED : HRY_NOTE_LEFT_OUT, HRY_NOTE_KEY, kv->key,
                          type_reason(kv->value.type));
        if (!kept)
            continue;
        hry_json_put_text(json, written++ ? "," : "\"__metadata__\":{");
        hry_json_put_string(json, kv->key);
        hry_json_put_text(json, ":");
        hry_json_put_string(json, text);
    }
    if (written)
        hry_json_put_text(json, "},");
}
