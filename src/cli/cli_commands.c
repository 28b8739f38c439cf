#include "cli/cli_commands.h"
#include "cli/cli_formats.h"
#include "cli/cli_out.h"

#include <string.h>

static const cli_command *const commands[] = {
    &cli_info,  &cli_check,   &cli_inspect,  &cli_cat,        &cli_extract,  &cli_stats, &cli_hash,
    &cli_diff,  &cli_convert, &cli_quantize, &cli_dequantize, &cli_relayout, &cli_kv,    &cli_rename,
    &cli_merge, &cli_slicing, &cli_split,    &cli_registry,   &cli_help,
};

const cli_command *cli_command_at(size_t position)
{
    return position < sizeof commands / sizeof *commands ? commands[position] : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    const cli_command *command;
    for (size_t k = 0; (command = cli_command_at(k)) != NULL; k++)
        if (strcmp(command->name, name) == 0 || (command->alias && strcmp(command->alias, name) == 0))
            return command;
    return NULL;
}

static void print_option(int id)
{
    const cli_option *option = &cli_options[id];
    char left[40];
    snprintf(left, sizeof left, "--%s%s%s", option->name, option->arg ? " " : "", option->arg ? option->arg : "");
    if (option->letter)
        printf("  -%c, %-20s %s\n", option->letter, left, option->help);
    else
        printf("      %-20s %s\n", left, option->help);
}

static void print_formats(void)
{
    const cli_format_row *format;
    puts("\nformats:");
    for (size_t k = 0; (format = cli_format_at(k)) != NULL; k++)
        printf("  %-20s NAME%s%s\n", format->name, format->extension,
               format->save || format == &cli_format_hurray ? "" : " (read only)");
}

static void print_command(const cli_command *command)
{
    int id;
    printf("usage: hurray %s [options] %s\n", command->name, command->usage);
    if (command->alias)
        printf("   or: hurray %s [options] %s\n", command->alias, command->usage);
    printf("\n%s\n", command->summary);
    if (command->details)
        printf("\n%s\n", command->details);
    if (cli_command_takes(command, CLI_OPT_FROM))
        print_formats();
    puts("\noptions:");
    for (size_t k = 0; (id = cli_command_option_at(command, k)) != CLI_OPT_END; k++)
        print_option(id);
}

static void print_all(void)
{
    const cli_command *command;
    puts("usage: hurray COMMAND [options] [arguments]\n\ncommands:");
    for (size_t k = 0; (command = cli_command_at(k)) != NULL; k++) {
        char left[40];
        snprintf(left, sizeof left, "%s%s%s", command->name, command->alias ? ", " : "",
                 command->alias ? command->alias : "");
        printf("  %-16s %s\n", left, command->summary);
    }
    puts("\n'hurray help COMMAND' tells more; 'hurray --version' the version.\n"
         "Exit codes: 0 done; 1 the input is invalid or the answer is no; 2 the call is wrong or the system refused.");
}

void cli_help_print(const cli_command *command)
{
    if (command)
        print_command(command);
    else
        print_all();
}
