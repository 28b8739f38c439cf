#include "tensor/ranges.h"

#include "base/checked.h"

#include <stdatomic.h>

enum { RANGES_PER_THREAD = 4 };

typedef struct cut {
    uint64_t count, length;
    hry_range_fn *work;
    void *ctx;
} cut;

static void do_range(void *arg, size_t i)
{
    const cut *c = arg;
    uint64_t first = i * c->length, left = c->count - first;
    c->work(c->ctx, first, first + (left < c->length ? left : c->length));
}

void hry_in_ranges(uint64_t count, uint64_t grain, const hry_executor *executor, hry_range_fn *work, void *ctx)
{
    if (!executor || executor->width < 2 || count <= grain) {
        if (count > 0)
            work(ctx, 0, count);
        return;
    }
    uint64_t grains = hry_ceil_div(count, grain), most = (uint64_t)executor->width * RANGES_PER_THREAD;
    cut c = { count, hry_ceil_div(grains, grains < most ? grains : most) * grain, work, ctx };
    executor->run(executor->ctx, (size_t)hry_ceil_div(count, c.length), do_range, &c);
}

typedef struct search {
    hry_look_fn *look;
    const void *ctx;
    _Atomic uint64_t first;
} search;

static void search_range(void *ctx, uint64_t first, uint64_t end)
{
    search *s = ctx;
    uint64_t best = atomic_load_explicit(&s->first, memory_order_relaxed);
    uint64_t at = best > first ? s->look(s->ctx, first, end) : end;
    while (at < end && at < best &&
           !atomic_compare_exchange_weak_explicit(&s->first, &best, at, memory_order_relaxed, memory_order_relaxed))
        ;
}

uint64_t hry_first_in_ranges(uint64_t count, uint64_t grain, const hry_executor *executor, hry_look_fn *look,
                             const void *ctx)
{
    search s = { .look = look, .ctx = ctx };
    atomic_init(&s.first, count);
    hry_in_ranges(count, grain, executor, search_range, &s);
    return atomic_load_explicit(&s.first, memory_order_relaxed);
}
