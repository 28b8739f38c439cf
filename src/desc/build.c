/*
 * Building: lay the fields out, then let the parser verify them. What a writer must do beyond what a reader demands is
 * in the defaults (descriptor, section 12).
 */
#include "base/checked.h"
#include "desc/reader.h"
#include "layout/layouts.h"
#include "quant/schemes.h"

enum { HEADER_SIZE = 20, HANDLE_SIZE = 16, STATISTICS_SIZE = 72, EXTENSION_TYPE_SIZE = 20, MEMBER_SIZE = 16 };
enum { DEFAULT_ALIGNMENT = 64 };

static const hry_layout row_major = { .tag = HRY_LAYOUT_ROW_MAJOR };

/* The spec with its defaults, and the sizes of its parts. */
typedef struct plan {
    const hry_desc_spec *spec;
    const hry_layout *layout;
    const hry_layout_row *layout_row;
    const hry_scheme_row *scheme_row; /* NULL: none, or a private one */
    uint32_t buffer_count;
    uint32_t layout_length;
    uint32_t quantization_length;
    uint64_t total;
} plan;

static hry_status plan_layout(plan *p, hry_error *err)
{
    const hry_layout *layout = p->layout = p->spec->layout ? p->spec->layout : &row_major;
    uint8_t tag = layout->tag ? layout->tag : HRY_LAYOUT_ROW_MAJOR;
    const hry_layout_row *row = p->layout_row = hry_layout_row_of(tag);
    if (!row)
        return hry_fail_usage(err, "layout tag 0x%02x cannot be built", tag);
    uint64_t nbytes = row->fields + (uint64_t)row->fields_per_dim * p->spec->rank;
    if (row->length && !row->length(layout, p->spec->rank, &nbytes))
        return hry_fail_usage(err, "the %s layout lacks an array", row->name);
    if (nbytes > UINT32_MAX)
        return hry_fail_usage(err, "the layout's fields do not fit a descriptor");
    p->layout_length = (uint32_t)nbytes;
    return HRY_OK;
}

static hry_status plan_quantization(plan *p, hry_error *err)
{
    const hry_quantization *q = p->spec->quantization;
    if (!q)
        return HRY_OK;
    p->scheme_row = hry_scheme_row_of(q->scheme);
    if (p->scheme_row)
        p->quantization_length = p->scheme_row->payload;
    else if (!hry_is_private(q->scheme))
        return hry_fail_usage(err, "scheme tag 0x%02x cannot be built", q->scheme);
    else if ((!q->payload && q->payload_length) || q->payload_length > UINT32_MAX - 4)
        return hry_fail_usage(err, "a private scheme's payload is missing or too long");
    else
        p->quantization_length = q->payload_length + 4;
    return HRY_OK;
}

static uint32_t default_buffer_count(const plan *p)
{
    uint32_t count = hry_layout_own_buffers(p->layout_row, p->spec->rank);
    if (p->scheme_row) {
        uint8_t payload[32] = { 0 };
        payload[0] = p->spec->quantization->scheme;
        hry_store16(payload + 2, p->spec->quantization->flags);
        p->scheme_row->put(p->spec->quantization, payload);
        count += hry_scheme_parameter_buffers(payload);
    }
    return count;
}

static hry_status make_plan(plan *p, const hry_desc_spec *spec, hry_error *err)
{
    *p = (plan){ .spec = spec };
    if (spec->rank > HRY_RANK_MAX)
        return hry_fail_usage(err, "rank %u is above %d", spec->rank, HRY_RANK_MAX);
    if ((spec->rank && !spec->shape) || (spec->buffer_count && !spec->buffers) ||
        (spec->parent_shape == NULL) != (spec->shard_offset == NULL))
        return hry_fail_usage(err, "the spec lacks an array");
    hry_status status = plan_layout(p, err);
    if (!status)
        status = plan_quantization(p, err);
    if (status)
        return status;
    p->buffer_count = spec->buffers ? spec->buffer_count : default_buffer_count(p);
    if (p->buffer_count > 255)
        return hry_fail_usage(err, "%u buffers are more than 255", p->buffer_count);
    p->total = HEADER_SIZE + 8 * (uint64_t)spec->rank + 8 + p->layout_length + 1 + HANDLE_SIZE * p->buffer_count;
    p->total += spec->quantization ? 4 + (uint64_t)p->quantization_length : 0;
    p->total += spec->parent_shape ? 16 * (uint64_t)spec->rank : 0;
    p->total += spec->statistics ? STATISTICS_SIZE : 0;
    p->total += spec->extension_type ? EXTENSION_TYPE_SIZE : 0;
    p->total += spec->member_role ? MEMBER_SIZE : 0;
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
    const hry_desc_spec *spec = p->spec;
    uint32_t flags = (spec->quantization ? HRY_HAS_QUANTIZATION : 0u) | (spec->parent_shape ? HRY_HAS_SHARD : 0u) |
                     (spec->statistics ? HRY_HAS_STATISTICS : 0u) |
                     (spec->extension_type ? HRY_HAS_EXTENSION_TYPE : 0u) |
                     (spec->member_role ? HRY_HAS_COMPOSITE_MEMBER : 0u);
    memcpy(to, "HRRY\1\0", 6); /* version 1.0 covers all there is (W1) */
    hry_store32(to + 6, (uint32_t)p->total);
    hry_store32(to + 10, flags);
    to[14] = spec->type;
    to[15] = p->layout->tag ? p->layout->tag : HRY_LAYOUT_ROW_MAJOR;
    hry_store32(to + 16, spec->rank);
    return to + HEADER_SIZE;
}

static uint8_t *put_handle(uint8_t *to, uint64_t byte_size, const hry_buffer *buffer)
{
    hry_store64(to, byte_size);
    hry_store32(to + 8, buffer->alignment ? buffer->alignment : DEFAULT_ALIGNMENT);
    to[12] = buffer->device_tag;
    to[13] = buffer->sync_mode;
    to[14] = buffer->memory_class;
    to[15] = 0;
    return to + HANDLE_SIZE;
}

/* The bytes of parameter buffer i (counted from the layout's own) where they follow from shape and scheme. */
static uint64_t parameter_size(const plan *p, uint32_t i)
{
    const hry_quantization *q = p->spec->quantization;
    uint32_t own = hry_layout_own_buffers(p->layout_row, p->spec->rank);
    uint64_t count = 0, scale = q->scheme == HRY_SCHEME_MXFP ? 1
                                : q->scheme == HRY_SCHEME_PER_BLOCK && q->scale_type_tag != 0 &&
                                        q->scale_type_tag != HRY_TYPE_FLOAT32
                                    ? 2
                                    : 4;
    if (q->axis >= p->spec->rank)
        return 0;
    if (q->scheme == HRY_SCHEME_PER_CHANNEL)
        count = p->spec->shape[q->axis];
    else if (p->layout->tag == HRY_LAYOUT_BLOCK_PAGED) {
        if (!hry_mul(p->layout->num_pages, p->layout->page_size, &count))
            return 0;
    } else {
        uint64_t shape[HRY_RANK_MAX];
        for (uint32_t k = 0; k < p->spec->rank; k++)
            shape[k] = p->spec->shape[k];
        if (shape[q->axis] != HRY_DYNAMIC && q->block_size)
            shape[q->axis] = hry_ceil_div(shape[q->axis], q->block_size);
        if (!hry_shape_product(shape, p->spec->rank, &count))
            return 0;
    }
    uint64_t item = 0, nbytes;
    item += q->scale_buffer_index == own + i ? scale : 0;
    item += q->zero_point_buffer_index == own + i ? 4 : 0;
    return count != HRY_DYNAMIC && hry_mul(count, item, &nbytes) ? nbytes : 0;
}

/* Sizes of buffers that the caller leaves to us; one that does not follow from the descriptor is 0. */
static uint8_t *put_default_buffers(const plan *p, uint8_t *to)
{
    const hry_desc_spec *spec = p->spec;
    const hry_type_info *info = hry_type_find(spec->type);
    uint32_t bits = info ? info->bits : spec->extension_type ? spec->extension_type->bit_width : 0;
    uint32_t own = hry_layout_own_buffers(p->layout_row, spec->rank);
    hry_layout layout = *p->layout;
    layout.tag = layout.tag ? layout.tag : HRY_LAYOUT_ROW_MAJOR;
    for (uint32_t i = 0; i < p->buffer_count; i++) {
        uint64_t nbytes = 0;
        if (i >= own)
            nbytes = parameter_size(p, i - own);
        else if (!p->layout_row->buffer_size ||
                 !p->layout_row->buffer_size(&layout, spec->rank, spec->shape, bits, i, &nbytes) ||
                 (i == 0 && !hry_add(nbytes, spec->byte_offset, &nbytes)))
            nbytes = 0;
        to = put_handle(to, nbytes, &(hry_buffer){ 0 });
    }
    return to;
}

static uint8_t *put_quantization(const plan *p, uint8_t *to)
{
    const hry_quantization *q = p->spec->quantization;
    hry_store32(to, p->quantization_length);
    memset(to + 4, 0, p->quantization_length);
    to[4] = q->scheme;
    to[5] = q->version ? q->version : 1;
    hry_store16(to + 6, q->flags);
    if (p->scheme_row)
        p->scheme_row->put(q, to + 4);
    else if (q->payload_length)
        memcpy(to + 8, q->payload, q->payload_length);
    return to + 4 + p->quantization_length;
}

static uint8_t *put_statistics(const hry_statistics *s, uint8_t *to)
{
    memset(to, 0, STATISTICS_SIZE);
    hry_store32(to, s->computed_mask);
    if (s->computed_mask & HRY_STATS_NNZ)
        hry_store64(to + 8, s->nnz);
    if (s->computed_mask & HRY_STATS_SPARSITY)
        hry_store_f64(to + 16, s->sparsity_ratio);
    if (s->computed_mask & HRY_STATS_RANGE) {
        hry_store_f64(to + 24, s->value_min);
        hry_store_f64(to + 32, s->value_max);
        hry_store_f64(to + 40, s->value_abs_max);
    }
    if (s->computed_mask & HRY_STATS_VALUES) {
        hry_store_f64(to + 48, s->value_mean);
        hry_store_f64(to + 56, s->value_stddev);
    }
    if (s->computed_mask & HRY_STATS_NM) {
        to[64] = s->nm_n;
        to[65] = s->nm_m;
    }
    if (s->computed_mask & HRY_STATS_NAN_INF) {
        to[66] = s->has_nan != 0;
        to[67] = s->has_inf != 0;
    }
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

static void put_all(const plan *p, uint8_t *to)
{
    const hry_desc_spec *spec = p->spec;
    to = put_header(p, to);
    to = put_words(to, spec->shape, spec->rank);
    hry_store64(to, spec->byte_offset);
    to += 8;
    if (p->layout_row->put)
        p->layout_row->put(p->layout, spec->rank, spec->shape, to);
    to += p->layout_length;
    *to++ = (uint8_t)p->buffer_count;
    if (!spec->buffers)
        to = put_default_buffers(p, to);
    for (uint32_t i = 0; spec->buffers && i < p->buffer_count; i++)
        to = put_handle(to, spec->buffers[i].byte_size, &spec->buffers[i]);
    if (spec->quantization)
        to = put_quantization(p, to);
    if (spec->parent_shape) {
        to = put_words(to, spec->parent_shape, spec->rank);
        to = put_words(to, spec->shard_offset, spec->rank);
    }
    if (spec->statistics)
        to = put_statistics(spec->statistics, to);
    if (spec->extension_type)
        to = put_extension_type(spec->extension_type, to);
    if (spec->member_role) {
        memset(to, 0, MEMBER_SIZE);
        to[0] = *spec->member_role;
    }
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

/* W3: a value that is deprecated in favour of another is not written. */
static hry_status check_deprecated(const hry_parse_options *options, const plan *p, hry_error *err)
{
    const hry_profile *profile = options && options->profile ? options->profile : hry_profile_current();
    for (size_t i = 0; i < profile->extra_count; i++) {
        const hry_registry_row *row = &profile->extra[i];
        bool used =
            (row->space == HRY_SPACE_TYPE && row->value == p->spec->type) ||
            (row->space == HRY_SPACE_LAYOUT && row->value == p->layout->tag) ||
            (row->space == HRY_SPACE_SCHEME && p->spec->quantization && row->value == p->spec->quantization->scheme);
        if (used && row->deprecated_minor && row->deprecated_minor <= profile->descriptor_minor && row->replacement)
            return hry_fail_usage(err, "%s is deprecated: write tag 0x%02x instead", row->name, row->replacement);
    }
    return HRY_OK;
}

hry_status hry_desc_encode(const hry_desc_spec *spec, const hry_parse_options *options, void *bytes, size_t nbytes,
                           hry_desc *desc, hry_error *err)
{
    plan p;
    hry_status status = make_plan(&p, spec, err);
    if (!status)
        status = check_deprecated(options, &p, err);
    if (status)
        return status;
    if (nbytes < p.total)
        return hry_fail_usage(err, "the descriptor needs %llu bytes, not %llu", (unsigned long long)p.total,
                              (unsigned long long)nbytes);
    put_all(&p, bytes);
    return hry_desc_parse(bytes, nbytes, options, desc, err);
}
