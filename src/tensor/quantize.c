/* A quantized tensor: its descriptor, its buffers, and the job that fills them. */
#include "base/alloc.h"
#include "base/checked.h"
#include "layout/layouts.h"
#include "tensor/listed.h"
#include "tensor/paged.h"
#include "tensor/quantizing.h"
#include "tensor/sparse.h"
#include "tensor/verify.h"

#include <string.h>

enum { DESC_ROOM = 4096, DEFAULT_BLOCK = 32, DEFAULT_NF4_BLOCK = 64 };

typedef struct plan {
    const hry_tensor *tensor;
    const hry_layout_row *from;
    hry_quantize z;
    hry_quantization section;
    hry_layout layout; /* tag 0: the tensor's own */
    int64_t strides[HRY_RANK_MAX];
    uint64_t shape[HRY_RANK_MAX]; /* of the values as they are gone through: of pages, [slot, head, dim] */
    uint32_t rank, axis;
    uint32_t block_size;
    uint64_t count;      /* of values */
    uint64_t parameters; /* in buffers */
    float *owned;        /* the values, where the tensor does not have them as they are needed */
    size_t owned_bytes;
} plan;

static bool is_sparse(const plan *p)
{
    return p->from && p->from->category == HRY_SPARSE;
}

static bool is_paged(const plan *p)
{
    return p->from && p->from->category == HRY_INDIRECT;
}

static hry_status check(const hry_tensor *t, const hry_quantizer *how, hry_error *err)
{
    hry_status status = hry_tensor_check_readable(t, err);
    const hry_type_info *info = hry_type_find(t->desc.type);
    if (status)
        return status;
    if (t->desc.flags & HRY_HAS_QUANTIZATION || !info || info->kind == HRY_KIND_COMPLEX || info->kind == HRY_KIND_BOOL)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_HEADER, 14, t->desc.type, "%s%s cannot be quantized",
                        t->desc.flags & HRY_HAS_QUANTIZATION ? "quantized " : "", hry_type_name(t->desc.type));
    if (how->zero_points && (!how->scales || how->symmetric || how->scheme > HRY_SCHEME_PER_BLOCK))
        return hry_fail_usage(err, "zero points without scales, or where there are none");
    if (how->scheme != HRY_SCHEME_PER_TENSOR && how->axis >= t->desc.rank)
        return hry_fail_rule(err, HRY_RULE_Q_09, HRY_SECTION_QUANTIZATION, 0, how->axis);
    return HRY_OK;
}

static uint32_t usual_block(const plan *p)
{
    hry_paged paged;
    if (p->z.how->block)
        return p->z.how->block;
    if (is_paged(p) && hry_paged_of(p->tensor, &paged))
        return paged.page_size;
    return p->z.how->scheme == HRY_SCHEME_NF4 ? DEFAULT_NF4_BLOCK : DEFAULT_BLOCK;
}

/* [outer][size][inner], and how many share what. */
static bool divide(plan *p)
{
    hry_quantize *z = &p->z;
    bool fits = true;
    z->outer = z->size = z->inner = 1;
    for (uint32_t k = 0; k < p->rank; k++) {
        uint64_t *part = k < p->axis ? &z->outer : k == p->axis ? &z->size : &z->inner;
        fits &= hry_mul(*part, p->shape[k], part);
    }
    z->pitch = z->size;
    p->parameters = z->how->scheme == HRY_SCHEME_PER_CHANNEL ? z->size : 0;
    if (z->how->scheme < HRY_SCHEME_PER_BLOCK)
        return fits;
    p->block_size = usual_block(p);
    z->block = p->block_size;
    if (is_paged(p) && p->axis == 0) { /* what lies in a slot shares a scale (quantization, section 9) */
        z->outer = z->size;
        z->size = z->pitch = z->block = z->inner;
        z->inner = z->blocks = 1;
    } else
        z->blocks = hry_ceil_div(z->size, z->block);
    return fits && hry_mul(z->outer, z->inner, &p->parameters) && hry_mul(p->parameters, z->blocks, &p->parameters);
}

/*
 * Sparse tensors have a list of values, and pages a pool of slots. Others are gone through in row-major order, and
 * become so.
 */
static hry_status arrange(plan *p, hry_error *err)
{
    hry_sparse sparse;
    hry_paged paged;
    bool fits = true;
    hry_desc_shape(&p->tensor->desc, p->shape);
    if (is_paged(p) && hry_paged_of(p->tensor, &paged))
        fits = hry_mul(paged.num_pages, paged.page_size, &p->shape[0]);
    fits = fits && divide(p);
    if (is_sparse(p) && hry_sparse_of(p->tensor, &sparse)) {
        p->count = sparse.nnz;
        if (p->z.how->scheme == HRY_SCHEME_PER_TENSOR) { /* one row, wherever they are */
            p->z.outer = p->z.size = p->z.pitch = 1;
            p->z.inner = p->count;
            fits = true;
        }
    } else {
        fits = fits && hry_mul(p->z.outer, p->z.size, &p->count) && hry_mul(p->count, p->z.inner, &p->count);
        p->layout.tag = is_paged(p) ? 0 : HRY_LAYOUT_ROW_MAJOR;
    }
    return fits ? HRY_OK : hry_fail_memory(err, UINT64_MAX);
}

/*
 * Where the last block is partial, storage reserves the whole of it (quantization, section 8.3). That lies behind all
 * data when nothing is traversed slower than the axis; else strides say where the rows are, so that every reader
 * agrees.
 */
static void pad(plan *p)
{
    hry_quantize *z = &p->z;
    if (p->layout.tag == 0 || z->blocks == 0 || z->size % z->block == 0)
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

/* The buffers that belong to the layout: the data, and what a sparse or paged tensor has besides. */
static uint32_t own_buffers(const plan *p)
{
    return p->layout.tag ? 1 : hry_layout_own_buffers(p->from, p->tensor->desc.rank);
}

static void make_section(plan *p)
{
    const hry_quantizer *how = p->z.how;
    const hry_grid *g = &p->z.grid;
    bool affine = how->scheme <= HRY_SCHEME_PER_BLOCK, zero_points = affine && !g->symmetric;
    p->section = (hry_quantization){
        .scheme = how->scheme,
        .axis = how->axis,
        .block_size = p->block_size,
        .scale_buffer_index = own_buffers(p),
        .zero_point_buffer_index = zero_points ? own_buffers(p) + !how->shared : HRY_NO_BUFFER,
        .scale_type_tag = g->scale_type,
        .scale = p->z.scale,
        .zero_point = p->z.zero_point,
    };
    if (affine && how->scheme != HRY_SCHEME_PER_TENSOR && g->symmetric)
        p->section.flags = HRY_QUANT_SYMMETRIC;
}

static bool code_bytes(const plan *p, uint64_t *nbytes)
{
    uint64_t count = p->count;
    if (p->z.pitch != p->z.size && !(hry_mul(p->z.outer, p->z.pitch, &count) && hry_mul(count, p->z.inner, &count)))
        return false;
    return hry_type_size(p->z.grid.bits, count, nbytes);
}

static uint32_t scale_size(const plan *p)
{
    return hry_type_find(p->z.grid.scale_type)->bits / 8u;
}

/* How large each buffer is; the layout's own but the first are those of the tensor. */
static bool measure_buffers(const plan *p, hry_buffer *rows, uint32_t *count)
{
    uint32_t own = own_buffers(p);
    for (uint32_t i = 1; i < own; i++) {
        hry_buffer row = { 0 };
        hry_desc_buffer(&p->tensor->desc, i, &row);
        rows[i].byte_size = row.byte_size;
    }
    *count = own;
    if (p->section.scheme == HRY_SCHEME_PER_TENSOR)
        return code_bytes(p, &rows[0].byte_size);
    const hry_quantization *q = &p->section;
    uint64_t zero_bytes, *scales = &rows[own].byte_size;
    *count = own + 1;
    if (!code_bytes(p, &rows[0].byte_size) || !hry_mul(p->parameters, scale_size(p), scales))
        return false;
    if (q->zero_point_buffer_index == HRY_NO_BUFFER)
        return true;
    *count = q->zero_point_buffer_index + 1; /* those that share the buffer of the scales lie behind them */
    uint64_t *zero_points = &rows[q->zero_point_buffer_index].byte_size;
    return hry_mul(p->parameters, 4, &zero_bytes) && hry_add(*zero_points, zero_bytes, zero_points);
}

static hry_status allocate(plan *p, hry_tensor **out, void **buffers, hry_error *err)
{
    const hry_parse_options options = { .allow = &(hry_allow){ .all = true } };
    uint8_t bytes[DESC_ROOM];
    hry_buffer rows[255] = { { 0 } };
    hry_desc_spec spec;
    hry_desc_store *store = hry_alloc(p->z.how->allocator, sizeof *store, _Alignof(hry_desc_store));
    hry_desc desc;
    if (!store)
        return hry_fail_memory(err, sizeof *store);
    bool whole = hry_desc_unpack(&p->tensor->desc, &spec, store);
    spec.type = p->z.grid.storage;
    spec.layout = p->layout.tag ? &p->layout : spec.layout;
    spec.byte_offset = 0;
    spec.quantization = &p->section;
    spec.statistics = NULL;
    spec.extension_type = NULL;
    spec.buffers = rows;
    hry_status status = HRY_OK;
    if (!whole)
        status = hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, 0, "an unknown layout");
    else if (!measure_buffers(p, rows, &spec.buffer_count))
        status = hry_fail_memory(err, UINT64_MAX);
    else
        status = hry_desc_encode(&spec, &options, bytes, sizeof bytes, &desc, err);
    hry_free(p->z.how->allocator, store, sizeof *store, _Alignof(hry_desc_store));
    return status ? status : hry_tensor_alloc(&desc, p->z.how->allocator, out, buffers, err);
}

/* What is empty may have no memory, and places in it are counted all the same. */
static _Alignas(float) char nothing[sizeof(float)];

static hry_status take_values(plan *p, hry_error *err)
{
    const hry_tensor *t = p->tensor;
    p->z.x = p->count ? hry_tensor_f32(t) : (const float *)nothing;
    if (p->z.x)
        return hry_verify_once(t, p->z.how->executor, err);
    uint64_t nbytes;
    if (!hry_mul(p->count, sizeof(float), &nbytes) || !hry_to_size(nbytes, &p->owned_bytes) ||
        !(p->owned = hry_alloc(p->z.how->allocator, p->owned_bytes, 64))) {
        p->owned_bytes = 0;
        return hry_fail_array(err, p->count, sizeof(float));
    }
    p->z.x = p->owned;
    if (p->layout.tag == 0) { /* slots without a token are 0 */
        memset(p->owned, 0, p->owned_bytes);
        const hry_value_sink sink = { .bytes = (uint8_t *)p->owned,
                                      .want = { .type = HRY_TYPE_FLOAT32 },
                                      .bits = 32,
                                      .token_counts = p->z.how->token_counts,
                                      .executor = p->z.how->executor };
        return hry_read_list(t, &sink, err);
    }
    hry_read_options options = { .executor = p->z.how->executor };
    return hry_tensor_read_with(t, NULL, HRY_TYPE_FLOAT32, NULL, &options, p->owned, err);
}

static hry_status run(plan *p, hry_error *err)
{
    if (is_sparse(p) && p->z.how->scheme != HRY_SCHEME_PER_TENSOR)
        return hry_quantize_sparse(&p->z, p->tensor, err);
    /* An empty tensor may have channels. What lies beside them may be of any number, and is not gone through. */
    if (p->count == 0 && p->z.how->scheme == HRY_SCHEME_PER_CHANNEL) {
        p->z.outer = 0;
        p->z.inner = 1;
    } else if (p->count == 0 && p->parameters == 0) {
        return HRY_OK;
    }
    switch (p->z.how->scheme) {
    case HRY_SCHEME_PER_TENSOR:
        return hry_quantize_tensor(&p->z, err);
    case HRY_SCHEME_PER_CHANNEL:
        return hry_quantize_channels(&p->z, err);
    default:
        return hry_quantize_blocks(&p->z, err);
    }
}

/* The job that fills the buffers of a tensor which is the layout's already. */
static hry_status fill(plan *p, hry_tensor *t, void *const *buffers, hry_error *err)
{
    uint64_t nbytes;
    uint32_t own = own_buffers(p);
    if (p->layout.tag == 0)
        hry_copy_index(p->tensor, buffers);
    hry_tensor_buffer(t, 0, &nbytes);
    p->z.codes = buffers[0];
    /* What pads is 0: rows of blocks, or the end of the last byte or group of three. All else is written. */
    uint64_t zeros = p->z.pitch != p->z.size || nbytes < 3 ? nbytes : 3;
    if (nbytes)
        memset((uint8_t *)buffers[0] + nbytes - zeros, 0, (size_t)zeros);
    if (p->section.scheme != HRY_SCHEME_PER_TENSOR) {
        p->z.scales = buffers[own];
        if (p->section.zero_point_buffer_index == own + 1)
            p->z.zero_points = buffers[own + 1];
        else if (p->section.zero_point_buffer_index == own)
            p->z.zero_points = p->z.scales + p->parameters * scale_size(p);
    }
    hry_status status = run(p, err);
    if (!status && p->z.how->scales) /* the caller's may be what no scheme allows */
        status = hry_verify_parameters_once(t, err);
    return status;
}

static hry_status make(plan *p, hry_tensor **out, hry_error *err)
{
    void *buffers[255] = { NULL };
    hry_tensor *t;
    bool per_tensor = p->z.how->scheme == HRY_SCHEME_PER_TENSOR;
    hry_status status = hry_quantize_check_given(&p->z, per_tensor ? 1 : p->parameters, err);
    if (!status)
        status = take_values(p, err);
    if (!status && per_tensor)
        status = hry_quantize_measure(&p->z, err);
    if (status)
        return status;
    make_section(p);
    status = allocate(p, &t, buffers, err);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        buffers[i] = buffers[i] ? buffers[i] : nothing;
    if (!status && (status = fill(p, t, buffers, err)))
        hry_tensor_release(t);
    if (!status)
        *out = t;
    return status;
}

hry_status hry_tensor_quantize(const hry_tensor *tensor, const hry_quantizer *quantizer, hry_tensor **out,
                               hry_error *err)
{
    plan p = { .tensor = tensor, .rank = tensor->desc.rank, .from = hry_layout_row_of(tensor->desc.layout) };
    hry_status status = check(tensor, quantizer, err);
    if (!status)
        status = hry_grid_init(&p.z.grid, quantizer, err);
    if (status)
        return status;
    p.z.how = quantizer;
    p.axis = quantizer->scheme == HRY_SCHEME_PER_TENSOR ? 0 : quantizer->axis;
    p.z.searches = quantizer->optimize && !quantizer->scales && quantizer->scheme >= HRY_SCHEME_PER_BLOCK &&
                   (quantizer->symmetric || quantizer->scheme > HRY_SCHEME_PER_BLOCK);
    status = arrange(&p, err);
    if (status)
        return status;
    pad(&p);
    status = make(&p, out, err);
    hry_free(quantizer->allocator, p.owned, p.owned_bytes, 64);
    return status;
}
