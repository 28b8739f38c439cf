#include "cli/cli_commands.h"
#include "cli/cli_out.h"
#include "cli/cli_signals.h"

#include <string.h>

static int run_command(const cli_command *command, int argc, char **argv)
{
    cli_args args;
    int code = CLI_FAILED;
    if (cli_args_parse(&args, command, argc, argv)) {
        if (cli_has(&args, CLI_OPT_HELP))
            cli_help_print(command), code = CLI_OK;
        else
            code = command->run(&args);
    }
    cli_args_free(&args);
    return code;
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return cli_usage(NULL, "no command given");
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return printf("hurray %s\n", hry_version()) < 0 ? CLI_FAILED : CLI_OK;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    const cli_command *command = cli_command_find(name);
    if (!command)
        return cli_usage(NULL, *name == '-' ? "unknown option '%s'" : "there is no command '%s'", name);
    return run_command(command, argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    cli_signals_start();
    cli_out_start();
    return cli_out_finish(run(argc, argv));
}
