#include "interop/json_write.h"

#include "interop/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void hry_json_put(hry_json_text *text, const char *bytes, size_t nbytes)
{
    if (text->no_memory || nbytes > SIZE_MAX - text->used ||
        !HRY_GROW(text->allocator, text->bytes, text->capacity, text->used + nbytes)) {
        text->no_memory = true;
        return;
    }
    memcpy(text->bytes + text->used, bytes, nbytes);
    text->used += nbytes;
}

void hry_json_put_text(hry_json_text *text, const char *terminated)
{
    hry_json_put(text, terminated, strlen(terminated));
}

static bool needs_escape(char c)
{
    return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

static void put_escape(hry_json_text *text, char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    char escape[8] = { '\\' };
    const char *known = c ? strchr(from, c) : NULL;
    if (known)
        escape[1] = to[known - from];
    else
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned char)c);
    hry_json_put_text(text, escape);
}

void hry_json_put_string(hry_json_text *text, hry_str string)
{
    hry_json_put(text, "\"", 1);
    size_t done = 0;
    for (size_t i = 0; i < string.len; i++) {
        if (!needs_escape(string.ptr[i]))
            continue;
        hry_json_put(text, string.ptr + done, i - done);
        put_escape(text, string.ptr[i]);
        done = i + 1;
    }
    if (string.len > done)
        hry_json_put(text, string.ptr + done, string.len - done);
    hry_json_put(text, "\"", 1);
}

void hry_json_put_u64(hry_json_text *text, uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value);
    hry_json_put(text, digits, (size_t)n);
}

void hry_json_text_fini(hry_json_text *text)
{
    HRY_DROP(text->allocator, text->bytes, text->capacity);
    *text = (hry_json_text){ .allocator = text->allocator };
}
