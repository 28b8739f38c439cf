/* The statistics kernels: against sums of long doubles, and every variant against the reference, bit for bit. */
#include "base/cpu.h"
#include "kern/guarded.h"
#include "kern/kern.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const unsigned levels[] = { HRY_CPU_REF, HRY_CPU_SSE42 | HRY_CPU_CLMUL | HRY_CPU_AVX2, ~0u };
enum { LEVELS = sizeof levels / sizeof *levels };

static struct hry_kern table[LEVELS];
static struct guarded memory;
static uint64_t seed = 7;

static int setup(void **state)
{
    (void)state;
    for (size_t v = 0; v < LEVELS; v++)
        hry_kern_level(levels[v] & hry_cpu_features(), &table[v]);
    guarded_make(&memory, HRY_STATS_CHUNK * sizeof(double));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    guarded_free(&memory);
    return 0;
}

static double some_value(unsigned kind)
{
    double value = ((double)(int32_t)random_bits(&seed)) / 65536.0;
    switch (kind) {
    case 0: /* many zeros of either sign */
        return random_bits(&seed) % 3 == 0 ? value : random_bits(&seed) % 2 ? 0.0 : -0.0;
    case 1: /* a large mean, a small spread */
        return 1e6 + value / 1e6;
    case 2: /* some that are no numbers */
        return random_bits(&seed) % 40  ? value
               : random_bits(&seed) % 2 ? (double)NAN
               : value < 0              ? -INFINITY
                                        : INFINITY;
    case 3: /* little else */
        return random_bits(&seed) % 40 == 0 ? value : (double)NAN;
    default:
        return ldexp(value, (int)(random_bits(&seed) % 60) - 30);
    }
}

static size_t some_count(void)
{
    return random_bits(&seed) % 2 ? random_bits(&seed) % 150 : random_bits(&seed) % (HRY_STATS_CHUNK + 1);
}

static void check(const double *x, size_t n, const uint64_t *nonzero, const struct hry_moments *m)
{
    long double sum = 0, squares = 0, bound = 0;
    double min = INFINITY, max = -INFINITY;
    size_t finite = 0;
    bool has_nan = false, has_inf = false;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(nonzero[i / 64] >> i % 64 & 1, x[i] != 0.0);
        has_nan |= isnan(x[i]);
        has_inf |= isinf(x[i]);
        min = x[i] < min ? x[i] : min;
        max = x[i] > max ? x[i] : max;
        if (isfinite(x[i])) {
            long double away = (long double)x[i] - m->shift;
            finite++;
            sum += away;
            squares += away * away;
            bound += fabsl(away);
        }
    }
    for (size_t i = n; i < (n + 63) / 64 * 64; i++)
        assert_int_equal(nonzero[i / 64] >> i % 64 & 1, 0);
    assert_int_equal(m->finite, finite);
    assert_true(m->has_nan == has_nan && m->has_inf == has_inf);
    assert_true(m->min == min && m->max == max);
    assert_true(fabsl(m->sum - sum) <= bound * 1e-13L);
    assert_true(fabsl(m->squares - squares) <= squares * 1e-12L);
    if (finite) { /* the mean of at most 16 values lies among them */
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < n; i++)
            if (isfinite(x[i])) {
                low = fmin(low, x[i]);
                high = fmax(high, x[i]);
            }
        double slack = fmax(fabs(low), fabs(high)) * 1e-15;
        assert_true(m->shift >= low - slack && m->shift <= high + slack);
    }
}

static void assert_same(const struct hry_moments *a, const struct hry_moments *b)
{
    assert_true(a->shift == b->shift && a->sum == b->sum && a->squares == b->squares);
    assert_true(a->min == b->min && a->max == b->max && a->finite == b->finite);
    assert_true(a->has_nan == b->has_nan && a->has_inf == b->has_inf);
}

static void test_f32(void **state)
{
    (void)state;
    static double wide[HRY_STATS_CHUNK];
    for (unsigned round = 0; round < 1500; round++) {
        size_t n = some_count();
        float *x = guarded_end(&memory, n * sizeof *x, 0);
        for (size_t i = 0; i < n; i++)
            wide[i] = x[i] = (float)some_value(round % 5);
        uint64_t nonzero[LEVELS][HRY_STATS_CHUNK / 64];
        struct hry_moments m[LEVELS];
        for (size_t v = 0; v < LEVELS; v++) {
            memset(nonzero[v], 0xA5, sizeof nonzero[v]);
            table[v].moments_f32(x, n, nonzero[v], &m[v]);
            assert_same(&m[v], &m[0]);
            assert_memory_equal(nonzero[v], nonzero[0], sizeof nonzero[v]);
        }
        check(wide, n, nonzero[0], &m[0]);
    }
}

static void test_f64(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 1500; round++) {
        size_t n = some_count();
        double *x = guarded_end(&memory, n * sizeof *x, 0);
        for (size_t i = 0; i < n; i++)
            x[i] = some_value(round % 5);
        uint64_t nonzero[LEVELS][HRY_STATS_CHUNK / 64];
        struct hry_moments m[LEVELS];
        for (size_t v = 0; v < LEVELS; v++) {
            memset(nonzero[v], 0xA5, sizeof nonzero[v]);
            table[v].moments_f64(x, n, nonzero[v], &m[v]);
            assert_same(&m[v], &m[0]);
            assert_memory_equal(nonzero[v], nonzero[0], sizeof nonzero[v]);
        }
        check(x, n, nonzero[0], &m[0]);
    }
}

static void test_ones(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        size_t n = random_bits(&seed) % 70;
        uint64_t *words = guarded_end(&memory, n * sizeof *words, 0), ones = 0;
        uint8_t most[4], want[4];
        for (unsigned g = 0; g < 4; g++)
            want[g] = most[g] = (uint8_t)(random_bits(&seed) % ((4u << g) + 1));
        for (size_t i = 0; i < n; i++) {
            words[i] = round % 5 ? random_bits(&seed) : UINT64_MAX;
            for (unsigned thinner = 0; thinner < round % 5; thinner++)
                words[i] &= random_bits(&seed) | random_bits(&seed);
            for (unsigned bit = 0, in[4] = { 0 }; bit < 64; bit++) {
                ones += words[i] >> bit & 1;
                for (unsigned g = 0; g < 4; g++) {
                    in[g] = (bit % (4u << g) ? in[g] : 0) + (unsigned)(words[i] >> bit & 1);
                    want[g] = in[g] > want[g] ? (uint8_t)in[g] : want[g];
                }
            }
        }
        for (size_t v = 0; v < LEVELS; v++) {
            uint8_t got[4];
            memcpy(got, most, sizeof got);
            assert_int_equal(table[v].most_ones(words, n, got), ones);
            assert_memory_equal(got, want, sizeof want);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),
        cmocka_unit_test(test_f64),
        cmocka_unit_test(test_ones),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
