/* hurray extract: tensors to files of their own. */
#include "cli/cli_commands.h"
#include "cli/cli_emit.h"
#include "cli/cli_filename.h"
#include "cli/cli_find.h"
#include "cli/cli_out.h"
#include "cli/cli_pool.h"
#include "cli/cli_rows.h"
#include "cli/cli_tensor.h"
#include "cli/cli_tokens.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct extraction {
    const cli_args *args;
    const cli_input *input;
    const char *folder;
    cli_form form;
    hry_read_options read;
    /* What to extract, and the files that it goes to. */
    cli_found *found;
    char **paths;
    uint64_t count;
} extraction;

static const char *source(const extraction *e)
{
    return e->input->source.name;
}

static int make_folder(const extraction *e)
{
    struct stat st;
    if (stat(e->folder, &st) == 0)
        return S_ISDIR(st.st_mode) ? CLI_OK : cli_fail_errno(e->folder, ENOTDIR);
    if (cli_has(e->args, CLI_OPT_DRY_RUN) || mkdir(e->folder, 0777) == 0)
        return CLI_OK;
    return cli_fail_errno(e->folder, errno);
}

/* Where a text goes; an exit code after a report when it cannot. A link could lead out of the folder. */
static int plan_path(extraction *e, uint64_t k, hry_str text)
{
    struct stat st;
    char *shown = cli_copy(text.ptr, text.len);
    char *name = cli_filename(text, e->form == CLI_FORM_NPY ? ".npy" : ".raw");
    int code = CLI_OK;
    e->paths[k] = name ? cli_format("%s/%s", e->folder, name) : NULL;
    if (!name)
        code = cli_fail(CLI_FAILED, source(e), shown, "the name is too long for a file");
    else if (lstat(e->paths[k], &st) == 0 && !S_ISREG(st.st_mode))
        code = cli_fail(CLI_FAILED, e->paths[k], NULL, "there is something that is not a file");
    else if (lstat(e->paths[k], &st) == 0 && !cli_has(e->args, CLI_OPT_FORCE))
        code = cli_fail(CLI_FAILED, e->paths[k], NULL, "the file exists; --force replaces it");
    free(name);
    free(shown);
    return code;
}

static int plan_named(extraction *e)
{
    int code = CLI_OK;
    for (; e->count < (uint64_t)e->args->count - 1; e->count++) {
        const char *text = e->args->items[e->count + 1];
        e->paths[e->count] = NULL;
        int one = cli_find(e->input, text, NULL, e->args, &e->found[e->count]);
        if (one == CLI_OK)
            one = plan_path(e, e->count, (hry_str){ text, strlen(text) });
        code = cli_worse(code, one);
    }
    return code;
}

/* All that are chosen; a composite's members come by themselves too, and a group is no more than them. */
static int plan_all(extraction *e, const cli_rows *rows)
{
    int code = CLI_OK;
    for (uint64_t k = 0; k < rows->count; k++) {
        const cli_row *row = &rows->rows[k];
        if (cli_is_group_at(e->input->file, row->i))
            continue;
        e->found[e->count] = (cli_found){ .name = row->name, .i = row->i };
        code = cli_worse(code, plan_path(e, e->count, row->name));
        e->count++;
    }
    return code;
}

static int extract_one(const extraction *e, uint64_t k)
{
    cli_stream stream;
    cli_part part;
    hry_tensor *tensor;
    const cli_found *found = &e->found[k];
    int code = cli_find_part(e->input, found, &tensor, &part);
    if (code)
        return code;
    hry_read_options read = e->read;
    read.token_counts = cli_tokens_for(e->args, hry_tensor_desc(tensor), NULL);
    code = cli_stream_open(&stream, e->paths[k], false, e->args);
    if (code == CLI_OK) {
        code = cli_emit(&stream, tensor, &part, e->form, &read, e->args, source(e), found->name);
        code = cli_stream_close(&stream, code);
    }
    hry_tensor_release(tensor);
    if (code == CLI_OK && !cli_has(e->args, CLI_OPT_QUIET)) {
        cli_put_name(stdout, e->paths[k]);
        fputc('\n', stdout);
    }
    return code;
}

/* All outputs are looked at before the first is written; a tensor that has no values does not keep others from coming.
 */
static int extract(extraction *e, const cli_rows *rows)
{
    uint64_t room = e->args->count > 1 ? (uint64_t)e->args->count - 1 : rows->count;
    e->found = cli_realloc_items(NULL, room, sizeof *e->found);
    e->paths = cli_realloc_items(NULL, room, sizeof *e->paths);
    int code = e->args->count > 1 ? plan_named(e) : plan_all(e, rows);
    if (code == CLI_OK)
        code = make_folder(e);
    bool planned = code == CLI_OK;
    for (uint64_t k = 0; k < e->count; k++) {
        if (planned)
            code = cli_worse(code, extract_one(e, k));
        free(e->paths[k]);
    }
    free(e->found);
    free(e->paths);
    return code;
}

static int run_input(extraction *e)
{
    cli_rows rows;
    cli_pool pool;
    int code = cli_pool_open(&pool, e->args);
    if (code)
        return code;
    e->read.executor = cli_pool_executor(&pool);
    cli_rows_chosen(e->input->file, e->args, &rows);
    code = extract(e, &rows);
    free(rows.rows);
    cli_pool_close(&pool);
    return code;
}

static int run(const cli_args *args)
{
    cli_input input;
    const char *form = args->value[CLI_OPT_FORMAT];
    extraction e = { .args = args, .input = &input, .folder = args->value[CLI_OPT_OUTPUT] };
    e.form = cli_form_find(form, CLI_FORM_NPY);
    e.read.stored = cli_has(args, CLI_OPT_STORED);
    if (!e.folder || strcmp(e.folder, "-") == 0)
        return cli_usage(args->command, "no folder given; say --output");
    if (e.form != CLI_FORM_NPY && e.form != CLI_FORM_RAW)
        return cli_usage(args->command, "files are npy or raw, not '%s'", form);
    int code = cli_input_open_file(&input, args->items[0], NULL, args);
    if (code)
        return code;
    code = run_input(&e);
    cli_input_close(&input);
    return code;
}

const cli_command cli_extract = {
    .name = "extract",
    .usage = "FILE [NAME]... -o FOLDER",
    .summary = "write tensors to .npy or raw files",
    .details = "A file NAME.npy for each tensor, or for each NAME, which may be followed by a region: 'NAME[0:2,3]'.\n"
               "Characters of names that are not harmless in file names become %XX. Types that NumPy does not have\n"
               "become those that hold their values.",
    .options = (const uint8_t[]){ CLI_OPT_FORMAT, CLI_OPT_STORED, CLI_OPT_TOKENS, CLI_OPT_END },
    .groups = CLI_READS | CLI_WRITES | CLI_SELECTS | CLI_VALUES,
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
