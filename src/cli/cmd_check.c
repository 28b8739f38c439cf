/* hurray check: everything that the format requires of a file. */
#include "cli/cli_commands.h"
#include "cli/cli_digest.h"
#include "cli/cli_input.h"
#include "cli/cli_json.h"
#include "cli/cli_out.h"
#include "cli/cli_pool.h"
#include "cli/cli_tensor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct finding {
    hry_error err;
    char *tensor; /* NULL: none */
    size_t tensor_len;
    bool lint;
} finding;

typedef struct findings {
    finding *items;
    size_t count, violations, room;
} findings;

static void add(findings *all, const hry_error *err, hry_str tensor, bool lint)
{
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 16;
        all->items = cli_realloc_items(all->items, all->room, sizeof *all->items);
    }
    char *name = tensor.ptr ? cli_copy(tensor.ptr, tensor.len) : NULL;
    all->items[all->count++] = (finding){ *err, name, tensor.len, lint };
    all->violations += !lint;
}

static void free_findings(findings *all)
{
    for (size_t k = 0; k < all->count; k++)
        free(all->items[k].tensor);
    free(all->items);
}

typedef struct lint_ctx {
    findings *all;
    hry_str tensor;
    uint64_t base; /* of the descriptor in the file */
} lint_ctx;

static void add_lint(void *ctx, uint16_t rule, uint64_t offset, const char *message)
{
    const lint_ctx *lint = ctx;
    hry_error err = { .rule = rule, .offset = lint->base + offset };
    snprintf(err.message, sizeof err.message, "%s", message);
    add(lint->all, &err, lint->tensor, true);
}

/* A failed call as a violation. False when it was no fault of the input; then it is the caller's to report. */
static bool add_failure(findings *all, const hry_error *err, hry_str tensor)
{
    if (cli_code_of(err) != CLI_NO)
        return false;
    add(all, err, tensor, false);
    return true;
}

static void add_finding(void *ctx, const hry_finding *found)
{
    hry_error err = {
        .status = found->status, .rule = found->rule, .section = found->section, .offset = found->offset
    };
    snprintf(err.message, sizeof err.message, "%s", found->message);
    add(ctx, &err, found->tensor, found->lint);
}

/* A tensor's values against the digest that the metadata have of them. False when that could not be found out. */
static bool check_digest(cli_input *input, const hry_kv *kv, findings *all, hry_error *err)
{
    cli_digester digester = { 0 };
    cli_digest want, have;
    bool has;
    uint64_t i;
    hry_str name = cli_digest_key_tensor(kv->key);
    if (!name.ptr || kv->value.type != HRY_KV_STRING || !hry_file_find(input->file, name.ptr, name.len, &i) ||
        !cli_digest_parse(kv->value.as.string.ptr, kv->value.as.string.len, &want))
        return true;
    if (cli_digest_tensor(&digester, input->file, i, &have, &has, err))
        return err->status == HRY_E_INPUT || err->status == HRY_E_LIMIT || err->status == HRY_E_UNSUPPORTED;
    if (!has || memcmp(&want, &have, sizeof want) == 0)
        return true;
    hry_file_entry entry = { 0 };
    hry_file_entry_get(input->file, i, &entry);
    hry_error fault = { .status = HRY_E_INPUT, .section = HRY_SECTION_DATA, .offset = entry.data_offset };
    snprintf(fault.message, sizeof fault.message, "the values are not those of the digest in the metadata");
    add(all, &fault, name, false);
    return true;
}

static bool check_digests(cli_input *input, findings *all, hry_error *err)
{
    for (uint64_t k = 0; k < hry_file_kv_count(input->file); k++)
        if (!check_digest(input, hry_file_kv_at(input->file, k), all, err))
            return false;
    return true;
}

static bool check_input(cli_input *input, const cli_args *args, const cli_pool *pool, findings *all, hry_error *err)
{
    if (cli_input_load(input, args, err)) {
        bool unread = err->status == HRY_E_UNSUPPORTED && !input->format; /* no verdict on what is not looked at */
        return !unread && add_failure(all, err, (hry_str){ 0 });
    }
    if (!input->file) {
        if (cli_has(args, CLI_OPT_LINT))
            hry_desc_lint(&input->desc, add_lint, &(lint_ctx){ .all = all });
        return true;
    }
    uint64_t violations;
    hry_check_options options = { .lint = cli_has(args, CLI_OPT_LINT),
                                  .headers_only = cli_has(args, CLI_OPT_HEADERS_ONLY),
                                  .executor = cli_pool_executor(pool) };
    if (hry_file_check(input->file, &options, add_finding, all, &violations, err))
        return false;
    return options.headers_only || check_digests(input, all, err);
}

static void findings_json(cli_json *json, const char *key, const findings *all, bool lint)
{
    cli_json_open_array(json, key);
    for (size_t k = 0; k < all->count; k++) {
        const finding *f = &all->items[k];
        if (f->lint != lint)
            continue;
        cli_json_open(json, NULL);
        cli_json_str(json, "rule", f->err.rule ? hry_rule_id(f->err.rule) : NULL);
        cli_json_u64(json, "offset", f->err.offset);
        if (f->tensor)
            cli_json_text(json, "tensor", f->tensor, f->tensor_len);
        else
            cli_json_null(json, "tensor");
        cli_json_str(json, "message", f->err.message);
        cli_json_close(json);
    }
    cli_json_close_array(json);
}

static void print_json(cli_json *json, const cli_input *input, const cli_args *args, const findings *all)
{
    cli_json_open(json, NULL);
    cli_json_str(json, "file", input->source.name);
    cli_json_str(json, "kind", cli_input_kind_name(input));
    cli_json_bool(json, "valid", all->violations == 0);
    findings_json(json, "violations", all, false);
    if (cli_has(args, CLI_OPT_LINT))
        findings_json(json, "lint", all, true);
    cli_json_close(json);
}

/* The list is the result; the verdict on an invalid file is also an error, so that it is seen when the list is not. */
static void print_text(const cli_input *input, const cli_args *args, const findings *all)
{
    const char *name = input->source.name;
    const finding *first = NULL;
    for (size_t k = 0; k < all->count; k++) {
        const finding *f = &all->items[k];
        if (!f->lint && !first)
            first = f;
        cli_report_to(stdout, name, f->tensor, f->tensor_len, &f->err);
    }
    if (first) {
        char where[24];
        const char *rule = hry_rule_id(first->err.rule);
        snprintf(where, sizeof where, "%" PRIu64, first->err.offset);
        cli_fail(CLI_NO, name, where, "not valid: %zu violation%s%s%s%s", all->violations,
                 all->violations == 1 ? "" : "s", *rule ? " [" : "", rule, *rule ? "]" : "");
    } else if (!cli_has(args, CLI_OPT_QUIET)) {
        cli_put_name(stdout, name);
        printf(": valid %s", cli_input_kind_name(input));
        if (input->file)
            printf(", %" PRIu64 " tensor%s", hry_file_count(input->file), hry_file_count(input->file) == 1 ? "" : "s");
        if (all->count)
            printf(", %zu lint%s", all->count, all->count == 1 ? "" : "s");
        fputc('\n', stdout);
    }
}

static int check_one(const char *name, const cli_args *args, const cli_pool *pool, cli_json *json)
{
    cli_input input;
    hry_error err;
    findings all = { 0 };
    int code = cli_input_open(&input, name, NULL);
    if (code)
        return code;
    if (!check_input(&input, args, pool, &all, &err)) {
        cli_report(name, NULL, 0, &err);
        code = CLI_FAILED;
    } else {
        if (json)
            print_json(json, &input, args, &all);
        else
            print_text(&input, args, &all);
        code = all.violations ? CLI_NO : CLI_OK;
    }
    free_findings(&all);
    cli_input_close(&input);
    return code;
}

static int run(const cli_args *args)
{
    cli_pool pool;
    int code = cli_pool_open(&pool, args);
    if (code)
        return code;
    cli_json *json = cli_has(args, CLI_OPT_JSON) ? cli_json_begin() : NULL;
    if (json && args->count > 1)
        cli_json_open_array(json, NULL);
    for (int k = 0; k < args->count; k++)
        code = cli_worse(code, check_one(args->items[k], args, &pool, json));
    if (json && args->count > 1)
        cli_json_close_array(json);
    if (json)
        cli_json_end(json);
    cli_pool_close(&pool);
    return code;
}

const cli_command cli_check = {
    .name = "check",
    .alias = "verify",
    .usage = "FILE...",
    .summary = "validate everything that the format requires",
    .details = "Lists every violation with its rule, and exits with 1 when there is one. Lints are advice: they never\n"
               "change the verdict.",
    .options = (const uint8_t[]){ CLI_OPT_HEADERS_ONLY, CLI_OPT_LINT, CLI_OPT_END },
    .groups = CLI_REPORTS | CLI_READS,
    .min_args = 1,
    .max_args = -1,
    .run = run,
};
