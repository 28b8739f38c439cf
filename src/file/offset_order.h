/* Sorting by offset in linear time: what hostile input cannot make slow. */
#ifndef HRY_FILE_OFFSET_ORDER_H
#define HRY_FILE_OFFSET_ORDER_H

#include <stddef.h>
#include <stdint.h>

typedef struct hry_offset_key {
    uint64_t offset;
    uint32_t position;
} hry_offset_key;

/* Ascending by offset, equal ones in the order they came in. scratch has room for count as well. */
void hry_offset_sort(hry_offset_key *keys, hry_offset_key *scratch, size_t count);

#endif
