/*
 * What the benchmarks share: timing, the limits of this machine's memory in the same run, and the table of results.
 * A figure is only worth something beside its limit, so rates are printed as ratios to one.
 */
#ifndef HRY_BENCH_BENCH_H
#define HRY_BENCH_BENCH_H

#include <hurray/base.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes of what one pass touches, source and destination together: within L2, and far beyond L3. */
#define BENCH_L2_BYTES ((size_t)512 << 10)
#define BENCH_DRAM_BYTES ((size_t)192 << 20)

enum bench_place { BENCH_L2, BENCH_DRAM, BENCH_PLACES };

/* Bytes a second, moved one way: for a copy, what is read plus what is written. */
struct bench_limits {
    double read[BENCH_PLACES];
    double write[BENCH_PLACES];
    double write_nt[BENCH_PLACES]; /* past the caches */
    double copy[BENCH_PLACES];     /* memcpy */
    double copy_nt[BENCH_PLACES];
};

/* Measured at the first call. */
const struct bench_limits *bench_limits(void);
void bench_print_limits(void);

/*
 * What DRAM allows a loop that reads and writes: bytes a second written past the caches, when so many are read for
 * each. 0 is writing alone. Measured at each call, since a shared machine drifts. The same for reading alone.
 */
double bench_mixed_limit(double read_for_written);
double bench_read_limit(void);

typedef void bench_fn(void *arg);

/* Seconds that one call takes: the median of several samples, each of enough calls to last some milliseconds, after a
 * warm-up. Time in which other programs had the processor does not count; waiting for anything else does. */
double bench_seconds(bench_fn *fn, void *arg);
double bench_now(void);

/* Keeps the compiler from dropping a result, or from knowing that memory is unchanged. */
static inline void bench_keep(const void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

/* size bytes at a page boundary, filled with changing bytes, on huge pages where there are; ends the program when there
 * is no memory. free() gives it back. */
void *bench_memory(size_t size);

/* One line of results. A goal of 0 means that none is set. The program's exit status says whether a goal was missed:
 * return bench_end() from main. */
void bench_title(const char *title);
/* A rate in bytes a second, with the limit that it is held against and the ratio to reach. */
void bench_rate(const char *name, double rate, const char *limit_name, double limit, double goal_ratio);
/* A rate that has to reach a figure of its own. */
void bench_rate_absolute(const char *name, double rate, const char *limit_name, double limit, double goal_rate);
/* A time in seconds, to stay below goal. */
void bench_time(const char *name, double seconds, double goal);
/* A time beside another one: the ratio says how much shorter it is. */
void bench_time_beside(const char *name, double seconds, const char *other_name, double other);
/* A rate, or the time of one entry, beside that of NumPy or SciPy in the same job of peers.py. Nothing where they are
 * not installed. */
void bench_peer(const char *name, double rate, const char *job);
void bench_peer_time(const char *name, double seconds, const char *job);
int bench_end(void);

/* Ends the program. */
_Noreturn void bench_stop(const char *what);
/* The same where a call has failed. */
void bench_must(hry_status status, const hry_error *err);

#endif
