/* Instruction floors: how many instructions one call of a hot function may take, counted by callgrind. */
#ifndef TESTS_FLOORS_H
#define TESTS_FLOORS_H

#include <stddef.h>

/*
 * One job: call does it once and is what is counted, so it holds the measured call and nothing that could be done
 * before. limit is the most instructions that one call may take, its own call and return included.
 */
typedef struct floor_job {
    const char *function; /* the name of call, by which callgrind finds it */
    void (*call)(void);
    unsigned long limit;
} floor_job;

/* Functions given to FLOOR must not be inlined or cloned. */
#define FLOOR_FUNCTION static __attribute__((noipa)) void
#define FLOOR(function, limit)     \
    {                              \
#function, function, limit \
    }

/* Without arguments lists the jobs; with a function's name and a count calls it so often. The main of a driver. */
int floors_main(int argc, char **argv, const floor_job *jobs, size_t count);

/* Keeps the compiler from dropping the work that led to a value. */
static inline void floors_use(const void *value)
{
    __asm__ volatile("" : : "r"(value) : "memory");
}

#endif
