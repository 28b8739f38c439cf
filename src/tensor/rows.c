/* Rows in a loop: everything that can be decided is decided before. */
#include "base/checked.h"
#include "base/status.h"
#include "kern/kern.h"
#include "layout/layouts.h"
#include "tensor/access.h"
#include "tensor/convert.h"
#include "tensor/sparse.h"
#include "tensor/verify.h"
#include "type/types.h"

#include <hurray/quantize.h>

/* What hry_rows.state holds. */
typedef struct state {
    const hry_tensor *tensor;
    const uint8_t *first; /* of row 0, where rows lie one after the other */
    uint64_t pitch;       /* bytes from one to the next; 0: rows are read by the general way */
    void (*widen)(const void *src, size_t n, float *dst, bool stream);
    uint8_t type;
    bool quantized;
    hry_dequant dequant;
} state;

_Static_assert(sizeof(state) <= sizeof(((hry_rows *)0)->state), "hry_rows.state is too small");

static const state *state_of(const hry_rows *rows)
{
    return (const state *)(const void *)rows->state;
}

/* Rows whose elements follow each other, each row as far behind the one before, all starting at whole bytes. */
static void find_pitch(state *s, const hry_rows *rows)
{
    hry_map map;
    uint32_t bits = hry_desc_bits(&s->tensor->desc);
    if (!hry_tensor_map(s->tensor, &map) || map.empty || map.hilbert_order)
        return;
    uint32_t last = map.rank - 1;
    if (rows->length > 1 && (!hry_map_is_affine(&map, last) || hry_map_stride(&map, last) != 1))
        return;
    int64_t step = 0;
    uint64_t below = 1;
    for (uint32_t k = last; k-- > 0;) {
        if (map.axis[k].count == 1)
            continue;
        if (!hry_map_is_affine(&map, k))
            return;
        int64_t stride = hry_map_stride(&map, k);
        step = step ? step : stride;
        if (stride <= 0 || (uint64_t)stride != (uint64_t)step * below)
            return;
        below *= map.axis[k].count;
    }
    step = step ? step : (int64_t)rows->length;
    bool whole = bits == 6 ? step % 4 == 0 && map.base % 4 == 0 : step * bits % 8 == 0 && map.base * bits % 8 == 0;
    if (!whole)
        return;
    s->first = hry_tensor_first(s->tensor) + map.base * (int64_t)bits / 8;
    s->pitch = (uint64_t)step * bits / 8;
}

/*
 * Whether a row is found without going through others: by pointers, or by search down the tree or the list. Rows of
 * CSC, of unsorted COO, and below other first levels would each take all that is stored.
 */
static bool finds_rows(const hry_tensor *tensor)
{
    hry_map map;
    hry_sparse sparse;
    if (hry_tensor_map(tensor, &map))
        return true;
    if (!hry_sparse_of(tensor, &sparse))
        return false;
    if (sparse.tag == HRY_LAYOUT_COO)
        return sparse.is_sorted && sparse.rank <= 2;
    for (uint32_t k = 0; k < sparse.rank; k++)
        if (sparse.mode[k] != k)
            return false;
    return true;
}

hry_status hry_rows_init(hry_rows *rows, const hry_tensor *tensor, hry_error *err)
{
    hry_rows r = { .count = 1 };
    state *s = (state *)(void *)r.state;
    hry_status status = hry_tensor_check_readable(tensor, err);
    if (status)
        return status;
    uint32_t rank = tensor->desc.rank;
    uint64_t shape[HRY_RANK_MAX];
    const hry_type_info *info = hry_type_find(tensor->desc.type);
    hry_desc_shape(&tensor->desc, shape);
    if (rank == 0 || !info || info->kind == HRY_KIND_COMPLEX || !finds_rows(tensor) ||
        !hry_shape_product(shape, rank - 1, &r.count))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, tensor->desc.layout,
                        "rows are of real values, rank 1 or more, in a layout that tells where a row is");
    status = hry_verify_once(tensor, NULL, err);
    if (status)
        return status;
    r.length = hry_desc_dim(&tensor->desc, rank - 1);
    s->tensor = tensor;
    s->type = tensor->desc.type;
    s->quantized = tensor->desc.flags & HRY_HAS_QUANTIZATION;
    s->widen = s->type == HRY_TYPE_FLOAT16    ? hry_kern()->f16_f32
               : s->type == HRY_TYPE_BFLOAT16 ? hry_kern()->bf16_f32
                                              : NULL;
    if (s->quantized)
        status = hry_dequant_init(&s->dequant, tensor, err);
    if (status)
        return status;
    find_pitch(s, &r);
    *rows = r;
    return HRY_OK;
}

/* The index of a row's first element. */
static void index_of(const state *s, uint64_t i, uint64_t *index)
{
    uint32_t last = s->tensor->desc.rank - 1;
    index[last] = 0;
    for (uint32_t k = last; k-- > 0;) {
        uint64_t dim = hry_desc_dim(&s->tensor->desc, k);
        index[k] = i % dim;
        i /= dim;
    }
}

static void read_row(const hry_rows *rows, uint64_t i, uint8_t type, void *row)
{
    const state *s = state_of(rows);
    hry_box box;
    uint32_t last = s->tensor->desc.rank - 1;
    if (rows->length == 0)
        return;
    index_of(s, i, box.start);
    for (uint32_t k = 0; k <= last; k++) {
        box.count[k] = k == last ? rows->length : 1;
        box.step[k] = 1;
    }
    hry_tensor_read(s->tensor, &box, type, NULL, row, NULL);
}

void hry_rows_f32(const hry_rows *rows, uint64_t i, float *row)
{
    const state *s = state_of(rows);
    size_t n = (size_t)rows->length;
    if (!s->pitch || (!s->quantized && !s->widen)) {
        read_row(rows, i, HRY_TYPE_FLOAT32, row);
        return;
    }
    const uint8_t *codes = s->first + i * s->pitch;
    if (!s->quantized) {
        s->widen(codes, n, row, false);
        return;
    }
    uint64_t index[HRY_RANK_MAX];
    if (s->dequant.scales)
        index_of(s, i, index);
    hry_dequant_run(&s->dequant, codes, n, index, s->tensor->desc.rank - 1, 1, row);
}

/* By way of floats, a piece at a time. */
static void narrow_row(const hry_rows *rows, uint64_t i, uint8_t type, uint16_t *row,
                       void (*narrow)(const float *src, size_t n, void *dst, bool stream))
{
    enum { PIECE = 1024 };
    const state *s = state_of(rows);
    float floats[PIECE];
    uint64_t index[HRY_RANK_MAX];
    if (!s->pitch || !s->quantized) {
        read_row(rows, i, type, row);
        return;
    }
    uint32_t last = s->tensor->desc.rank - 1;
    index_of(s, i, index);
    const uint8_t *codes = s->first + i * s->pitch;
    for (uint64_t done = 0; done < rows->length; done += PIECE) {
        size_t n = rows->length - done < PIECE ? (size_t)(rows->length - done) : PIECE;
        hry_dequant_run(&s->dequant, codes + done * s->dequant.bits / 8, n, index, last, 1, floats);
        narrow(floats, n, row + done, false); /* as stored */
        if (HRY_HOST_SWAPS)
            hry_swap_elements(type, row + done, n);
        index[last] += PIECE;
    }
}

void hry_rows_f16(const hry_rows *rows, uint64_t i, uint16_t *row)
{
    narrow_row(rows, i, HRY_TYPE_FLOAT16, row, hry_kern()->f32_f16);
}

void hry_rows_bf16(const hry_rows *rows, uint64_t i, uint16_t *row)
{
    narrow_row(rows, i, HRY_TYPE_BFLOAT16, row, hry_kern()->f32_bf16);
}
