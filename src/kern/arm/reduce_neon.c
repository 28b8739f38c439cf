#include "kern/fill.h"

#if HRY_KERN_ARM

#include "kern/arm/lanes_neon.h"

#include "kern/lanes/reduce_lanes.h"

void hry_fill_reduce_neon(struct hry_kern *table)
{
    fill_reduce(table);
}

#endif
