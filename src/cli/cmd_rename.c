/* hurray rename: other names for tensors. */
#include "cli/cli_commands.h"
#include "cli/cli_digest.h"
#include "cli/cli_edit.h"
#include "cli/cli_out.h"

#include <stdlib.h>
#include <string.h>

static bool same(hry_str a, const char *b)
{
    return a.len == strlen(b) && memcmp(a.ptr, b, a.len) == 0;
}

/* The digest of a tensor goes with its name. *key gets memory that the caller frees. */
static void rename_digest(cli_plan *plan, hry_str from, const char *to, char **key)
{
    for (uint64_t k = 0; k < plan->kv_count && !*key; k++) {
        hry_str name = cli_digest_key_tensor(plan->kvs[k].key);
        if (!name.ptr || name.len != from.len || memcmp(name.ptr, from.ptr, from.len) != 0)
            continue;
        *key = cli_format("%s%s", CLI_DIGEST_KEY, to);
        plan->kvs[k].key = (hry_str){ *key, strlen(*key) };
    }
}

/* All names change at once, so that two tensors can swap theirs. */
static int rename_items(cli_plan *plan, const cli_args *args, char **keys)
{
    int code = CLI_OK;
    for (int k = 1; k + 1 < args->count; k += 2) {
        bool found = false;
        for (uint64_t i = 0; i < plan->count && !found; i++) {
            cli_item *item = &plan->items[i];
            if (!same(hry_file_name(item->file, item->i), args->items[k]))
                continue;
            item->name = (hry_str){ args->items[k + 1], strlen(args->items[k + 1]) };
            rename_digest(plan, hry_file_name(item->file, item->i), args->items[k + 1], &keys[k / 2]);
            found = true;
        }
        if (!found)
            code = cli_fail(CLI_NO, args->items[0], args->items[k], "there is no such tensor");
    }
    return code;
}

static int by_name(const void *a, const void *b)
{
    const hry_str *x = a, *y = b;
    size_t len = x->len < y->len ? x->len : y->len;
    int order = memcmp(x->ptr, y->ptr, len);
    return order ? order : x->len < y->len ? -1 : x->len > y->len;
}

/* No two tensors of one name: each such name is told. */
static int check_names(const cli_plan *plan, const char *file)
{
    int code = CLI_OK;
    hry_str *names = cli_realloc_items(NULL, plan->count, sizeof *names);
    for (uint64_t i = 0; i < plan->count; i++)
        names[i] = plan->items[i].name;
    qsort(names, (size_t)plan->count, sizeof *names, by_name);
    for (uint64_t i = 1; i < plan->count; i++) {
        if (by_name(&names[i - 1], &names[i]) != 0)
            continue;
        char *name = cli_copy(names[i].ptr, names[i].len);
        code = cli_fail(CLI_NO, file, name, "two tensors would have this name");
        free(name);
    }
    free(names);
    return code;
}

static int run(const cli_args *args)
{
    cli_edit edit;
    if (args->count % 2 == 0)
        return cli_usage(args->command, "'%s' has no new name", args->items[args->count - 1]);
    int code = cli_edit_open(&edit, args->items[0], args);
    if (code)
        return code;
    size_t count = (size_t)args->count / 2;
    char **keys = cli_realloc_items(NULL, count, sizeof *keys);
    for (size_t k = 0; k < count; k++)
        keys[k] = NULL;
    code = rename_items(&edit.plan, args, keys);
    if (code == CLI_OK)
        code = check_names(&edit.plan, args->items[0]);
    code = cli_edit_close(&edit, args, true, code);
    for (size_t k = 0; k < count; k++)
        free(keys[k]);
    free(keys);
    return code;
}

const cli_command cli_rename = {
    .name = "rename",
    .usage = "FILE OLD NEW [OLD NEW]...",
    .summary = "give tensors other names",
    .details =
        "The changed file is written beside FILE and renamed over it, or written to --output; --in-place writes\n"
        "only what follows the tensors.",
    .options = (const uint8_t[]){ CLI_OPT_IN_PLACE, CLI_OPT_END },
    .groups = CLI_READS | CLI_WRITES,
    .min_args = 3,
    .max_args = -1,
    .run = run,
};
