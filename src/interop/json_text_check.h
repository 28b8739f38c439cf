/* What the JSON parser lets pass that JSON in UTF-8 does not have. */
#ifndef HRY_INTEROP_JSON_TEXT_CHECK_H
#define HRY_INTEROP_JSON_TEXT_CHECK_H

#include <hurray/base.h>

/*
 * Bytes that are not UTF-8, \u escapes that are half of a surrogate pair, and vertical tabs and form feeds, which are
 * no white space of JSON. HRY_E_INPUT with the offset of the first byte at fault.
 */
hry_status hry_json_text_check(const void *bytes, size_t nbytes, hry_error *err);

#endif
