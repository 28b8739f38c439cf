#include "interop/gguf/gguf_file.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "interop/gguf/gguf_decode.h"
#include "interop/grow.h"
#include "interop/quote.h"

#include <hurray/interop.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_READ = 65536 };

static bool allows_scheme(const hry_allow *allow)
{
    if (!allow)
        return false;
    bool found = allow->all;
    for (size_t i = 0; i < allow->scheme_count; i++)
        found |= allow->schemes[i] == HRY_SCHEME_GGUF;
    return found;
}

/* Forms that are no larger than the blocks. */
static bool is_same_size(uint32_t id)
{
    return id == HRY_GGUF_Q8_0 || id == HRY_GGUF_Q4_0 || id == HRY_GGUF_MXFP4;
}

static hry_gguf_how choose(uint32_t id, hry_dequantize dequantize, bool allowed, bool permissive)
{
    const hry_gguf_type *type = hry_gguf_type_of(id);
    bool formed = hry_gguf_form_of(id), decoded = hry_gguf_decoder(id);
    if (!type)
        return HRY_GGUF_REFUSED;
    if (type->element)
        return HRY_GGUF_PLAIN;
    if (dequantize == HRY_DEQUANTIZE_ALL && decoded)
        return HRY_GGUF_DECODED;
    /* Whoever takes private schemes gets everything else back as it was, in no more room. */
    bool wants_form = dequantize == HRY_DEQUANTIZE_NEEDED || (dequantize == HRY_DEQUANTIZE_NONE && !allowed);
    if (formed && (wants_form || is_same_size(id)))
        return HRY_GGUF_FORMED;
    if (decoded && dequantize == HRY_DEQUANTIZE_NEEDED)
        return HRY_GGUF_DECODED;
    return allowed || permissive ? HRY_GGUF_CARRIED : HRY_GGUF_REFUSED;
}

hry_gguf_file *hry_gguf_file_create(const hry_import_options *options, hry_error *err)
{
    static const uint8_t scheme = HRY_SCHEME_GGUF;
    static const hry_allow allow = { .schemes = &scheme, .scheme_count = 1 };
    const hry_parse_options *parse = &options->file.parse;
    hry_gguf_file *f = hry_alloc_zeroed(options->file.allocator, sizeof *f, _Alignof(hry_gguf_file));
    if (!f) {
        hry_fail_memory(err, sizeof *f);
        return NULL;
    }
    f->allocator = hry_allocator_or_default(options->file.allocator);
    f->limits = hry_limits_resolve(parse->limits);
    f->record.allocator = &f->allocator;
    f->look_at_blocks = options->whole_record;
    f->decode_bad = options->dequantize == HRY_DEQUANTIZE_NEEDED;
    bool allowed = allows_scheme(parse->allow);
    f->parse = (hry_parse_options){ .allow = allowed ? &allow : NULL, .permissive = parse->permissive, .stored = true };
    for (uint32_t id = 0; id < HRY_GGUF_TYPES; id++)
        f->how[id] = (uint8_t)choose(id, options->dequantize, allowed, parse->permissive);
    return f;
}

/* The header of a file that is not in memory, by reading more of it until it is whole. */
static hry_status read_header(hry_gguf_file *f, hry_gguf_part *part, hry_error *err)
{
    const hry_foreign_bytes *bytes = &part->bytes;
    uint64_t want = bytes->size < FIRST_READ ? bytes->size : FIRST_READ;
    for (;;) {
        uint8_t *copy = hry_alloc(&f->allocator, (size_t)want, 8);
        if (!copy)
            return hry_fail_memory(err, want);
        part->copy = copy;
        part->copy_size = (size_t)want;
        hry_status status = hry_foreign_bytes_read(bytes, 0, copy, (size_t)want, err);
        if (status == HRY_OK)
            status = hry_gguf_header_read(&part->header, copy, want, bytes->size, &f->limits, &f->allocator, &f->names,
                                          &want, err);
        if (status != HRY_E_BUSY)
            return status;
        /* At least twice as much each time, so that all tries together are no more than two. */
        uint64_t room = 2 * (uint64_t)part->copy_size;
        want = want < room ? room : want;
        want = want > bytes->size ? bytes->size : want;
        hry_free(&f->allocator, copy, part->copy_size, 8);
        part->copy = NULL;
    }
}

hry_status hry_gguf_file_add(hry_gguf_file *f, const hry_foreign_bytes *bytes, hry_error *err)
{
    hry_gguf_part part = { .bytes = *bytes, .first = f->names.count };
    uint64_t want;
    hry_status status = HRY_OK;
    if (!HRY_GROW(&f->allocator, f->parts, f->part_capacity, f->part_count + 1))
        return hry_fail_memory(err, (f->part_count + 1) * sizeof part);
    if (bytes->at)
        status = hry_gguf_header_read(&part.header, bytes->at, bytes->size, bytes->size, &f->limits, &f->allocator,
                                      &f->names, &want, err);
    else
        status = read_header(f, &part, err);
    if (status) {
        hry_free(&f->allocator, part.copy, part.copy_size, 8);
        return status;
    }
    f->parts[f->part_count++] = part;
    return HRY_OK;
}

uint64_t hry_gguf_file_types(const hry_gguf_file *f)
{
    uint64_t types = 0;
    for (size_t i = 0; i < f->part_count; i++)
        types |= f->parts[i].header.types;
    return types;
}

/* What became larger: the first tensor of each type speaks for all. */
typedef struct growth {
    hry_str first;
    uint64_t count, before, after;
} growth;

static unsigned bytes_here(uint32_t id, hry_gguf_how how)
{
    const hry_gguf_form *form = hry_gguf_form_of(id);
    if (how == HRY_GGUF_DECODED)
        return 4u * hry_gguf_type_of(id)->elements;
    return how == HRY_GGUF_FORMED && !is_same_size(id) ? 0u + form->codes + form->scales + form->zeros : 0;
}

static void note_growth(uint32_t id, hry_gguf_how how, const growth *g, hry_notes *notes)
{
    char reason[256], others[64] = "";
    if (g->count == 0)
        return;
    if (g->count > 1)
        snprintf(others, sizeof others, ", here and in %" PRIu64 " more", g->count - 1);
    snprintf(reason, sizeof reason, "%s is %s%s: %" PRIu64 " bytes become %" PRIu64 ", %.2f times as many",
             hry_gguf_type_of(id)->name, how == HRY_GGUF_DECODED ? "dequantized" : "kept exactly", others, g->before,
             g->after, (double)bytes_here(id, how) / hry_gguf_type_of(id)->bytes);
    hry_notes_add(notes, HRY_NOTE_GROWN, HRY_NOTE_TENSOR, g->first, reason);
}

void hry_gguf_file_note(const hry_gguf_file *f, hry_notes *notes)
{
    growth grown[HRY_GGUF_TYPES] = { { .count = 0 } };
    uint64_t types = 0;
    for (uint32_t id = 0; id < HRY_GGUF_TYPES; id++)
        types |= bytes_here(id, f->how[id]) ? UINT64_C(1) << id : 0;
    types &= hry_gguf_file_types(f);
    for (size_t i = 0; i < f->names.count && notes->fn && types; i++) {
        hry_gguf_view view;
        if (hry_gguf_file_type_view(f, i, &view, NULL) || (UINT64_C(1) << view.info.type_id & types) == 0)
            continue;
        growth *g = &grown[view.info.type_id];
        g->first = g->count++ ? g->first : view.name;
        g->before += view.info.nbytes;
        g->after += view.info.blocks * bytes_here(view.info.type_id, view.how);
    }
    for (uint32_t id = 0; id < HRY_GGUF_TYPES; id++)
        note_growth(id, f->how[id], &grown[id], notes);
}

void hry_gguf_file_destroy(hry_gguf_file *f, bool with_bytes)
{
    hry_allocator allocator = f->allocator;
    for (size_t i = 0; i < f->part_count; i++) {
        hry_gguf_part *part = &f->parts[i];
        hry_gguf_header_fini(&part->header, &allocator);
        hry_free(&allocator, part->copy, part->copy_size, 8);
        if (with_bytes)
            hry_foreign_bytes_close(&part->bytes);
    }
    for (size_t i = 0; f->descs && i < f->names.count; i++) {
        uint8_t *bytes = atomic_load_explicit(&f->descs[i], memory_order_relaxed);
        if (bytes)
            hry_free(&allocator, bytes, hry_load32(bytes + 6), 1);
    }
    if (f->descs)
        hry_free(&allocator, f->descs, f->names.count * sizeof *f->descs, _Alignof(_Atomic(uint8_t *)));
    if (f->fits)
        hry_free(&allocator, f->fits, f->names.count * sizeof *f->fits, _Alignof(_Atomic(uint8_t)));
    HRY_DROP(&allocator, f->names.items, f->names.capacity);
    HRY_DROP(&allocator, f->kvs, f->kv_capacity);
    HRY_DROP(&allocator, f->parts, f->part_capacity);
    hry_free(&allocator, f->arrays, f->arrays_size, 8);
    hry_gguf_bytes_fini(&f->record);
    hry_free(&allocator, f, sizeof *f, _Alignof(hry_gguf_file));
}
