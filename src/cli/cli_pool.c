#include "cli/cli_pool.h"
#include "cli/cli_out.h"

#include <stdlib.h>

int cli_pool_open(cli_pool *pool, const cli_args *args)
{
    hry_error err;
    *pool = (cli_pool){ 0 };
    size_t threads = cli_has(args, CLI_OPT_THREADS) ? strtoul(args->value[CLI_OPT_THREADS], NULL, 10) : 1;
    if (threads < 2)
        return CLI_OK;
    if (hry_pool_create(threads, NULL, &pool->pool, &err))
        return cli_report(NULL, NULL, 0, &err);
    pool->executor = hry_pool_executor(pool->pool);
    return CLI_OK;
}

const hry_executor *cli_pool_executor(const cli_pool *pool)
{
    return pool->pool ? &pool->executor : NULL;
}

void cli_pool_close(cli_pool *pool)
{
    hry_pool_destroy(pool->pool);
    pool->pool = NULL;
}
