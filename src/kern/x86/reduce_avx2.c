#include "kern/fill.h"

#if HRY_KERN_X86

#include "kern/x86/lanes_avx2.h"

#include "kern/lanes/reduce_lanes.h"

void hry_fill_reduce_avx2(struct hry_kern *table)
{
    fill_reduce(table);
}

#endif
