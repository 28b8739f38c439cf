/* The formats that the command reads and writes: one table. */
#ifndef HRY_CLI_FORMATS_H
#define HRY_CLI_FORMATS_H

#include "cli/cli_source.h"

#include <hurray/file.h>

typedef enum cli_note_weight {
    CLI_NOTE_DETAIL, /* nothing is lost */
    CLI_NOTE_LOSS,   /* something is left out or changed */
    CLI_NOTE_FAULT   /* and so the call fails */
} cli_note_weight;

/* What a conversion could not carry as it was, one thing a call. */
typedef void cli_note_fn(void *ctx, hry_str name, const char *what, cli_note_weight weight);

typedef struct cli_format_options {
    hry_file_options file; /* reading */
    bool strict;           /* fail where something would be left out or changed */
    bool shown;            /* reading only to show what is there: what no other format can hold is no fault */
    bool values;           /* reading values: float32 of blocks that no scheme holds */
    bool kept;             /* what is read is written as it is */
    bool dequantize;       /* GGUF: float32 of all blocks */
    bool whole;            /* GGUF: metadata with all that the way back needs */
    bool replace;          /* writing to a path */
    bool every;            /* writing: fail where a tensor would be left out */
    cli_note_fn *note;     /* NULL: nobody hears it */
    void *ctx;
} cli_format_options;

typedef struct cli_format_row {
    const char *name;
    const char *extension; /* with its dot */
    hry_status (*open)(const cli_source *source, const cli_format_options *options, hry_file **file, hry_error *err);
    /* To path, or to fd when path is NULL. NULL for the container, which is written through hry_writer, and where
     * writing is impossible. */
    hry_status (*save)(hry_file *file, const char *path, int fd, const cli_format_options *options, hry_error *err);
} cli_format_row;

extern const cli_format_row cli_format_hurray;

/* Rows by position, the container first; NULL from the end on. */
const cli_format_row *cli_format_at(size_t position);
/* By name ("safetensors"), by the ending of a path, by the file's first bytes; NULL when there is none. */
const cli_format_row *cli_format_by_name(const char *name);
const cli_format_row *cli_format_by_path(const char *path);
const cli_format_row *cli_format_by_head(const uint8_t *head, size_t head_size, uint64_t size);

/* Whether tensor i was blocks of quantized values in the file that it is read from, whatever it is now. */
bool cli_format_had_blocks(const hry_file *file, uint64_t i);

#endif
