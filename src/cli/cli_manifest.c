#include "cli/cli_manifest.h"
#include "cli/cli_out.h"
#include "cli/cli_source.h"
#include "cli/cli_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_text(cli_manifest *manifest)
{
    cli_source source;
    int code = cli_source_open(&source, manifest->path);
    if (code)
        return code;
    manifest->text = cli_realloc(NULL, (size_t)source.size + 1);
    if (!cli_source_read(&source, 0, manifest->text, (size_t)source.size))
        code = cli_fail_errno(manifest->path, errno ? errno : EIO);
    manifest->text[source.size] = 0;
    cli_source_close(&source);
    return code;
}

/* "DIGEST  FILE" or "DIGEST    TENSOR". */
static bool parse_line(char *text, cli_manifest_line *line)
{
    enum { DIGITS = 2 * CLI_DIGEST_SIZE };
    if (strlen(text) < DIGITS + 2 || !cli_digest_parse(text, DIGITS, &line->digest) || text[DIGITS] != ' ' ||
        text[DIGITS + 1] != ' ')
        return false;
    line->name = text + DIGITS + 2;
    line->is_file = strncmp(line->name, "  ", 2) != 0;
    line->name += line->is_file ? 0 : 2;
    return true;
}

int cli_manifest_open(cli_manifest *manifest, const char *path)
{
    *manifest = (cli_manifest){ .path = path };
    int code = read_text(manifest);
    size_t room = 0, number = 0;
    for (char *p = manifest->text, *next; code == CLI_OK && *p; p = next) {
        char *stop = p + strcspn(p, "\n");
        next = *stop ? stop + 1 : stop;
        *stop = 0;
        number++;
        if (manifest->count == room) {
            room = room ? 2 * room : 64;
            manifest->lines = cli_realloc_items(manifest->lines, room, sizeof *manifest->lines);
        }
        if (!parse_line(p, &manifest->lines[manifest->count++]))
            code = cli_fail(CLI_NO, path, NULL, "line %zu is not one that 'hash' prints", number);
    }
    if (code == CLI_OK && (!manifest->count || !manifest->lines[0].is_file))
        code = cli_fail(CLI_NO, path, NULL, "there is no line of a file");
    if (code)
        cli_manifest_close(manifest);
    return code;
}

void cli_manifest_close(cli_manifest *manifest)
{
    free(manifest->text);
    free(manifest->lines);
    *manifest = (cli_manifest){ 0 };
}

/* Text as it is printed; the caller frees it. */
static char *shown(const char *text, size_t len)
{
    char *out;
    size_t size;
    FILE *stream = open_memstream(&out, &size);
    if (stream)
        cli_put_text(stream, text, len);
    if (!stream || fclose(stream) != 0)
        cli_out_of_memory();
    return out;
}

/* The line of a file: by its name, or the only one; count when there is none. */
static size_t find_file(const cli_manifest *manifest, const char *name)
{
    char *text = shown(name, strlen(name));
    size_t found = manifest->count, files = 0, only = 0;
    for (size_t k = 0; k < manifest->count && found == manifest->count; k++) {
        if (!manifest->lines[k].is_file)
            continue;
        files++;
        only = k;
        if (strcmp(manifest->lines[k].name, text) == 0)
            found = k;
    }
    free(text);
    return found == manifest->count && files == 1 ? only : found;
}

typedef struct entry {
    char *name;
    const cli_digest *digest;
} entry;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static int differs(const char *file, const char *name, const char *how)
{
    cli_put_name(stdout, file);
    fputs(": ", stdout);
    cli_put_name(stdout, name); /* escaped already, and so as it is */
    printf(": %s\n", how);
    return CLI_NO;
}

/* Both sides in the order of their names, side by side. */
static int compare(const entry *want, size_t wanted, const entry *have, size_t count, const char *file)
{
    int code = CLI_OK;
    size_t i = 0, k = 0;
    while (i < wanted || k < count) {
        int order = i == wanted ? 1 : k == count ? -1 : strcmp(want[i].name, have[k].name);
        if (order < 0)
            code = differs(file, want[i].name, "missing");
        else if (order > 0)
            code = differs(file, have[k].name, "not in the manifest");
        else if (memcmp(want[i].digest, have[k].digest, sizeof *want[i].digest) != 0)
            code = differs(file, want[i].name, "differs");
        i += order <= 0;
        k += order >= 0;
    }
    return code;
}

/* Whether --include and --exclude let a line through. */
static bool is_chosen(const cli_args *args, const char *name)
{
    return cli_selected(args, (hry_str){ name, strlen(name) });
}

int cli_manifest_check(const cli_manifest *manifest, const char *name, const cli_named_digest *list, uint64_t count,
                       const cli_args *args)
{
    size_t at = find_file(manifest, name), wanted = 0;
    if (at == manifest->count)
        return cli_fail(CLI_NO, name, NULL, "%s has no line for it", manifest->path);
    entry *want = cli_realloc_items(NULL, manifest->count, sizeof *want);
    entry *have = cli_realloc_items(NULL, count, sizeof *have);
    for (size_t k = at + 1; k < manifest->count && !manifest->lines[k].is_file; k++)
        if (is_chosen(args, manifest->lines[k].name))
            want[wanted++] = (entry){ (char *)(uintptr_t)manifest->lines[k].name, &manifest->lines[k].digest };
    for (uint64_t k = 0; k < count; k++)
        have[k] = (entry){ shown(list[k].name.ptr, list[k].name.len), &list[k].digest };
    qsort(want, wanted, sizeof *want, by_name);
    qsort(have, (size_t)count, sizeof *have, by_name);
    int code = compare(want, wanted, have, (size_t)count, name);
    for (uint64_t k = 0; k < count; k++)
        free(have[k].name);
    free(want);
    free(have);
    if (code == CLI_OK && !cli_has(args, CLI_OPT_QUIET)) {
        cli_put_name(stdout, name);
        puts(": OK");
    } else if (code) {
        cli_fail(code, name, NULL, "digests differ from those in %s", manifest->path);
    }
    return code;
}
