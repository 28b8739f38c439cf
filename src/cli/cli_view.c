#include "cli/cli_view.h"
#include "cli/cli_out.h"

#include <stdlib.h>

typedef struct view {
    hry_file *file;
    uint64_t *positions;
    hry_str *names;
    hry_kv *kvs;
} view;

static hry_status view_desc(void *ctx, uint64_t i, hry_desc *desc, hry_error *err)
{
    const view *v = ctx;
    return hry_file_desc(v->file, v->positions[i], desc, err);
}

static void release(void *ctx)
{
    hry_tensor_release(ctx);
}

static hry_status view_buffers(void *ctx, uint64_t i, const void **buffers, hry_release_fn **release_fn,
                               void **release_ctx, hry_error *err)
{
    const view *v = ctx;
    hry_tensor *tensor;
    hry_status status = hry_file_tensor_at(v->file, v->positions[i], &tensor, err);
    if (status)
        return status;
    for (uint32_t k = 0; k < hry_desc_buffer_count(hry_tensor_desc(tensor)); k++)
        buffers[k] = hry_tensor_buffer(tensor, k, NULL);
    *release_fn = release;
    *release_ctx = tensor;
    return HRY_OK;
}

static hry_status view_tensor(void *ctx, uint64_t i, hry_tensor **tensor, hry_error *err)
{
    const view *v = ctx;
    return hry_file_tensor_at(v->file, v->positions[i], tensor, err);
}

static void view_close(void *ctx)
{
    view *v = ctx;
    free(v->positions);
    free(v->names);
    free(v->kvs);
    free(v);
}

hry_status cli_view_open(hry_file *file, const cli_rows *rows, hry_file **out, hry_error *err)
{
    uint64_t kv_count = hry_file_kv_count(file);
    view *v = cli_realloc(NULL, sizeof *v);
    *v = (view){ .file = file,
                 .positions = cli_realloc(NULL, rows->count * sizeof *v->positions),
                 .names = cli_realloc(NULL, rows->count * sizeof *v->names),
                 .kvs = cli_realloc(NULL, kv_count * sizeof *v->kvs) };
    for (uint64_t k = 0; k < rows->count; k++) {
        v->positions[k] = rows->rows[k].i;
        v->names[k] = rows->rows[k].name;
    }
    for (uint64_t k = 0; k < kv_count; k++)
        v->kvs[k] = *hry_file_kv_at(file, k);
    hry_provider provider = { .format = hry_file_format(file),
                              .count = rows->count,
                              .names = v->names,
                              .kv_count = kv_count,
                              .kvs = v->kvs,
                              .desc = view_desc,
                              .buffers = view_buffers,
                              .tensor = view_tensor,
                              .close = view_close,
                              .ctx = v };
    hry_status status = hry_file_open_provider(&provider, NULL, out, err);
    if (status)
        view_close(v);
    return status;
}
