#include "tensor/ranges.h"

#include "base/checked.h"

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
