#include "cli/cli_output.h"
#include "cli/cli_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_stdout(cli_output *output)
{
    output->fd = STDOUT_FILENO;
    if (!output->dry && isatty(STDOUT_FILENO))
        return cli_fail(CLI_FAILED, "standard output", NULL, "binary data do not go to a terminal");
    return CLI_OK;
}

/* A device or a pipe is never replaced by a file. */
static int open_special(cli_output *output, const char *name)
{
    if (output->dry)
        return CLI_OK;
    output->fd = open(name, O_WRONLY | O_CLOEXEC);
    return output->fd < 0 ? cli_fail_errno(name, errno) : CLI_OK;
}

int cli_output_open(cli_output *output, const char *name, const cli_args *args)
{
    *output = (cli_output){ .name = name, .fd = -1, .dry = cli_has(args, CLI_OPT_DRY_RUN) };
    output->replace = cli_has(args, CLI_OPT_FORCE);
    if (strcmp(name, "-") == 0)
        return open_stdout(output);
    struct stat st;
    bool exists = stat(name, &st) == 0;
    if (!exists && errno != ENOENT)
        return cli_fail_errno(name, errno);
    if (exists && S_ISDIR(st.st_mode))
        return cli_fail_errno(name, EISDIR);
    if (exists && !S_ISREG(st.st_mode))
        return open_special(output, name);
    if (exists && !output->replace)
        return cli_fail(CLI_FAILED, name, NULL, "the file exists; --force replaces it");
    if (!(output->path = exists ? realpath(name, NULL) : cli_copy(name, strlen(name))))
        return cli_fail_errno(name, errno);
    return CLI_OK;
}

int cli_output_close(cli_output *output, int code)
{
    if (output->fd > STDERR_FILENO && close(output->fd) != 0 && code == CLI_OK)
        code = cli_fail_errno(output->name, errno);
    free(output->path);
    *output = (cli_output){ .fd = -1 };
    return code;
}

hry_status cli_output_writer(const cli_output *output, const hry_writer_options *options, hry_writer **writer,
                             hry_error *err)
{
    hry_writer_options o = *options;
    o.replace = output->replace;
    return output->path ? hry_writer_create(output->path, &o, writer, err)
                        : hry_writer_create_fd(output->fd, &o, writer, err);
}
