#include "cli/cli_region.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is left of the text; it ends with *end. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
        c->at++;
}

static bool take(cursor *c, char wanted)
{
    skip_blanks(c);
    bool found = c->at < c->end && *c->at == wanted;
    c->at += found;
    return found;
}

/* A number when there is one. False for a sign without digits. */
static bool take_number(cursor *c, int64_t *value, bool *found)
{
    skip_blanks(c);
    const char *digits = c->at;
    bool negative = digits < c->end && *digits == '-';
    digits += negative || (digits < c->end && *digits == '+');
    uint64_t magnitude = 0;
    const char *p = digits;
    for (; p < c->end && isdigit((unsigned char)*p); p++)
        if (__builtin_mul_overflow(magnitude, 10, &magnitude) ||
            __builtin_add_overflow(magnitude, (uint64_t)(*p - '0'), &magnitude))
            magnitude = INT64_MAX;
    *found = p > digits;
    if (!*found)
        return digits == c->at;
    if (magnitude > INT64_MAX)
        magnitude = INT64_MAX;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    c->at = p;
    return true;
}

/* "3", "1:2", "::4", ... */
static bool take_cut(cursor *c, cli_cut *cut)
{
    bool has_step;
    *cut = (cli_cut){ .step = 1 };
    if (!take_number(c, &cut->start, &cut->has_start))
        return false;
    if (!take(c, ':'))
        return cut->is_index = cut->has_start;
    if (!take_number(c, &cut->stop, &cut->has_stop))
        return false;
    return !take(c, ':') || take_number(c, &cut->step, &has_step);
}

static bool take_dots(cursor *c)
{
    skip_blanks(c);
    bool found = c->end - c->at >= 3 && memcmp(c->at, "...", 3) == 0;
    c->at += found ? 3 : 0;
    return found;
}

bool cli_region_parse(const char *text, size_t len, cli_region *region)
{
    cursor c = { text, text + len };
    bool dots = false;
    if (take(&c, '[')) {
        while (c.end > c.at && (c.end[-1] == ' ' || c.end[-1] == '\t'))
            c.end--;
        if (c.at == c.end || *--c.end != ']')
            return false;
    }
    *region = (cli_region){ 0 };
    do {
        if (take_dots(&c)) {
            if (dots)
                return false;
            dots = true;
            region->rest = region->count;
        } else if (region->count == HRY_RANK_MAX || !take_cut(&c, &region->cuts[region->count++])) {
            return false;
        }
    } while (take(&c, ','));
    if (!dots)
        region->rest = region->count;
    skip_blanks(&c);
    for (uint32_t k = 0; k < region->count; k++)
        if (region->cuts[k].step == 0)
            return false;
    return c.at == c.end;
}

void cli_part_whole(uint32_t rank, const uint64_t *shape, cli_part *part)
{
    part->rank = rank;
    for (uint32_t k = 0; k < rank; k++) {
        part->box.start[k] = 0;
        part->box.count[k] = part->shape[k] = shape[k];
        part->box.step[k] = 1;
        part->kept[k] = true;
    }
}

/* A bound as a distance from the first element, held within 0 .. size. */
static uint64_t bound(int64_t value, uint64_t size)
{
    uint64_t distance = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value < 0)
        return distance < size ? size - distance : 0;
    return distance < size ? distance : size;
}

/* Going down, ends are counted one further, so that the place before the first element is 0. */
static uint64_t bound_down(int64_t value, uint64_t size)
{
    uint64_t distance = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value < 0)
        return distance <= size ? size - distance + 1 : 0;
    return distance < size ? distance + 1 : size;
}

static void cut_slice(const cli_cut *cut, uint64_t size, uint64_t *start, uint64_t *count, int64_t *step)
{
    uint64_t from, to, stride;
    if (cut->step > 0) {
        stride = (uint64_t)cut->step;
        from = cut->has_start ? bound(cut->start, size) : 0;
        to = cut->has_stop ? bound(cut->stop, size) : size;
        *count = to > from ? (to - from - 1) / stride + 1 : 0;
        *start = from;
    } else {
        stride = 0 - (uint64_t)cut->step;
        from = cut->has_start ? bound_down(cut->start, size) : size;
        to = cut->has_stop ? bound_down(cut->stop, size) : 0;
        *count = from > to ? (from - to - 1) / stride + 1 : 0;
        *start = from - 1;
    }
    *step = *count > 1 ? cut->step : 1;
    if (*count == 0)
        *start = 0;
}

static bool find_index(int64_t index, uint64_t size, uint64_t *start)
{
    uint64_t distance = index < 0 ? 0 - (uint64_t)index : (uint64_t)index;
    *start = index < 0 ? size - distance : distance;
    return index < 0 ? distance <= size : distance < size;
}

const char *cli_part_cut(const cli_region *region, uint32_t rank, const uint64_t *shape, cli_part *part, char *why)
{
    enum { WHY = 160 };
    if (region->count > rank) {
        snprintf(why, WHY, "the region has %" PRIu32 " dimensions, the tensor %" PRIu32, region->count, rank);
        return why;
    }
    uint32_t skipped = rank - region->count;
    cli_part_whole(rank, shape, part);
    part->rank = 0;
    for (uint32_t k = 0; k < rank; k++) {
        bool said = k < region->rest || k >= region->rest + skipped;
        const cli_cut *cut = said ? &region->cuts[k < region->rest ? k : k - skipped] : NULL;
        if (cut && cut->is_index) {
            part->kept[k] = false;
            part->box.count[k] = 1;
            if (find_index(cut->start, shape[k], &part->box.start[k]))
                continue;
            snprintf(why, WHY, "index %" PRId64 " is out of range: dimension %" PRIu32 " has %" PRIu64 " elements",
                     cut->start, k, shape[k]);
            return why;
        }
        if (cut)
            cut_slice(cut, shape[k], &part->box.start[k], &part->box.count[k], &part->box.step[k]);
        part->shape[part->rank++] = part->box.count[k];
    }
    return NULL;
}
