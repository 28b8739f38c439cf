/* What quantization, section 11, says of parameters and codes, value by value. */
#ifndef HRY_TESTS_NAIVE_QUANTIZE_H
#define HRY_TESTS_NAIVE_QUANTIZE_H

#include <hurray/quantize.h>

/* n values, and what became of them: number[i] is that of the parameters of value i. */
typedef struct naive_quantized {
    const hry_quantizer *q; /* storage is given */
    uint64_t n, parameters;
    const float *x;
    const uint64_t *number;
    const float *scale;
    const int32_t *zp;
    const double *code; /* NULL: not looked at */
    const float *back;
} naive_quantized;

/* Parameters by the formulas of section 11.1, codes by them where they are affine, errors by the bounds of 11.2. */
void naive_check_quantized(const naive_quantized *z);

#endif
