/* How many tokens the sequences of block-paged tensors have, which the format does not store: --tokens. */
#ifndef HRY_CLI_TOKENS_H
#define HRY_CLI_TOKENS_H

#include "cli/cli_args.h"

#include <hurray/desc.h>

/* "3,5,0" to numbers, which the caller frees; NULL when it is nothing of the kind. */
uint64_t *cli_tokens_parse(const char *text, uint32_t *count);

/* The counts, for calls that take them for one tensor, or for two (b may be NULL). NULL where none were given, or not
 * as many as a paged one of these has sequences. */
const uint64_t *cli_tokens_for(const cli_args *args, const hry_desc *a, const hry_desc *b);

#endif
