#include "interop/npy/npy_literal.h"

#include "base/checked.h"

#include <string.h>

char hry_npy_peek(hry_npy_text *text)
{
    while (text->at < text->end && *text->at && memchr(" \t\r\n", *text->at, 4))
        text->at++;
    return text->at < text->end ? *text->at : 0;
}

bool hry_npy_take(hry_npy_text *text, char c)
{
    if (hry_npy_peek(text) != c || text->at == text->end)
        return false;
    text->at++;
    return true;
}

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool hry_npy_take_word(hry_npy_text *text, const char *word)
{
    size_t n = strlen(word);
    hry_npy_peek(text);
    size_t left = (size_t)(text->end - text->at);
    if (left < n || memcmp(text->at, word, n) != 0 || (left > n && in_word(text->at[n])))
        return false;
    text->at += n;
    return true;
}

bool hry_npy_take_string(hry_npy_text *text, hry_str *string)
{
    char quote = hry_npy_peek(text);
    if (quote != '\'' && quote != '"')
        return false;
    const char *first = text->at + 1, *p = first;
    while (p < text->end && *p != quote && *p != '\\' && (unsigned char)*p >= ' ')
        p++;
    if (p == text->end || *p != quote)
        return false;
    *string = (hry_str){ first, (size_t)(p - first) };
    text->at = p + 1;
    return true;
}

bool hry_npy_take_number(hry_npy_text *text, uint64_t *number)
{
    hry_npy_peek(text);
    const char *p = text->at;
    uint64_t value = 0;
    while (p < text->end && *p >= '0' && *p <= '9')
        if (!hry_mul_add(value, 10, (uint64_t)(*p++ - '0'), &value))
            return false;
    size_t digits = (size_t)(p - text->at);
    if (digits == 0 || (digits > 1 && *text->at == '0'))
        return false;
    if (p < text->end && *p == 'L')
        p++;
    if (p < text->end && in_word(*p))
        return false;
    text->at = p;
    *number = value;
    return true;
}
