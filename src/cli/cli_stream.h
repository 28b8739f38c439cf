/* Results as a stream: to standard output, or to a file that appears when it is complete. */
#ifndef HRY_CLI_STREAM_H
#define HRY_CLI_STREAM_H

#include "cli/cli_output.h"

#include <stdio.h>

typedef struct cli_stream {
    FILE *file; /* NULL with --dry-run */
    cli_output output;
    char *temporary; /* the file's name until it is complete; NULL: there is none */
} cli_stream;

/* name as for cli_output_open; text may go to a terminal. Exit code; a report on failure. */
int cli_stream_open(cli_stream *stream, const char *name, bool text, const cli_args *args);
/* The reader is gone, or the disk is full: the rest may be spared. */
bool cli_stream_failed(const cli_stream *stream);
/* Completes the file when code is CLI_OK, else drops it. Returns code or the worse. */
int cli_stream_close(cli_stream *stream, int code);

#endif
