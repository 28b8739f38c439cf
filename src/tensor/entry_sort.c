/*
 * By the highest bits that vary first, into buckets that fit the second cache; then each bucket by digits from the
 * lowest on. Both steps are cut for threads.
 */
#include "tensor/entry_sort.h"

#include "base/checked.h"
#include "tensor/ranges.h"

#include <string.h>

enum {
    TOP = 10,        /* bits that choose a bucket */
    DIGIT = 11,      /* bits of a digit, at most */
    CHUNKS = 16,     /* that buckets are filled from at a time */
    FEW = 32,        /* entries that are sorted by insertion */
    SMALL = 1 << 14, /* entries that are one bucket */
    GRAIN = 1 << 16
};

_Static_assert(HRY_ENTRY_SORT_ROOM == (uint64_t)CHUNKS * 8 << TOP, "counters of each chunk");

typedef struct digit {
    uint32_t shift, mask;
} digit;

typedef struct sorting {
    hry_entry *from, *to;
    uint64_t count;
    _Atomic uint64_t differ; /* bits that are not the same in all keys */
    uint64_t first_key;
    digit top;
    uint64_t *starts; /* for each chunk, where the next entry of each bucket goes */
    uint64_t chunk;   /* entries of one */
    uint64_t ends[1 << TOP];
    digit digits[64];
    uint32_t digit_count;
} sorting;

static void find_differences(void *ctx, uint64_t first, uint64_t end)
{
    sorting *s = ctx;
    uint64_t differ = 0;
    for (uint64_t i = first; i < end; i++)
        differ |= s->from[i].key ^ s->first_key;
    atomic_fetch_or_explicit(&s->differ, differ, memory_order_relaxed);
}

/* Bits low .. high-1 in digits of equal lengths, without those that are the same in all keys. */
static void plan_digits(sorting *s, uint64_t differ, uint32_t low, uint32_t high)
{
    uint64_t below = high < 64 ? differ & (((uint64_t)1 << high) - 1) : differ;
    if (!below)
        return;
    low = low > (uint32_t)__builtin_ctzll(below) ? low : (uint32_t)__builtin_ctzll(below);
    if (low >= high)
        return;
    uint32_t passes = (high - low + DIGIT - 1) / DIGIT, bits = (high - low + passes - 1) / passes;
    for (; low < high; low += bits) {
        digit d = { low, (uint32_t)((1u << (high - low < bits ? high - low : bits)) - 1) };
        if (differ >> d.shift & d.mask)
            s->digits[s->digit_count++] = d;
    }
}

/* ---- Buckets ---- */

static uint64_t *starts_of(const sorting *s, uint64_t chunk)
{
    return s->starts + (chunk << TOP);
}

static void count_chunk(void *arg, size_t i)
{
    const sorting *s = arg;
    uint64_t *start = starts_of(s, i), end = (i + 1) * s->chunk < s->count ? (i + 1) * s->chunk : s->count;
    memset(start, 0, sizeof(uint64_t) << TOP);
    for (uint64_t k = i * s->chunk; k < end; k++)
        start[s->from[k].key >> s->top.shift & s->top.mask]++;
}

static void move_chunk(void *arg, size_t i)
{
    const sorting *s = arg;
    uint64_t *start = starts_of(s, i), end = (i + 1) * s->chunk < s->count ? (i + 1) * s->chunk : s->count;
    for (uint64_t k = i * s->chunk; k < end; k++)
        s->to[start[s->from[k].key >> s->top.shift & s->top.mask]++] = s->from[k];
}

static void run(const hry_executor *executor, size_t count, void (*task)(void *arg, size_t i), sorting *s)
{
    if (executor && count > 1)
        executor->run(executor->ctx, count, task, s);
    else
        for (size_t i = 0; i < count; i++)
            task(s, i);
}

static void fill_buckets(sorting *s, const hry_executor *executor)
{
    uint64_t chunks = !executor ? 1 : executor->width < CHUNKS ? executor->width : CHUNKS, sum = 0;
    s->chunk = hry_ceil_div(s->count, chunks);
    chunks = hry_ceil_div(s->count, s->chunk);
    run(executor, (size_t)chunks, count_chunk, s);
    for (uint64_t b = 0; b <= s->top.mask; b++) {
        for (uint64_t i = 0; i < chunks; i++) {
            uint64_t n = starts_of(s, i)[b];
            starts_of(s, i)[b] = sum;
            sum += n;
        }
        s->ends[b] = sum;
    }
    run(executor, (size_t)chunks, move_chunk, s);
}

/* ---- Digits ---- */

static void sort_by_digit(const hry_entry *from, hry_entry *to, uint64_t n, digit d)
{
    uint64_t start[1 << DIGIT], sum = 0;
    memset(start, 0, (d.mask + 1) * sizeof *start);
    for (uint64_t i = 0; i < n; i++)
        start[from[i].key >> d.shift & d.mask]++;
    for (uint32_t b = 0; b <= d.mask; b++) {
        uint64_t count = start[b];
        start[b] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++)
        to[start[from[i].key >> d.shift & d.mask]++] = from[i];
}

/* By whole keys, which say the same: what lies below the bits to sort by is in order. */
static void sort_few(const hry_entry *from, hry_entry *to, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        hry_entry moved = from[i];
        uint64_t k = i;
        for (; k > 0 && to[k - 1].key > moved.key; k--)
            to[k] = to[k - 1];
        to[k] = moved;
    }
}

static void sort_bucket(sorting *s, hry_entry *from, hry_entry *to, uint64_t n)
{
    if (n <= FEW) {
        sort_few(from, s->digit_count % 2 ? to : from, n);
        return;
    }
    for (uint32_t i = 0; i < s->digit_count; i++) {
        sort_by_digit(from, to, n, s->digits[i]);
        hry_entry *sorted = to;
        to = from;
        from = sorted;
    }
}

/* A bucket lies where it was moved to. */
static void do_bucket(void *arg, size_t b)
{
    sorting *s = arg;
    uint64_t start = b ? s->ends[b - 1] : 0;
    sort_bucket(s, s->to + start, s->from + start, s->ends[b] - start);
}

hry_entry *hry_sort_entries(void *block, hry_entry *entries, uint64_t count, uint32_t low, uint32_t high,
                            const hry_executor *executor)
{
    hry_entry *halves = block;
    sorting s = { .from = entries, .to = entries == halves ? halves + count : halves, .count = count };
    s.first_key = entries[0].key;
    s.starts = (uint64_t *)(void *)(halves + 2 * count);
    hry_in_ranges(count, GRAIN, executor, find_differences, &s);
    uint64_t differ = high < 64 ? s.differ & (((uint64_t)1 << high) - 1) : s.differ;
    if (differ >> low == 0)
        return entries;
    high = 64 - (uint32_t)__builtin_clzll(differ);
    if (count <= SMALL) {
        plan_digits(&s, differ, low, high);
        sort_bucket(&s, s.from, s.to, count);
        return s.digit_count % 2 ? s.to : s.from;
    }
    s.top.shift = high - low > TOP ? high - TOP : low;
    s.top.mask = (uint32_t)(1u << (high - s.top.shift)) - 1;
    plan_digits(&s, differ >> low << low, low, s.top.shift);
    fill_buckets(&s, executor);
    if (s.digit_count)
        run(executor, s.top.mask + 1, do_bucket, &s);
    return s.digit_count % 2 ? s.from : s.to;
}
