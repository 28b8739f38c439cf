#include "cli/cli_progress.h"
#include "cli/cli_out.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void cli_progress_start(cli_progress *progress, const cli_args *args, const char *what, uint64_t total)
{
    const char *term = getenv("TERM");
    *progress = (cli_progress){ .what = what, .total = total, .started = now() };
    progress->wanted = total && isatty(STDERR_FILENO) && !cli_has(args, CLI_OPT_QUIET) &&
                       !cli_has(args, CLI_OPT_NO_PROGRESS) && !(term && strcmp(term, "dumb") == 0);
}

void cli_progress_add(cli_progress *progress, uint64_t nbytes)
{
    enum { BAR = 30 };
    static const char full[] = "##############################";
    progress->done += nbytes;
    if (!progress->wanted)
        return;
    double t = now();
    if (t - progress->started < 1 || t - progress->shown < 0.1)
        return;
    progress->shown = t;
    double part = (double)progress->done / (double)progress->total;
    part = part > 1 ? 1 : part;
    fprintf(stderr, "\r%s [%-*.*s] %3.0f %%  %s/s ", progress->what, BAR, (int)(part * BAR), full, part * 100,
            cli_size_text((uint64_t)((double)progress->done / (t - progress->started)), false).text);
    fflush(stderr);
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->shown > 0)
        fputs("\r\033[K", stderr);
    progress->wanted = false;
    progress->shown = 0;
}
