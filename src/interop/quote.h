/* Names of untrusted files inside messages. */
#ifndef HRY_INTEROP_QUOTE_H
#define HRY_INTEROP_QUOTE_H

#include <hurray/base.h>

enum { HRY_QUOTE_SIZE = 128 };

/*
 * Text in double quotes, on one line: control characters, quotes and backslashes are escaped, a long text is cut at a
 * character and ends in "...". Returns out.
 */
const char *hry_quote(char out[HRY_QUOTE_SIZE], hry_str text);

#endif
