/* Sorting numbers in linear time, whatever they are: hostile input cannot make it slow. */
#ifndef HRY_BASE_RADIX_SORT_H
#define HRY_BASE_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct hry_sort_key {
    uint64_t key;
    uint32_t position;
    uint32_t value; /* goes along */
} hry_sort_key;

/* Ascending; scratch has room for count as well. Equal keys stay in the order they came in. */
void hry_sort_keys(hry_sort_key *items, hry_sort_key *scratch, size_t count);
void hry_sort_u64(uint64_t *items, uint64_t *scratch, size_t count);

#endif
