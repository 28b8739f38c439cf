/* Booleans of a byte each, and packed eight to a byte with the first in the lowest bit. */
#ifndef HRY_INTEROP_BYTE_BOOLS_H
#define HRY_INTEROP_BYTE_BOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Packs count bytes that are 0 or 1; unused bits of the last byte become 0. Returns count, or the place of the first
 * byte that is neither, up to which packed bytes are complete only in part.
 */
size_t hry_bools_pack(const uint8_t *bytes, size_t count, uint8_t *bits);
/* count bytes of 0 or 1 from packed bits. */
void hry_bools_unpack(const uint8_t *bits, size_t count, uint8_t *bytes);

#endif
