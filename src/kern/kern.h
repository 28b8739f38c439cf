/*
 * The hot loops, behind one table of function pointers. A kernel has no allocation, no library types and no checks:
 * kern.inc says what it wants. Rooms above look the table up once per job and call through it.
 */
#ifndef HRY_KERN_KERN_H
#define HRY_KERN_KERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HRY_STATS_CHUNK 4096

/*
 * What one look at some values tells (kern.inc). The sums are over the finite values, of their distance from shift: the
 * mean of those among the first 16 that have any, so that the squares lose few bits whatever the values are.
 */
struct hry_moments {
    double shift;
    double sum, squares;
    double min, max; /* without NaN; +infinity and -infinity when there is nothing else. 0 may have either sign */
    size_t finite;   /* how many are */
    bool has_nan, has_inf;
};

/*
 * What moves a square of 16 x 16 elements between rows and a run of 256 (kern.inc): the place in the run, in units of
 * 16, of each square of 4 x 4 in row-major order; and for each of these where its 16 elements come from, in the order
 * in which they are written: in its rows (0 to 15, row-major), or in its 16 of the run. Putting and getting want one
 * each.
 */
struct hry_square {
    uint8_t place[16];
    uint8_t from[16][16];
};

struct hry_kern {
#define HRY_KERN(result, name, parameters) result(*name) parameters;
#include "kern/kern.inc"
#undef HRY_KERN
};

/* The best kernels of this processor, within HURRAY_CPU (base/cpu.h). The same constant table for all threads. */
const struct hry_kern *hry_kern(void);

/* The table for a set of HRY_CPU_… that the processor has: what tests and benchmarks compare. */
void hry_kern_level(unsigned features, struct hry_kern *table);

/*
 * Whether a job that writes so many bytes streams them: more than any cache keeps until they are read again. Decided
 * once for the whole of a call.
 */
static inline bool hry_streams(uint64_t nbytes)
{
    return nbytes >= (uint64_t)1 << 25;
}

/* The C references: hry_ref_NAME. */
#define HRY_KERN(result, name, parameters) result hry_ref_##name parameters;
#include "kern/kern.inc"
#undef HRY_KERN

#endif
