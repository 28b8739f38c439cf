#include "interop/gguf/gguf_plan.h"

#include "base/checked.h"
#include "interop/grow.h"

enum { FIXED = 24, DEFAULT_ALIGNMENT = 32 };

/* The record that a GGUF file left behind when it became what it is now. */
static hry_status take_record(const hry_file *file, hry_gguf_plan *plan, hry_error *err)
{
    const hry_kv *kv = hry_file_kv(file, HRY_GGUF_RECORD_KEY);
    bool no_memory = false;
    if (kv && kv->value.type == HRY_KV_BYTES)
        plan->has_record = hry_gguf_record_read(&plan->record, (const uint8_t *)kv->value.as.string.ptr,
                                                kv->value.as.string.len, plan->allocator, &no_memory);
    return no_memory ? hry_fail_memory(err, kv->value.as.string.len) : HRY_OK;
}

static hry_status plan_tensors(hry_file *file, hry_notes *notes, hry_gguf_plan *plan, bool *has_blocks, hry_error *err)
{
    hry_status status = HRY_OK;
    for (uint64_t i = 0; i < hry_file_count(file) && status == HRY_OK; i++)
        status = hry_gguf_plan_tensor(file, i, notes, plan, err);
    for (size_t k = 0; k < plan->count; k++)
        *has_blocks |= hry_gguf_type_of(plan->items[k].type_id)->element == 0;
    return status;
}

/* One after the other, each at a multiple of the alignment, the last one filled up to one as well. */
static hry_status place_tensors(hry_file *file, hry_gguf_plan *plan, hry_error *err)
{
    hry_gguf_bytes *to = &plan->header;
    uint64_t end = 0, next = 0;
    for (size_t k = 0; k < plan->count; k++) {
        hry_gguf_item *item = &plan->items[k];
        item->offset = next;
        if (!hry_add(next, item->nbytes, &end) || !hry_align_up(end, plan->alignment, &next))
            return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, 0, "more than 2^64 bytes of data");
        hry_gguf_bytes_put_string(to, hry_file_name(file, item->position));
        hry_gguf_bytes_put32(to, item->rank);
        for (uint32_t d = 0; d < item->rank; d++)
            hry_gguf_bytes_put64(to, item->dims[d]);
        hry_gguf_bytes_put32(to, item->type_id);
        hry_gguf_bytes_put64(to, item->offset);
    }
    if (!hry_align_up(to->used, plan->alignment, &plan->data_at) || !hry_add(plan->data_at, next, &plan->end) ||
        !hry_add(plan->data_at, end, &end))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, 0, "more than 2^64 bytes of data");
    /* Some writers leave the last zeros out: such a file comes back without them. */
    uint64_t least = plan->count ? end : to->used;
    if (plan->has_record && plan->record.file_size >= least && plan->record.file_size < plan->end)
        plan->end = plan->record.file_size;
    return HRY_OK;
}

static hry_status make(hry_file *file, hry_notes *notes, hry_gguf_plan *plan, hry_error *err)
{
    bool has_blocks = false;
    uint64_t kv_count;
    hry_status status = take_record(file, plan, err);
    if (status == HRY_OK)
        status = plan_tensors(file, notes, plan, &has_blocks, err);
    if (status)
        return status;
    hry_gguf_bytes_put(&plan->header, "GGUF", 4);
    hry_gguf_bytes_put32(&plan->header, plan->has_record ? plan->record.gguf_version : 3);
    hry_gguf_bytes_put64(&plan->header, plan->count);
    hry_gguf_bytes_put64(&plan->header, 0);
    hry_gguf_plan_metadata(file, has_blocks, notes, plan, &kv_count);
    hry_gguf_bytes_put64_at(&plan->header, FIXED - 8, kv_count);
    status = place_tensors(file, plan, err);
    if (status == HRY_OK && plan->header.no_memory)
        status = hry_fail_memory(err, plan->header.used);
    return status;
}

hry_status hry_gguf_plan_make(hry_file *file, const hry_allocator *allocator, hry_notes *notes, hry_gguf_plan *plan,
                              hry_error *err)
{
    *plan = (hry_gguf_plan){ .allocator = allocator,
                             .alignment = DEFAULT_ALIGNMENT,
                             .source = hry_gguf_file_behind(file),
                             .header.allocator = allocator,
                             .record.allocator = allocator };
    hry_status status = make(file, notes, plan, err);
    if (status)
        hry_gguf_plan_fini(plan);
    return status;
}

void hry_gguf_plan_fini(hry_gguf_plan *plan)
{
    HRY_DROP(plan->allocator, plan->items, plan->capacity);
    hry_gguf_record_fini(&plan->record);
    hry_gguf_bytes_fini(&plan->header);
    plan->items = NULL;
    plan->count = plan->capacity = 0;
}
