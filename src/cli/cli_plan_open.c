#include "cli/cli_out.h"
#include "cli/cli_plan.h"

#include <stdlib.h>

typedef struct opened {
    cli_item *items;
    hry_str *names;
    hry_kv *kvs;
} opened;

static hry_status opened_desc(void *ctx, uint64_t i, hry_desc *desc, hry_error *err)
{
    const cli_item *item = &((const opened *)ctx)->items[i];
    return hry_file_desc(item->file, item->i, desc, err);
}

static hry_status opened_tensor(void *ctx, uint64_t i, hry_tensor **tensor, hry_error *err)
{
    const cli_item *item = &((const opened *)ctx)->items[i];
    return hry_file_tensor_at(item->file, item->i, tensor, err);
}

static void release(void *ctx)
{
    hry_tensor_release(ctx);
}

static hry_status opened_buffers(void *ctx, uint64_t i, const void **buffers, hry_release_fn **release_fn,
                                 void **release_ctx, hry_error *err)
{
    hry_tensor *tensor;
    hry_status status = opened_tensor(ctx, i, &tensor, err);
    if (status)
        return status;
    for (uint32_t k = 0; k < hry_desc_buffer_count(hry_tensor_desc(tensor)); k++)
        buffers[k] = hry_tensor_buffer(tensor, k, NULL);
    *release_fn = release;
    *release_ctx = tensor;
    return HRY_OK;
}

static void opened_close(void *ctx)
{
    opened *o = ctx;
    free(o->items);
    free(o->names);
    free(o->kvs);
    free(o);
}

hry_status cli_plan_open(const cli_plan *plan, hry_file **file, hry_error *err)
{
    opened *o = cli_realloc(NULL, sizeof *o);
    *o = (opened){ .items = cli_realloc_items(NULL, plan->count, sizeof *o->items),
                   .names = cli_realloc_items(NULL, plan->count, sizeof *o->names),
                   .kvs = cli_realloc_items(NULL, plan->kv_count, sizeof *o->kvs) };
    for (uint64_t k = 0; k < plan->count; k++) {
        o->items[k] = plan->items[k];
        o->names[k] = plan->items[k].name;
    }
    for (uint64_t k = 0; k < plan->kv_count; k++)
        o->kvs[k] = plan->kvs[k];
    hry_provider provider = { .format = "plan",
                              .count = plan->count,
                              .names = o->names,
                              .kv_count = plan->kv_count,
                              .kvs = o->kvs,
                              .desc = opened_desc,
                              .buffers = opened_buffers,
                              .tensor = opened_tensor,
                              .close = opened_close,
                              .ctx = o };
    hry_status status = hry_file_open_provider(&provider, NULL, file, err);
    if (status)
        opened_close(o);
    return status;
}
