#include "cli/cli_signals.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* "/proc/self/fd/N" without the functions that a signal handler may not call. */
static void fd_link(char *path, unsigned fd)
{
    char digits[8];
    int n = 0;
    do
        digits[n++] = (char)('0' + fd % 10);
    while (fd /= 10);
    size_t len = strlen(strcpy(path, "/proc/self/fd/"));
    while (n)
        path[len++] = digits[--n];
    path[len] = 0;
}

/* The names that outputs have until they are complete. */
static bool is_temporary(const char *path)
{
    const char *name = strrchr(path, '/');
    size_t len = strlen(path);
    return name && strncmp(name + 1, ".hurray-", 8) == 0 && strcmp(path + len - 4, ".tmp") == 0;
}

void cli_drop_temporaries(void)
{
    enum { FDS = 1024 };
    char link[32], path[4096];
    for (unsigned fd = 3; fd < FDS; fd++) {
        fd_link(link, fd);
        ssize_t len = readlink(link, path, sizeof path - 1);
        if (len <= 0)
            continue;
        path[len] = 0;
        if (is_temporary(path))
            unlink(path);
    }
}

/* Ends as the signal would have it, but leaves nothing behind. */
static void give_up(int number)
{
    cli_drop_temporaries();
    signal(number, SIG_DFL);
    raise(number);
}

void cli_signals_start(void)
{
    /* EPIPE and EFBIG come back from write instead, where outputs are cleaned up. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (signal(numbers[k], give_up) == SIG_IGN) /* nohup */
            signal(numbers[k], SIG_IGN);
}
