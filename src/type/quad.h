/* float128 (IEEE binary128), which no common processor computes with. hi holds sign, exponent and 48 mantissa bits. */
#ifndef HRY_TYPE_QUAD_H
#define HRY_TYPE_QUAD_H

#include <stdint.h>

/* To nearest, ties to even. NaN stays NaN: quiet, sign and leading payload bits kept. */
double hry_quad_to_f64(uint64_t lo, uint64_t hi);
/* Exact. NaN as above. */
void hry_quad_from_f64(double value, uint64_t *lo, uint64_t *hi);
/* The sum, to nearest even. NaN in gives that NaN, quiet. */
void hry_quad_add(uint64_t a_lo, uint64_t a_hi, uint64_t b_lo, uint64_t b_hi, uint64_t *lo, uint64_t *hi);

#endif
