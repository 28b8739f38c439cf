#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned missed;

void bench_title(const char *title)
{
    printf("\n%-44s %10s %10s  %-15s %6s  %s\n", title, "result", "limit", "", "ratio", "goal");
}

static void verdict(int has_goal, int met, const char *goal)
{
    missed += has_goal && !met;
    printf("  %s%s\n", goal, has_goal && !met ? "  MISSED" : "");
    fflush(stdout);
}

static void print_rate(const char *name, double rate, const char *limit_name, double limit)
{
    if (limit > 0)
        printf("%-44s %5.1f GB/s %5.1f GB/s  %-15s %6.2f", name, rate * 1e-9, limit * 1e-9, limit_name, rate / limit);
    else
        printf("%-44s %5.1f GB/s %10s  %-15s %6s", name, rate * 1e-9, "", "", "");
}

void bench_rate(const char *name, double rate, const char *limit_name, double limit, double goal_ratio)
{
    char goal[32] = "";
    if (goal_ratio > 0)
        snprintf(goal, sizeof goal, ">= %.2f", goal_ratio);
    print_rate(name, rate, limit_name, limit);
    verdict(goal_ratio > 0, rate >= goal_ratio * limit, goal);
}

void bench_rate_absolute(const char *name, double rate, const char *limit_name, double limit, double goal_rate)
{
    char goal[32] = "";
    if (goal_rate > 0)
        snprintf(goal, sizeof goal, ">= %.1f GB/s", goal_rate * 1e-9);
    print_rate(name, rate, limit_name, limit);
    verdict(goal_rate > 0, rate >= goal_rate, goal);
}

static void format_time(char *text, size_t size, double seconds)
{
    if (seconds < 1e-6)
        snprintf(text, size, "%.1f ns", seconds * 1e9);
    else if (seconds < 1e-3)
        snprintf(text, size, "%.2f us", seconds * 1e6);
    else
        snprintf(text, size, "%.2f ms", seconds * 1e3);
}

void bench_time(const char *name, double seconds, double goal)
{
    char result[32], bound[40] = "", limit[32];
    format_time(result, sizeof result, seconds);
    if (goal > 0) {
        format_time(limit, sizeof limit, goal);
        snprintf(bound, sizeof bound, "<= %s", limit);
    }
    printf("%-44s %10s %10s  %-15s %6s", name, result, "", "", "");
    verdict(goal > 0, seconds <= goal, bound);
}

void bench_time_beside(const char *name, double seconds, const char *other_name, double other)
{
    char result[32], theirs[32];
    format_time(result, sizeof result, seconds);
    format_time(theirs, sizeof theirs, other);
    printf("%-44s %10s %10s  %-15s %6.2f", name, result, theirs, other_name, other / seconds);
    verdict(0, 1, "");
}

int bench_end(void)
{
    if (missed)
        printf("\n%u goals missed\n", missed);
    return missed ? 1 : 0;
}

void bench_stop(const char *what)
{
    fprintf(stderr, "benchmark: %s\n", what);
    exit(2);
}

void bench_must(hry_status status, const hry_error *err)
{
    if (status)
        bench_stop(err->message);
}
