/* One tensor of a file by what the caller wrote: NAME, or NAME[REGION]. */
#ifndef HRY_CLI_FIND_H
#define HRY_CLI_FIND_H

#include "cli/cli_input.h"
#include "cli/cli_region.h"

typedef struct cli_found {
    hry_str name; /* in the text, without the region */
    uint64_t i;
    bool has_region;
    cli_region region;
} cli_found;

/* A tensor whose whole name is the text wins. region: the text of --region, NULL without one. Exit code; a report on
 * failure. */
int cli_find(const cli_input *input, const char *text, const char *region, const cli_args *args, cli_found *found);
/* Its tensor, and the part that is asked for. Exit code; a report on failure. */
int cli_find_part(const cli_input *input, const cli_found *found, hry_tensor **tensor, cli_part *part);

#endif
