#include "tensor/naive_statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void groups(const double *values, size_t n, uint64_t last, hry_statistics *s)
{
    for (unsigned m = 4; m <= 32; m *= 2) {
        unsigned most = 0;
        if (last == 0 || last % m != 0)
            continue;
        for (size_t g = 0; g < n; g += m) {
            unsigned count = 0;
            for (size_t i = g; i < g + m; i++)
                count += values[i] != 0.0;
            most = count > most ? count : most;
        }
        if (most < m && (s->nm_m == 0 || most * s->nm_m < s->nm_n * m)) {
            s->nm_n = (uint8_t)most;
            s->nm_m = (uint8_t)m;
        }
    }
}

static void moments(const double *values, size_t n, hry_statistics *s)
{
    long double sum = 0, squares = 0;
    size_t finite = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i])) {
            sum += (long double)values[i];
            finite++;
        }
    if (finite == 0 || s->has_inf)
        return;
    sum /= (long double)finite;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            squares += ((long double)values[i] - sum) * ((long double)values[i] - sum);
    s->computed_mask |= HRY_STATS_VALUES;
    s->value_mean = (double)sum;
    s->value_stddev = (double)sqrtl(squares / (long double)finite);
}

void naive_statistics(const double *values, size_t n, uint64_t last, hry_statistics *s)
{
    *s = (hry_statistics){ .computed_mask = HRY_STATS_NNZ };
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        s->nnz += values[i] != 0.0;
        s->has_nan = s->has_nan || isnan(values[i]);
        s->has_inf = s->has_inf || isinf(values[i]);
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    if (n == 0)
        return;
    s->computed_mask |= HRY_STATS_SPARSITY | HRY_STATS_NAN_INF | HRY_STATS_NM;
    s->sparsity_ratio = (double)(n - s->nnz) / (double)n;
    if (low <= high) {
        s->computed_mask |= HRY_STATS_RANGE;
        s->value_min = low;
        s->value_max = high;
        s->value_abs_max = fmax(fabs(low), fabs(high));
    }
    moments(values, n, s);
    groups(values, n, last, s);
}

static void near(double got, double want, double scale, const char *what, const char *name)
{
    if (!(fabs(got - want) <= 4e-14 * scale))
        fail_msg("%s: %s is %.17g, not %.17g", name, what, got, want);
}

static void same(double got, double want, const char *what, const char *name)
{
    if (!(got == want))
        fail_msg("%s: %s is %.17g, not %.17g", name, what, got, want);
}

void assert_statistics(const hry_statistics *got, const hry_statistics *want, const char *name)
{
    if (got->computed_mask != want->computed_mask)
        fail_msg("%s: computed_mask is 0x%x, not 0x%x", name, got->computed_mask, want->computed_mask);
    same((double)got->nnz, (double)want->nnz, "nnz", name);
    same(got->sparsity_ratio, want->sparsity_ratio, "sparsity_ratio", name);
    same(got->value_min, want->value_min, "value_min", name);
    same(got->value_max, want->value_max, "value_max", name);
    same(got->value_abs_max, want->value_abs_max, "value_abs_max", name);
    near(got->value_mean, want->value_mean, want->value_abs_max, "value_mean", name);
    near(got->value_stddev, want->value_stddev, want->value_abs_max, "value_stddev", name);
    same(got->nm_n, want->nm_n, "nm_n", name);
    same(got->nm_m, want->nm_m, "nm_m", name);
    same(got->has_nan, want->has_nan, "has_nan", name);
    same(got->has_inf, want->has_inf, "has_inf", name);
}
