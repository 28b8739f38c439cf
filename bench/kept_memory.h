/* An allocator whose blocks come back: what a job takes is then memory that was used before, so that the time is the
 * job's and not that of the system making pages. For one thread at a time. */
#ifndef HRY_BENCH_KEPT_MEMORY_H
#define HRY_BENCH_KEPT_MEMORY_H

#include <hurray/base.h>

extern const hry_allocator bench_kept_memory;

/* Gives the system back all that is not in use. */
void bench_drop_memory(void);

#endif
