/* A plan as a file of its own: tensors that are made are made when their descriptors are asked for, and again for their
 * data, so that no more than one takes memory. */
#include "cli/cli_out.h"
#include "cli/cli_plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct opened {
    cli_item *items;
    hry_str *names;
    hry_kv *kvs;
    uint64_t count;
    hry_desc *descs; /* of tensors that are made, once they are */
    void **bytes;    /* of those; NULL before */
    pthread_mutex_t lock;
    uint64_t last_i;
    hry_tensor *last; /* the last one made */
} opened;

/* One reference to the caller; NULL for what is not made after all. Locked. */
static hry_status make(opened *o, uint64_t i, hry_tensor **tensor, hry_error *err)
{
    const cli_item *item = &o->items[i];
    if (!o->last || o->last_i != i) {
        hry_tensor *made = NULL;
        hry_status status = item->make(item->make_ctx, item, &made, err);
        if (status)
            return status;
        hry_tensor_release(o->last);
        o->last = made;
        o->last_i = i;
    }
    *tensor = hry_tensor_retain(o->last);
    return HRY_OK;
}

/* What a made tensor's descriptor says, kept for as long as the file is open. Locked. */
static hry_status keep_desc(opened *o, uint64_t i, hry_desc *desc, hry_error *err)
{
    hry_tensor *tensor;
    hry_status status = make(o, i, &tensor, err);
    if (status)
        return status;
    if (!tensor)
        return hry_file_desc(o->items[i].file, o->items[i].i, desc, err);
    static const hry_allow allow = { .all = true };
    const hry_parse_options options = { .allow = &allow, .permissive = true };
    size_t nbytes;
    const void *bytes = hry_desc_bytes(hry_tensor_desc(tensor), &nbytes);
    o->bytes[i] = memcpy(cli_realloc(NULL, nbytes), bytes, nbytes);
    hry_tensor_release(tensor);
    status = hry_desc_parse(o->bytes[i], nbytes, &options, desc, err);
    if (!status)
        o->descs[i] = *desc;
    return status;
}

static hry_status opened_desc(void *ctx, uint64_t i, hry_desc *desc, hry_error *err)
{
    opened *o = ctx;
    const cli_item *item = &o->items[i];
    if (!item->make)
        return hry_file_desc(item->file, item->i, desc, err);
    hry_status status = HRY_OK;
    pthread_mutex_lock(&o->lock);
    if (o->bytes[i])
        *desc = o->descs[i];
    else
        status = keep_desc(o, i, desc, err);
    pthread_mutex_unlock(&o->lock);
    return status;
}

static hry_status opened_tensor(void *ctx, uint64_t i, hry_tensor **tensor, hry_error *err)
{
    opened *o = ctx;
    const cli_item *item = &o->items[i];
    hry_tensor *made = NULL;
    if (item->make) {
        pthread_mutex_lock(&o->lock);
        hry_status status = make(o, i, &made, err);
        pthread_mutex_unlock(&o->lock);
        if (status)
            return status;
    }
    if (!made)
        return hry_file_tensor_at(item->file, item->i, tensor, err);
    *tensor = made;
    return HRY_OK;
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
    hry_tensor_release(o->last);
    for (uint64_t i = 0; i < o->count; i++)
        free(o->bytes[i]);
    pthread_mutex_destroy(&o->lock);
    free(o->items);
    free(o->names);
    free(o->kvs);
    free(o->descs);
    free(o->bytes);
    free(o);
}

hry_status cli_plan_open(const cli_plan *plan, hry_file **file, hry_error *err)
{
    opened *o = cli_realloc(NULL, sizeof *o);
    *o = (opened){ .items = cli_realloc_items(NULL, plan->count, sizeof *o->items),
                   .names = cli_realloc_items(NULL, plan->count, sizeof *o->names),
                   .kvs = cli_realloc_items(NULL, plan->kv_count, sizeof *o->kvs),
                   .descs = cli_realloc_items(NULL, plan->count, sizeof *o->descs),
                   .bytes = cli_realloc_items(NULL, plan->count, sizeof *o->bytes),
                   .count = plan->count };
    pthread_mutex_init(&o->lock, NULL);
    for (uint64_t k = 0; k < plan->count; k++) {
        o->bytes[k] = NULL;
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
