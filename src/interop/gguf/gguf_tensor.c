/* One tensor of a GGUF file: what becomes of it, and the descriptor that says so. */
#include "base/alloc.h"
#include "interop/gguf/gguf_decode.h"
#include "interop/gguf/gguf_file.h"

#include <hurray/interop.h>

enum { DESC_SIZE = 320 }; /* more than any descriptor made here takes */
enum { RAW_PIECE = 16384 };

static const hry_gguf_part *part_of(const hry_gguf_file *f, uint64_t i)
{
    size_t low = 0, high = f->part_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->parts[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    return &f->parts[low];
}

hry_status hry_gguf_file_type_view(const hry_gguf_file *f, uint64_t i, hry_gguf_view *view, hry_error *err)
{
    view->part = part_of(f, i);
    view->name = f->names.items[i];
    hry_status status = hry_gguf_header_info(&view->part->header, view->name, &view->info, err);
    if (status)
        return status;
    view->how = f->how[view->info.type_id];
    /* Grids hide numbers in bytes, so that nobody could turn them around. */
    if (view->how == HRY_GGUF_CARRIED && view->info.type->grid && view->part->header.swapped)
        view->how = HRY_GGUF_REFUSED;
    view->form = view->how == HRY_GGUF_FORMED ? hry_gguf_form_of(view->info.type_id) : NULL;
    return HRY_OK;
}

/* Whether the form holds all blocks: the scales say. */
static hry_status look_at_scales(const hry_gguf_view *view, bool *fits, hry_error *err)
{
    uint8_t raw[RAW_PIECE], scales[RAW_PIECE];
    size_t piece = RAW_PIECE / view->info.type->bytes;
    hry_status status = hry_gguf_view_still(view, view->info.nbytes, err);
    *fits = true;
    for (uint64_t first = 0; first < view->info.blocks && *fits && status == HRY_OK; first += piece) {
        const uint8_t *blocks;
        size_t n = view->info.blocks - first < piece ? (size_t)(view->info.blocks - first) : piece;
        status = hry_gguf_view_blocks(view, first, n, raw, &blocks, err);
        *fits = status == HRY_OK && view->form->take_scales(blocks, n, scales) == n;
    }
    return status;
}

/* Several threads may look at the same blocks at once: they find the same. */
static hry_status find_fit(const hry_gguf_file *f, uint64_t i, const hry_gguf_view *view, bool *fits, hry_error *err)
{
    enum { UNKNOWN, FITS, MISFITS };
    uint8_t known = atomic_load_explicit(&f->fits[i], memory_order_relaxed);
    *fits = known != MISFITS;
    if (known != UNKNOWN)
        return HRY_OK;
    hry_status status = look_at_scales(view, fits, err);
    if (status == HRY_OK)
        atomic_store_explicit(&f->fits[i], *fits ? FITS : MISFITS, memory_order_relaxed);
    return status;
}

hry_status hry_gguf_file_view(const hry_gguf_file *f, uint64_t i, hry_gguf_view *view, hry_error *err)
{
    bool fits = true;
    hry_status status = hry_gguf_file_type_view(f, i, view, err);
    if (status == HRY_OK && view->how == HRY_GGUF_FORMED && f->decode_bad)
        status = find_fit(f, i, view, &fits, err);
    if (!fits) {
        view->how = HRY_GGUF_DECODED;
        view->form = NULL;
    }
    return status;
}

static hry_status refuse(const hry_gguf_view *view, hry_error *err)
{
    const hry_gguf_type *type = view->info.type;
    uint64_t at = (uint64_t)((const uint8_t *)view->name.ptr - view->part->header.bytes);
    if (type->grid && view->part->header.swapped)
        return hry_gguf_fail(err, HRY_E_UNSUPPORTED, at, view->info.type_id, view->name,
                             "%s in big-endian order cannot be carried", type->name);
    return hry_gguf_fail(err, HRY_E_UNSUPPORTED, at, view->info.type_id, view->name,
                         hry_gguf_decoder(view->info.type_id)
                             ? "%s has no exact form here: dequantize it, or allow a private scheme to carry it"
                             : "%s cannot be decoded: only a private scheme can carry it, where that is allowed",
                         type->name);
}

static void describe(const hry_gguf_view *view, hry_desc_spec *spec, uint64_t shape[HRY_GGUF_MAX_DIMS],
                     hry_quantization *q, uint8_t payload[HRY_GGUF_PAYLOAD_MAX])
{
    const hry_gguf_info *info = &view->info;
    const hry_gguf_form *form = view->form;
    *spec = (hry_desc_spec){ .type = info->type->element, .rank = info->rank, .shape = shape };
    for (uint32_t k = 0; k < info->rank; k++)
        shape[k] = info->dims[info->rank - 1 - k];
    if (view->how == HRY_GGUF_DECODED)
        spec->type = HRY_TYPE_FLOAT32;
    if (view->how == HRY_GGUF_CARRIED) {
        spec->type = HRY_TYPE_UINT8;
        shape[info->rank - 1] = info->dims[0] / info->type->elements * info->type->bytes;
        *q = (hry_quantization){ .scheme = HRY_SCHEME_GGUF,
                                 .payload = payload,
                                 .payload_length = hry_gguf_payload_put(info, payload) };
        spec->quantization = q;
    }
    if (form) {
        bool affine = form->scheme == HRY_SCHEME_PER_BLOCK;
        spec->type = form->storage;
        *q = (hry_quantization){ .scheme = form->scheme,
                                 .flags = affine && !form->zero_point ? HRY_QUANT_SYMMETRIC : 0,
                                 .axis = info->rank - 1,
                                 .block_size = form->block,
                                 .scale_buffer_index = 1,
                                 .zero_point_buffer_index = form->zero_point ? 2 : HRY_NO_BUFFER,
                                 .scale_type_tag = form->scale_type };
        spec->quantization = q;
    }
}

static hry_status encode(const hry_gguf_file *f, uint64_t i, uint8_t bytes[DESC_SIZE], hry_desc *desc, hry_error *err)
{
    hry_gguf_view view;
    hry_desc_spec spec;
    static const uint8_t scheme = HRY_SCHEME_GGUF;
    static const hry_allow allow = { .schemes = &scheme, .scheme_count = 1 };
    uint64_t shape[HRY_GGUF_MAX_DIMS];
    hry_quantization q;
    uint8_t payload[HRY_GGUF_PAYLOAD_MAX];
    hry_error why;
    hry_status status = hry_gguf_file_view(f, i, &view, err);
    if (status)
        return status;
    if (view.how == HRY_GGUF_REFUSED)
        return refuse(&view, err);
    describe(&view, &spec, shape, &q, payload);
    /* Whether the reader allows it is a matter of parsing. */
    status =
        hry_desc_encode(&spec, &(hry_parse_options){ .allow = &allow, .stored = true }, bytes, DESC_SIZE, desc, &why);
    if (status)
        return hry_gguf_fail(err, HRY_E_UNSUPPORTED,
                             (uint64_t)((const uint8_t *)view.name.ptr - view.part->header.bytes), why.rule, view.name,
                             "%s: %s [%s]", view.info.type->name, why.message, hry_rule_id(why.rule));
    return HRY_OK;
}

/* Several threads may make the same descriptor at once: the first one stays. */
static hry_status make_desc(const hry_gguf_file *f, uint64_t i, const uint8_t **bytes, hry_error *err)
{
    uint8_t room[DESC_SIZE], *expected = NULL;
    hry_desc desc;
    hry_status status = encode(f, i, room, &desc, err);
    if (status)
        return status;
    uint8_t *made = hry_alloc(&f->allocator, desc.length, 1);
    if (!made)
        return hry_fail_memory(err, desc.length);
    memcpy(made, room, desc.length);
    if (!atomic_compare_exchange_strong_explicit(&f->descs[i], &expected, made, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        hry_free(&f->allocator, made, desc.length, 1);
        made = expected;
    }
    *bytes = made;
    return HRY_OK;
}

hry_status hry_gguf_file_desc(const hry_gguf_file *f, uint64_t i, hry_desc *desc, hry_error *err)
{
    const uint8_t *bytes = atomic_load_explicit(&f->descs[i], memory_order_acquire);
    if (!bytes) {
        hry_status status = make_desc(f, i, &bytes, err);
        if (status)
            return status;
    }
    return hry_desc_parse(bytes, hry_load32(bytes + 6), &f->parse, desc, err);
}
