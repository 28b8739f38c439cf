/* The values of a part of a tensor to a stream, in one of the formats of cat and extract. */
#ifndef HRY_CLI_EMIT_H
#define HRY_CLI_EMIT_H

#include "cli/cli_region.h"
#include "cli/cli_stream.h"

#include <hurray/tensor.h>

typedef enum cli_form { CLI_FORM_TEXT, CLI_FORM_NPY, CLI_FORM_RAW, CLI_FORM_JSON, CLI_FORM_NONE } cli_form;

/* By name; NULL is the given default. CLI_FORM_NONE for anything else. */
cli_form cli_form_find(const char *name, cli_form fallback);

/* Reports; name and file are for that. Exit code. */
int cli_emit(cli_stream *stream, const hry_tensor *tensor, const cli_part *part, cli_form form,
             const hry_read_options *options, const cli_args *args, const char *file, hry_str name);

#endif
