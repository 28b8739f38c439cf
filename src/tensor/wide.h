/* Volumes that do not fit any integer type: up to 64 factors of 64 bits, and sums of them. */
#ifndef HRY_TENSOR_WIDE_H
#define HRY_TENSOR_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HRY_WIDE_WORDS = 66 };

typedef struct hry_wide {
    uint32_t used; /* words, lowest first; those above are not looked at */
    uint64_t word[HRY_WIDE_WORDS];
} hry_wide;

/* The product of at most 64 factors. */
void hry_wide_product(const uint64_t *factors, size_t count, hry_wide *product);
void hry_wide_add(hry_wide *sum, const hry_wide *x);
bool hry_wide_equal(const hry_wide *a, const hry_wide *b);

#endif
