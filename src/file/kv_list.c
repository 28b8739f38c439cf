#include "file/kv_list.h"

#include "base/alloc.h"
#include "base/status.h"

static hry_str key_at(const void *list, uint32_t i)
{
    return ((const hry_kv_list *)list)->items[i].key;
}

bool hry_kv_list_add(hry_kv_list *list, const hry_allocator *allocator, const hry_kv *kv, hry_status *status,
                     hry_error *err)
{
    *status = HRY_OK;
    void *items = list->items;
    if (!hry_grow(allocator, &items, &list->capacity, list->count + 1, sizeof *list->items, _Alignof(hry_kv)) ||
        (list->items = items, !hry_names_reserve(&list->names, allocator, list->count + 1))) {
        *status = hry_fail_memory(err, sizeof *list->items);
        return false;
    }
    uint32_t earlier;
    if (!hry_names_add(&list->names, key_at, list, kv->key, (uint32_t)list->count, &earlier))
        return false;
    list->items[list->count++] = *kv;
    return true;
}

const hry_kv *hry_kv_list_find(const hry_kv_list *list, hry_str key)
{
    uint32_t i;
    return hry_names_find(&list->names, key_at, list, key, &i) ? &list->items[i] : NULL;
}

void hry_kv_list_fini(hry_kv_list *list, const hry_allocator *allocator)
{
    hry_free(allocator, list->items, list->capacity * sizeof *list->items, _Alignof(hry_kv));
    hry_names_fini(&list->names, allocator);
    list->items = NULL;
    list->count = list->capacity = 0;
}
