#include "cli/cli_remake.h"
#include "cli/cli_out.h"

#include <stdlib.h>
#include <string.h>

/* What is asked for does not suit the tensor, or nobody may look into it: no fault of what it holds. */
static bool does_not_suit(const hry_error *err)
{
    return err->status == HRY_E_UNSUPPORTED || err->status == HRY_E_USAGE ||
           (err->status == HRY_E_INPUT && (err->section != HRY_SECTION_DATA || err->rule == hry_rule_find("F-T04")));
}

static hry_status keep(cli_remake *r, const cli_item *item, const hry_error *err)
{
    const cli_args *args = r->transform->args;
    if (cli_has(args, CLI_OPT_STRICT))
        return (hry_status)err->status;
    if (r->why.status == HRY_OK)
        r->why = *err;
    char *name = cli_copy(item->name.ptr, item->name.len);
    cli_warn(args, item->source, "%s: not %s: %s%s%s%s", name, r->what, err->message, err->rule ? " [" : "",
             hry_rule_id(err->rule), err->rule ? "]" : "");
    free(name);
    return HRY_OK;
}

static hry_status make(void *ctx, const cli_item *item, hry_tensor **tensor, hry_error *err)
{
    cli_remake *r = ctx;
    hry_tensor *own;
    hry_error local = { 0 };
    hry_status status = hry_file_tensor_at(item->file, item->i, &own, &local);
    if (!status) {
        status = r->make(r, own, item->place, tensor, &local);
        hry_tensor_release(own);
    }
    if (!status)
        r->done++;
    else if (does_not_suit(&local))
        status = keep(r, item, &local);
    if (status)
        *err = local;
    return status;
}

void cli_remake_item(cli_remake *remake, cli_item *item)
{
    item->make = make;
    item->make_ctx = remake;
}

/* A tensor that was chosen and cannot be read, or the first one that did not suit, is why there is none. */
static int none(const cli_remake *r)
{
    const cli_transform *t = r->transform;
    for (uint64_t k = 0; k < t->rows.count; k++) {
        const cli_row *row = &t->rows.rows[k];
        hry_desc desc;
        hry_error err;
        if (row->chosen && hry_file_desc(t->input.file, row->i, &desc, &err))
            return cli_report(t->input.source.name, row->name.ptr, row->name.len, &err);
    }
    return cli_fail(CLI_NO, t->input.source.name, NULL, "no tensor can be %s%s%s", r->what, r->why.status ? ": " : "",
                    r->why.message);
}

static int check_made(void *ctx)
{
    const cli_remake *r = ctx;
    return r->done ? CLI_OK : none(r);
}

int cli_remake_start(cli_remake *remake)
{
    cli_plan *plan = &remake->transform->plan;
    plan->made = check_made;
    plan->made_ctx = remake;
    for (uint64_t k = 0; k < plan->count; k++)
        if (plan->items[k].make)
            return CLI_OK;
    return none(remake);
}
