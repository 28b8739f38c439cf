/* A line on the terminal for work that takes longer than a second. */
#ifndef HRY_CLI_PROGRESS_H
#define HRY_CLI_PROGRESS_H

#include "cli/cli_args.h"

typedef struct cli_progress {
    const char *what;
    uint64_t done, total;  /* bytes */
    double started, shown; /* seconds; shown 0: not yet */
    bool wanted;
} cli_progress;

void cli_progress_start(cli_progress *progress, const cli_args *args, const char *what, uint64_t total);
void cli_progress_add(cli_progress *progress, uint64_t nbytes);
void cli_progress_end(cli_progress *progress); /* takes the line away */

#endif
