/* A quantized tensor: its descriptor, its buffers, and the job that fills them. */
#include "tensor/quantizing.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "layout/layouts.h"
#include "tensor/dequant.h"
#include "tensor/object.h"
#include "tensor/verify.h"

#include <string.h>

enum { DESC_ROOM = 4096, DEFAULT_BLOCK = 32, DEFAULT_NF4_BLOCK = 64 };

typedef struct plan {
    const hry_tensor *tensor;
    hry_quantize z;
    hry_quantization section;
    hry_layout layout;
    int64_t strides[HRY_RANK_MAX];
    uint64_t shape[HRY_RANK_MAX];
    uint32_t rank, axis;
    float *owned; /* the values, where the tensor does not have them as they are needed */
    size_t owned_bytes;
} plan;

static hry_status check(const hry_tensor *t, const hry_quantizer *how, hry_error *err)
{
    hry_status status = hry_tensor_check_readable(t, err);
    const hry_type_info *info = hry_type_find(t->desc.type);
    if (status)
        return status;
    if (t->desc.flags & HRY_HAS_QUANTIZATION || !info || info->kind == HRY_KIND_COMPLEX || info->kind == HRY_KIND_BOOL)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_HEADER, 14, t->desc.type, "%s%s cannot be quantized",
                        t->desc.flags & HRY_HAS_QUANTIZATION ? "quantized " : "", hry_type_name(t->desc.type));
    if (how->zero_points && !how->scales)
        return hry_fail_usage(err, "zero points without scales");
    if (how->scheme != HRY_SCHEME_PER_TENSOR && how->axis >= t->desc.rank)
        return hry_fail_rule(err, HRY_RULE_Q_09, HRY_SECTION_QUANTIZATION, 0, how->axis);
    return HRY_OK;
}

/* [outer][size][inner], and how many share what. */
static void divide(plan *p)
{
    hry_quantize *z = &p->z;
    z->outer = z->size = z->inner = 1;
    for (uint32_t k = 0; k < p->rank; k++) {
        uint64_t *part = k < p->axis ? &z->outer : k == p->axis ? &z->size : &z->inner;
        *part *= p->shape[k];
    }
    z->pitch = z->size;
    if (z->how->scheme < HRY_SCHEME_PER_BLOCK)
        return;
    z->block = z->how->block                      ? z->how->block
               : z->how->scheme == HRY_SCHEME_NF4 ? (uint64_t)DEFAULT_NF4_BLOCK
                                                  : (uint64_t)DEFAULT_BLOCK;
    z->blocks = hry_ceil_div(z->size, z->block);
}

/*
 * Where the last block is partial, storage reserves the whole of it (quantization, section 8.3). That lies behind all
 * data when nothing is traversed slower than the axis; else strides say where the rows are, so that every reader
 * agrees.
 */
static void pad(plan *p)
{
    hry_quantize *z = &p->z;
    p->layout = (hry_layout){ .tag = HRY_LAYOUT_ROW_MAJOR };
    if (z->blocks == 0 || z->size % z->block == 0)
        return;
    z->pitch = z->blocks * z->block;
    if (z->outer <= 1)
        return;
    uint64_t step = 1;
    for (uint32_t k = p->rank; k-- > 0;) {
        p->strides[k] = (int64_t)step;
        step *= k == p->axis ? z->pitch : p->shape[k];
    }
    p->layout = (hry_layout){ .tag = HRY_LAYOUT_STRIDED, .strides = p->strides };
}

static void make_section(plan *p)
{
    const hry_quantizer *how = p->z.how;
    const hry_grid *g = &p->z.grid;
    bool affine = how->scheme <= HRY_SCHEME_PER_BLOCK, zero_points = affine && !g->symmetric;
    p->section = (hry_quantization){
        .scheme = how->scheme,
        .axis = how->axis,
        .block_size = (uint32_t)p->z.block,
        .scale_buffer_index = 1,
        .zero_point_buffer_index = zero_points ? 2 : HRY_NO_BUFFER,
        .scale_type_tag = g->scale_type,
        .scale = p->z.scale,
        .zero_point = p->z.zero_point,
    };
    if (affine && how->scheme != HRY_SCHEME_PER_TENSOR && g->symmetric)
        p->section.flags = HRY_QUANT_SYMMETRIC;
}

static bool code_bytes(const plan *p, uint64_t *nbytes)
{
    uint64_t count;
    return hry_mul(p->z.outer, p->z.pitch, &count) && hry_mul(count, p->z.inner, &count) &&
           hry_type_size(p->z.grid.bits, count, nbytes);
}

static hry_status allocate(plan *p, hry_tensor **out, void **buffers, hry_error *err)
{
    const hry_parse_options options = { .allow = &(hry_allow){ .all = true } };
    uint8_t bytes[DESC_ROOM];
    hry_desc_spec spec;
    hry_desc_store *store = hry_alloc(p->z.how->allocator, sizeof *store, _Alignof(hry_desc_store));
    hry_desc desc;
    hry_buffer rows[3] = { { 0 } };
    if (!store)
        return hry_fail_memory(err, sizeof *store);
    bool whole = hry_desc_unpack(&p->tensor->desc, &spec, store);
    spec.type = p->z.grid.storage;
    spec.layout = &p->layout;
    spec.byte_offset = 0;
    spec.quantization = &p->section;
    spec.statistics = NULL;
    spec.extension_type = NULL;
    spec.buffers = NULL;
    spec.buffer_count = 0;
    /* Sizes that follow from the shape first, then that of the codes where blocks are padded. */
    hry_status status = whole ? hry_desc_encode(&spec, &options, bytes, sizeof bytes, &desc, err)
                              : hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, 0, "an unknown layout");
    if (!status && p->z.pitch != p->z.size) {
        spec.buffer_count = desc.buffer_count;
        for (uint32_t i = 0; i < desc.buffer_count && i < 3; i++)
            hry_desc_buffer(&desc, i, &rows[i]);
        spec.buffers = rows;
        if (!code_bytes(p, &rows[0].byte_size))
            status = hry_fail_memory(err, UINT64_MAX);
        else
            status = hry_desc_encode(&spec, &options, bytes, sizeof bytes, &desc, err);
    }
    hry_free(p->z.how->allocator, store, sizeof *store, _Alignof(hry_desc_store));
    return status ? status : hry_tensor_alloc(&desc, p->z.how->allocator, out, buffers, err);
}

static hry_status take_values(plan *p, uint64_t count, hry_error *err)
{
    const hry_tensor *t = p->tensor;
    p->z.x = hry_tensor_f32(t);
    if (p->z.x || count == 0)
        return HRY_OK;
    uint64_t nbytes;
    if (!hry_mul(count, sizeof(float), &nbytes) || !hry_to_size(nbytes, &p->owned_bytes) ||
        !(p->owned = hry_alloc(p->z.how->allocator, p->owned_bytes, 64))) {
        p->owned_bytes = 0;
        return hry_fail_memory(err, count);
    }
    p->z.x = p->owned;
    hry_read_options options = { .executor = p->z.how->executor };
    return hry_tensor_read_with(t, NULL, HRY_TYPE_FLOAT32, NULL, &options, p->owned, err);
}

static hry_status run(plan *p, hry_error *err)
{
    switch (p->z.how->scheme) {
    case HRY_SCHEME_PER_TENSOR:
        return hry_quantize_tensor(&p->z, err);
    case HRY_SCHEME_PER_CHANNEL:
        return hry_quantize_channels(&p->z, err);
    default:
        return hry_quantize_blocks(&p->z, err);
    }
}

static hry_status make(plan *p, uint64_t count, hry_tensor **out, hry_error *err)
{
    void *buffers[3] = { NULL };
    hry_tensor *t;
    hry_status status = take_values(p, count, err);
    if (!status && p->z.how->scheme == HRY_SCHEME_PER_TENSOR)
        status = hry_quantize_measure(&p->z, err);
    if (status)
        return status;
    make_section(p);
    status = allocate(p, &t, buffers, err);
    if (status)
        return status;
    uint64_t nbytes;
    hry_tensor_buffer(t, 0, &nbytes);
    p->z.codes = buffers[0];
    p->z.scales = buffers[1];
    p->z.zero_points = p->section.zero_point_buffer_index == 2 ? buffers[2] : NULL;
    if (nbytes)
        memset(buffers[0], 0, (size_t)nbytes);
    if (count)
        status = run(p, err);
    if (!status && p->z.how->scales) /* the caller's may be what no scheme allows */
        status = hry_verify_parameters_once(t, err);
    if (status) {
        hry_tensor_release(t);
        return status;
    }
    *out = t;
    return HRY_OK;
}

hry_status hry_tensor_quantize(const hry_tensor *tensor, const hry_quantizer *quantizer, hry_tensor **out,
                               hry_error *err)
{
    plan p = { .tensor = tensor, .rank = tensor->desc.rank };
    uint64_t count;
    hry_status status = check(tensor, quantizer, err);
    if (!status)
        status = hry_grid_init(&p.z.grid, quantizer, err);
    if (status)
        return status;
    if (!hry_desc_count(&tensor->desc, &count))
        return hry_fail_memory(err, UINT64_MAX);
    p.z.how = quantizer;
    p.axis = quantizer->scheme == HRY_SCHEME_PER_TENSOR ? 0 : quantizer->axis;
    p.z.searches = quantizer->optimize && !quantizer->scales && quantizer->scheme >= HRY_SCHEME_PER_BLOCK &&
                   (quantizer->symmetric || quantizer->scheme > HRY_SCHEME_PER_BLOCK);
    hry_desc_shape(&tensor->desc, p.shape);
    divide(&p);
    pad(&p);
    status = make(&p, count, out, err);
    hry_free(quantizer->allocator, p.owned, p.owned_bytes, 64);
    return status;
}
