/* Whatever a FILE argument names: told apart by its first bytes, then by its name, and opened. */
#ifndef HRY_CLI_INPUT_H
#define HRY_CLI_INPUT_H

#include "cli/cli_formats.h"

typedef enum cli_kind {
    CLI_KIND_UNKNOWN = 0,
    CLI_KIND_CONTAINER,
    CLI_KIND_DESCRIPTOR,
    CLI_KIND_STREAM,
    CLI_KIND_SESSION,
    CLI_KIND_FOREIGN /* another format's file */
} cli_kind;

typedef struct cli_input {
    cli_source source;
    cli_kind kind;
    const cli_format_row *format; /* containers and foreign files */
    hry_file *file;               /* the same, once loaded */
    uint8_t *bytes;               /* descriptors, once loaded */
    hry_desc desc;
    uint8_t head[16];
    size_t head_size;
} cli_input;

/* "container", "descriptor", "stream", "session", or the foreign format's name; NULL for an unknown kind. */
const char *cli_input_kind_name(const cli_input *input);

/* Options for reading, by --permissive and --allow-private. Pointers in it are to constants. */
hry_file_options cli_read_options(const cli_args *args);

/* Prints notes of reading or writing a foreign format: losses as warnings, faults as errors, details when asked for. */
typedef struct cli_note_ctx {
    const cli_args *args;
    const char *file;
} cli_note_ctx;
void cli_print_note(void *ctx, hry_str name, const char *what, cli_note_weight weight);

/* Opens the bytes and finds out what they are (from: a format's name that settles it, NULL to look). CLI_OK, or an
 * exit code after a report; an unknown kind is no failure. */
int cli_input_open(cli_input *input, const char *name, const char *from);
/* Bytes of the file, of a set of files all of them. */
uint64_t cli_input_size(const cli_input *input);
/* Reads the container, foreign file or descriptor. HRY_E_UNSUPPORTED for other kinds. */
hry_status cli_input_load(cli_input *input, const cli_args *args, hry_error *err);
void cli_input_close(cli_input *input);

/* Both steps for commands that need named tensors; reports. CLI_OK with input->file set. */
int cli_input_open_file(cli_input *input, const char *name, const char *from, const cli_args *args);

#endif
