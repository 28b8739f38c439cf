/* Statistics by their definitions, from all values at once. */
#ifndef HRY_TESTS_NAIVE_STATISTICS_H
#define HRY_TESTS_NAIVE_STATISTICS_H

#include <hurray/desc.h>

/* Of n values in row-major order, the last dimension of size last (0: a scalar). */
void naive_statistics(const double *values, size_t n, uint64_t last, hry_statistics *s);

/* Fails the test where they differ: mean and deviation by more than rounding. */
void assert_statistics(const hry_statistics *got, const hry_statistics *want, const char *name);

#endif
