/* The header of NumPy's .npy files. */
#ifndef HRY_CLI_NPY_H
#define HRY_CLI_NPY_H

#include "cli/cli_region.h"

#include <stdio.h>

/* What NumPy has for a type: the type itself, or the one that holds its values. 0 for private types. *exact is false
 * where values may change. */
uint8_t cli_npy_type(uint8_t type, bool *exact);
/* Version 1.0; type is one that cli_npy_type gives. bool values come as a byte each. */
void cli_npy_put_header(FILE *out, uint8_t type, bool is_bool, const cli_part *part);

#endif
