#include "file/edit.h"

#include "base/alloc.h"
#include "base/status.h"
#include "file/open.h"
#include "os/os.h"

#include <inttypes.h>

static void *keep(hry_edit *e, size_t size)
{
    void *array = e->kept;
    if (!hry_grow(&e->allocator, &array, &e->kept_room, e->kept_count + 1, sizeof *e->kept, _Alignof(hry_kept_text)))
        return NULL;
    e->kept = array;
    void *bytes = hry_alloc(&e->allocator, size, 8);
    if (bytes)
        e->kept[e->kept_count++] = (hry_kept_text){ bytes, size };
    return bytes;
}

static hry_status take_metadata(hry_edit *e, hry_error *err)
{
    void *array = NULL;
    size_t count = e->file->kv.count;
    if (!hry_grow(&e->allocator, &array, &e->kv_room, count + 1, sizeof *e->kvs, _Alignof(hry_kv)))
        return hry_fail_memory(err, count * sizeof *e->kvs);
    e->kvs = array;
    e->kv_count = count;
    if (count)
        memcpy(e->kvs, e->file->kv.items, count * sizeof *e->kvs);
    return HRY_OK;
}

hry_status hry_edit_open_on(const struct hry_os *os, const char *path, const hry_edit_options *options, hry_edit **edit,
                            hry_error *err)
{
    static const hry_edit_options none;
    const hry_edit_options *o = options ? options : &none;
    hry_edit *e = hry_alloc_zeroed(o->allocator, sizeof *e, _Alignof(hry_edit));
    if (!e)
        return hry_fail_memory(err, sizeof *e);
    e->os = os;
    e->allocator = hry_allocator_or_default(o->allocator);
    e->in_place = o->in_place;
    e->path.size = strlen(path) + 1;
    e->path.bytes = hry_alloc(&e->allocator, e->path.size, 1);
    hry_file_options file = { .parse = o->parse, .access = HRY_READ, .allocator = &e->allocator };
    hry_status status = e->path.bytes ? HRY_OK : hry_fail_memory(err, e->path.size);
    if (!status) {
        memcpy(e->path.bytes, path, e->path.size);
        status = hry_undo_restore_on(os, &e->allocator, path, NULL, err);
    }
    if (!status)
        status = hry_file_open_on(os, path, &file, &e->file, err);
    if (!status)
        status = take_metadata(e, err);
    if (status)
        hry_edit_close(e);
    else
        *edit = e;
    return status;
}

hry_status hry_edit_open(const char *path, const hry_edit_options *options, hry_edit **edit, hry_error *err)
{
    return hry_edit_open_on(&hry_os_default, path, options, edit, err);
}

hry_file *hry_edit_file(hry_edit *edit)
{
    return edit->file;
}

void hry_edit_close(hry_edit *edit)
{
    if (!edit)
        return;
    hry_allocator allocator = edit->allocator;
    for (size_t i = 0; i < edit->kept_count; i++)
        hry_free(&allocator, edit->kept[i].bytes, edit->kept[i].size, 8);
    hry_free(&allocator, edit->kept, edit->kept_room * sizeof *edit->kept, _Alignof(hry_kept_text));
    hry_free(&allocator, edit->kvs, edit->kv_room * sizeof *edit->kvs, _Alignof(hry_kv));
    hry_free(&allocator, edit->names, edit->file ? edit->file->count * sizeof *edit->names : 0, _Alignof(hry_str));
    hry_free(&allocator, edit->path.bytes, edit->path.size, 1);
    hry_file_close(edit->file);
    hry_free(&allocator, edit, sizeof *edit, _Alignof(hry_edit));
}

static size_t find_key(const hry_edit *e, hry_str key)
{
    size_t i = 0;
    while (i < e->kv_count && !hry_str_equal(e->kvs[i].key, key))
        i++;
    return i;
}

static hry_status check_metadata_there(const hry_edit *e, hry_error *err)
{
    return e->file->info.kv_unavailable ? hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_KV, 0, 0,
                                                   "the metadata hold private values: they can be kept, not changed")
                                        : HRY_OK;
}

/* Copies of what the value points to; false when there is no memory. */
static bool keep_value(hry_edit *e, const hry_kv_value *value, hry_kv_value *kept)
{
    bool text = value->type == HRY_KV_STRING || value->type == HRY_KV_BYTES, array = value->type == HRY_KV_ARRAY;
    size_t size = text ? value->as.string.len : array ? (size_t)value->as.array.nbytes : 0;
    const void *from = text ? value->as.string.ptr : array ? value->as.array.encoded : NULL;
    *kept = *value;
    if (!text && !array)
        return true;
    void *bytes = keep(e, size);
    if (!bytes)
        return false;
    if (size)
        memcpy(bytes, from, size);
    if (text)
        kept->as.string.ptr = bytes;
    else
        kept->as.array.encoded = bytes;
    return true;
}

hry_status hry_edit_kv(hry_edit *edit, const char *key, size_t len, const hry_kv_value *value, hry_error *err)
{
    hry_kv kv = { .key = { key, len } };
    hry_status status = check_metadata_there(edit, err);
    if (!status)
        status = hry_kv_key_check(kv.key, err);
    if (!status)
        status = hry_kv_value_check(value, err);
    if (status)
        return status;
    size_t i = find_key(edit, kv.key);
    void *array = edit->kvs, *own_key = i < edit->kv_count ? NULL : keep(edit, len);
    bool room =
        hry_grow(&edit->allocator, &array, &edit->kv_room, edit->kv_count + 1, sizeof *edit->kvs, _Alignof(hry_kv));
    edit->kvs = array;
    if (!room || (i == edit->kv_count && !own_key) || !keep_value(edit, value, &kv.value))
        return hry_fail_memory(err, len);
    if (own_key) {
        memcpy(own_key, key, len);
        edit->kvs[edit->kv_count++].key = (hry_str){ own_key, len };
    }
    edit->kvs[i].value = kv.value;
    edit->kv_changed = true;
    return HRY_OK;
}

hry_status hry_edit_kv_remove(hry_edit *edit, const char *key, size_t len, hry_error *err)
{
    hry_status status = check_metadata_there(edit, err);
    if (status)
        return status;
    size_t i = find_key(edit, (hry_str){ key, len });
    if (i == edit->kv_count)
        return hry_fail(err, HRY_E_ABSENT, HRY_SECTION_KV, 0, 0, "there is no key \"%.*s\"", len < 200 ? (int)len : 200,
                        key);
    memmove(edit->kvs + i, edit->kvs + i + 1, (edit->kv_count - i - 1) * sizeof *edit->kvs);
    edit->kv_count--;
    edit->kv_changed = true;
    return HRY_OK;
}

hry_status hry_edit_rename(hry_edit *edit, uint64_t i, const char *name, size_t len, hry_error *err)
{
    if (i >= edit->file->count)
        return hry_fail_usage(err, "there is no tensor %" PRIu64, i);
    hry_status status = hry_tensor_name_check((hry_str){ name, len }, err);
    if (status)
        return status;
    if (!edit->names)
        edit->names = hry_alloc_zeroed(&edit->allocator, edit->file->count * sizeof *edit->names, _Alignof(hry_str));
    void *own = edit->names ? keep(edit, len) : NULL;
    if (!own)
        return hry_fail_memory(err, len);
    memcpy(own, name, len);
    edit->names[i] = (hry_str){ own, len };
    return HRY_OK;
}
