/* Memory by way of the caller's allocator, the C heap when there is none. */
#ifndef HRY_BASE_ALLOC_H
#define HRY_BASE_ALLOC_H

#include <hurray/base.h>

/* The allocator to keep: *allocator, or the C heap for NULL. */
hry_allocator hry_allocator_or_default(const hry_allocator *allocator);

/* size bytes aligned to align (a power of two); NULL when there is no memory. size 0 gives a unique pointer. */
void *hry_alloc(const hry_allocator *allocator, size_t size, size_t align);
void *hry_alloc_zeroed(const hry_allocator *allocator, size_t size, size_t align);
/* count elements of size bytes; NULL also when the product does not fit. */
void *hry_alloc_array(const hry_allocator *allocator, uint64_t count, size_t size, size_t align);
/* NULL ptr allowed. size and align are those of the allocation. */
void hry_free(const hry_allocator *allocator, void *ptr, size_t size, size_t align);

/*
 * Makes room for need elements of size bytes in an array that holds *capacity: at least doubles. *array and *capacity
 * are untouched when there is no memory (false).
 */
bool hry_grow(const hry_allocator *allocator, void **array, size_t *capacity, size_t need, size_t size, size_t align);

#endif
