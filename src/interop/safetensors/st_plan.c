#include "interop/safetensors/st_plan.h"

#include "base/checked.h"
#include "base/status.h"
#include "file/names.h"
#include "interop/grow.h"
#include "interop/quote.h"
#include "interop/safetensors/st_dtype.h"

#include <inttypes.h>
#include <stdio.h>

enum { REASON_SIZE = 128, HEADER_MAX = 100000000 };

/* Why a tensor cannot be carried; NULL when it can. why is where a reason may be put together. */
static const char *objection(const hry_desc *desc, uint64_t *nbytes, char why[REASON_SIZE])
{
    const hry_st_dtype *dtype = hry_st_dtype_by_type(hry_desc_type(desc));
    hry_quantization q;
    uint64_t count;
    if (hry_desc_is_opaque(desc))
        return "opaque: of a kind that is unknown or private";
    if (hry_desc_layout(desc) != HRY_LAYOUT_ROW_MAJOR)
        snprintf(why, REASON_SIZE, "layout %s is not representable", hry_layout_name(hry_desc_layout(desc)));
    else if (hry_desc_quantization(desc, &q))
        snprintf(why, REASON_SIZE, "quantization %s is not representable", hry_scheme_name(q.scheme));
    else if (!dtype)
        snprintf(why, REASON_SIZE, "type %s is not representable", hry_type_name(hry_desc_type(desc)));
    else if (!hry_desc_count(desc, &count))
        return "a dimension is dynamic";
    else if (!hry_st_dtype_fills_bytes(dtype, count))
        snprintf(why, REASON_SIZE, "%" PRIu64 " elements of %s do not fill whole bytes", count, dtype->name);
    else if (!hry_st_dtype_size(dtype, count, nbytes))
        return "more than 2^64 bytes"; /* of bools: there a byte, here a bit */
    else
        return NULL;
    return why;
}

static void put_entry(hry_json_text *json, hry_str name, const hry_desc *desc, uint64_t begin, uint64_t end)
{
    hry_json_put_string(json, name);
    hry_json_put_text(json, ":{\"dtype\":\"");
    hry_json_put_text(json, hry_st_dtype_by_type(hry_desc_type(desc))->name);
    hry_json_put_text(json, "\",\"shape\":[");
    for (uint32_t k = 0; k < hry_desc_rank(desc); k++) {
        if (k > 0)
            hry_json_put_text(json, ",");
        hry_json_put_u64(json, hry_desc_dim(desc, k));
    }
    hry_json_put_text(json, "],\"data_offsets\":[");
    hry_json_put_u64(json, begin);
    hry_json_put_text(json, ",");
    hry_json_put_u64(json, end);
    hry_json_put_text(json, "]},");
}

/* *end is where the data written so far ends. */
static hry_status plan_tensor(hry_file *file, uint32_t i, hry_notes *notes, hry_st_plan *plan, uint64_t *end,
                              hry_error *err)
{
    static const hry_str reserved = { "__metadata__", 12 };
    char why[REASON_SIZE];
    hry_desc desc;
    hry_str name = hry_file_name(file, i);
    hry_status status = hry_file_desc(file, i, &desc, err);
    if (status)
        return status;
    if (hry_str_equal(name, reserved))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, 0,
                        "tensor \"__metadata__\": safetensors keeps this name for metadata");
    hry_st_item item = { .position = i, .skip = hry_desc_byte_offset(&desc) };
    const char *reason = objection(&desc, &item.nbytes, why);
    if (reason) {
        hry_notes_add(notes, HRY_NOTE_LEFT_OUT, HRY_NOTE_TENSOR, name, reason);
        return HRY_OK;
    }
    hry_notes_add_dropped(notes, name, &desc);
    item.is_bool = hry_desc_type(&desc) == HRY_TYPE_BOOL;
    uint64_t begin = *end;
    if (!hry_add(begin, item.nbytes, end))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, 0, "more than 2^64 bytes of data");
    if (!HRY_GROW(plan->allocator, plan->items, plan->capacity, plan->count + 1))
        return hry_fail_memory(err, (plan->count + 1) * sizeof item);
    plan->items[plan->count++] = item;
    put_entry(&plan->json, name, &desc, begin, *end);
    return HRY_OK;
}

/* The last comma gives way to the closing brace; spaces up to a multiple of 8. */
static hry_status close_header(hry_json_text *json, hry_error *err)
{
    if (json->used > 1)
        json->used--;
    hry_json_put_text(json, "}");
    while (json->used % 8 != 0 && !json->no_memory)
        hry_json_put_text(json, " ");
    if (json->no_memory)
        return hry_fail_memory(err, json->used);
    if (json->used > HEADER_MAX)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_NONE, 0, json->used,
                        "header of %zu bytes, more than the %d that readers of safetensors take", json->used,
                        HEADER_MAX);
    return HRY_OK;
}

hry_status hry_st_plan_make(hry_file *file, const hry_allocator *allocator, hry_notes *notes, hry_st_plan *plan,
                            hry_error *err)
{
    *plan = (hry_st_plan){ .allocator = allocator, .json.allocator = allocator };
    uint64_t end = 0;
    hry_status status = HRY_OK;
    hry_json_put_text(&plan->json, "{");
    hry_st_plan_metadata(file, &plan->json, notes);
    for (uint64_t i = 0; i < hry_file_count(file) && status == HRY_OK; i++)
        status = plan_tensor(file, (uint32_t)i, notes, plan, &end, err);
    if (status == HRY_OK)
        status = close_header(&plan->json, err);
    if (status)
        hry_st_plan_fini(plan);
    return status;
}

void hry_st_plan_fini(hry_st_plan *plan)
{
    HRY_DROP(plan->allocator, plan->items, plan->capacity);
    hry_json_text_fini(&plan->json);
    plan->items = NULL;
    plan->count = plan->capacity = 0;
}
