/* One value as text. */
#ifndef HRY_CLI_ELEMENT_H
#define HRY_CLI_ELEMENT_H

#include <hurray/type.h>

#include <stdio.h>

/* Whether values of a type have a text: private ones have none. */
bool cli_element_has_text(uint8_t type);
/* Element index of packed values, in the byte order of the format. As JSON, NaN and infinities are strings. */
void cli_element_put(FILE *out, uint8_t type, const void *values, uint64_t index, bool json);

#endif
