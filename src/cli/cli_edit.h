/* A container with other metadata or names: written beside it and renamed over it, or to --output. */
#ifndef HRY_CLI_EDIT_H
#define HRY_CLI_EDIT_H

#include "cli/cli_plan.h"

typedef struct cli_edit {
    cli_input input;
    cli_output output;
    cli_plan plan; /* the file as it is, to be changed */
} cli_edit;

/* Opens the file and plans it as it is. Exit code; a report on failure. */
int cli_edit_open(cli_edit *edit, const char *name, const cli_args *args);
/* Writes the plan when code is CLI_OK and something has changed; frees all. Exit code. */
int cli_edit_close(cli_edit *edit, const cli_args *args, bool changed, int code);

#endif
