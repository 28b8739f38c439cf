#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "tensor/sparse_groups.h"
#include "tensor/values.h"

#include <math.h>
#include <string.h>

enum { WORDS = HRY_STATS_CHUNK / 64 };

typedef struct collector {
    const struct hry_kern *kern;
    uint8_t type;
    bool half;         /* a chunk is half of the values that a kernel takes: of complex numbers */
    double factor;     /* of what is added up; 1 the first time */
    uint64_t *nonzero; /* a bit for each value, where they are wanted later */
    hry_tally total;
    hry_tally segment[HRY_VALUES_BATCH];
} collector;

/* A complex number is 0 when both parts are: of 64 bits, the pairs that hold any become 32. */
static uint64_t join_pairs(uint64_t bits)
{
    bits = (bits | bits >> 1) & 0x5555555555555555;
    bits = (bits | bits >> 1) & 0x3333333333333333;
    bits = (bits | bits >> 2) & 0x0F0F0F0F0F0F0F0F;
    bits = (bits | bits >> 4) & 0x00FF00FF00FF00FF;
    bits = (bits | bits >> 8) & 0x0000FFFF0000FFFF;
    return (bits | bits >> 16) & 0x00000000FFFFFFFF;
}

static void scaled_moments(const collector *c, const void *values, size_t n, uint64_t *nonzero, struct hry_moments *m)
{
    double room[HRY_STATS_CHUNK];
    const float *narrow = values;
    const double *wide = values;
    for (size_t i = 0; i < n; i++)
        room[i] = (c->type == HRY_TYPE_FLOAT32 ? (double)narrow[i] : wide[i]) * c->factor;
    c->kern->moments_f64(room, n, nonzero, m);
}

static void take_chunk(void *ctx, size_t slot, uint64_t first, const void *values, size_t n)
{
    collector *c = ctx;
    uint64_t nonzero[WORDS];
    struct hry_moments m;
    size_t parts = c->half ? 2 * n : n, words = (n + 63) / 64;
    if (c->factor != 1)
        scaled_moments(c, values, parts, nonzero, &m);
    else if (c->type == HRY_TYPE_FLOAT32 || c->type == HRY_TYPE_COMPLEX64)
        c->kern->moments_f32(values, parts, nonzero, &m);
    else
        c->kern->moments_f64(values, parts, nonzero, &m);
    for (size_t i = 0; i < words && c->half; i++) {
        uint64_t high = 2 * i + 1 < (parts + 63) / 64 ? nonzero[2 * i + 1] : 0;
        nonzero[i] = join_pairs(nonzero[2 * i]) | join_pairs(high) << 32;
    }
    if (c->nonzero)
        memcpy(c->nonzero + first / 64, nonzero, words * sizeof *nonzero);
    if (first % HRY_TALLY_SEGMENT == 0)
        hry_tally_init(&c->segment[slot]);
    hry_tally_chunk(&c->segment[slot], &m, nonzero, n);
}

static void merge_batch(void *ctx, size_t slots)
{
    collector *c = ctx;
    for (size_t i = 0; i < slots; i++)
        hry_tally_merge(&c->total, &c->segment[i]);
}

static void count_repeats(const hry_values *v, hry_tally *tally)
{
    hry_tally_repeat(tally, v->times);
    if (v->last_repeats) /* groups are all of one value */
        for (unsigned g = 0; g < HRY_TALLY_GROUPS; g++)
            tally->most[g] = (uint8_t)(tally->nnz ? 4u << g : 0);
}

static hry_status run(const hry_values *v, collector *c, hry_error *err)
{
    hry_values_user user = { .chunk = take_chunk, .batch = merge_batch, .ctx = c };
    hry_tally_init(&c->total);
    hry_status status = hry_values_run(v, &user, err);
    if (status)
        return status;
    if (v->times > 1)
        count_repeats(v, &c->total);
    hry_tally_zeros(&c->total, v->zeros);
    return HRY_OK;
}

/*
 * Squares of very large values leave the range of float64, and those of very small ones are lost. Such tensors are gone
 * through again with all values in units of the largest: what deviation there is then counts.
 */
static hry_status run_scaled(const hry_values *v, collector *c, hry_statistics *s, hry_error *err)
{
    int exponent;
    hry_statistics scaled;
    frexp(s->value_abs_max, &exponent);
    if (!(s->computed_mask & HRY_STATS_VALUES) || s->value_abs_max == 0 || (exponent > -400 && exponent < 500))
        return HRY_OK;
    c->factor = ldexp(1, -exponent < 1023 ? -exponent : 1023);
    c->nonzero = NULL;
    hry_status status = run(v, c, err);
    if (status)
        return status;
    hry_tally_statistics(&c->total, 0, &scaled);
    s->value_mean = scaled.value_mean / c->factor;
    s->value_stddev = scaled.value_stddev / c->factor;
    return HRY_OK;
}

static hry_status sparse_groups(const hry_values *v, collector *c, hry_error *err)
{
    return v->sparse ? hry_sparse_groups(v, c->nonzero, &c->total, err) : HRY_OK;
}

static hry_status gather(const hry_values *v, collector *c, hry_statistics *s, hry_error *err)
{
    hry_status status = run(v, c, err);
    if (!status)
        status = sparse_groups(v, c, err);
    if (status)
        return status;
    if (v->sparse)
        c->total.nnz = v->count; /* its own: zeros that are stored count (descriptor, section 7) */
    hry_tally_statistics(&c->total, v->last, s);
    if (c->half) { /* complex numbers have no order */
        s->computed_mask &= ~(uint32_t)(HRY_STATS_RANGE | HRY_STATS_VALUES);
        s->value_min = s->value_max = s->value_abs_max = s->value_mean = s->value_stddev = 0;
    }
    return run_scaled(v, c, s, err);
}

hry_status hry_tensor_statistics(const hry_tensor *tensor, const hry_statistics_options *options,
                                 hry_statistics *statistics, hry_error *err)
{
    hry_values v;
    hry_statistics s;
    uint64_t words = 0;
    hry_status status = hry_values_init(&v, tensor, options, err);
    if (status)
        return status;
    collector c = { .kern = hry_kern(), .type = v.type, .half = v.chunk < HRY_STATS_CHUNK, .factor = 1 };
    uint64_t *nonzero = NULL;
    if (v.sparse) {
        words = hry_ceil_div(v.count, 64);
        nonzero = c.nonzero = hry_alloc_array(v.allocator, words, sizeof *nonzero, _Alignof(uint64_t));
        if (!nonzero)
            return hry_fail_memory(err, words * sizeof *nonzero);
    }
    status = gather(&v, &c, &s, err);
    if (!status)
        *statistics = s;
    hry_free(v.allocator, nonzero, (size_t)words * sizeof *nonzero, _Alignof(uint64_t));
    return status;
}
