#include "file/collection.h"

#include "base/status.h"

#include <inttypes.h>
#include <string.h>

hry_file *hry_file_retain(hry_file *file)
{
    atomic_fetch_add_explicit(&file->references, 1, memory_order_relaxed);
    return file;
}

void hry_file_close(hry_file *file)
{
    if (file && atomic_fetch_sub_explicit(&file->references, 1, memory_order_acq_rel) == 1)
        file->ops->destroy(file);
}

void hry_file_release(void *file)
{
    hry_file_close(file);
}

const char *hry_file_format(const hry_file *file)
{
    return file->format;
}

void hry_file_info_get(const hry_file *file, hry_file_info *info)
{
    *info = file->info;
}

uint64_t hry_file_count(const hry_file *file)
{
    return file->count;
}

hry_str hry_file_name(const hry_file *file, uint64_t i)
{
    return i < file->count ? file->ops->name(file, (uint32_t)i) : (hry_str){ "", 0 };
}

bool hry_file_find(const hry_file *file, const char *name, size_t len, uint64_t *i)
{
    uint32_t found;
    if (!file->ops->find(file, (hry_str){ name, len }, &found))
        return false;
    *i = found;
    return true;
}

static HRY_COLD hry_status fail_range(const hry_file *file, uint64_t i, hry_error *err)
{
    return hry_fail_usage(err, "there is no tensor %" PRIu64 ": the file has %" PRIu32, i, file->count);
}

hry_status hry_file_desc(hry_file *file, uint64_t i, hry_desc *desc, hry_error *err)
{
    return i < file->count ? file->ops->desc(file, (uint32_t)i, desc, err) : fail_range(file, i, err);
}

hry_status hry_file_tensor_at(hry_file *file, uint64_t i, hry_tensor **tensor, hry_error *err)
{
    if (i >= file->count)
        return fail_range(file, i, err);
    hry_status status = file->ops->recheck(file, err);
    return status ? status : file->ops->tensor(file, (uint32_t)i, tensor, err);
}

hry_status hry_file_tensor(hry_file *file, const char *name, hry_tensor **tensor, hry_error *err)
{
    uint64_t i;
    size_t len = strlen(name);
    if (!hry_file_find(file, name, len, &i))
        return hry_fail(err, HRY_E_ABSENT, HRY_SECTION_INDEX, 0, 0, "no tensor is named \"%.*s\"",
                        len < 200 ? (int)len : 200, name);
    return hry_file_tensor_at(file, i, tensor, err);
}

uint64_t hry_file_kv_count(const hry_file *file)
{
    return file->kv.count;
}

const hry_kv *hry_file_kv_at(const hry_file *file, uint64_t i)
{
    return i < file->kv.count ? &file->kv.items[i] : NULL;
}

const hry_kv *hry_file_kv_find(const hry_file *file, const char *key, size_t len)
{
    return hry_kv_list_find(&file->kv, (hry_str){ key, len });
}

const hry_kv *hry_file_kv(const hry_file *file, const char *key)
{
    return hry_file_kv_find(file, key, strlen(key));
}
