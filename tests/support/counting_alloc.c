#include "support/counting_alloc.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* Before each block: its size and alignment, which must come back when it is freed. */
typedef struct header {
    size_t size, align;
    void *start;
} header;

static void *count_alloc(void *ctx, size_t size, size_t align)
{
    counting_alloc *c = ctx;
    c->calls++;
    if (c->fail_at && c->calls >= c->fail_at) {
        c->wanted = c->wanted ? c->wanted : size;
        return NULL;
    }
    char *start = malloc(size + align + sizeof(header));
    if (!start)
        return NULL;
    char *block = start + sizeof(header);
    block += -(uintptr_t)block & (align - 1);
    header h = { size, align, start };
    memcpy(block - sizeof h, &h, sizeof h);
    c->live += size;
    c->most = c->live > c->most ? c->live : c->most;
    c->blocks++;
    return block;
}

static void count_free(void *ctx, void *ptr, size_t size, size_t align)
{
    counting_alloc *c = ctx;
    header h;
    assert_non_null(ptr);
    memcpy(&h, (char *)ptr - sizeof h, sizeof h);
    assert_int_equal(h.size, size);
    assert_int_equal(h.align, align);
    c->live -= size;
    c->blocks--;
    free(h.start);
}

void counting_alloc_init(counting_alloc *counting)
{
    *counting = (counting_alloc){ .allocator = { count_alloc, count_free, counting } };
}
