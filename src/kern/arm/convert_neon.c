#include "kern/fill.h"

#if HRY_KERN_ARM

#include "kern/arm/lanes_neon.h"

#include "kern/lanes/convert_lanes.h"

void hry_fill_convert_neon(struct hry_kern *table)
{
    fill_convert(table);
}

#endif
