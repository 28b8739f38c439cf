/* One element of any type as one of any other. */
#ifndef HRY_TENSOR_CONVERT_ELEMENT_H
#define HRY_TENSOR_CONVERT_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Bits as hry_element_bits gives them, turned into those of another type: rounded once to nearest even, whatever lies
 * between, and saturated as hry_element_set_f64 does. Both types are named ones; the real part of a complex number.
 * False, nothing changed, where the value has no counterpart. float128 to 64-bit integers goes by way of float64.
 */
bool hry_convert_element(uint8_t from, uint8_t to, uint64_t *lo, uint64_t *hi);

#endif
