/* Several files as one: their tensors one after the other, their metadata together. */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "file/collection.h"

typedef struct joined {
    hry_allocator allocator;
    size_t count;     /* of files */
    hry_file **files; /* one reference each */
    uint64_t *first;  /* position of each file's first tensor; one more: the number of all */
    hry_str *names;
    hry_kv *kvs;
    uint64_t kv_room;
} joined;

/* The file that has tensor i, and its position there. */
static hry_file *file_of(const joined *j, uint64_t i, uint64_t *position)
{
    size_t low = 0, high = j->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (j->first[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    *position = i - j->first[low];
    return j->files[low];
}

static hry_status joined_desc(void *ctx, uint64_t i, hry_desc *desc, hry_error *err)
{
    hry_file *file = file_of(ctx, i, &i);
    return hry_file_desc(file, i, desc, err);
}

static hry_status joined_tensor(void *ctx, uint64_t i, hry_tensor **tensor, hry_error *err)
{
    hry_file *file = file_of(ctx, i, &i);
    return hry_file_tensor_at(file, i, tensor, err);
}

static bool joined_locate(void *ctx, uint64_t i, uint32_t k, int *fd, uint64_t *offset)
{
    hry_file *file = file_of(ctx, i, &i);
    hry_desc desc;
    hry_stored_buffer stored;
    if (hry_file_desc(file, i, &desc, NULL) || file->ops->stored(file, (uint32_t)i, &desc, k, &stored, NULL))
        return false;
    hry_tensor_release(stored.owner);
    *fd = stored.fd;
    *offset = stored.offset;
    return stored.fd >= 0;
}

static void joined_close(void *ctx)
{
    joined *j = ctx;
    hry_allocator allocator = j->allocator;
    uint64_t tensors = j->first ? j->first[j->count] : 0;
    for (size_t k = 0; j->files && k < j->count; k++) /* NULL where collecting did not come so far */
        hry_file_close(j->files[k]);
    hry_free(&allocator, j->files, j->count * sizeof *j->files, _Alignof(hry_file *));
    hry_free(&allocator, j->names, (size_t)tensors * sizeof *j->names, _Alignof(hry_str));
    hry_free(&allocator, j->first, (j->count + 1) * sizeof *j->first, _Alignof(uint64_t));
    hry_free(&allocator, j->kvs, (size_t)j->kv_room * sizeof *j->kvs, _Alignof(hry_kv));
    hry_free(&allocator, j, sizeof *j, _Alignof(joined));
}

/* A key that several files have counts once, with the value that comes first: they are parts of one model. */
static bool has_earlier(const joined *j, size_t before, hry_str key)
{
    for (size_t k = 0; k < before; k++)
        if (hry_kv_list_find(&j->files[k]->kv, key))
            return true;
    return false;
}

static hry_status collect(joined *j, hry_file *const *files, uint64_t *kv_count, hry_error *err)
{
    const hry_allocator *a = &j->allocator;
    j->files = hry_alloc_zeroed(a, j->count * sizeof *j->files, _Alignof(hry_file *));
    j->first = hry_alloc_zeroed(a, (j->count + 1) * sizeof *j->first, _Alignof(uint64_t));
    if (!j->files || !j->first)
        return hry_fail_memory(err, j->count * sizeof *j->first);
    for (size_t k = 0; k < j->count; k++) {
        j->files[k] = hry_file_retain(files[k]);
        j->first[k + 1] = j->first[k] + files[k]->count;
        j->kv_room += files[k]->kv.count;
    }
    j->names = hry_alloc_array(a, j->first[j->count], sizeof *j->names, _Alignof(hry_str));
    j->kvs = hry_alloc_array(a, j->kv_room, sizeof *j->kvs, _Alignof(hry_kv));
    if (!j->names || !j->kvs)
        return hry_fail_memory(err, j->first[j->count] * sizeof *j->names);
    for (size_t k = 0; k < j->count; k++) {
        for (uint32_t i = 0; i < files[k]->count; i++)
            j->names[j->first[k] + i] = hry_file_name(files[k], i);
        for (size_t i = 0; i < files[k]->kv.count; i++)
            if (!has_earlier(j, k, files[k]->kv.items[i].key))
                j->kvs[(*kv_count)++] = files[k]->kv.items[i];
    }
    return HRY_OK;
}

hry_status hry_file_join(hry_file *const *files, size_t count, const hry_allocator *allocator, hry_file **joined_file,
                         hry_error *err)
{
    uint64_t kv_count = 0;
    if (count == 0)
        return hry_fail_usage(err, "no files to join");
    joined *j = hry_alloc_zeroed(allocator, sizeof *j, _Alignof(joined));
    if (!j)
        return hry_fail_memory(err, sizeof *j);
    j->allocator = hry_allocator_or_default(allocator);
    j->count = count;
    hry_status status = collect(j, files, &kv_count, err);
    if (!status) {
        hry_provider provider = { .format = files[0]->format,
                                  .count = j->first[count],
                                  .names = j->names,
                                  .kv_count = kv_count,
                                  .kvs = j->kvs,
                                  .desc = joined_desc,
                                  .tensor = joined_tensor,
                                  .locate = joined_locate,
                                  .close = joined_close,
                                  .ctx = j };
        status = hry_file_open_provider(&provider, allocator, joined_file, err);
    }
    if (status)
        joined_close(j);
    return status;
}
