/* The values of a tensor in row-major order, a piece at a time, so that no tensor is too large. */
#ifndef HRY_CLI_VALUES_H
#define HRY_CLI_VALUES_H

#include "cli/cli_region.h"

#include <hurray/tensor.h>

typedef struct cli_values {
    const hry_tensor *tensor;
    hry_read_options options;
    cli_part part;
    uint8_t type;   /* of the values */
    uint32_t bits;  /* of one of them */
    uint64_t count; /* of all of them */
    uint8_t *piece;
    /* Where the next piece starts: from place at of dimension axis, most of whose places go into a piece. */
    hry_box box;
    uint32_t axis;
    uint64_t at, most;
    bool done;
} cli_values;

/* The type of a tensor's values: float32 for those of quantized ones that are not wanted as they are stored. */
uint8_t cli_value_type(const hry_desc *desc, bool stored);

/*
 * part NULL: all of the tensor. type 0: that of cli_value_type. options are borrowed arrays and all. HRY_E_UNSUPPORTED
 * for more elements than can be counted. Ends the program for lack of memory.
 */
hry_status cli_values_open(cli_values *values, const hry_tensor *tensor, const cli_part *part, uint8_t type,
                           const hry_read_options *options, hry_error *err);
/* The next count elements, packed and in the byte order of the format, valid until the next call; 0 behind the last. */
hry_status cli_values_next(cli_values *values, uint8_t **piece, uint64_t *count, hry_error *err);
void cli_values_close(cli_values *values);

#endif
