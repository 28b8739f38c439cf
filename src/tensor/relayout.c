#include "tensor/relayout.h"

#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/access.h"

#include <string.h>

enum { DESC_ROOM = 16384 }; /* rank 64, eight tilings, 255 buffers and every section take 14,517 bytes */

bool hry_zero_code_is_zero(const hry_desc *desc)
{
    hry_quantization q;
    if (!hry_desc_quantization(desc, &q))
        return true;
    switch (q.scheme) {
    case HRY_SCHEME_PER_TENSOR:
        return q.zero_point == 0;
    case HRY_SCHEME_PER_CHANNEL:
    case HRY_SCHEME_PER_BLOCK:
        return q.flags & HRY_QUANT_SYMMETRIC;
    default:
        return q.scheme == HRY_SCHEME_MXFP;
    }
}

/* Parameter buffers follow the layout's own, so that their indices move with the number of those. */
static void move_parameters(hry_quantization *q, uint32_t from, uint32_t to)
{
    if (q->scale_buffer_index != HRY_NO_BUFFER)
        q->scale_buffer_index = q->scale_buffer_index - from + to;
    if (q->zero_point_buffer_index != HRY_NO_BUFFER)
        q->zero_point_buffer_index = q->zero_point_buffer_index - from + to;
}

hry_status hry_relayout_alloc(const hry_relayout *r, const uint64_t *sizes, hry_tensor **out, void **buffers,
                              hry_error *err)
{
    const hry_tensor *t = r->tensor;
    const hry_allow all = { .all = true };
    const hry_parse_options options = { .allow = &all };
    uint8_t bytes[DESC_ROOM];
    hry_desc_spec spec;
    hry_desc_store store;
    hry_desc desc;
    if (!hry_desc_unpack(&t->desc, &spec, &store))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, t->desc.layout, "the layout is not known");
    uint32_t own = hry_layout_own_buffers(hry_layout_row_of(t->desc.layout), r->rank);
    uint32_t target = hry_layout_own_buffers(hry_layout_row_of(r->layout.tag), r->rank);
    uint32_t parameters = t->desc.buffer_count > own ? t->desc.buffer_count - own : 0;
    hry_buffer table[255] = { { 0 } };
    for (uint32_t i = 0; i < target; i++)
        table[i].byte_size = sizes[i];
    for (uint32_t i = 0; i < parameters; i++)
        table[target + i].byte_size = store.buffers[own + i].byte_size;
    if (spec.quantization)
        move_parameters(&store.quantization, own, target);
    spec.layout = &r->layout;
    spec.byte_offset = r->byte_offset;
    spec.buffer_count = target + parameters;
    spec.buffers = table;
    hry_status status = hry_desc_encode(&spec, &options, bytes, sizeof bytes, &desc, err);
    /* A rule is broken by what is asked for, not by what is there. */
    if (status == HRY_E_INPUT) {
        status = HRY_E_UNSUPPORTED;
        if (err)
            err->status = HRY_E_UNSUPPORTED;
    }
    if (!status)
        status = hry_tensor_alloc(&desc, r->options.allocator, out, buffers, err);
    for (uint32_t i = 0; !status && i < parameters; i++)
        if (table[target + i].byte_size)
            memcpy(buffers[target + i], t->buffers[own + i], (size_t)table[target + i].byte_size);
    return status;
}

hry_status hry_relayout_read(const hry_relayout *r, void *bytes, const hry_map *map, hry_error *err)
{
    bool composite = r->tensor->desc.layout == HRY_LAYOUT_COMPOSITE;
    hry_box whole;
    hry_value_sink sink = {
        .bytes = bytes,
        .map = *map,
        .want = { .type = r->tensor->desc.type, .stored = !composite, .raw = true },
        .bits = r->bits,
        .token_counts = r->options.token_counts,
        .executor = r->options.executor,
    };
    hry_status status = hry_box_resolve(NULL, r->rank, r->shape, &whole, err);
    return status ? status : hry_read_into(r->tensor, &whole, &sink, err);
}

static hry_status check(const hry_relayout *r, const hry_layout_row *row, hry_error *err)
{
    const hry_desc *desc = &r->tensor->desc;
    const hry_layout_row *from = hry_layout_row_of(desc->layout);
    if (!row || row->category == HRY_VIRTUAL || row->category == HRY_PRIVATE || !from || from->category == HRY_PRIVATE)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, r->layout.tag,
                        "a tensor cannot be moved from the %s to the %s layout", hry_layout_name(desc->layout),
                        hry_layout_name(r->layout.tag));
    bool quantized = desc->flags & HRY_HAS_QUANTIZATION;
    bool sparse_changes = (row->category == HRY_SPARSE) != (from->category == HRY_SPARSE);
    if (quantized && sparse_changes && !hry_zero_code_is_zero(desc))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_QUANTIZATION, 0, 0,
                        "elements that are not stored are 0, which is not what code 0 of this quantization stands for");
    bool paged_changes = (row->category == HRY_INDIRECT) != (from->category == HRY_INDIRECT);
    hry_quantization q;
    if (paged_changes && hry_desc_quantization(desc, &q) && q.scheme != HRY_SCHEME_PER_TENSOR &&
        q.scheme != HRY_SCHEME_PER_CHANNEL)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_QUANTIZATION, 0, q.scheme,
                        "pages are quantized by token slot: dequantize first");
    return HRY_OK;
}

hry_status hry_tensor_relayout(const hry_tensor *tensor, const hry_layout *layout, const hry_relayout_options *options,
                               hry_tensor **out, hry_error *err)
{
    hry_relayout r = { .tensor = tensor, .layout = *layout, .rank = tensor->desc.rank };
    r.layout.tag = layout->tag ? layout->tag : HRY_LAYOUT_ROW_MAJOR;
    if (options)
        r.options = *options;
    const hry_layout_row *row = hry_layout_row_of(r.layout.tag);
    hry_status status = hry_tensor_check_readable(tensor, err);
    if (!status)
        status = check(&r, row, err);
    if (status)
        return status;
    r.bits = hry_desc_bits(&tensor->desc);
    hry_desc_shape(&tensor->desc, r.shape);
    switch (row->category) {
    case HRY_SPARSE:
        return hry_relayout_sparse(&r, out, err);
    case HRY_INDIRECT:
        return hry_relayout_paged(&r, out, err);
    default:
        return hry_relayout_dense(&r, out, err);
    }
}
