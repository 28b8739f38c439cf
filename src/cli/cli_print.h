/* Values as text: rows for people, nested arrays as JSON. */
#ifndef HRY_CLI_PRINT_H
#define HRY_CLI_PRINT_H

#include "cli/cli_region.h"

#include <stdio.h>

/*
 * Text: a line for each row along the last dimension, an empty line between matrices; of a vector, a line for each
 * element. JSON: arrays, and a scalar alone; a line for each row too.
 */
typedef struct cli_print {
    FILE *out;
    bool json;
    uint8_t type;
    uint32_t rank;
    const uint64_t *shape;
    uint64_t at[HRY_RANK_MAX]; /* the index of the next element */
} cli_print;

void cli_print_begin(cli_print *print, const cli_part *part, FILE *out, uint8_t type, bool json);
/* The next count elements, as cli_values_next gives them. */
void cli_print_add(cli_print *print, const uint8_t *piece, uint64_t count);
/* What is to be printed of a tensor without elements; nothing otherwise. */
void cli_print_empty(cli_print *print);

#endif
