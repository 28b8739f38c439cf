#include "cli/cli_slice_scales.h"

#include <hurray/quantize.h>

/* ---- Whether they fit ---- */

static bool has_blocks(const hry_quantization *q)
{
    return q->scheme >= HRY_SCHEME_PER_BLOCK;
}

/* Whole blocks in their order, and as many elements as the scheme asks for. */
static bool blocks_fit(const cli_scales *s)
{
    const hry_quantization *q = &s->whole;
    const hry_box *box = &s->part->box;
    uint64_t count = box->count[q->axis];
    if (hry_desc_layout(hry_tensor_desc(s->tensor)) == HRY_LAYOUT_BLOCK_PAGED) /* scales are those of slots */
        return false;
    if (!s->part->kept[q->axis] || box->start[q->axis] % q->block_size || (box->step[q->axis] != 1 && count > 1))
        return false;
    return count >= q->block_size && (q->scheme != HRY_SCHEME_MXFP || count % q->block_size == 0);
}

static hry_status take_channel(cli_scales *s, hry_error *err)
{
    hry_quantization *q = &s->section;
    *q = (hry_quantization){ .scheme = HRY_SCHEME_PER_TENSOR };
    return hry_tensor_parameters(s->tensor, s->part->box.start[s->whole.axis], 1, &q->scale, &q->zero_point, err);
}

hry_status cli_scales_cut(cli_scales *s, const hry_tensor *tensor, const cli_part *part, uint32_t own, bool *fit,
                          hry_error *err)
{
    *s = (cli_scales){ .tensor = tensor, .part = part };
    hry_desc_quantization(hry_tensor_desc(tensor), &s->whole);
    hry_quantization *q = &s->section;
    *q = s->whole;
    *fit = true;
    if (q->scheme == HRY_SCHEME_PER_TENSOR)
        return HRY_OK;
    if (q->scheme == HRY_SCHEME_PER_CHANNEL && !part->kept[q->axis])
        return take_channel(s, err);
    if (q->scheme > HRY_SCHEME_MXFP || (has_blocks(q) && !blocks_fit(s))) {
        *fit = false;
        return HRY_OK;
    }
    for (uint32_t k = s->whole.axis; k-- > 0;)
        q->axis -= !part->kept[k];
    q->scale_buffer_index = own;
    if (q->zero_point_buffer_index != HRY_NO_BUFFER)
        q->zero_point_buffer_index = own + 1;
    return HRY_OK;
}

/* ---- Where they are ---- */

static uint8_t scale_type(const hry_quantization *q)
{
    return q->scheme == HRY_SCHEME_MXFP  ? (uint8_t)HRY_TYPE_FLOAT8_E8M0
           : q->scheme == HRY_SCHEME_NF4 ? (uint8_t)HRY_TYPE_FLOAT32
                                         : q->scale_type_tag;
}

/* n of the tensor's from number first on become the part's from number at on. */
static hry_status copy(const cli_scales *s, uint64_t first, uint64_t n, uint64_t at, void *const *buffers,
                       hry_error *err)
{
    enum { PIECE = 256 };
    const hry_quantization *q = &s->section;
    float scales[PIECE];
    int32_t zero_points[PIECE];
    for (uint64_t done = 0; done < n; done += PIECE) {
        size_t piece = n - done < PIECE ? (size_t)(n - done) : PIECE;
        hry_status status = hry_tensor_parameters(s->tensor, first + done, piece, scales, zero_points, err);
        if (status)
            return status;
        for (size_t i = 0; i < piece; i++) {
            hry_element_set_f64(scale_type(q), buffers[q->scale_buffer_index], at + done + i, (double)scales[i]);
            if (q->zero_point_buffer_index != HRY_NO_BUFFER)
                hry_element_set_f64(HRY_TYPE_INT32, buffers[q->zero_point_buffer_index], at + done + i, zero_points[i]);
        }
    }
    return HRY_OK;
}

static hry_status fill_channels(const cli_scales *s, void *const *buffers, hry_error *err)
{
    const hry_box *box = &s->part->box;
    uint32_t axis = s->whole.axis;
    hry_status status = HRY_OK;
    for (uint64_t i = 0; i < box->count[axis] && !status; i++)
        status = copy(s, box->start[axis] + i * (uint64_t)box->step[axis], 1, i, buffers, err);
    return status;
}

/* Blocks of a row of them lie together; rows are in row-major order of the other dimensions. */
static hry_status fill_blocks(const cli_scales *s, void *const *buffers, hry_error *err)
{
    const hry_box *box = &s->part->box;
    uint32_t rank = hry_tensor_rank(s->tensor), axis = s->whole.axis;
    uint64_t size = s->whole.block_size, in_row = (hry_tensor_dim(s->tensor, axis) + size - 1) / size;
    uint64_t taken = (box->count[axis] + size - 1) / size, position[HRY_RANK_MAX] = { 0 };
    for (uint32_t k = 0; k < rank; k++)
        if (box->count[k] == 0)
            return HRY_OK;
    for (uint64_t at = 0;; at += taken) {
        uint64_t row = 0;
        for (uint32_t k = 0; k < rank; k++)
            if (k != axis)
                row = row * hry_tensor_dim(s->tensor, k) + box->start[k] + position[k] * (uint64_t)box->step[k];
        hry_status status = copy(s, row * in_row + box->start[axis] / size, taken, at, buffers, err);
        uint32_t k = rank;
        while (k-- > 0)
            if (k != axis) {
                if (++position[k] < box->count[k])
                    break;
                position[k] = 0;
            }
        if (status || k == UINT32_MAX)
            return status;
    }
}

hry_status cli_scales_fill(const cli_scales *s, void *const *buffers, hry_error *err)
{
    if (s->section.scheme == HRY_SCHEME_PER_TENSOR)
        return HRY_OK;
    return has_blocks(&s->section) ? fill_blocks(s, buffers, err) : fill_channels(s, buffers, err);
}
