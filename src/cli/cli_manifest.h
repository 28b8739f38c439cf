/* What 'hash' has printed, read again. */
#ifndef HRY_CLI_MANIFEST_H
#define HRY_CLI_MANIFEST_H

#include "cli/cli_digest.h"

typedef struct cli_manifest_line {
    const char *name; /* as it is printed, escaped */
    cli_digest digest;
    bool is_file;
} cli_manifest_line;

typedef struct cli_manifest {
    const char *path;
    char *text;
    cli_manifest_line *lines;
    size_t count;
} cli_manifest;

/* Exit code; a report on failure. */
int cli_manifest_open(cli_manifest *manifest, const char *path);
void cli_manifest_close(cli_manifest *manifest);
/*
 * Compares digests of a file with those under its name, or under the only name there is. Prints what differs. CLI_NO
 * when anything does, or when the manifest has other tensors than the chosen ones.
 */
int cli_manifest_check(const cli_manifest *manifest, const char *name, const cli_named_digest *list, uint64_t count,
                       const cli_args *args);

#endif
