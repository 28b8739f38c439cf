#include "interop/stingy.h"

#include <stdlib.h>

static void *stingy_alloc(void *ctx, size_t size, size_t align)
{
    stingy *s = ctx;
    if (++s->calls == s->fail_at)
        return NULL;
    void *ptr = NULL;
    if (posix_memalign(&ptr, align < sizeof(void *) ? sizeof(void *) : align, size) != 0)
        return NULL;
    s->live += size;
    s->peak = s->live > s->peak ? s->live : s->peak;
    return ptr;
}

static void stingy_free(void *ctx, void *ptr, size_t size, size_t align)
{
    (void)align;
    ((stingy *)ctx)->live -= size;
    free(ptr);
}

void stingy_init(stingy *s, size_t fail_at)
{
    *s = (stingy){ .allocator = { stingy_alloc, stingy_free, s }, .fail_at = fail_at };
}
