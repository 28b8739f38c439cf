/* A heap that keeps count, and fails at will. */
#ifndef HRY_TESTS_SUPPORT_COUNTING_ALLOC_H
#define HRY_TESTS_SUPPORT_COUNTING_ALLOC_H

#include <hurray/base.h>

typedef struct counting_alloc {
    hry_allocator allocator; /* give this one away; its ctx is this struct */
    size_t calls;            /* allocations asked for */
    size_t fail_at;          /* the call of this number, from 1, and all later ones fail; 0: none */
    size_t wanted;           /* bytes of the first call that failed so */
    size_t live, most;       /* bytes that are not freed, now and at the highest */
    size_t blocks;           /* not freed */
} counting_alloc;

void counting_alloc_init(counting_alloc *counting);

#endif
