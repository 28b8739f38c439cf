/* hurray help: the commands, or one of them. */
#include "cli/cli_commands.h"
#include "cli/cli_out.h"

static int run(const cli_args *args)
{
    const cli_command *command = args->count ? cli_command_find(args->items[0]) : NULL;
    if (args->count && !command)
        return cli_usage(NULL, "there is no command '%s'", args->items[0]);
    cli_help_print(command);
    return CLI_OK;
}

const cli_command cli_help = {
    .name = "help",
    .usage = "[COMMAND]",
    .summary = "show the commands, or the options of one",
    .max_args = 1,
    .run = run,
};
