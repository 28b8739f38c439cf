#include "cli/cli_text.h"
#include "cli/cli_out.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits_from(hry_str s, size_t k)
{
    size_t n = 0;
    while (k + n < s.len && is_digit(s.ptr[k + n]))
        n++;
    return n;
}

/* Two runs of digits as numbers of any length. */
static int compare_numbers(const char *a, size_t na, const char *b, size_t nb)
{
    for (; na && *a == '0'; na--)
        a++;
    for (; nb && *b == '0'; nb--)
        b++;
    if (na != nb)
        return na < nb ? -1 : 1;
    return memcmp(a, b, na);
}

int cli_natural_compare(hry_str a, hry_str b)
{
    size_t i = 0, k = 0;
    while (i < a.len && k < b.len) {
        size_t na = digits_from(a, i), nb = digits_from(b, k);
        int order;
        if (na && nb) {
            order = compare_numbers(a.ptr + i, na, b.ptr + k, nb);
            i += na;
            k += nb;
        } else {
            order = (unsigned char)a.ptr[i++] - (unsigned char)b.ptr[k++];
        }
        if (order)
            return order;
    }
    if (i < a.len || k < b.len)
        return i < a.len ? 1 : -1;
    /* "07" and "7" are one number but not one name. */
    int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
    return order ? order : a.len < b.len ? -1 : a.len > b.len;
}

/* One character of the text against the set that starts after '['; *end is past its ']', or NULL when it has none. */
static bool match_set(const char *set, char c, const char **end)
{
    bool negated = *set == '!' || *set == '^', found = false;
    const char *p = set + negated;
    do {
        if (!*p) {
            *end = NULL;
            return c == '[';
        }
        char low = *p == '\\' && p[1] ? *++p : *p, high = low;
        p++;
        if (p[0] == '-' && p[1] && p[1] != ']') {
            high = p[1];
            p += 2;
        }
        found |= (unsigned char)c >= (unsigned char)low && (unsigned char)c <= (unsigned char)high;
    } while (*p != ']');
    *end = p + 1;
    return found != negated;
}

/* One character against the element at *pattern, which moves past it on success. */
static bool match_one(const char **pattern, hry_str text, size_t *k)
{
    const char *p = *pattern, *end;
    if (*p == '?') {
        size_t n = cli_utf8_length(text.ptr + *k, text.len - *k, NULL);
        *k += n ? n : 1;
        *pattern = p + 1;
        return true;
    }
    bool ok;
    if (*p == '[') {
        ok = match_set(p + 1, text.ptr[*k], &end);
        *pattern = end ? end : p + 1;
    } else {
        p += *p == '\\' && p[1];
        ok = *p == text.ptr[*k];
        *pattern = p + 1;
    }
    ++*k;
    return ok;
}

bool cli_glob_match(const char *pattern, hry_str text)
{
    const char *p = pattern, *star = NULL;
    size_t k = 0, mark = 0;
    while (k < text.len) {
        if (*p == '*') {
            star = ++p;
            mark = k;
        } else if (!*p || !match_one(&p, text, &k)) {
            if (!star)
                return false;
            p = star;
            k = ++mark;
        }
    }
    while (*p == '*')
        p++;
    return !*p;
}

static bool any_match(const cli_list *globs, hry_str name)
{
    for (size_t k = 0; k < globs->count; k++)
        if (cli_glob_match(globs->items[k], name))
            return true;
    return false;
}

bool cli_selected(const cli_args *args, hry_str name)
{
    return (!args->include.count || any_match(&args->include, name)) && !any_match(&args->exclude, name);
}

uint64_t cli_size_parse(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || errno)
        return 0;
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    unsigned shift = unit ? 10u * (unsigned)(unit - units + 1) : 0;
    end += unit != NULL;
    end += unit && *end == 'i' && end[1] == 'B';
    end += *end == 'B';
    return *end || value > UINT64_MAX >> shift ? 0 : value << shift;
}
