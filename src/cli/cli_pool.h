/* The threads that --threads asks for. */
#ifndef HRY_CLI_POOL_H
#define HRY_CLI_POOL_H

#include "cli/cli_args.h"

#include <hurray/pool.h>

typedef struct cli_pool {
    hry_pool *pool;
    hry_executor executor;
} cli_pool;

/* Exit code; a report on failure. Without the option, or with one thread, no pool is made. */
int cli_pool_open(cli_pool *pool, const cli_args *args);
/* NULL for work on the calling thread. */
const hry_executor *cli_pool_executor(const cli_pool *pool);
void cli_pool_close(cli_pool *pool);

#endif
