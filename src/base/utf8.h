/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef HRY_BASE_UTF8_H
#define HRY_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

bool hry_utf8_valid(const void *bytes, size_t nbytes);

#endif
