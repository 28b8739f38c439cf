/* The kernels of sparse layouts, at every level, against loops over single bytes. */
#include "base/cpu.h"
#include "kern/guarded.h"
#include "kern/kern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const unsigned levels[] = { HRY_CPU_REF, HRY_CPU_SSE42 | HRY_CPU_CLMUL | HRY_CPU_AVX2, ~0u };
enum { LEVELS = sizeof levels / sizeof *levels, MOST = 700 };

static struct hry_kern table[LEVELS];
static struct guarded in, out;
static uint64_t seed = 11;

static int setup(void **state)
{
    (void)state;
    for (size_t v = 0; v < LEVELS; v++)
        hry_kern_level(levels[v] & hry_cpu_features(), &table[v]);
    guarded_make(&in, MOST * 8);
    guarded_make(&out, MOST * 8);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    guarded_free(&in);
    guarded_free(&out);
    return 0;
}

static void test_nonzero(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 4000; round++) {
        size_t size = (size_t)1 << round % 4, n = random_bits(&seed) % (round % 3 ? 140 : MOST);
        unsigned char *x = guarded_end(&in, n * size, round % 5);
        uint64_t want[(MOST + 63) / 64] = { 0 }, count = 0;
        memset(x, 0, n * size);
        for (size_t i = 0; i < n; i++)
            if (random_bits(&seed) % 4 == 0) { /* any one bit */
                x[i * size + random_bits(&seed) % size] = (unsigned char)(1u << random_bits(&seed) % 8);
                want[i / 64] |= (uint64_t)1 << i % 64;
                count++;
            }
        for (size_t v = 0; v < LEVELS; v++) {
            size_t nbytes = (n + 63) / 64 * 8;
            uint64_t *bits = guarded_end(&out, nbytes, 0);
            memset(bits, 0xA5, nbytes);
            assert_int_equal(table[v].nonzero_bits(x, size, n, bits), count);
            assert_memory_equal(bits, want, nbytes);
            assert_true(guarded_is_intact(&out, nbytes, 0));
        }
    }
}

static void test_pick(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 4000; round++) {
        size_t size = (size_t)1 << round % 4, n = 1 + random_bits(&seed) % (round % 3 ? 140 : MOST - 4), count = 0;
        uint64_t words[(MOST + 63) / 64] = { 0 }, first = random_bits(&seed), places[MOST];
        const unsigned char *x = guarded_end(&in, n * size, 0); /* there is no element behind the last bit's */
        random_bytes(&seed, (void *)x, n * size);
        for (size_t i = 0; i < n; i++)
            if (random_bits(&seed) % (1 + round % 5) == 0) {
                words[i / 64] |= (uint64_t)1 << i % 64;
                places[count++] = i;
            }
        for (size_t v = 0; v < LEVELS; v++) {
            uint64_t list[MOST + 3];
            unsigned char *values = guarded_end(&out, (count + 3) * size, 0);
            assert_int_equal(table[v].pick_ones(words, (n + 63) / 64, first, list, x, size, values), count);
            assert_true(guarded_is_intact(&out, (count + 3) * size, 0));
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(list[i], first + places[i]);
                assert_memory_equal(values + i * size, x + places[i] * size, size);
            }
        }
    }
}

static void test_move_out(void **state)
{
    (void)state;
    _Alignas(64) static unsigned char room[MOST * 8], before[MOST * 8];
    for (unsigned round = 0; round < 3000; round++) {
        size_t n = random_bits(&seed) % (round % 3 ? 300 : MOST * 8 - 64), slack = random_bits(&seed) % 64;
        for (size_t v = 0; v < LEVELS; v++) {
            unsigned char *to = guarded_end(&out, n, slack);
            random_bytes(&seed, room, sizeof room);
            memcpy(before, room, sizeof room);
            table[v].move_out(room, n, to, round % 2);
            table[v].stream_end();
            assert_memory_equal(to, before, n);
            assert_true(guarded_is_intact(&out, n, slack));
            assert_memory_equal(room + n, before + n, sizeof room - n);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(room[i], 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_nonzero), cmocka_unit_test(test_pick),
                                        cmocka_unit_test(test_move_out) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
