/* Sums of overlays: one addition a member, rounded once to the type (composite, section 4.2). */
#ifndef HRY_TENSOR_ADD_H
#define HRY_TENSOR_ADD_H

#include <stddef.h>
#include <stdint.h>

/* Adds n values in a row to those at sum, stride bytes apart. Both in the format's byte order, at any alignment. */
typedef void hry_add_fn(uint8_t *sum, int64_t stride, const uint8_t *values, uint64_t n);

/* NULL for types that are not added: bool, those below 16 bits but int8 and uint8, and private ones. */
hry_add_fn *hry_add_of(uint8_t type);

#endif
