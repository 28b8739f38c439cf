#include "kern/fill.h"

#if HRY_KERN_X86

#include "kern/x86/lanes_avx512.h"

#include "kern/lanes/convert_lanes.h"

void hry_fill_convert_avx512(struct hry_kern *table)
{
    fill_convert(table);
}

#endif
