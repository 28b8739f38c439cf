#include "interop/json_text_check.h"

#include "base/status.h"
#include "base/utf8.h"

#include <string.h>

static hry_status fail(hry_error *err, size_t offset, uint8_t value, const char *what)
{
    return hry_fail(err, HRY_E_INPUT, HRY_SECTION_FILE_HEADER, offset, value, "JSON: %s", what);
}

/* The place of the first character that is not UTF-8. Only for texts that hold one. */
static size_t find_invalid(const uint8_t *p, size_t nbytes)
{
    size_t i = 0;
    while (i < nbytes) {
        size_t n = p[i] < 0x80 ? 1 : p[i] < 0xE0 ? 2 : p[i] < 0xF0 ? 3 : 4;
        if (nbytes - i < n || !hry_utf8_valid(p + i, n))
            break;
        i += n;
    }
    return i;
}

/* Four hexadecimal digits; -1 when they are not, which the parser then refuses. */
static int hex4(const uint8_t *p)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        int c = p[i] | 0x20;
        int digit = c >= '0' && c <= '9' && p[i] <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* The bytes of the escape at p, where a backslash stands; 0 for half a surrogate pair. */
static size_t escape_length(const uint8_t *p, size_t left)
{
    if (left < 6 || p[1] != 'u')
        return left < 2 ? 1 : 2;
    int unit = hex4(p + 2);
    if (unit < 0xD800 || unit > 0xDFFF)
        return 6;
    if (unit > 0xDBFF || left < 12 || p[6] != '\\' || p[7] != 'u')
        return 0;
    int low = hex4(p + 8);
    return low >= 0xDC00 && low <= 0xDFFF ? 12 : 0;
}

hry_status hry_json_text_check(const void *bytes, size_t nbytes, hry_error *err)
{
    const uint8_t *p = bytes;
    if (!hry_utf8_valid(p, nbytes)) {
        size_t at = find_invalid(p, nbytes);
        return fail(err, at, p[at], "text is not UTF-8");
    }
    static const char no_space[] = { '\v', '\f' };
    for (size_t i = 0; i < sizeof no_space; i++) {
        const uint8_t *found = memchr(p, no_space[i], nbytes);
        if (found)
            return fail(err, (size_t)(found - p), *found, "control character");
    }
    for (size_t i = 0; i < nbytes;) {
        const uint8_t *escape = memchr(p + i, '\\', nbytes - i);
        if (!escape)
            break;
        i = (size_t)(escape - p);
        size_t n = escape_length(escape, nbytes - i);
        if (n == 0)
            return fail(err, i, 0, "escape is half of a surrogate pair");
        i += n;
    }
    return HRY_OK;
}
