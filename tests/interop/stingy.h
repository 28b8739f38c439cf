/* An allocator that counts, and that runs out of memory when it is told to. */
#ifndef HRY_TESTS_INTEROP_STINGY_H
#define HRY_TESTS_INTEROP_STINGY_H

#include <hurray/base.h>

typedef struct stingy {
    hry_allocator allocator;
    size_t calls;      /* of alloc so far */
    size_t fail_at;    /* the number of the call, from 1, that gets nothing; 0: none */
    size_t live, peak; /* bytes */
} stingy;

void stingy_init(stingy *s, size_t fail_at);

#endif
