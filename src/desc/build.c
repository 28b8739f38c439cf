/*
 * Building: lay the fields out, then let the parser verify them, and see to what a writer must do beyond what a reader
 * demands (descriptor, section 12).
 */
#include "base/checked.h"
#include "desc/reader.h"
#include "desc/writer_rules.h"
#include "layout/layouts.h"
#include "quant/schemes.h"
#include "type/types.h"

enum { HEADER_SIZE = 20, HANDLE_SIZE = 16, STATISTICS_SIZE = 72, EXTENSION_TYPE_SIZE = 20, MEMBER_SIZE = 16 };

static const hry_layout row_major = { .tag = HRY_LAYOUT_ROW_MAJOR };

/* The spec with its defaults, and the sizes of its parts. */
typedef struct plan {
    const hry_desc_spec *spec;
    const hry_layout *layout;
    const hry_layout_row *layout_row;
    const hry_scheme_row *scheme; /* NULL: none, or a private one */
    uint32_t flags;
    uint32_t own_buffers, buffer_count;
    uint32_t layout_length;
    uint32_t quantization_length;
    uint64_t total;
} plan;

static HRY_APART hry_status plan_layout(plan *p, const hry_layout *layout, hry_error *err)
{
    uint32_t rank = p->spec->rank;
    const hry_layout_row *row = hry_layout_row_of(layout->tag ? layout->tag : HRY_LAYOUT_ROW_MAJOR);
    if (!row)
        return hry_fail_usage(err, "layout tag 0x%02x cannot be built", layout->tag);
    uint64_t nbytes = row->fields + (uint64_t)row->fields_per_dim * rank;
    if (row->length && !row->length(layout, rank, &nbytes))
        return hry_fail_usage(err, "the %s layout lacks an array, or nests without end", row->name);
    if (nbytes > UINT32_MAX)
        return hry_fail_usage(err, "the layout's fields do not fit a descriptor");
    p->layout = layout;
    p->layout_row = row;
    p->own_buffers = hry_layout_own_buffers(row, rank);
    p->layout_length = (uint32_t)nbytes;
    return HRY_OK;
}

static hry_status plan_quantization(plan *p, const hry_quantization *q, hry_error *err)
{
    p->scheme = hry_scheme_row_of(q->scheme);
    if (p->scheme)
        p->quantization_length = p->scheme->payload;
    else if (!hry_is_private(q->scheme))
        return hry_fail_usage(err, "scheme tag 0x%02x cannot be built", q->scheme);
    else if ((!q->payload && q->payload_length) || q->payload_length > UINT32_MAX - 4)
        return hry_fail_usage(err, "a private scheme's payload is missing or too long");
    else
        p->quantization_length = q->payload_length + 4;
    return HRY_OK;
}

static uint8_t *put_quantization(const plan *p, uint8_t *to)
{
    const hry_quantization *q = p->spec->quantization;
    hry_store32(to, p->quantization_length);
    to += 4;
    memset(to, 0, p->quantization_length);
    to[0] = q->scheme;
    to[1] = q->version || !p->scheme ? q->version : 1;
    hry_store16(to + 2, q->flags);
    if (p->scheme)
        p->scheme->put(q, to);
    else if (q->payload_length)
        memcpy(to + 4, q->payload, q->payload_length);
    return to + p->quantization_length;
}

static HRY_APART uint32_t default_buffer_count(const plan *p)
{
    uint8_t section[36];
    put_quantization(p, section);
    return p->own_buffers + hry_scheme_parameter_buffers(p->scheme, section + 4);
}

static inline bool has_sections(const hry_desc_spec *spec)
{
    return spec->quantization || spec->parent_shape || spec->shard_offset || spec->statistics || spec->extension_type ||
           spec->member_role;
}

/* The flags and the bytes of the sections. */
static HRY_APART hry_status plan_sections(plan *p, hry_error *err)
{
    const hry_desc_spec *spec = p->spec;
    if (spec->quantization) {
        hry_status status = plan_quantization(p, spec->quantization, err);
        if (status)
            return status;
        p->flags |= HRY_HAS_QUANTIZATION;
        p->total += 4 + (uint64_t)p->quantization_length;
    }
    if (spec->parent_shape || spec->shard_offset) {
        if (!spec->parent_shape || !spec->shard_offset)
            return hry_fail_usage(err, "the spec lacks an array of the shard section");
        p->flags |= HRY_HAS_SHARD;
        p->total += 16 * spec->rank;
    }
    if (spec->statistics) {
        p->flags |= HRY_HAS_STATISTICS;
        p->total += STATISTICS_SIZE;
    }
    if (spec->extension_type) {
        p->flags |= HRY_HAS_EXTENSION_TYPE;
        p->total += EXTENSION_TYPE_SIZE;
    }
    if (spec->member_role) {
        p->flags |= HRY_HAS_COMPOSITE_MEMBER;
        p->total += MEMBER_SIZE;
    }
    return HRY_OK;
}

static inline hry_status make_plan(plan *p, const hry_desc_spec *spec, hry_error *err)
{
    hry_status status;
    if (spec->rank > HRY_RANK_MAX)
        return hry_fail_usage(err, "rank %u is above %d", spec->rank, HRY_RANK_MAX);
    if ((spec->rank && !spec->shape) || (spec->buffer_count && !spec->buffers))
        return hry_fail_usage(err, "the spec lacks an array");
    *p = (plan){ .spec = spec, .layout = &row_major, .layout_row = &hry_layout_row_major, .own_buffers = 1 };
    if ((spec->layout && (status = plan_layout(p, spec->layout, err))) ||
        (has_sections(spec) && (status = plan_sections(p, err))))
        return status;
    p->buffer_count = spec->buffers ? spec->buffer_count : p->scheme ? default_buffer_count(p) : p->own_buffers;
    if (p->buffer_count > 255)
        return hry_fail_usage(err, "%u buffers are more than 255", p->buffer_count);
    p->total += HEADER_SIZE + 8 * spec->rank + 8 + (uint64_t)p->layout_length + 1 + HANDLE_SIZE * p->buffer_count;
    return p->total > UINT32_MAX ? hry_fail_usage(err, "the descriptor does not fit 4 GiB") : HRY_OK;
}

static uint8_t *put_words(uint8_t *to, const uint64_t *words, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        hry_store64(to + 8 * k, words[k]);
    return to + 8 * n;
}

static uint8_t *put_header(const plan *p, uint8_t *to)
{
    memcpy(to, "HRRY\1\0", 6);
    hry_store32(to + 6, (uint32_t)p->total);
    hry_store32(to + 10, p->flags);
    to[14] = p->spec->type;
    to[15] = p->layout->tag ? p->layout->tag : HRY_LAYOUT_ROW_MAJOR;
    hry_store32(to + 16, p->spec->rank);
    return to + HEADER_SIZE;
}

/* Devices and the processes beside ours want whole pages (DW-4). */
static uint32_t default_alignment(uint8_t device_tag)
{
    return device_tag == HRY_DEVICE_CPU ? 64 : 4096;
}

static void put_buffers(const plan *p, uint8_t *to)
{
    for (uint32_t i = 0; i < p->buffer_count; i++, to += HANDLE_SIZE) {
        const hry_buffer *b = &p->spec->buffers[i];
        hry_store64(to, b->byte_size);
        hry_store32(to + 8, b->alignment ? b->alignment : default_alignment(b->device_tag));
        to[12] = b->device_tag;
        to[13] = b->sync_mode;
        to[14] = b->memory_class;
        to[15] = 0;
    }
}

/* How many scales there are, and zero points; 0 where the spec does not say. */
static uint64_t parameter_count(const plan *p)
{
    const hry_quantization *q = p->spec->quantization;
    uint32_t rank = p->spec->rank;
    uint64_t shape[HRY_RANK_MAX], count;
    if (q->axis >= rank || p->spec->shape[q->axis] == HRY_DYNAMIC)
        return 0;
    if (q->scheme == HRY_SCHEME_PER_CHANNEL)
        return p->spec->shape[q->axis];
    if (p->layout->tag == HRY_LAYOUT_BLOCK_PAGED)
        return hry_mul(p->layout->num_pages, p->layout->page_size, &count) ? count : 0;
    for (uint32_t k = 0; k < rank; k++)
        shape[k] = p->spec->shape[k];
    if (q->block_size)
        shape[q->axis] = hry_ceil_div(shape[q->axis], q->block_size);
    return hry_shape_product(shape, rank, &count) ? count : 0;
}

static uint64_t parameter_size(const plan *p, uint32_t index, const uint8_t *payload)
{
    const hry_scheme_row *row = p->scheme;
    uint64_t item = 0, nbytes;
    if (index == hry_load32(payload + row->scale_field))
        item += hry_scheme_scale_size(payload);
    if (row->zero_point_field && !hry_payload_is_symmetric(payload) &&
        index == hry_load32(payload + row->zero_point_field))
        item += 4;
    return hry_mul(parameter_count(p), item, &nbytes) ? nbytes : 0;
}

static uint64_t own_size(const plan *p, uint32_t i)
{
    const hry_desc_spec *spec = p->spec;
    const hry_layout_row *row = p->layout_row;
    uint32_t bits = hry_type_table[spec->type].bits;
    uint64_t nbytes, total;
    if (bits == 0 && spec->extension_type)
        bits = spec->extension_type->bit_width;
    if (!row->buffer_size || !row->buffer_size(p->layout, spec->rank, spec->shape, bits, i, &nbytes))
        nbytes = 0;
    return i == 0 && hry_add(nbytes, spec->byte_offset, &total) ? total : nbytes;
}

/* Sizes of buffers that the caller leaves to us; of one that does not follow from the spec, what precedes its data. */
static HRY_APART void put_default_buffers(const plan *p, uint8_t *to)
{
    const uint8_t *payload = to + HANDLE_SIZE * p->buffer_count + 4;
    for (uint32_t i = 0; i < p->buffer_count; i++, to += HANDLE_SIZE) {
        hry_store64(to, i < p->own_buffers ? own_size(p, i) : parameter_size(p, i, payload));
        hry_store64(to + 8, default_alignment(HRY_DEVICE_CPU));
    }
}

static uint8_t *put_statistics(const hry_statistics *s, uint8_t *to)
{
    hry_store32(to, s->computed_mask);
    hry_store32(to + 4, 0);
    hry_store64(to + 8, s->nnz);
    hry_store_f64(to + 16, s->sparsity_ratio);
    hry_store_f64(to + 24, s->value_min);
    hry_store_f64(to + 32, s->value_max);
    hry_store_f64(to + 40, s->value_abs_max);
    hry_store_f64(to + 48, s->value_mean);
    hry_store_f64(to + 56, s->value_stddev);
    to[64] = s->nm_n;
    to[65] = s->nm_m;
    to[66] = s->has_nan;
    to[67] = s->has_inf;
    hry_store32(to + 68, 0);
    return to + STATISTICS_SIZE;
}

static uint8_t *put_extension_type(const hry_extension_type *e, uint8_t *to)
{
    memset(to, 0, EXTENSION_TYPE_SIZE);
    hry_store32(to, e->bit_width);
    to[4] = e->packing_factor;
    to[5] = e->is_float;
    to[6] = e->is_signed;
    to[7] = e->sign_bits;
    to[8] = e->exponent_bits;
    to[9] = e->mantissa_bits;
    hry_store32(to + 12, e->exponent_bias);
    to[16] = e->has_nan;
    to[17] = e->has_inf;
    return to + EXTENSION_TYPE_SIZE;
}

static HRY_APART void put_sections(const plan *p, uint8_t *to)
{
    const hry_desc_spec *spec = p->spec;
    if (spec->quantization)
        to = put_quantization(p, to);
    if (spec->parent_shape)
        to = put_words(put_words(to, spec->parent_shape, spec->rank), spec->shard_offset, spec->rank);
    if (spec->statistics)
        to = put_statistics(spec->statistics, to);
    if (spec->extension_type)
        to = put_extension_type(spec->extension_type, to);
    if (spec->member_role) {
        memset(to, 0, MEMBER_SIZE);
        to[0] = *spec->member_role;
    }
}

static void put_all(const plan *p, uint8_t *to)
{
    const hry_desc_spec *spec = p->spec;
    to = put_words(put_header(p, to), spec->shape, spec->rank);
    hry_store64(to, spec->byte_offset);
    to += 8;
    if (p->layout_row->put)
        p->layout_row->put(p->layout, spec->rank, spec->shape, to);
    to += p->layout_length;
    *to++ = (uint8_t)p->buffer_count;
    if (p->flags)
        put_sections(p, to + HANDLE_SIZE * p->buffer_count);
    if (spec->buffers)
        put_buffers(p, to);
    else
        put_default_buffers(p, to);
}

hry_status hry_desc_encoded_length(const hry_desc_spec *spec, size_t *nbytes, hry_error *err)
{
    plan p;
    hry_status status = make_plan(&p, spec, err);
    if (status)
        return status;
    *nbytes = (size_t)p.total;
    return HRY_OK;
}

/* A writer is strict, but for the one thing that only a permissive reader takes at all (L-CMP-02). */
static bool wants_permissive(const plan *p)
{
    return p->layout->tag == HRY_LAYOUT_COMPOSITE && hry_is_private(p->layout->composition_rule) && p->spec->rank > 0;
}

hry_status hry_desc_encode(const hry_desc_spec *spec, const hry_parse_options *options, void *bytes, size_t nbytes,
                           hry_desc *desc, hry_error *err)
{
    plan p;
    hry_desc view;
    hry_parse_options strict;
    hry_status status = make_plan(&p, spec, err);
    if (status)
        return status;
    if (nbytes < p.total)
        return hry_fail_usage(err, "the descriptor needs %llu bytes, not %llu", (unsigned long long)p.total,
                              (unsigned long long)nbytes);
    if (options && options->permissive && !wants_permissive(&p)) {
        strict = *options;
        strict.permissive = false;
        options = &strict;
    }
    put_all(&p, bytes);
    bool registry = options && options->profile && options->profile->extra_count;
    if (!registry && !(p.flags & (HRY_HAS_STATISTICS | HRY_HAS_EXTENSION_TYPE)))
        return hry_desc_parse(bytes, (size_t)p.total, options, desc, err);
    status = hry_desc_parse(bytes, (size_t)p.total, options, &view, err);
    if (!status)
        status = hry_writer_check_advice(&view, err);
    if (!status && registry)
        status = hry_writer_set_version(&view, options->profile, bytes, err);
    if (!status)
        *desc = view;
    return status;
}
