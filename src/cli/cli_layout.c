#include "cli/cli_layout.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 1, COLUMN = 2, NESTED = 4 };

static const struct {
    const char *name;
    uint8_t tag;
} short_names[] = { { "row", HRY_LAYOUT_ROW_MAJOR }, { "col", HRY_LAYOUT_COLUMN_MAJOR } };

static uint8_t find_tag(const char *name, size_t len)
{
    for (size_t k = 0; k < sizeof short_names / sizeof *short_names; k++)
        if (strlen(short_names[k].name) == len && memcmp(name, short_names[k].name, len) == 0)
            return short_names[k].tag;
    return hry_layout_by_name(name, len);
}

/* A number at *text, which moves behind it. */
static bool take_number(const char **text, int64_t *value)
{
    char *end;
    const char *digits = *text + (**text == '-');
    if (!isdigit((unsigned char)*digits))
        return false;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    *text = end;
    return !errno;
}

/* Numbers with a separator between them, up to rank of them; how many, 0 for anything else. */
static uint32_t take_numbers(const char **text, char separator, int64_t *values)
{
    uint32_t count = 0;
    do {
        if (count == HRY_RANK_MAX || !take_number(text, &values[count++]))
            return 0;
    } while (**text == separator && *(*text)++);
    return count;
}

static bool parse_strides(const char *text, cli_layout *out)
{
    out->rank = take_numbers(&text, ',', out->store.outer[0]);
    out->layout.strides = out->store.outer[0];
    return out->rank && !*text;
}

static bool parse_modes(const char *text, cli_layout *out)
{
    int64_t modes[HRY_RANK_MAX];
    uint64_t seen = 0;
    out->rank = take_numbers(&text, ',', modes);
    for (uint32_t k = 0; k < out->rank; k++) {
        if (modes[k] < 0 || modes[k] >= out->rank || seen >> modes[k] & 1)
            return false;
        seen |= 1ull << modes[k];
        out->store.words[k] = (uint32_t)modes[k];
    }
    out->layout.mode_order = out->store.words;
    return out->rank && !*text;
}

/* "64x64/8x8": a level each, one inside the other. */
static bool parse_tiles(const char **text, cli_layout *out, uint32_t *levels)
{
    *levels = 0;
    do {
        int64_t sizes[HRY_RANK_MAX];
        if (*levels == HRY_TILE_LEVELS_MAX)
            return false;
        uint32_t rank = take_numbers(text, 'x', sizes);
        if (!rank || (*levels && rank != out->rank))
            return false;
        out->rank = rank;
        for (uint32_t k = 0; k < rank; k++) {
            if (sizes[k] < 1)
                return false;
            out->store.shape[*levels][k] = (uint64_t)sizes[k];
        }
        ++*levels;
    } while (**text == '/' && *(*text)++);
    return true;
}

/* ",outer=col" and ",inner=row": the order of tiles on every level, and of elements in the innermost. */
static bool parse_orders(const char *text, uint8_t *outer, uint8_t *inner)
{
    while (*text == ',') {
        text++;
        bool is_outer = strncmp(text, "outer=", 6) == 0;
        if (!is_outer && strncmp(text, "inner=", 6) != 0)
            return false;
        size_t len = strcspn(text += 6, ",");
        uint8_t tag = find_tag(text, len);
        if (tag != ROW && tag != COLUMN)
            return false;
        *(is_outer ? outer : inner) = tag;
        text += len;
    }
    return !*text;
}

static bool parse_tiled(const char *text, cli_layout *out)
{
    uint32_t levels;
    uint8_t outer = ROW, inner = ROW;
    if (!parse_tiles(&text, out, &levels) || !parse_orders(text, &outer, &inner))
        return false;
    for (uint32_t k = levels; k-- > 0;) {
        hry_layout *level = k ? &out->store.level[k] : &out->layout;
        *level = (hry_layout){ .tag = HRY_LAYOUT_TILED, .tile_shape = out->store.shape[k], .outer_layout = outer };
        level->inner_layout = k + 1 < levels ? NESTED : inner;
        level->inner = k + 1 < levels ? &out->store.level[k + 1] : NULL;
    }
    return true;
}

bool cli_layout_parse(const char *text, cli_layout *out)
{
    size_t len = strcspn(text, ":");
    const char *more = text[len] ? text + len + 1 : NULL;
    out->layout = (hry_layout){ .tag = find_tag(text, len) };
    out->rank = 0;
    switch (out->layout.tag) {
    case HRY_LAYOUT_STRIDED:
        return more && parse_strides(more, out);
    case HRY_LAYOUT_TILED:
        return more && parse_tiled(more, out);
    case HRY_LAYOUT_CSF:
        return !more || parse_modes(more, out);
    case HRY_LAYOUT_ROW_MAJOR:
    case HRY_LAYOUT_COLUMN_MAJOR:
    case HRY_LAYOUT_MORTON:
    case HRY_LAYOUT_HILBERT:
    case HRY_LAYOUT_COO:
    case HRY_LAYOUT_CSR:
    case HRY_LAYOUT_CSC:
        return !more;
    default:
        return false;
    }
}
