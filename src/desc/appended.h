/*
 * Fields that a later minor version appends to a length-prefixed section. (versioning, rule R4 and section 7)
 */
#ifndef HRY_DESC_APPENDED_H
#define HRY_DESC_APPENDED_H

#include <hurray/desc.h>

/*
 * The field of size bytes at offset (from the scheme header) in desc's quantization payload, which descriptor 1.since
 * brought. NULL, which stands for the field's documented default, unless the descriptor's minor version defines it and
 * the payload holds it whole. *partial, which may be NULL, says that the payload holds a part of it (a lint).
 */
const uint8_t *hry_desc_appended(const hry_desc *desc, uint32_t offset, uint32_t size, uint8_t since, bool *partial);

#endif
