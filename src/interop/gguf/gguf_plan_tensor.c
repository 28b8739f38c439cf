/* Which GGUF type a tensor becomes, if any. */
#include "base/checked.h"
#include "interop/gguf/gguf_plan.h"
#include "interop/grow.h"
#include "interop/quote.h"

#include <hurray/interop.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REASON_SIZE = 160, NAME_MAX_WRITTEN = 63 }; /* one byte less than readers of the format may meet */

static hry_gguf_item item_of(const hry_gguf_info *info)
{
    hry_gguf_item item = { .type_id = info->type_id, .rank = info->rank, .nbytes = info->nbytes };
    memcpy(item.dims, info->dims, sizeof item.dims);
    return item;
}

/* The dimensions in GGUF's order; false when there are too many elements for it. */
static bool take_shape(const hry_desc *desc, hry_gguf_info *info)
{
    uint64_t product = 1;
    bool empty = false;
    info->rank = hry_desc_rank(desc);
    for (uint32_t k = 0; k < HRY_GGUF_MAX_DIMS; k++) {
        uint64_t dim = k < info->rank ? hry_desc_dim(desc, info->rank - 1 - k) : 1;
        info->dims[k] = dim;
        empty |= dim == 0;
        if (dim > INT64_MAX || !hry_mul(product, dim ? dim : 1, &product) || product >= INT64_MAX)
            return false;
    }
    info->blocks = empty ? 0 : product;
    return true;
}

static bool set_type(hry_gguf_info *info, uint32_t id)
{
    info->type_id = id;
    info->type = hry_gguf_type_of(id);
    if (info->dims[0] % info->type->elements != 0)
        return false;
    info->blocks /= info->type->elements;
    return hry_mul(info->blocks, info->type->bytes, &info->nbytes);
}

/* The form's codes and blocks are those of the descriptor, as far as it says. */
static bool is_form_of(const hry_gguf_form *form, const hry_desc *desc, const hry_quantization *q)
{
    bool affine = form->scheme == HRY_SCHEME_PER_BLOCK, symmetric = q->flags & HRY_QUANT_SYMMETRIC;
    bool flipped = hry_desc_type(desc) == HRY_TYPE_UINT4 && form->storage == HRY_TYPE_INT4 && !symmetric;
    return form->give && q->scheme == form->scheme && q->block_size == form->block &&
           (hry_desc_type(desc) == form->storage || flipped) && !(affine && symmetric && form->zero_point);
}

/* Zero points, where there are any, are all what the type implies. */
static bool are_zero_points(const hry_gguf_source *source, const hry_gguf_form *form, const hry_quantization *q)
{
    uint64_t nbytes;
    if (q->scheme != HRY_SCHEME_PER_BLOCK || q->flags & HRY_QUANT_SYMMETRIC)
        return true;
    const uint8_t *p = hry_tensor_buffer(source->tensor, q->zero_point_buffer_index, &nbytes);
    uint32_t wanted = source->flip ? 8 : form->zero_point, differ = 0;
    if (!p)
        return false;
    if (q->zero_point_buffer_index == q->scale_buffer_index) {
        /* One buffer: scales, then as many zero points. */
        size_t width = q->scale_type_tag == HRY_TYPE_FLOAT32 ? 4 : 2;
        uint64_t n = nbytes / (width + 4);
        p += n * width;
        nbytes = 4 * n;
    }
    for (uint64_t i = 0; i < nbytes / 4; i++)
        differ |= hry_load32(p + 4 * i) ^ wanted;
    return differ == 0;
}

static hry_status try_form(hry_file *file, uint64_t i, const hry_quantization *q, uint32_t id, hry_gguf_info *info,
                           bool *fits, hry_error *err)
{
    const hry_gguf_form *form = hry_gguf_form_of(id);
    hry_gguf_info tried = *info;
    hry_gguf_source source;
    if (!set_type(&tried, id))
        return HRY_OK;
    bool plain =
        (q->scheme == HRY_SCHEME_MXFP || (q->flags & HRY_QUANT_SYMMETRIC && q->scale_type_tag == form->scale_type)) &&
        !form->takes;
    if (!plain) {
        hry_status status = hry_gguf_source_open(file, i, &source, err);
        if (status)
            return status;
        bool good = tried.blocks == 0 ||
                    (are_zero_points(&source, form, q) && hry_gguf_source_fits(&source, form, tried.blocks));
        hry_tensor_release(source.tensor);
        if (!good)
            return HRY_OK;
    }
    *fits = true;
    *info = tried;
    return HRY_OK;
}

/* The type that it once was, else the first that fits; types that share a form with another only when it was one. */
static hry_status choose_form(hry_file *file, uint64_t i, const hry_desc *desc, const hry_quantization *q,
                              const hry_gguf_plan *plan, hry_gguf_info *info, bool *fits, hry_error *err)
{
    static const uint8_t ids[] = { HRY_GGUF_Q8_0, HRY_GGUF_Q4_0,  HRY_GGUF_MXFP4, HRY_GGUF_Q1_0,
                                   HRY_GGUF_Q2_0, HRY_GGUF_TQ2_0, HRY_GGUF_TQ1_0 };
    uint32_t once;
    hry_status status = HRY_OK;
    if (q->axis + 1 != hry_desc_rank(desc))
        return HRY_OK;
    if (plan->has_record && hry_gguf_record_type(&plan->record, hry_file_name(file, i), &once)) {
        const hry_gguf_form *form = hry_gguf_form_of(once);
        if (form && is_form_of(form, desc, q))
            status = try_form(file, i, q, once, info, fits, err);
    }
    for (size_t k = 0; k < sizeof ids && status == HRY_OK && !*fits; k++)
        if (is_form_of(hry_gguf_form_of(ids[k]), desc, q))
            status = try_form(file, i, q, ids[k], info, fits, err);
    return status;
}

static const char *object_to_name(hry_str name, char why[REASON_SIZE])
{
    if (memchr(name.ptr, 0, name.len))
        return "its name holds a NUL";
    if (name.len <= NAME_MAX_WRITTEN)
        return NULL;
    snprintf(why, REASON_SIZE, "a name of %zu bytes, more than the %d that readers of GGUF take", name.len,
             NAME_MAX_WRITTEN);
    return why;
}

/* Why a tensor cannot be carried, whatever its elements are; NULL when that depends on them. */
static const char *objection(const hry_desc *desc, hry_gguf_info *info, char why[REASON_SIZE])
{
    uint64_t count;
    if (hry_desc_is_opaque(desc))
        return "opaque";
    if (hry_desc_layout(desc) != HRY_LAYOUT_ROW_MAJOR)
        snprintf(why, REASON_SIZE, "layout %s is not representable", hry_layout_name(hry_desc_layout(desc)));
    else if (hry_desc_rank(desc) > HRY_GGUF_MAX_DIMS)
        snprintf(why, REASON_SIZE, "%" PRIu32 " dimensions, more than %d", hry_desc_rank(desc), HRY_GGUF_MAX_DIMS);
    else if (!hry_desc_count(desc, &count))
        return "a dimension is dynamic";
    else if (!take_shape(desc, info))
        return "too many elements";
    else
        return NULL;
    return why;
}

static hry_status add_item(hry_gguf_plan *plan, const hry_gguf_item *item, hry_error *err)
{
    if (!HRY_GROW(plan->allocator, plan->items, plan->capacity, plan->count + 1))
        return hry_fail_memory(err, (plan->count + 1) * sizeof *item);
    plan->items[plan->count++] = *item;
    return HRY_OK;
}

/* A tensor of a GGUF file of ours that is not to be dequantized: its blocks, whatever they are. */
static hry_status plan_raw(const hry_gguf_view *view, uint64_t i, hry_gguf_plan *plan, hry_error *err)
{
    if (view->info.type->grid && view->part->header.swapped)
        return hry_gguf_fail(err, HRY_E_UNSUPPORTED, 0, view->info.type_id, view->name,
                             "%s in big-endian order cannot be carried", view->info.type->name);
    hry_gguf_item item = item_of(&view->info);
    item.position = i;
    item.is_raw = true;
    return add_item(plan, &item, err);
}

static hry_status plan_described(hry_file *file, uint64_t i, const hry_desc *desc, hry_notes *notes,
                                 hry_gguf_plan *plan, hry_error *err)
{
    char why[REASON_SIZE];
    hry_gguf_info info = { 0 };
    hry_quantization q;
    hry_str name = hry_file_name(file, i);
    uint32_t id;
    hry_status status = HRY_OK;
    bool quantized = hry_desc_quantization(desc, &q), fits = false, carried = hry_gguf_payload_get(desc, &info);
    const char *reason = object_to_name(name, why);
    if (!reason && !carried)
        reason = objection(desc, &info, why);
    if (!reason && carried)
        fits = true;
    else if (!reason && quantized)
        status = choose_form(file, i, desc, &q, plan, &info, &fits, err);
    else if (!reason && hry_gguf_type_of_element(hry_desc_type(desc), &id))
        fits = set_type(&info, id);
    if (status)
        return status;
    if (!reason && !fits) {
        if (quantized)
            snprintf(why, sizeof why, "quantization %s of %s is no block type", hry_scheme_name(q.scheme),
                     hry_type_name(hry_desc_type(desc)));
        else
            snprintf(why, sizeof why, "type %s is not representable", hry_type_name(hry_desc_type(desc)));
        reason = why;
    }
    if (reason) {
        hry_notes_add(notes, HRY_NOTE_LEFT_OUT, HRY_NOTE_TENSOR, name, reason);
        return HRY_OK;
    }
    hry_notes_add_dropped(notes, name, desc);
    hry_gguf_item item = item_of(&info);
    item.position = i;
    item.skip = hry_desc_byte_offset(desc);
    item.form = quantized && !carried ? hry_gguf_form_of(info.type_id) : NULL;
    if (item.form)
        item.turns = hry_gguf_record_turns(&plan->record, name, info.type_id, info.blocks);
    return add_item(plan, &item, err);
}

hry_status hry_gguf_plan_tensor(hry_file *file, uint64_t i, hry_notes *notes, hry_gguf_plan *plan, hry_error *err)
{
    hry_gguf_view view;
    hry_desc desc;
    hry_status status = HRY_OK;
    if (plan->source) {
        status = hry_gguf_file_view(plan->source, i, &view, err);
        if (status)
            return status;
        if (view.how != HRY_GGUF_DECODED && view.how != HRY_GGUF_PLAIN)
            return plan_raw(&view, i, plan, err);
    }
    status = hry_file_desc(file, i, &desc, err);
    return status ? status : plan_described(file, i, &desc, notes, plan, err);
}
