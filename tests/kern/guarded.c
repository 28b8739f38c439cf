#include "kern/guarded.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATTERN 0xA5

void guarded_make(struct guarded *guarded, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size = (size + page - 1) & ~(page - 1);
    unsigned char *memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(mprotect(memory + size, page, PROT_NONE), 0);
    *guarded = (struct guarded){ .start = memory, .size = size };
}

void guarded_free(struct guarded *guarded)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(guarded->start, guarded->size + page);
}

void *guarded_end(struct guarded *guarded, size_t n, size_t slack)
{
    assert_true(n + slack <= guarded->size);
    memset(guarded->start, PATTERN, guarded->size);
    return guarded->start + guarded->size - slack - n;
}

int guarded_is_intact(const struct guarded *guarded, size_t n, size_t slack)
{
    size_t before = guarded->size - n - slack;
    for (size_t i = 0; i < before; i++)
        if (guarded->start[i] != PATTERN)
            return 0;
    for (size_t i = guarded->size - slack; i < guarded->size; i++)
        if (guarded->start[i] != PATTERN)
            return 0;
    return 1;
}

uint32_t random_bits(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 32);
}

void random_bytes(uint64_t *seed, void *p, size_t n)
{
    unsigned char *bytes = p;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(random_bits(seed) >> 24);
}
