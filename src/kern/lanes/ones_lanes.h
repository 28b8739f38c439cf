/*
 * Ones in words, for vectors of integers that compilers know by themselves. Before it is included, a file defines
 * TARGET (the instruction set) and WORD_BYTES (of a vector).
 */
#ifndef HRY_KERN_LANES_ONES_LANES_H
#define HRY_KERN_LANES_ONES_LANES_H

#include "kern/groups.h"

#include <string.h>

typedef uint64_t many __attribute__((vector_size(WORD_BYTES)));
enum { MANY = WORD_BYTES / 8 };

TARGET static uint64_t most_ones(const uint64_t *words, size_t n, uint8_t *most)
{
    uint64_t last[MANY] = { 0 }, seen_words[MANY];
    many excess[HRY_GROUP_SIZES], sums = { 0 }, seen = { 0 };
    for (unsigned g = 0; g < HRY_GROUP_SIZES; g++)
        excess[g] = hry_group_excess(g, most[g]) - (many){ 0 };
    for (size_t i = 0; i < n; i += MANY) {
        many word, counts;
        if (n - i < MANY)
            memcpy(last, words + i, (n - i) * sizeof *words);
        memcpy(&word, n - i < MANY ? last : words + i, sizeof word);
        HRY_GROUP_COUNT(word, counts, excess, seen);
        sums += counts;
    }
    memcpy(last, &sums, sizeof last);
    memcpy(seen_words, &seen, sizeof seen_words);
    for (size_t j = 1; j < MANY; j++) {
        last[0] += last[j];
        seen_words[0] |= seen_words[j];
    }
    if (seen_words[0])
        hry_group_raise_all(words, n, most);
    return (last[0] & UINT32_MAX) + (last[0] >> 32);
}

#endif
