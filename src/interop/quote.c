#include "interop/quote.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

/* The bytes of the character at p: 1 for anything that is not a whole character. */
static size_t character(const unsigned char *p, size_t left)
{
    for (size_t n = 1; n <= 4 && n <= left; n++)
        if (hry_utf8_valid(p, n))
            return n;
    return 1;
}

/* Writes the character as it is to be shown; returns how many bytes. */
static size_t show(char out[8], const unsigned char *p, size_t n)
{
    bool plain = n > 1 ? !(p[0] == 0xC2 && p[1] < 0xA0) : p[0] >= 0x20 && p[0] < 0x7F && p[0] != '"' && p[0] != '\\';
    if (plain) {
        memcpy(out, p, n);
        return n;
    }
    if (n == 1 && (p[0] == '"' || p[0] == '\\'))
        return (size_t)snprintf(out, 8, "\\%c", p[0]);
    if (n == 2)
        return (size_t)snprintf(out, 8, "\\u%04x", p[1]); /* C1 controls: U+0080 .. U+009F */
    return (size_t)snprintf(out, 8, "\\x%02x", p[0]);
}

const char *hry_quote(char out[HRY_QUOTE_SIZE], hry_str text)
{
    const unsigned char *p = (const unsigned char *)text.ptr;
    size_t used = 0;
    out[used++] = '"';
    for (size_t i = 0; i < text.len;) {
        char shown[8];
        size_t n = character(p + i, text.len - i);
        size_t width = show(shown, p + i, n);
        if (HRY_QUOTE_SIZE - used < width + sizeof "...\"") {
            memcpy(out + used, "...", 3);
            used += 3;
            break;
        }
        memcpy(out + used, shown, width);
        used += width;
        i += n;
    }
    out[used++] = '"';
    out[used] = '\0';
    return out;
}
