/* SRC to DST: what the commands that write a file from a file share. */
#ifndef HRY_CLI_TRANSFORM_H
#define HRY_CLI_TRANSFORM_H

#include "cli/cli_plan.h"
#include "cli/cli_pool.h"

typedef struct cli_transform {
    const cli_args *args;
    const cli_format_row *format; /* of the output */
    cli_input input;
    cli_output output;
    cli_rows rows; /* what --include and --exclude let through, trees as a whole */
    cli_plan plan; /* metadata and form of the input; no tensors yet */
    cli_pool pool;
    const char **names; /* the arguments behind SRC and DST */
    int name_count;
} cli_transform;

/* DST is the second argument, or --output. Exit code; a report on failure. */
int cli_transform_open(cli_transform *transform, const cli_args *args);
/* For commands that change what is chosen: all tensors are in rows, the others to be kept as they are. */
void cli_transform_keep_others(cli_transform *transform);
/* Writes the plan when code is CLI_OK; frees all. Exit code. */
int cli_transform_close(cli_transform *transform, int code);

#endif
