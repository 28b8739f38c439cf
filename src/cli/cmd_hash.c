/* hurray hash: digests of values. */
#include "cli/cli_commands.h"
#include "cli/cli_digest.h"
#include "cli/cli_json.h"
#include "cli/cli_manifest.h"
#include "cli/cli_out.h"
#include "cli/cli_pool.h"

#include <stdlib.h>
#include <string.h>

typedef struct hashing {
    const cli_args *args;
    cli_digester digester;
    cli_json *json;
    const cli_manifest *manifest; /* NULL: digests are printed */
} hashing;

static void print_line(const cli_digest *digest, const char *gap, const char *name, size_t len)
{
    char text[CLI_DIGEST_TEXT];
    cli_digest_text(digest, text);
    fputs(text, stdout);
    fputs(gap, stdout);
    cli_put_text(stdout, name, len);
    fputc('\n', stdout);
}

/* The digests of the chosen tensors, in the order of listing. Tensors without values are reported, and make the exit
 * code; *list is the caller's to free. */
static int digest_all(const hashing *h, const cli_input *input, cli_named_digest **list, uint64_t *count)
{
    cli_rows rows;
    int code = CLI_OK;
    cli_rows_listed(input->file, h->args, &rows);
    *list = cli_realloc_items(NULL, rows.count, sizeof **list);
    *count = 0;
    for (uint64_t k = 0; k < rows.count; k++) {
        hry_error err;
        bool has;
        cli_named_digest *next = &(*list)[*count];
        next->name = rows.rows[k].name;
        if (cli_digest_tensor(&h->digester, input->file, rows.rows[k].i, &next->digest, &has, &err))
            code = cli_worse(code, cli_report(input->source.name, next->name.ptr, next->name.len, &err));
        *count += has;
    }
    free(rows.rows);
    return code;
}

static void print_json(const hashing *h, const char *file, const cli_named_digest *list, uint64_t count,
                       const cli_digest *whole)
{
    char text[CLI_DIGEST_TEXT];
    cli_json_open(h->json, NULL);
    cli_json_str(h->json, "file", file);
    cli_digest_text(whole, text);
    cli_json_str(h->json, "digest", text);
    cli_json_open_array(h->json, "tensors");
    for (uint64_t k = 0; k < count; k++) {
        cli_json_open(h->json, NULL);
        cli_json_text(h->json, "name", list[k].name.ptr, list[k].name.len);
        cli_digest_text(&list[k].digest, text);
        cli_json_str(h->json, "digest", text);
        cli_json_close(h->json);
    }
    cli_json_close_array(h->json);
    cli_json_close(h->json);
}

static int show(const hashing *h, const char *file, const cli_named_digest *list, uint64_t count)
{
    cli_named_digest *sorted = cli_realloc_items(NULL, count, sizeof *sorted);
    memcpy(sorted, list, (size_t)count * sizeof *sorted);
    cli_digest whole = cli_digest_file(sorted, count);
    free(sorted);
    if (h->json) {
        print_json(h, file, list, count, &whole);
        return CLI_OK;
    }
    print_line(&whole, "  ", file, strlen(file));
    for (uint64_t k = 0; k < count; k++)
        print_line(&list[k].digest, "    ", list[k].name.ptr, list[k].name.len);
    return CLI_OK;
}

static int hash_one(const hashing *h, const char *name)
{
    cli_input input;
    cli_named_digest *list;
    uint64_t count;
    int code = cli_input_open_file(&input, name, NULL, h->args);
    if (code)
        return code;
    code = digest_all(h, &input, &list, &count);
    code = cli_worse(code, h->manifest ? cli_manifest_check(h->manifest, name, list, count, h->args)
                                       : show(h, name, list, count));
    free(list);
    cli_input_close(&input);
    return code;
}

static int hash_all(hashing *h)
{
    int code = CLI_OK;
    for (int k = 0; k < h->args->count; k++)
        code = cli_worse(code, hash_one(h, h->args->items[k]));
    return code;
}

static int run_check(hashing *h, const char *path)
{
    cli_manifest manifest;
    int code = cli_manifest_open(&manifest, path);
    if (code)
        return code;
    h->manifest = &manifest;
    code = hash_all(h);
    h->manifest = NULL;
    cli_manifest_close(&manifest);
    return code;
}

static int run_print(hashing *h)
{
    bool many = h->args->count > 1;
    h->json = cli_has(h->args, CLI_OPT_JSON) ? cli_json_begin() : NULL;
    if (h->json && many)
        cli_json_open_array(h->json, NULL);
    int code = hash_all(h);
    if (h->json && many)
        cli_json_close_array(h->json);
    if (h->json)
        cli_json_end(h->json);
    return code;
}

static int run(const cli_args *args)
{
    cli_pool pool;
    hashing h = { .args = args };
    const char *manifest = args->value[CLI_OPT_CHECK];
    int code = cli_pool_open(&pool, args);
    if (code)
        return code;
    h.digester.args = args;
    h.digester.read.executor = cli_pool_executor(&pool);
    h.digester.read.stored = cli_has(args, CLI_OPT_STORED);
    code = manifest ? run_check(&h, manifest) : run_print(&h);
    cli_pool_close(&pool);
    return code;
}

const cli_command cli_hash = {
    .name = "hash",
    .usage = "FILE...",
    .summary = "digests of the values of each tensor and of the file",
    .details =
        "SHA-256, independent of layout, order, padding, metadata and of the format of the file. A line for the\n"
        "file, and one for each tensor behind two more spaces. Of a tensor: its type's name, the rank as 4\n"
        "bytes, each dimension as 8, the values as 'cat --format raw' gives them; of a file: for each tensor, by\n"
        "name, the length of the name as 2 bytes, the name, and the digest. Numbers are little-endian.\n"
        "--check compares with what the same command has printed to MANIFEST: of the file of that name, or of\n"
        "the only one there.",
    .options = (const uint8_t[]){ CLI_OPT_CHECK, CLI_OPT_STORED, CLI_OPT_TOKENS, CLI_OPT_END },
    .groups = CLI_REPORTS | CLI_READS | CLI_SELECTS | CLI_VALUES,
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
