/* Where a writing command writes: a file that appears when it is complete, or bytes that go out as they come. */
#ifndef HRY_CLI_OUTPUT_H
#define HRY_CLI_OUTPUT_H

#include "cli/cli_args.h"

#include <hurray/file.h>

typedef struct cli_output {
    const char *name; /* as given; "-": standard output */
    char *path;       /* a file; NULL: fd */
    int fd;
    bool replace;
    bool dry; /* --dry-run: nothing is written */
} cli_output;

/* Settles and checks the target before any work is done: an existing file needs --force, a terminal gets no binary. A
 * link is followed; devices and pipes are written to directly. CLI_OK, or an exit code after a report. */
int cli_output_open(cli_output *output, const char *name, const cli_args *args);
/* Gives up the descriptor; a failure to close is reported. Returns code or the worse. */
int cli_output_close(cli_output *output, int code);

/* A container to that output. */
hry_status cli_output_writer(const cli_output *output, const hry_writer_options *options, hry_writer **writer,
                             hry_error *err);

#endif
