#include "cli/cli_tokens.h"
#include "cli/cli_out.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t *cli_tokens_parse(const char *text, uint32_t *count)
{
    uint64_t *counts = cli_realloc_items(NULL, strlen(text) / 2 + 1, sizeof *counts);
    *count = 0;
    for (char *end;; text = end + 1) {
        errno = 0;
        unsigned long long n = strtoull(text, &end, 10);
        if (!isdigit((unsigned char)*text) || errno || (*end && *end != ','))
            break;
        counts[(*count)++] = n;
        if (!*end)
            return counts;
    }
    free(counts);
    return NULL;
}

static bool fits(const cli_args *args, const hry_desc *desc)
{
    hry_layout layout;
    hry_layout_store store;
    return !desc || hry_desc_layout(desc) != HRY_LAYOUT_BLOCK_PAGED || !hry_desc_layout_get(desc, &layout, &store) ||
           layout.num_seqs == args->token_count;
}

const uint64_t *cli_tokens_for(const cli_args *args, const hry_desc *a, const hry_desc *b)
{
    return args->tokens && fits(args, a) && fits(args, b) ? args->tokens : NULL;
}
