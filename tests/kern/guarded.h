/* Memory that ends where no access is allowed: a byte too many read or written ends the test. */
#ifndef HRY_TESTS_KERN_GUARDED_H
#define HRY_TESTS_KERN_GUARDED_H

#include <stddef.h>
#include <stdint.h>

struct guarded {
    unsigned char *start;
    size_t size; /* without the forbidden page */
};

/* Fails the test when there is no memory. */
void guarded_make(struct guarded *guarded, size_t size);
void guarded_free(struct guarded *guarded);
/* The last n bytes but slack of them, and those before filled with a pattern that guarded_is_intact looks for. */
void *guarded_end(struct guarded *guarded, size_t n, size_t slack);
int guarded_is_intact(const struct guarded *guarded, size_t n, size_t slack);

/* A simple generator, the same everywhere. */
uint32_t random_bits(uint64_t *seed);
void random_bytes(uint64_t *seed, void *p, size_t n);

#endif
