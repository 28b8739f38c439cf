/* The tensors of a file in the order that people read them: by name, members under their composite. */
#ifndef HRY_CLI_ROWS_H
#define HRY_CLI_ROWS_H

#include "cli/cli_args.h"

#include <hurray/file.h>

typedef struct cli_row {
    hry_str name;
    uint64_t i;     /* position in the file */
    uint64_t size;  /* rows of its tree, itself included; 1 for all but composite heads */
    uint32_t depth; /* heads above it */
    bool ok;        /* its descriptor can be read */
    bool chosen;    /* --include and --exclude let its tree through */
} cli_row;

typedef struct cli_rows {
    cli_row *rows;
    uint64_t count;
} cli_rows;

/* All tensors in write order, trees one after the other. The caller frees rows->rows. */
void cli_rows_written(hry_file *file, cli_rows *rows);
/* The trees in natural order of their heads' names; members keep their order. Only what --include and --exclude let
 * through. */
void cli_rows_listed(hry_file *file, const cli_args *args, cli_rows *rows);
/* All trees in write order, with what is chosen marked: for commands that change some and keep the others. */
void cli_rows_marked(hry_file *file, const cli_args *args, cli_rows *rows);
/* Trees as a whole, in write order: a member goes with its head. */
void cli_rows_chosen(hry_file *file, const cli_args *args, cli_rows *rows);

#endif
