/* Threads for whoever has none: an executor for the calls that take one. */
#ifndef HURRAY_POOL_H
#define HURRAY_POOL_H

#include <hurray/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hry_pool hry_pool;

/*
 * Starts threads - 1 threads, as whoever calls run works too; 0: as many as processors are allowed to this process.
 * Signals are blocked in them. HRY_E_IO when the system starts none. Any number of threads may use one pool at a time.
 */
HRY_API hry_status hry_pool_create(size_t threads, const hry_allocator *allocator, hry_pool **pool, hry_error *err);

/* Ends the threads. No call may be using the pool. NULL allowed. */
HRY_API void hry_pool_destroy(hry_pool *pool);

/* Valid as long as the pool. */
HRY_API hry_executor hry_pool_executor(hry_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
