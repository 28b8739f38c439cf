#include "base/utf8.h"

#include "base/bytes.h"

/* The length of the sequence at p, 0 when it is none; end > p. */
static size_t sequence(const unsigned char *p, const unsigned char *end)
{
    unsigned lead = p[0];
    size_t n = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (n < 2 || (size_t)(end - p) < n)
        return n == 1 ? 1 : 0;
    /* The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF. */
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

bool hry_utf8_valid(const void *bytes, size_t nbytes)
{
    const unsigned char *p = bytes, *end = p + nbytes;
    while (p != end) {
        /* Names are ASCII nearly always: eight bytes at a time. */
        while (end - p >= 8 && (hry_load64(p) & 0x8080808080808080u) == 0)
            p += 8;
        if (p == end)
            break;
        size_t n = sequence(p, end);
        if (n == 0)
            return false;
        p += n;
    }
    return true;
}
