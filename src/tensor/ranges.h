/* Numbers 0 .. count-1 cut into ranges for an executor. */
#ifndef HRY_TENSOR_RANGES_H
#define HRY_TENSOR_RANGES_H

#include <hurray/base.h>

typedef void hry_range_fn(void *ctx, uint64_t first, uint64_t end);

/* Calls work for ranges that together are all numbers, each a multiple of grain long but for the last; grain is what
 * is worth handing over. */
void hry_in_ranges(uint64_t count, uint64_t grain, const hry_executor *executor, hry_range_fn *work, void *ctx);

/* The first of numbers first .. end-1 that is looked for; end when there is none. */
typedef uint64_t hry_look_fn(const void *ctx, uint64_t first, uint64_t end);

/* The first of all; count when there is none. Whatever the executor does, it is the same. */
uint64_t hry_first_in_ranges(uint64_t count, uint64_t grain, const hry_executor *executor, hry_look_fn *look,
                             const void *ctx);

#endif
