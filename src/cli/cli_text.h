/* Comparing and choosing names. */
#ifndef HRY_CLI_TEXT_H
#define HRY_CLI_TEXT_H

#include "cli/cli_args.h"

/* Natural order: runs of digits compare as numbers, so that blk.2 comes before blk.10. 0 only for equal names. */
int cli_natural_compare(hry_str a, hry_str b);

/* Shell pattern against the whole text: *, ?, [a-z], [!a-z], backslash. * also matches '/' and '.'. */
bool cli_glob_match(const char *pattern, hry_str text);

/* Whether --include and --exclude let a tensor of that name through. */
bool cli_selected(const cli_args *args, hry_str name);

/* "64M": digits, then perhaps K, M, G or T with or without "iB" or "B". 0 for anything else. */
uint64_t cli_size_parse(const char *text);

#endif
