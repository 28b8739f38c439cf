/* hurray convert: the same tensors in another format. */
#include "cli/cli_commands.h"
#include "cli/cli_digest.h"
#include "cli/cli_out.h"
#include "cli/cli_transform.h"

#include <stdlib.h>
#include <string.h>

typedef struct text_pair {
    char *key;
    char value[CLI_DIGEST_TEXT];
} text_pair;

/* The digest of one tensor as metadata. A tensor whose values cannot be had is carried without. */
static void add_digest(cli_transform *t, const cli_row *row, const cli_digester *digester, text_pair *pair)
{
    hry_error err;
    cli_digest digest;
    bool has;
    size_t start = strlen(CLI_DIGEST_KEY), len = start + row->name.len;
    if (cli_digest_tensor(digester, t->input.file, row->i, &digest, &has, &err)) {
        char *name = cli_copy(row->name.ptr, row->name.len);
        cli_warn(t->args, t->input.source.name, "%s: no digest: %s", name, err.message);
        free(name);
    }
    if (!has || len > UINT16_MAX)
        return;
    pair->key = cli_copy(CLI_DIGEST_KEY, start);
    pair->key = cli_realloc(pair->key, len + 1);
    memcpy(pair->key + start, row->name.ptr, row->name.len);
    cli_digest_text(&digest, pair->value);
    hry_kv kv = { .key = { pair->key, len },
                  .value = { .type = HRY_KV_STRING, .as.string = { pair->value, CLI_DIGEST_TEXT - 1 } } };
    cli_plan_set_kv(&t->plan, &kv);
}

static text_pair *add_digests(cli_transform *t)
{
    cli_digester digester = { .read.executor = cli_pool_executor(&t->pool) };
    text_pair *pairs = cli_realloc_items(NULL, t->rows.count, sizeof *pairs);
    for (uint64_t k = 0; k < t->rows.count; k++) {
        pairs[k].key = NULL;
        add_digest(t, &t->rows.rows[k], &digester, &pairs[k]);
    }
    return pairs;
}

static int run(const cli_args *args)
{
    cli_transform t;
    text_pair *pairs = NULL;
    int code = cli_transform_open(&t, args);
    if (code)
        return code;
    uint64_t count = t.rows.count;
    cli_plan_add_rows(&t.plan, &t.input, &t.rows);
    if (cli_has(args, CLI_OPT_DIGEST) && !t.output.dry)
        pairs = add_digests(&t);
    code = cli_transform_close(&t, CLI_OK);
    for (uint64_t k = 0; pairs && k < count; k++)
        free(pairs[k].key);
    free(pairs);
    return code;
}

const cli_command cli_convert = {
    .name = "convert",
    .usage = "SRC DST",
    .summary = "write the tensors of one format as another",
    .details =
        "The format of SRC is told by its content, then by its name; that of DST by the ending of its name.\n"
        "Names, order and metadata are kept. What cannot be carried over is said, and refused under --strict, or\n"
        "when it is all of the tensors.\n"
        "- is standard input or output. --digest adds the digest of each tensor, as 'hash' makes it, as the\n"
        "metadata key digest.sha256.NAME, which 'check' verifies.",
    .options =
        (const uint8_t[]){ CLI_OPT_FROM, CLI_OPT_TO, CLI_OPT_STRICT, CLI_OPT_DEQUANTIZE, CLI_OPT_DIGEST, CLI_OPT_END },
    .groups = CLI_WRITES | CLI_READS | CLI_SELECTS | CLI_CARRIES,
    .min_args = 1,
    .max_args = 2,
    .run = run,
};
