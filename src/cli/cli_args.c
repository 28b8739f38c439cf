#include "cli/cli_args.h"
#include "cli/cli_out.h"
#include "cli/cli_tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const cli_option cli_options[CLI_OPT_COUNT] = {
#define CLI_OPTION(token, name_, letter_, arg_, help_) \
    [CLI_OPT_##token] = { .name = (name_), .arg = (arg_), .help = (help_), .letter = (letter_) },
#include "cli/cli_options.def"
#undef CLI_OPTION
};

/* A line each: what an option group adds to a command. The first is for all commands. */
static const struct {
    int group;
    uint8_t options[4];
} groups[] = {
    { CLI_REPORTS, { CLI_OPT_JSON, CLI_OPT_BYTES } },
    { CLI_SELECTS, { CLI_OPT_INCLUDE, CLI_OPT_EXCLUDE } },
    { CLI_READS, { CLI_OPT_PERMISSIVE, CLI_OPT_ALLOW_PRIVATE } },
    { CLI_WRITES, { CLI_OPT_OUTPUT, CLI_OPT_FORCE, CLI_OPT_DRY_RUN } },
    { 0, { CLI_OPT_THREADS, CLI_OPT_QUIET, CLI_OPT_VERBOSE, CLI_OPT_NO_PROGRESS } },
    { 0, { CLI_OPT_HELP } },
};

int cli_command_option_at(const cli_command *command, size_t position)
{
    size_t own = 0;
    while (command->options && command->options[own])
        own++;
    if (position < own)
        return command->options[position];
    position -= own;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        if ((command->groups & groups[g].group) != groups[g].group)
            continue;
        for (size_t k = 0; k < 4 && groups[g].options[k]; k++)
            if (position-- == 0)
                return groups[g].options[k];
    }
    return CLI_OPT_END;
}

bool cli_command_takes(const cli_command *command, int option)
{
    int id;
    for (size_t k = 0; (id = cli_command_option_at(command, k)) != CLI_OPT_END; k++)
        if (id == option)
            return true;
    return false;
}

static int option_by_name(const cli_command *command, const char *name, size_t len)
{
    int id;
    for (size_t k = 0; (id = cli_command_option_at(command, k)) != CLI_OPT_END; k++)
        if (strlen(cli_options[id].name) == len && memcmp(cli_options[id].name, name, len) == 0)
            return id;
    return CLI_OPT_END;
}

static int option_by_letter(const cli_command *command, char letter)
{
    int id;
    for (size_t k = 0; (id = cli_command_option_at(command, k)) != CLI_OPT_END; k++)
        if (cli_options[id].letter == letter)
            return id;
    return CLI_OPT_END;
}

static void append(cli_list *list, const char *item)
{
    list->items = cli_realloc_items(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = item;
}

static bool set(cli_args *args, int id, const char *value)
{
    if (id == CLI_OPT_INCLUDE)
        append(&args->include, value);
    if (id == CLI_OPT_EXCLUDE)
        append(&args->exclude, value);
    if (id == CLI_OPT_THREADS) {
        char *end;
        unsigned long n = strtoul(value, &end, 10);
        if (*end || !isdigit((unsigned char)*value) || n < 1 || n > 4096)
            return cli_usage(args->command, "'%s' is not a number of threads", value), false;
    }
    if (id == CLI_OPT_TOKENS) {
        free(args->tokens);
        args->tokens = cli_tokens_parse(value, &args->token_count);
        if (!args->tokens)
            return cli_usage(args->command, "'%s' is not a list of numbers of tokens", value), false;
    }
    args->value[id] = value;
    return true;
}

/* "--name", "--name=value", "--name value". True with *used 1 or 2. */
static bool parse_long(cli_args *args, const char *text, const char *next, int *used)
{
    const char *equals = strchr(text, '=');
    size_t len = equals ? (size_t)(equals - text) : strlen(text);
    int id = option_by_name(args->command, text, len);
    *used = 1;
    if (id == CLI_OPT_END)
        return cli_usage(args->command, "unknown option '--%.*s'", (int)len, text), false;
    if (!cli_options[id].arg)
        return equals ? (cli_usage(args->command, "option '--%s' takes no argument", cli_options[id].name), false)
                      : set(args, id, "");
    if (equals)
        return set(args, id, equals + 1);
    if (!next)
        return cli_usage(args->command, "option '--%s' needs an argument", cli_options[id].name), false;
    *used = 2;
    return set(args, id, next);
}

/* "-q", "-qv", "-oFILE", "-o FILE". */
static bool parse_short(cli_args *args, const char *text, const char *next, int *used)
{
    *used = 1;
    for (; *text; text++) {
        int id = option_by_letter(args->command, *text);
        if (id == CLI_OPT_END)
            return cli_usage(args->command, "unknown option '-%c'", *text), false;
        if (!cli_options[id].arg) {
            if (!set(args, id, ""))
                return false;
            continue;
        }
        if (text[1])
            return set(args, id, text + 1);
        if (!next)
            return cli_usage(args->command, "option '-%c' needs an argument", *text), false;
        *used = 2;
        return set(args, id, next);
    }
    return true;
}

/* No option is a digit, so that "-5" and "-.5" can be values. */
static bool is_option(const char *text)
{
    return text[0] == '-' && text[1] && !isdigit((unsigned char)text[1]) && text[1] != '.';
}

static bool check_count(const cli_args *args)
{
    const cli_command *command = args->command;
    if (cli_has(args, CLI_OPT_HELP))
        return true;
    if (args->count < command->min_args)
        return cli_usage(command, "too few arguments (it takes %s)", command->usage), false;
    if (command->max_args >= 0 && args->count > command->max_args)
        return cli_usage(command, *command->usage ? "too many arguments (it takes %s)" : "it takes no arguments%s",
                         command->usage),
               false;
    return true;
}

bool cli_args_parse(cli_args *args, const cli_command *command, int argc, char **argv)
{
    *args = (cli_args){ .command = command };
    args->items = cli_realloc(NULL, ((size_t)argc + 1) * sizeof *args->items);
    bool options = true;
    for (int k = 0, used = 1; k < argc; k += used) {
        used = 1;
        const char *text = argv[k], *next = k + 1 < argc ? argv[k + 1] : NULL;
        if (options && strcmp(text, "--") == 0) {
            options = false;
        } else if (options && is_option(text)) {
            bool ok =
                text[1] == '-' ? parse_long(args, text + 2, next, &used) : parse_short(args, text + 1, next, &used);
            if (!ok)
                return false;
        } else {
            args->items[args->count++] = text;
        }
    }
    args->items[args->count] = NULL;
    return check_count(args);
}

void cli_args_free(cli_args *args)
{
    free(args->items);
    free(args->include.items);
    free(args->exclude.items);
    free(args->tokens);
    *args = (cli_args){ 0 };
}
