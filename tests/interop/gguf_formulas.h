/* The value of one element of a GGUF block, written down from the format's tables element by element, in float64,
 * where every product is exact. (format: gguf, section 3) */
#ifndef HRY_TESTS_INTEROP_GGUF_FORMULAS_H
#define HRY_TESTS_INTEROP_GGUF_FORMULAS_H

#include <stddef.h>
#include <stdint.h>

typedef struct gguf_formula {
    const char *name;
    uint32_t id;
    unsigned elements, bytes;
    float (*value)(const uint8_t *block, unsigned i);
    unsigned scale_at[2]; /* where its float16 numbers are; bytes: none */
} gguf_formula;

extern const gguf_formula gguf_formulas[];
extern const size_t gguf_formula_count;

#endif
