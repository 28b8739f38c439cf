/*
 * The loops of reductions, for any vector: a lanes_ header comes before. Magnitudes are compared as integers, which
 * orders them, and puts what is not finite above the rest.
 */
#ifndef HRY_KERN_LANES_REDUCE_LANES_H
#define HRY_KERN_LANES_REDUCE_LANES_H

#define MAGNITUDE 0x7FFFFFFF
#define INFINITE 0x7F800000

INLINE lanes_int magnitude_of(lanes x)
{
    return lanes_int_and(lanes_bits(x), MAGNITUDE);
}

INLINE int32_t absmax_of(const float *x, size_t n)
{
    lanes_int most = lanes_int_set(0), more = most;
    size_t i = 0;
    for (; n - i >= 2 * LANES; i += 2 * LANES) {
        most = lanes_int_max(most, magnitude_of(lanes_load(x + i)));
        more = lanes_int_max(more, magnitude_of(lanes_load(x + i + LANES)));
    }
    for (; n - i >= LANES; i += LANES)
        most = lanes_int_max(most, magnitude_of(lanes_load(x + i)));
    if (i < n)
        most = lanes_int_max(most, magnitude_of(lanes_load_part(x + i, n - i)));
    return lanes_int_largest(lanes_int_max(most, more));
}

TARGET static bool absmax(const float *x, size_t n, size_t block, float *absmax)
{
    int32_t all = 0;
    for (size_t i = 0, b = 0; i < n; b++) {
        size_t length = n - i < block ? n - i : block;
        int32_t most = absmax_of(x + i, length);
        memcpy(&absmax[b], &most, sizeof most);
        all = most > all ? most : all;
        i += length;
    }
    return all < INFINITE;
}

/* Both bounds of one block, and the largest magnitude met so far. A zero in x leaves the accumulator's, which is +0. */
INLINE lanes_int widen_range(lanes x, lanes *low, lanes *high, lanes_int all)
{
    *low = lanes_min(x, *low);
    *high = lanes_max(x, *high);
    return lanes_int_max(all, magnitude_of(x));
}

TARGET static bool range(const float *x, size_t n, size_t block, float *lo, float *hi)
{
    lanes_int all = lanes_int_set(0);
    for (size_t start = 0, b = 0; start < n; b++) {
        size_t length = n - start < block ? n - start : block, i = 0;
        const float *p = x + start;
        lanes low = lanes_set(0), high = low, low2 = low, high2 = low;
        for (; length - i >= 2 * LANES; i += 2 * LANES) {
            all = widen_range(lanes_load(p + i), &low, &high, all);
            all = widen_range(lanes_load(p + i + LANES), &low2, &high2, all);
        }
        for (; length - i >= LANES; i += LANES)
            all = widen_range(lanes_load(p + i), &low, &high, all);
        if (i < length)
            all = widen_range(lanes_load_part(p + i, length - i), &low, &high, all);
        lo[b] = lanes_smallest(lanes_min(low, low2));
        hi[b] = lanes_largest(lanes_max(high, high2));
        start += length;
    }
    return lanes_int_largest(all) < INFINITE;
}

TARGET static bool absmax_each(const float *x, size_t n, float *absmax)
{
    lanes_int all = lanes_int_set(0);
    size_t i = 0;
    for (; n - i >= LANES; i += LANES) {
        lanes_int magnitude = magnitude_of(lanes_load(x + i));
        lanes_put(absmax + i, lanes_of_bits(lanes_int_max(lanes_bits(lanes_load(absmax + i)), magnitude)), false);
        all = lanes_int_max(all, magnitude);
    }
    if (i < n) {
        lanes_int magnitude = magnitude_of(lanes_load_part(x + i, n - i));
        lanes_int before = lanes_bits(lanes_load_part(absmax + i, n - i));
        lanes_put_part(absmax + i, lanes_of_bits(lanes_int_max(before, magnitude)), n - i);
        all = lanes_int_max(all, magnitude);
    }
    return lanes_int_largest(all) < INFINITE;
}

TARGET static bool range_each(const float *x, size_t n, float *lo, float *hi)
{
    lanes_int all = lanes_int_set(0);
    size_t i = 0;
    for (; n - i >= LANES; i += LANES) {
        lanes low = lanes_load(lo + i), high = lanes_load(hi + i);
        all = widen_range(lanes_load(x + i), &low, &high, all);
        lanes_put(lo + i, low, false);
        lanes_put(hi + i, high, false);
    }
    if (i < n) {
        lanes low = lanes_load_part(lo + i, n - i), high = lanes_load_part(hi + i, n - i);
        all = widen_range(lanes_load_part(x + i, n - i), &low, &high, all);
        lanes_put_part(lo + i, low, n - i);
        lanes_put_part(hi + i, high, n - i);
    }
    return lanes_int_largest(all) < INFINITE;
}

static void fill_reduce(struct hry_kern *table)
{
    table->absmax = absmax;
    table->range = range;
    table->absmax_each = absmax_each;
    table->range_each = range_each;
}

#endif
