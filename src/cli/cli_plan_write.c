#include "cli/cli_out.h"
#include "cli/cli_plan.h"
#include "cli/cli_progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t item_bytes(const cli_item *item)
{
    hry_desc desc;
    uint64_t nbytes;
    return hry_file_desc(item->file, item->i, &desc, NULL) == HRY_OK && hry_desc_data_size(&desc, &nbytes) ? nbytes : 0;
}

uint64_t cli_plan_bytes(const cli_plan *plan)
{
    uint64_t total = 0;
    for (uint64_t k = 0; k < plan->count; k++)
        total += item_bytes(&plan->items[k]);
    return total;
}

/* What is being done, for the report when it fails. */
typedef struct work {
    const cli_plan *plan;
    const cli_item *at; /* NULL: no tensor */
    bool making;        /* and it is its input that is at work */
    int refused;        /* the exit code of plan->made */
    cli_progress progress;
} work;

static hry_status cancelled(hry_error *err)
{
    *err = (hry_error){ .status = HRY_E_CANCELLED };
    return HRY_E_CANCELLED;
}

static hry_status write_made(hry_writer *writer, const cli_item *item, const hry_desc *desc, const hry_tensor *tensor,
                             hry_error *err)
{
    hry_status status = hry_writer_begin(writer, item->name.ptr, item->name.len, desc, err);
    for (uint32_t k = 0; k < hry_desc_buffer_count(desc) && !status; k++) {
        uint64_t nbytes;
        const void *bytes = hry_tensor_buffer(tensor, k, &nbytes);
        status = nbytes ? hry_writer_data(writer, bytes, (size_t)nbytes, err) : HRY_OK;
    }
    return status ? status : hry_writer_end(writer, err);
}

/* The tensor's own bytes under another descriptor. */
static hry_status write_described(work *w, hry_writer *writer, const cli_item *item, hry_error *err)
{
    hry_desc desc;
    hry_tensor *tensor = NULL;
    w->making = true;
    hry_status status = hry_file_desc(item->file, item->i, &desc, err);
    size_t room = 0;
    if (!status)
        hry_desc_bytes(&desc, &room);
    void *bytes = cli_realloc(NULL, room += 128);
    if (!status)
        status = item->describe(item->make_ctx, item, bytes, room, &desc, err);
    if (!status && hry_desc_buffer_count(&desc))
        status = hry_file_tensor_at(item->file, item->i, &tensor, err);
    w->making = status != HRY_OK;
    if (!status)
        status = write_made(writer, item, &desc, tensor, err);
    hry_tensor_release(tensor);
    free(bytes);
    return status;
}

static hry_status write_item(work *w, hry_writer *writer, const cli_item *item, hry_error *err)
{
    hry_tensor *tensor = NULL;
    hry_status status = HRY_OK;
    if (item->describe)
        return write_described(w, writer, item, err);
    if (item->make) {
        w->making = true;
        status = item->make(item->make_ctx, item, &tensor, err);
        w->making = status != HRY_OK;
    }
    if (status)
        return status;
    status = tensor ? write_made(writer, item, hry_tensor_desc(tensor), tensor, err)
                    : hry_writer_copy(writer, item->name.ptr, item->name.len, item->file, item->i, err);
    hry_tensor_release(tensor);
    return status;
}

static hry_status write_items(work *w, hry_writer *writer, hry_error *err)
{
    const cli_plan *plan = w->plan;
    for (uint64_t k = 0; k < plan->kv_count; k++) {
        const hry_kv *kv = &plan->kvs[k];
        hry_status status = hry_writer_kv(writer, kv->key.ptr, kv->key.len, &kv->value, err);
        if (status)
            return status;
    }
    for (uint64_t k = 0; k < plan->count; k++) {
        const cli_item *item = w->at = &plan->items[k];
        hry_status status = write_item(w, writer, item, err);
        if (status)
            return status;
        if (w->progress.wanted)
            cli_progress_add(&w->progress, item_bytes(item));
    }
    w->at = NULL;
    w->refused = plan->made ? plan->made(plan->made_ctx) : CLI_OK;
    return w->refused ? cancelled(err) : hry_writer_finish(writer, err);
}

static hry_status write_container(work *w, const cli_args *args, const cli_output *output, hry_error *err)
{
    hry_writer *writer;
    hry_writer_options options = { .alignment = w->plan->alignment,
                                   .sorted = w->plan->sorted,
                                   .tensor_count = w->plan->count,
                                   .parse = cli_read_options(args).parse };
    hry_status status = cli_output_writer(output, &options, &writer, err);
    if (status)
        return status;
    status = write_items(w, writer, err);
    hry_writer_destroy(writer);
    return status;
}

/* Whether the plan is one file as it is, so that its writer can take that. */
static bool is_whole_file(const cli_plan *plan)
{
    if (plan->made || !plan->count || plan->count != hry_file_count(plan->items[0].file) ||
        plan->kv_count != hry_file_kv_count(plan->items[0].file))
        return false;
    for (uint64_t k = 0; k < plan->count; k++)
        if (plan->items[k].make || plan->items[k].file != plan->items[0].file || plan->items[k].i != k ||
            plan->items[k].name.ptr != hry_file_name(plan->items[k].file, k).ptr)
            return false;
    for (uint64_t k = 0; k < plan->kv_count; k++)
        if (plan->kvs[k].key.ptr != hry_file_kv_at(plan->items[0].file, k)->key.ptr)
            return false;
    return true;
}

/* All tensors are made once, and what comes of that is looked at, before the format's writer asks for them. */
static hry_status make_all(work *w, hry_file *file, hry_error *err)
{
    hry_status status = HRY_OK;
    for (uint64_t k = 0; k < w->plan->count && !status; k++) {
        hry_desc desc;
        w->at = &w->plan->items[k];
        w->making = true;
        status = hry_file_desc(file, k, &desc, err);
    }
    if (status)
        return status;
    w->at = NULL;
    w->making = false;
    w->refused = w->plan->made(w->plan->made_ctx);
    return w->refused ? cancelled(err) : HRY_OK;
}

static hry_status write_foreign(work *w, const cli_format_row *format, const cli_args *args, const cli_output *output,
                                hry_error *err)
{
    cli_note_ctx note = { .args = args, .file = output->name };
    /* What was made to be written is not left out. */
    cli_format_options options = { .strict = cli_has(args, CLI_OPT_STRICT),
                                   .replace = output->replace,
                                   .every = w->plan->made != NULL,
                                   .note = cli_print_note,
                                   .ctx = &note };
    hry_file *file;
    if (is_whole_file(w->plan))
        return format->save(w->plan->items[0].file, output->path, output->fd, &options, err);
    hry_status status = cli_plan_open(w->plan, &file, err);
    if (status)
        return status;
    if (w->plan->made)
        status = make_all(w, file, err);
    if (!status)
        status = format->save(file, output->path, output->fd, &options, err);
    hry_file_close(file);
    return status;
}

static void say(const cli_plan *plan, const cli_output *output)
{
    fputs(output->dry ? "would write " : "wrote ", stderr);
    cli_put_name(stderr, strcmp(output->name, "-") == 0 ? "standard output" : output->name);
    fprintf(stderr, ": %" PRIu64 " tensor%s, %s of data\n", plan->count, plan->count == 1 ? "" : "s",
            cli_size_text(cli_plan_bytes(plan), false).text);
}

/* Whose fault a failure is decides which file is named. */
static int report(const work *w, const cli_output *output, const hry_error *err)
{
    bool input = err->status == HRY_E_INPUT || err->status == HRY_E_LIMIT || err->status == HRY_E_UNSUPPORTED;
    const cli_item *first = w->plan->count ? &w->plan->items[0] : NULL;
    const char *target = strcmp(output->name, "-") == 0 ? "standard output" : output->name;
    if (w->refused)
        return w->refused;
    if ((input || w->making) && w->at)
        return cli_report(w->at->source, w->at->name.ptr, w->at->name.len, err);
    int code = cli_report(input && first ? first->source : target, NULL, 0, err);
    return err->status == HRY_E_ABSENT ? CLI_FAILED : code; /* the target's folder, which is no answer of the input */
}

int cli_plan_write(const cli_plan *plan, const cli_format_row *format, const cli_args *args, const cli_output *output)
{
    hry_error err;
    hry_status status = HRY_OK;
    work w = { .plan = plan };
    if (!output->dry) {
        cli_progress_start(&w.progress, args, "writing", cli_plan_bytes(plan));
        status = format == &cli_format_hurray ? write_container(&w, args, output, &err)
                                              : write_foreign(&w, format, args, output, &err);
        cli_progress_end(&w.progress);
    }
    if (status)
        return report(&w, output, &err);
    if (output->dry || cli_has(args, CLI_OPT_VERBOSE))
        say(plan, output);
    return CLI_OK;
}
