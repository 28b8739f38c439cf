/* Sorting entries by bits of their keys, in parallel. */
#ifndef HRY_TENSOR_ENTRY_SORT_H
#define HRY_TENSOR_ENTRY_SORT_H

#include "tensor/ordering.h"

/* Bytes behind the entries and as many again, for counters. */
#define HRY_ENTRY_SORT_ROOM ((uint64_t)8 << 14)

/*
 * Stably, by bits low .. high-1, at least one, where no bits above vary; what bits are the same in all keys takes no
 * time. block holds count entries (at entries, its first or its second half), as much room, and HRY_ENTRY_SORT_ROOM.
 * Returns which half they are in then.
 */
hry_entry *hry_sort_entries(void *block, hry_entry *entries, uint64_t count, uint32_t low, uint32_t high,
                            const hry_executor *executor);

#endif
