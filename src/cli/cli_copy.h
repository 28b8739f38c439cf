/* Tensors and metadata from open files into a container being written. */
#ifndef HRY_CLI_COPY_H
#define HRY_CLI_COPY_H

#include "cli/cli_progress.h"
#include "cli/cli_rows.h"

/* What a failed copy was at; ptr NULL: no tensor. */
typedef struct cli_copying {
    hry_writer *writer;
    cli_progress *progress; /* NULL: none */
    hry_str at;
} cli_copying;

/* Writer options that keep the alignment and order of a container; the defaults for other files. */
hry_writer_options cli_copy_options(const hry_file *file, const cli_args *args);

hry_status cli_copy_kv(cli_copying *copying, const hry_file *file, hry_error *err);
/* The rows' tensors under their rows' names, in their order. */
hry_status cli_copy_rows(cli_copying *copying, hry_file *file, const cli_rows *rows, hry_error *err);
/* The bytes of all buffers of the rows. */
uint64_t cli_rows_bytes(hry_file *file, const cli_rows *rows);

#endif
