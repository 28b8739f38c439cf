/* Cutting work on maps for several threads. */
#include "tensor/move.h"

#include "base/checked.h"

enum { PARTS_PER_THREAD = 4 };
#define LEAST_BYTES ((uint64_t)1 << 18) /* of a part: below, handing it over costs more than it saves */

typedef struct cut {
    const hry_map *from, *to;
    uint32_t axis;
    uint64_t step; /* positions a part */
    hry_part_fn *work;
    void *ctx;
} cut;

static void do_part(void *arg, size_t i)
{
    const cut *c = arg;
    hry_map from, to;
    hry_map_copy(&from, c->from);
    hry_map_copy(&to, c->to);
    uint64_t at[HRY_RANK_MAX] = { 0 }, start = i * c->step, left = from.axis[c->axis].count - start;
    uint64_t count = left < c->step ? left : c->step;
    at[c->axis] = start;
    hry_map_cut(&from, c->axis, start, count);
    hry_map_cut(&to, c->axis, start, count);
    c->work(c->ctx, &from, &to, at);
}

/*
 * Elements below a byte: every eighth position of the first axis starts a byte (a group of 6-bit ones with every
 * fourth), and all positions before it lie before that byte.
 */
static bool first_axis_is_clean(const hry_map *to, uint32_t bits)
{
    uint64_t span = 0;
    if (to->hilbert_order || to->base * (int64_t)bits % 8 != 0)
        return false;
    for (uint32_t k = to->rank; k-- > 0;) {
        int64_t stride = hry_map_stride(to, k);
        if (!hry_map_is_affine(to, k) || stride < 0 || (k == 0 && (uint64_t)stride <= span) ||
            !hry_mul_add(to->axis[k].count - 1, (uint64_t)stride, span, &span))
            return false;
    }
    return true;
}

static uint32_t longest_axis(const hry_map *map, uint64_t enough)
{
    uint32_t longest = 0;
    for (uint32_t k = 0; k < map->rank; k++) {
        if (map->axis[k].count >= enough)
            return k;
        if (map->axis[k].count > map->axis[longest].count)
            longest = k;
    }
    return longest;
}

static bool plan(cut *c, uint32_t to_bits, size_t width, size_t *parts)
{
    uint64_t count, nbytes, most = (uint64_t)width * PARTS_PER_THREAD;
    if (width < 2 || !hry_map_count(c->to, &count) || !hry_mul(count / 8 + 1, to_bits, &nbytes) ||
        nbytes < 2 * LEAST_BYTES)
        return false;
    if (most > nbytes / LEAST_BYTES)
        most = nbytes / LEAST_BYTES;
    c->axis = to_bits < 8 ? 0 : longest_axis(c->to, most);
    if (to_bits < 8 && !first_axis_is_clean(c->to, to_bits))
        return false;
    uint64_t length = c->to->axis[c->axis].count;
    c->step = hry_ceil_div(length, most);
    if (to_bits < 8 && !hry_align_up(c->step, 8, &c->step))
        return false;
    *parts = (size_t)hry_ceil_div(length, c->step);
    return *parts > 1;
}

void hry_in_parts(hry_map *from, hry_map *to, uint32_t to_bits, const hry_executor *executor, hry_part_fn *work,
                  void *ctx)
{
    const uint64_t at[HRY_RANK_MAX] = { 0 };
    cut c = { .from = from, .to = to, .work = work, .ctx = ctx };
    size_t parts;
    if (to->empty)
        return;
    if (executor && plan(&c, to_bits, executor->width, &parts))
        executor->run(executor->ctx, parts, do_part, &c);
    else
        work(ctx, from, to, at);
}
