/* CRC-32C of every level against published values and a bit-by-bit computation. */
#include "base/cpu.h"
#include "kern/kern.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const unsigned levels[] = { HRY_CPU_REF, HRY_CPU_SSE42, HRY_CPU_SSE42 | HRY_CPU_CLMUL, HRY_CPU_ARM_CRC, ~0u };

/* The table of one of them, within what this processor has. */
static struct hry_kern level(size_t i)
{
    struct hry_kern table;
    hry_kern_level(levels[i] & hry_cpu_features(), &table);
    return table;
}

static uint32_t by_bits(uint32_t crc, const unsigned char *p, size_t n)
{
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    }
    return ~crc;
}

/* RFC 3720, B.4, and the check value of the catalogues. */
static void published_values(void **state)
{
    (void)state;
    unsigned char bytes[4][32];
    memset(bytes[0], 0, 32);
    memset(bytes[1], 0xFF, 32);
    for (unsigned i = 0; i < 32; i++) {
        bytes[2][i] = (unsigned char)i;
        bytes[3][i] = (unsigned char)(31 - i);
    }
    static const uint32_t sums[] = { 0x8A9136AA, 0x62A8AB43, 0x46DD794E, 0x113FDB5C };
    for (size_t v = 0; v < sizeof levels / sizeof *levels; v++) {
        struct hry_kern kern = level(v);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(kern.crc32c(0, bytes[i], 32), sums[i]);
        assert_int_equal(kern.crc32c(0, "123456789", 9), 0xE3069283);
        assert_int_equal(kern.crc32c(0x12345678, NULL, 0), 0x12345678);
    }
}

static void every_length_and_alignment(void **state)
{
    (void)state;
    enum { ROOM = 10000 };
    unsigned char *room = malloc(ROOM);
    assert_non_null(room);
    uint32_t seed = 1;
    for (size_t i = 0; i < ROOM; i++)
        room[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
    for (size_t v = 0; v < sizeof levels / sizeof *levels; v++) {
        struct hry_kern kern = level(v);
        for (size_t n = 0; n < 1200; n++) {
            const unsigned char *p = room + n % 17;
            assert_int_equal(kern.crc32c(seed, p, n), by_bits(seed, p, n));
        }
        for (size_t n = 3000; n < 9000; n += 211) {
            const unsigned char *p = room + n % 64;
            assert_int_equal(kern.crc32c(seed, p, n), by_bits(seed, p, n));
            /* In two parts as in one. */
            assert_int_equal(kern.crc32c(kern.crc32c(0, p, n / 3), p + n / 3, n - n / 3), by_bits(0, p, n));
        }
    }
    free(room);
}

static void reads_nothing_beyond(void **state)
{
    (void)state;
    /* Each piece of its own size: a sanitizer sees every byte too many. */
    for (size_t v = 0; v < sizeof levels / sizeof *levels; v++) {
        struct hry_kern kern = level(v);
        for (size_t n = 1; n < 800; n += 7) {
            unsigned char *p = calloc(n, 1);
            assert_non_null(p);
            assert_int_equal(kern.crc32c(0, p, n), by_bits(0, p, n));
            free(p);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_values),
        cmocka_unit_test(every_length_and_alignment),
        cmocka_unit_test(reads_nothing_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
