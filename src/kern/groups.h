/* Ones in groups of bits, many groups at a time: what most_ones is made of, by whatever is a vector of words. */
#ifndef HRY_KERN_GROUPS_H
#define HRY_KERN_GROUPS_H

#include <stddef.h>
#include <stdint.h>

enum { HRY_GROUP_SIZES = 4 };

static const uint64_t hry_group_tops[HRY_GROUP_SIZES] = { 0x8888888888888888, 0x8080808080808080, 0x8000800080008000,
                                                          0x8000000080000000 };

/* What makes the top bit of every group that holds more than `most` come up, when it is added to the counts. */
static inline uint64_t hry_group_excess(unsigned g, uint8_t most)
{
    uint64_t units = hry_group_tops[g] >> ((4u << g) - 1);
    return hry_group_tops[g] - units - units * most;
}

/*
 * Of word, a variable of any type that is one uint64_t or several: the ones in each group of 4, 8, 16 and 32 bits in
 * turn as counts, and in seen the top bits of those that are more than before.
 */
#define HRY_GROUP_COUNT(word, counts, excess, seen)                                  \
    do {                                                                             \
        counts = (word) - ((word) >> 1 & 0x5555555555555555);                        \
        counts = (counts & 0x3333333333333333) + (counts >> 2 & 0x3333333333333333); \
        seen |= (counts + (excess)[0]) & hry_group_tops[0];                          \
        counts = (counts + (counts >> 4)) & 0x0F0F0F0F0F0F0F0F;                      \
        seen |= (counts + (excess)[1]) & hry_group_tops[1];                          \
        counts = (counts + (counts >> 8)) & 0x00FF00FF00FF00FF;                      \
        seen |= (counts + (excess)[2]) & hry_group_tops[2];                          \
        counts = (counts + (counts >> 16)) & 0x0000FFFF0000FFFF;                     \
        seen |= (counts + (excess)[3]) & hry_group_tops[3];                          \
    } while (0)

/* A word that holds more in some group than the most so far. */
static inline void hry_group_raise(uint64_t word, uint8_t *most)
{
    uint64_t ones = word - (word >> 1 & 0x5555555555555555);
    ones = (ones & 0x3333333333333333) + (ones >> 2 & 0x3333333333333333);
    for (unsigned g = 0; g < HRY_GROUP_SIZES; g++) {
        unsigned width = 4u << g;
        for (unsigned at = 0; at < 64; at += width) {
            uint8_t count = (uint8_t)(ones >> at & (width == 4 ? 15 : 255));
            most[g] = count > most[g] ? count : most[g];
        }
        /* Neighbours add up to the next width. */
        uint64_t low = width == 4 ? 0x0F0F0F0F0F0F0F0F : width == 8 ? 0x00FF00FF00FF00FF : 0x0000FFFF0000FFFF;
        ones = (ones & low) + (ones >> width & low);
    }
}

static inline void hry_group_raise_all(const uint64_t *words, size_t n, uint8_t *most)
{
    for (size_t i = 0; i < n; i++)
        hry_group_raise(words[i], most);
}

#endif
