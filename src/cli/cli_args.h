/* The table of commands, and one call of a command with its options parsed. */
#ifndef HRY_CLI_ARGS_H
#define HRY_CLI_ARGS_H

#include <hurray/base.h>

/* Exit codes: done; the input is invalid or the answer is no; the call is wrong or the system refused. */
enum { CLI_OK = 0, CLI_NO = 1, CLI_FAILED = 2 };

typedef enum cli_option_id {
    CLI_OPT_END = 0,
#define CLI_OPTION(token, name, letter, arg, help) CLI_OPT_##token,
#include "cli/cli_options.def"
#undef CLI_OPTION
    CLI_OPT_COUNT
} cli_option_id;

typedef struct cli_option {
    const char *name;
    const char *arg; /* what stands for its argument in the help; NULL: it has none */
    const char *help;
    char letter;
} cli_option;

extern const cli_option cli_options[CLI_OPT_COUNT]; /* by cli_option_id */

struct cli_args;

/* Groups of options that many commands share. */
enum {
    CLI_REPORTS = 1,  /* --json, --bytes */
    CLI_READS = 2,    /* --permissive, --allow-private */
    CLI_SELECTS = 4,  /* --include, --exclude */
    CLI_WRITES = 8,   /* --output, --force, --dry-run */
    CLI_VALUES = 16,  /* no options: it reads values, so that those without a counterpart are decoded */
    CLI_CARRIES = 32, /* no options: it writes all metadata, so that they have to tell all */
    CLI_SHOWS = 64    /* no options: it shows what is there, also what no other format can hold */
};

typedef struct cli_command {
    const char *name;
    const char *alias;      /* NULL: none */
    const char *usage;      /* the arguments: "FILE..." */
    const char *summary;    /* what it does, in one line */
    const char *details;    /* more for its help; NULL: nothing */
    const uint8_t *options; /* its own, up to CLI_OPT_END; NULL: none */
    int groups;
    int min_args, max_args; /* how many arguments; max -1: any number */
    int (*run)(const struct cli_args *args);
} cli_command;

/* Commands by position, in the order of the help; NULL from the end on. */
const cli_command *cli_command_at(size_t position);
const cli_command *cli_command_find(const char *name);
bool cli_command_takes(const cli_command *command, int option);
/* Options of a command by position, its own first and then the common ones; CLI_OPT_END after the last. */
int cli_command_option_at(const cli_command *command, size_t position);

typedef struct cli_list {
    const char **items;
    size_t count;
} cli_list;

typedef struct cli_args {
    const cli_command *command;
    const char *value[CLI_OPT_COUNT]; /* of the last occurrence; "" for an option without argument; NULL: not given */
    cli_list include, exclude;
    uint64_t *tokens; /* token_count of them; NULL: not given */
    uint32_t token_count;
    const char **items; /* the arguments, count of them, then NULL */
    int count;
} cli_args;

/* Parses what follows the command's name. False after a report of what is wrong. Ends the program for lack of memory.
 */
bool cli_args_parse(cli_args *args, const cli_command *command, int argc, char **argv);
void cli_args_free(cli_args *args);

static inline bool cli_has(const cli_args *args, cli_option_id option)
{
    return args->value[option] != NULL;
}

/* The help of the program, or of one command. */
void cli_help_print(const cli_command *command);

#endif
