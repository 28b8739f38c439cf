/* Bytes that can be read at random: a file, or what came through a pipe, kept in an unnamed temporary file. */
#ifndef HRY_CLI_SOURCE_H
#define HRY_CLI_SOURCE_H

#include "cli/cli_args.h"

typedef struct cli_source {
    const char *name; /* as the caller gave it; "-" for standard input */
    int fd;           /* seekable */
    bool spooled;     /* it came through a pipe: fd has no name */
    uint64_t size;
} cli_source;

/* CLI_OK, or CLI_FAILED after a report. */
int cli_source_open(cli_source *source, const char *name);
void cli_source_close(cli_source *source);

/* Exactly nbytes from offset. False, with errno set (0 when the file ends before), on failure. */
bool cli_source_read(const cli_source *source, uint64_t offset, void *dst, size_t nbytes);

#endif
