#include "cli/cli_slice.h"
#include "cli/cli_out.h"
#include "cli/cli_pack.h"
#include "cli/cli_slice_scales.h"
#include "cli/cli_values.h"

#include <stdlib.h>
#include <string.h>

enum { DESC_ROOM = 8192 };

static const hry_allow everything = { .all = true };
static const hry_parse_options as_it_was = { .allow = &everything };

static hry_status fail_size(hry_error *err)
{
    *err = (hry_error){ .status = HRY_E_UNSUPPORTED };
    snprintf(err->message, sizeof err->message, "the part takes more bytes than can be counted");
    return HRY_E_UNSUPPORTED;
}

/* ---- Dense ---- */

static void append(void *ctx, const void *bytes, size_t nbytes)
{
    uint8_t **to = ctx;
    if (nbytes)
        memcpy(*to, bytes, nbytes);
    *to += nbytes;
}

static hry_status fill(cli_values *values, void *dst, hry_error *err)
{
    uint8_t *to = dst, *piece;
    uint64_t count;
    cli_pack pack = { .bits = values->bits, .write = append, .ctx = &to };
    hry_status status;
    while (!(status = cli_values_next(values, &piece, &count, err)) && count)
        cli_pack_add(&pack, piece, count);
    if (!status)
        cli_pack_end(&pack);
    return status;
}

/* Row-major, of the values. */
static hry_status copy_values(const hry_tensor *tensor, const cli_part *part, const hry_relayout_options *options,
                              hry_tensor **out, hry_error *err)
{
    cli_values values;
    const hry_desc *from = hry_tensor_desc(tensor);
    hry_read_options read = { .executor = options->executor, .token_counts = options->token_counts };
    uint8_t bytes[DESC_ROOM];
    void *buffers[255];
    hry_desc desc;
    hry_extension_type extension;
    hry_status status = cli_values_open(&values, tensor, part, 0, &read, err);
    hry_desc_spec spec = { .type = values.type, .rank = part->rank, .shape = part->shape };
    if (hry_desc_extension_type(from, &extension))
        spec.extension_type = &extension;
    if (!status)
        status = hry_desc_encode(&spec, &as_it_was, bytes, sizeof bytes, &desc, err);
    if (!status)
        status = hry_tensor_alloc(&desc, NULL, out, buffers, err);
    if (!status) {
        status = fill(&values, buffers[0], err);
        if (status)
            hry_tensor_release(*out);
    }
    cli_values_close(&values);
    return status;
}

/* ---- Dense, quantized ---- */

/* Where rows of codes lie, one stride for each dimension of the part, and how many elements there is room for. */
typedef struct rows {
    int64_t strides[HRY_RANK_MAX];
    uint64_t room;
    bool padded, apart; /* a last block is partial; such blocks are not the last of the data only */
} rows;

/* A partial last block has the room of a whole one (quantization, section 8.3). False for lack of numbers. */
static bool arrange(const cli_part *part, const hry_quantization *q, rows *r)
{
    bool blocks = q->scheme == HRY_SCHEME_PER_BLOCK || q->scheme == HRY_SCHEME_NF4;
    *r = (rows){ .room = 1 };
    for (uint32_t k = part->rank; k-- > 0;) {
        uint64_t size = part->shape[k];
        if (blocks && k == q->axis && size % q->block_size) {
            r->padded = true;
            size += q->block_size - size % q->block_size;
        }
        r->apart |= r->padded && k < q->axis && size > 1;
        r->strides[k] = (int64_t)r->room;
        if (__builtin_mul_overflow(r->room, size, &r->room) || r->room > INT64_MAX)
            return false;
    }
    return true;
}

static hry_status describe(const cli_scales *scales, const rows *r, uint8_t *bytes, hry_desc *desc, hry_error *err)
{
    const cli_part *part = scales->part;
    const hry_layout layout = { .tag = HRY_LAYOUT_STRIDED, .strides = r->strides };
    hry_extension_type extension;
    hry_buffer table[255];
    hry_desc_spec spec = { .type = hry_tensor_type(scales->tensor),
                           .rank = part->rank,
                           .shape = part->shape,
                           .layout = r->apart ? &layout : NULL,
                           .quantization = &scales->section };
    if (hry_desc_extension_type(hry_tensor_desc(scales->tensor), &extension))
        spec.extension_type = &extension;
    hry_status status = hry_desc_encode(&spec, &as_it_was, bytes, DESC_ROOM, desc, err);
    if (status || !r->padded)
        return status;
    spec.buffer_count = hry_desc_buffer_count(desc);
    for (uint32_t i = 0; i < spec.buffer_count; i++)
        hry_desc_buffer(desc, i, &table[i]);
    spec.buffers = table;
    if (!hry_type_size(hry_desc_bits(desc), r->room, &table[0].byte_size))
        return fail_size(err);
    return hry_desc_encode(&spec, &as_it_was, bytes, DESC_ROOM, desc, err);
}

static hry_status fill_codes(const cli_scales *scales, const rows *r, const hry_relayout_options *options,
                             hry_tensor *out, void *const *buffers, hry_error *err)
{
    const cli_part *part = scales->part;
    int64_t strides[HRY_RANK_MAX];
    uint64_t nbytes;
    hry_read_options read = { .executor = options->executor, .stored = true, .token_counts = options->token_counts };
    hry_tensor_buffer(out, 0, &nbytes);
    if (nbytes == 0)
        return HRY_OK;
    memset(buffers[0], 0, (size_t)nbytes);
    for (uint32_t k = 0, kept = 0; k < hry_tensor_rank(scales->tensor); k++)
        strides[k] = part->kept[k] ? r->strides[kept++] : 0;
    return hry_tensor_read_with(scales->tensor, &part->box, hry_tensor_type(scales->tensor), strides, &read, buffers[0],
                                err);
}

/* Codes with their parameters. */
static hry_status copy_codes(const cli_scales *scales, const hry_relayout_options *options, hry_tensor **out,
                             hry_error *err)
{
    uint8_t bytes[DESC_ROOM];
    void *buffers[255];
    hry_desc desc;
    rows r;
    if (!arrange(scales->part, &scales->section, &r))
        return fail_size(err);
    hry_status status = describe(scales, &r, bytes, &desc, err);
    if (!status)
        status = hry_tensor_alloc(&desc, NULL, out, buffers, err);
    if (status)
        return status;
    status = fill_codes(scales, &r, options, *out, buffers, err);
    if (!status)
        status = cli_scales_fill(scales, buffers, err);
    if (status)
        hry_tensor_release(*out);
    return status;
}

/* ---- Sparse ---- */

static bool is_sparse(const hry_desc *desc)
{
    return hry_desc_layout(desc) >= HRY_LAYOUT_COO && hry_desc_layout(desc) <= HRY_LAYOUT_CSF;
}

static hry_status count_stored(const hry_tensor *tensor, const cli_part *part, uint64_t *count, hry_error *err)
{
    hry_stored *stored;
    uint64_t index[HRY_RANK_MAX], position;
    hry_status status = hry_stored_create(tensor, &part->box, &stored, err);
    *count = 0;
    if (status)
        return status;
    while (hry_stored_next(stored, index, &position))
        ++*count;
    hry_stored_destroy(stored);
    return HRY_OK;
}

static void put_u64(uint8_t *at, uint64_t value)
{
    for (unsigned k = 0; k < 8; k++)
        at[k] = (uint8_t)(value >> 8 * k);
}

/* Stored elements with their places in the part, whose dimensions are those of the tensor without indices. */
static void fill_coo(hry_stored *stored, const hry_tensor *tensor, const cli_part *part, void *const *buffers)
{
    const hry_desc *desc = hry_tensor_desc(tensor);
    uint64_t index[HRY_RANK_MAX], position, lo, hi;
    const uint8_t *codes = (const uint8_t *)hry_tensor_buffer(tensor, 0, NULL) + hry_desc_byte_offset(desc);
    uint8_t *places = buffers[1], type = hry_desc_type(desc);
    for (uint64_t i = 0; hry_stored_next(stored, index, &position); i++) {
        hry_element_bits(type, codes, position, &lo, &hi);
        hry_element_set_bits(type, buffers[0], i, lo, hi);
        for (uint32_t k = 0; k < hry_desc_rank(desc); k++) {
            int64_t step = part->box.step[k];
            if (!part->kept[k])
                continue;
            put_u64(places, step < 0 ? (part->box.start[k] - index[k]) / (0 - (uint64_t)step)
                                     : (index[k] - part->box.start[k]) / (uint64_t)step);
            places += 8;
        }
    }
}

/* scales NULL: not quantized. */
static hry_status copy_coo(const hry_tensor *tensor, const cli_part *part, const cli_scales *scales, hry_tensor **out,
                           hry_error *err)
{
    hry_layout coo = { .tag = HRY_LAYOUT_COO };
    uint8_t bytes[DESC_ROOM];
    void *buffers[255];
    hry_desc desc;
    hry_stored *stored;
    hry_status status = count_stored(tensor, part, &coo.nnz, err);
    hry_desc_spec spec = { .type = hry_tensor_type(tensor),
                           .rank = part->rank,
                           .shape = part->shape,
                           .layout = &coo,
                           .quantization = scales ? &scales->section : NULL };
    if (!status)
        status = hry_desc_encode(&spec, &as_it_was, bytes, sizeof bytes, &desc, err);
    if (!status)
        status = hry_tensor_alloc(&desc, NULL, out, buffers, err);
    if (status)
        return status;
    if (scales)
        status = cli_scales_fill(scales, buffers, err);
    if (!status)
        status = hry_stored_create(tensor, &part->box, &stored, err);
    if (status) {
        hry_tensor_release(*out);
        return status;
    }
    if (coo.nnz) {
        uint64_t nbytes;
        hry_tensor_buffer(*out, 0, &nbytes);
        memset(buffers[0], 0, (size_t)nbytes); /* elements of less than a byte are put in one by one */
        fill_coo(stored, tensor, part, buffers);
    }
    hry_stored_destroy(stored);
    return HRY_OK;
}

/* The tensor's own layout where it holds as many dimensions. */
static void choose_layout(const hry_desc *desc, const cli_part *part, hry_layout *wanted, hry_layout_store *store)
{
    uint32_t rank = part->rank;
    uint8_t tag = hry_desc_layout(desc);
    if (tag == HRY_LAYOUT_COO || (tag == HRY_LAYOUT_CSF ? rank < 3 : rank != 2))
        *wanted = (hry_layout){ .tag = HRY_LAYOUT_COO };
    else if (tag != HRY_LAYOUT_CSF || rank != hry_desc_rank(desc) || !hry_desc_layout_get(desc, wanted, store))
        *wanted = (hry_layout){ .tag = tag };
}

static hry_status copy_sparse(const hry_tensor *tensor, const cli_part *part, const cli_scales *scales,
                              const hry_relayout_options *options, hry_tensor **out, hry_error *err)
{
    hry_tensor *coo;
    hry_layout wanted;
    hry_layout_store store;
    choose_layout(hry_tensor_desc(tensor), part, &wanted, &store);
    hry_status status = copy_coo(tensor, part, scales, &coo, err);
    if (status)
        return status;
    status = hry_tensor_relayout(coo, &wanted, options, out, err);
    hry_tensor_release(coo);
    return status;
}

hry_status cli_slice(hry_tensor *tensor, const cli_part *part, const hry_relayout_options *options, hry_tensor **out,
                     bool *decoded, hry_error *err)
{
    enum { COO_BUFFERS = 2 };
    const hry_desc *desc = hry_tensor_desc(tensor);
    bool quantized = hry_desc_flags(desc) & HRY_HAS_QUANTIZATION, listed = is_sparse(desc) && part->rank, fit = true;
    cli_scales scales;
    hry_status status = HRY_OK;
    /* One element of a sparse tensor may not be stored, and then has no code. */
    if (quantized && is_sparse(desc) && !listed)
        fit = false;
    else if (quantized)
        status = cli_scales_cut(&scales, tensor, part, listed ? COO_BUFFERS : 1, &fit, err);
    *decoded = quantized && !fit;
    if (status)
        return status;
    if (listed && !*decoded && hry_type_find(hry_desc_type(desc)))
        return copy_sparse(tensor, part, quantized ? &scales : NULL, options, out, err);
    if (quantized && !*decoded)
        return copy_codes(&scales, options, out, err);
    return copy_values(tensor, part, options, out, err);
}
