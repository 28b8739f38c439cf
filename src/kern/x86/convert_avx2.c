#include "kern/fill.h"

#if HRY_KERN_X86

#include "kern/x86/lanes_avx2.h"

#include "kern/lanes/convert_lanes.h"

static void stream_end(void)
{
    _mm_sfence();
}

void hry_fill_convert_avx2(struct hry_kern *table)
{
    fill_convert(table);
    table->stream_end = stream_end;
}

#endif
