/* Values of the host as tensors store them. */
#ifndef HRY_SUPPORT_STORED_OF_H
#define HRY_SUPPORT_STORED_OF_H

#include <stdint.h>

/* n values of the type in the byte order of the format: on little-endian hosts themselves, else a copy that stays until
 * the program ends. */
const void *stored_of(uint8_t type, const void *values, uint64_t n);

#endif
