#include "base/alloc.h"
#include "base/status.h"
#include "tensor/values.h"

#include <math.h>
#include <stdatomic.h>

enum { FEW = 1024 };                                 /* counters that a chunk has for itself first */
enum { BELOW, ABOVE, NOT_A_NUMBER, INFINITE, REST }; /* counters before those of the bins */

/* A batch holds fewer values than 32 bits count, which is what every machine adds to atomically. */
typedef struct counting {
    hry_histogram *histogram;
    bool narrow; /* values are float32 */
    _Atomic uint32_t *counters;
    size_t counter_count;
    double *edges; /* of the bins, from lo to hi */
    double scale;
    uint64_t rest[REST];
} counting;

static void make_edges(counting *c)
{
    const hry_histogram *h = c->histogram;
    for (size_t i = 0; i < h->bins; i++) {
        double share = (double)i / (double)h->bins;
        c->edges[i] = h->lo * (1 - share) + h->hi * share;
    }
    c->edges[h->bins] = h->hi;
    /* By halves, whose difference does not leave the range of float64. */
    c->scale = (double)h->bins / (h->hi / 2 - h->lo / 2);
}

/* The bin whose edges lie around x, which is from lo to hi: by proportion, put right where that rounds. */
static size_t bin_of(const counting *c, double x)
{
    const hry_histogram *h = c->histogram;
    double position = (x / 2 - h->lo / 2) * c->scale;
    size_t last = h->bins - 1, i = position < (double)last ? (size_t)position : last; /* also when it is no number */
    if (i > 0 && x < c->edges[i])
        i--;
    else if (i < last && x >= c->edges[i + 1])
        i++;
    return i;
}

static size_t counter_of(const counting *c, double x)
{
    const hry_histogram *h = c->histogram;
    if (x >= h->lo && x <= h->hi)
        return REST + bin_of(c, x);
    if (isnan(x))
        return NOT_A_NUMBER;
    if (isinf(x))
        return INFINITE;
    return x < h->lo ? BELOW : ABOVE;
}

static void take_chunk(void *ctx, size_t slot, uint64_t first, const void *values, size_t n)
{
    counting *c = ctx;
    const float *narrow = values;
    const double *wide = values;
    uint32_t few[FEW] = { 0 };
    bool apart = c->counter_count <= FEW;
    (void)slot, (void)first;
    for (size_t i = 0; i < n; i++) {
        size_t k = counter_of(c, c->narrow ? (double)narrow[i] : wide[i]);
        if (apart)
            few[k]++;
        else
            atomic_fetch_add_explicit(&c->counters[k], 1, memory_order_relaxed);
    }
    for (size_t k = 0; apart && k < c->counter_count; k++)
        if (few[k])
            atomic_fetch_add_explicit(&c->counters[k], few[k], memory_order_relaxed);
}

static void add_batch(void *ctx, size_t slots)
{
    counting *c = ctx;
    (void)slots;
    for (size_t k = 0; k < c->counter_count; k++) {
        uint64_t n = atomic_exchange_explicit(&c->counters[k], 0, memory_order_relaxed);
        if (k < REST)
            c->rest[k] += n;
        else
            c->histogram->counts[k - REST] += n;
    }
}

static void repeat(counting *c, uint64_t times)
{
    for (size_t k = 0; k < REST; k++)
        c->rest[k] *= times;
    for (size_t i = 0; i < c->histogram->bins; i++)
        c->histogram->counts[i] *= times;
}

static void add_zeros(counting *c, double zeros)
{
    size_t k = counter_of(c, 0);
    uint64_t *counter = k < REST ? &c->rest[k] : &c->histogram->counts[k - REST];
    uint64_t n = zeros < 0x1p64 ? (uint64_t)zeros : UINT64_MAX;
    *counter = *counter > UINT64_MAX - n ? UINT64_MAX : *counter + n;
}

static hry_status count_all(const hry_values *v, counting *c, hry_error *err)
{
    hry_values_user user = { .chunk = take_chunk, .batch = add_batch, .ctx = c };
    make_edges(c);
    for (size_t k = 0; k < c->counter_count; k++)
        atomic_init(&c->counters[k], 0);
    for (size_t i = 0; i < c->histogram->bins; i++)
        c->histogram->counts[i] = 0;
    hry_status status = hry_values_run(v, &user, err);
    if (status)
        return status;
    repeat(c, v->times);
    add_zeros(c, v->zeros);
    c->histogram->below = c->rest[BELOW];
    c->histogram->above = c->rest[ABOVE];
    c->histogram->nan = c->rest[NOT_A_NUMBER];
    c->histogram->inf = c->rest[INFINITE];
    return HRY_OK;
}

hry_status hry_tensor_histogram(const hry_tensor *tensor, const hry_statistics_options *options,
                                hry_histogram *histogram, hry_error *err)
{
    hry_values v;
    if (!isfinite(histogram->lo) || !isfinite(histogram->hi) || histogram->lo > histogram->hi || histogram->bins == 0)
        return hry_fail_usage(err, "%zu bins from %g to %g", histogram->bins, histogram->lo, histogram->hi);
    hry_status status = hry_values_init(&v, tensor, options, err);
    if (status)
        return status;
    if (v.chunk < HRY_STATS_CHUNK)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, v.type, "complex numbers have no order");
    if (histogram->bins > SIZE_MAX / sizeof(double) - REST)
        return hry_fail_memory(err, UINT64_MAX);
    counting c = { .histogram = histogram, .narrow = v.type == HRY_TYPE_FLOAT32 };
    c.counter_count = histogram->bins + REST;
    c.counters = hry_alloc_array(v.allocator, c.counter_count, sizeof *c.counters, _Alignof(_Atomic uint32_t));
    c.edges = hry_alloc_array(v.allocator, c.counter_count, sizeof *c.edges, _Alignof(double));
    if (c.counters && c.edges)
        status = count_all(&v, &c, err);
    else
        status = hry_fail_memory(err, c.counter_count * (sizeof *c.counters + sizeof *c.edges));
    hry_free(v.allocator, (void *)c.counters, c.counter_count * sizeof *c.counters, _Alignof(_Atomic uint32_t));
    hry_free(v.allocator, c.edges, c.counter_count * sizeof *c.edges, _Alignof(double));
    return status;
}
