#include "base/radix_sort.h"

#include <string.h>

/* Digits of 9 bits: that many places to write to at once is what the first cache level and its address translation
 * bear; measured best among 8 to 11. Few items are sorted by insertion, as clearing the counters would take longer. */
enum { BITS = 9, BUCKETS = 1 << BITS, FEW = 48 };

/* Where each digit's items start, from the counts of the digits before. */
static void starts_from_counts(size_t *count)
{
    size_t sum = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t n = count[b];
        count[b] = sum;
        sum += n;
    }
}

/* Both sorts are one text: from the lowest digit up, leaving out digits that are the same in all items. */
#define DEFINE_SORT(name, item, KEY)                                                   \
    static void name##_few(item *items, size_t count)                                  \
    {                                                                                  \
        for (size_t i = 1; i < count; i++) {                                           \
            item moved = items[i];                                                     \
            size_t k = i;                                                              \
            for (; k > 0 && KEY(items[k - 1]) > KEY(moved); k--)                       \
                items[k] = items[k - 1];                                               \
            items[k] = moved;                                                          \
        }                                                                              \
    }                                                                                  \
    static void name##_digit(const item *from, item *to, size_t count, unsigned shift) \
    {                                                                                  \
        size_t start[BUCKETS] = { 0 };                                                 \
        for (size_t i = 0; i < count; i++)                                             \
            start[KEY(from[i]) >> shift & (BUCKETS - 1)]++;                            \
        starts_from_counts(start);                                                     \
        for (size_t i = 0; i < count; i++)                                             \
            to[start[KEY(from[i]) >> shift & (BUCKETS - 1)]++] = from[i];              \
    }                                                                                  \
    void name(item *items, item *scratch, size_t count)                                \
    {                                                                                  \
        uint64_t differ = 0;                                                           \
        item *from = items, *to = scratch, *swap;                                      \
        if (count <= FEW) {                                                            \
            name##_few(items, count);                                                  \
            return;                                                                    \
        }                                                                              \
        for (size_t i = 1; i < count; i++)                                             \
            differ |= KEY(items[i]) ^ KEY(items[0]);                                   \
        for (unsigned shift = 0; shift < 64; shift += BITS) {                          \
            if ((differ >> shift & (BUCKETS - 1)) == 0)                                \
                continue;                                                              \
            name##_digit(from, to, count, shift);                                      \
            swap = from, from = to, to = swap;                                         \
        }                                                                              \
        if (from != items)                                                             \
            memcpy(items, from, count * sizeof *items);                                \
    }

#define KEY_OF(item) (item).key
#define ITSELF(item) (item)
DEFINE_SORT(hry_sort_keys, hry_sort_key, KEY_OF)
DEFINE_SORT(hry_sort_u64, uint64_t, ITSELF)
