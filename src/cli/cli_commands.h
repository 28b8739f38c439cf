/* The commands, each defined in its cmd_*.c; cli_commands.c lists them. */
#ifndef HRY_CLI_COMMANDS_H
#define HRY_CLI_COMMANDS_H

#include "cli/cli_args.h"

extern const cli_command cli_info, cli_check, cli_inspect, cli_convert, cli_kv, cli_rename, cli_merge, cli_split;
extern const cli_command cli_cat, cli_extract, cli_slicing, cli_quantize, cli_dequantize, cli_stats, cli_relayout,
    cli_hash, cli_diff, cli_registry, cli_help;

/* The worse of two exit codes. */
static inline int cli_worse(int a, int b)
{
    return a > b ? a : b;
}

#endif
