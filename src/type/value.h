/* The value behind an element's bits, and the bits of a value. */
#ifndef HRY_TYPE_VALUE_H
#define HRY_TYPE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* lo and hi as hry_element_bits gives them; the result as of hry_element_f64. */
double hry_value_from_bits(uint8_t type, uint64_t lo, uint64_t hi);
/* As hry_element_set_f64; false, *lo and *hi untouched, where the type has no such value. */
bool hry_value_to_bits(uint8_t type, double value, bool saturate, uint64_t *lo, uint64_t *hi);

#endif
