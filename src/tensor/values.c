/* How the values of a tensor are to be had. */
#include "tensor/values.h"

#include "base/checked.h"
#include "layout/layouts.h"
#include "tensor/in_order.h"
#include "tensor/sparse.h"
#include "tensor/verify.h"
#include "type/types.h"

enum {
    SOME = 1 << 16,       /* values that are read at a time where they lie in long runs: they stay in cache */
    PIECE_BITS = 2048,    /* that are taken along an axis that is faster in memory than the last, when it is met */
    SEGMENTS_AT_MOST = 64 /* that are read at a time */
};

/* The narrowest that holds every value exactly; float64 rounds what is wider. */
static uint8_t type_for(const hry_desc *desc)
{
    const hry_type_info *info = &hry_type_table[desc->type];
    if (desc->flags & HRY_HAS_QUANTIZATION)
        return HRY_TYPE_FLOAT32;
    if (info->kind == HRY_KIND_COMPLEX)
        return desc->type;
    bool is_float = info->kind != HRY_KIND_INT && info->kind != HRY_KIND_UINT;
    return info->bits <= (is_float ? 32 : 16) ? HRY_TYPE_FLOAT32 : HRY_TYPE_FLOAT64;
}

/* Boxes of whole segments, or, where reading them costs nothing by itself, of so many values. */
static void plan_boxes(hry_values *v, uint64_t piece)
{
    uint64_t segments = hry_ceil_div(hry_tensor_box_cost(v->tensor), HRY_TALLY_SEGMENT);
    segments = segments < SEGMENTS_AT_MOST ? segments : SEGMENTS_AT_MOST;
    v->piece = segments > 0 ? segments * HRY_TALLY_SEGMENT : piece;
}

/*
 * How many values are read at a time: few, as they then stay in cache, but enough for whole tiles, and for some lines
 * along the axis that is fastest in memory. Segments are multiples of it.
 */
static uint64_t piece_of(const hry_values *v, const hry_map *map)
{
    uint64_t piece = SOME, below = 1;
    if (!hry_map_long_runs(map))
        return HRY_TALLY_SEGMENT;
    uint32_t fastest = hry_map_fastest(map);
    for (uint32_t k = map->rank; k-- > 0 && below < HRY_TALLY_SEGMENT; below *= map->axis[k].count) {
        bool tiled = !hry_map_is_affine(map, k);
        uint64_t some = tiled ? map->digit[map->axis[k].first].size : k == fastest ? PIECE_BITS / v->decoder.bits : 1;
        while (piece < HRY_TALLY_SEGMENT && piece / below < some)
            piece *= 2;
    }
    return piece;
}

static hry_status fail_count(hry_error *err)
{
    return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_SHAPE, 20, 0, "more than 2^64 elements");
}

static bool is_direct(const hry_values *v, const uint8_t *first)
{
    size_t align = v->type == HRY_TYPE_FLOAT32 || v->type == HRY_TYPE_COMPLEX64 ? sizeof(float) : sizeof(double);
    return v->decoder.plain && (uintptr_t)first % align == 0;
}

/* Codes that follow one another from a bit on that starts a byte. */
static void take_codes(hry_values *v, const uint8_t *first)
{
    if (is_direct(v, first))
        v->direct = first;
    else
        v->codes = first;
}

/* Axes along which nothing changes are gone along once: no file, however small, makes this take longer than its size.
 */
static void drop_repeats(hry_values *v, hry_map *map)
{
    for (uint32_t k = 0; k < v->rank && !map->hilbert_order; k++) {
        uint64_t n = v->whole.count[k];
        if (n < 2 || !hry_map_is_affine(map, k) || hry_map_stride(map, k) != 0)
            continue;
        v->times *= n;
        v->count /= n;
        v->whole.count[k] = 1;
        v->last_repeats |= k == v->rank - 1;
        hry_map_cut(map, k, 0, 1);
    }
}

static hry_status init_dense(hry_values *v, hry_error *err)
{
    hry_map map;
    const uint8_t *first = hry_tensor_first(v->tensor);
    hry_want want = { .type = v->type };
    hry_status status = hry_decoder_init(&v->decoder, v->tensor, &want, err);
    if (status)
        return status;
    if (!hry_tensor_map(v->tensor, &map))
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_LAYOUT, 15, v->tensor->desc.layout,
                        "elements of the %s layout cannot be found", hry_layout_name(v->tensor->desc.layout));
    if (!v->decoder.needs_index)
        drop_repeats(v, &map);
    plan_boxes(v, piece_of(v, &map));
    hry_map_join(&map, NULL);
    int64_t bit = map.base * (int64_t)v->decoder.bits;
    bool one_run = map.rank == 1 && !map.hilbert_order && hry_map_is_affine(&map, 0) &&
                   (hry_map_stride(&map, 0) == 1 || map.axis[0].count == 1) && map.axis[0].count == v->count;
    if (one_run && !v->decoder.needs_index && bit % 8 == 0)
        take_codes(v, first + bit / 8);
    return HRY_OK;
}

static hry_status init_sparse(hry_values *v, hry_error *err)
{
    hry_sparse sparse;
    uint64_t elements;
    hry_want want = { .type = v->type };
    hry_status status = hry_verify_once(v->tensor, v->executor, err);
    if (!status)
        status = hry_decoder_init(&v->decoder, v->tensor, &want, err);
    if (status)
        return status;
    hry_sparse_of(v->tensor, &sparse);
    v->sparse = true;
    v->count = sparse.nnz;
    if (hry_desc_count(&v->tensor->desc, &elements)) {
        v->zeros = elements > v->count ? (double)(elements - v->count) : 0;
    } else {
        v->zeros = 1;
        for (uint32_t k = 0; k < sparse.rank; k++)
            v->zeros *= (double)sparse.shape[k];
        v->zeros -= (double)v->count;
    }
    v->by_index = v->decoder.needs_index;
    if (!v->by_index)
        take_codes(v, hry_tensor_first(v->tensor));
    return HRY_OK;
}

hry_status hry_values_init(hry_values *v, const hry_tensor *tensor, const hry_statistics_options *options,
                           hry_error *err)
{
    const hry_desc *desc = &tensor->desc;
    uint64_t shape[HRY_RANK_MAX];
    hry_status status = hry_tensor_check_readable(tensor, err);
    if (status)
        return status;
    const hry_layout_row *layout = hry_layout_row_of(desc->layout);
    hry_desc_shape(desc, shape);
    *v = (hry_values){ .tensor = tensor, .times = 1, .rank = desc->rank };
    if (options) {
        v->executor = options->executor;
        v->allocator = options->allocator;
        v->token_counts = options->token_counts;
    }
    v->last = desc->rank ? shape[desc->rank - 1] : 0;
    v->type = type_for(desc);
    v->chunk = v->type == HRY_TYPE_COMPLEX64 || v->type == HRY_TYPE_COMPLEX128 ? HRY_STATS_CHUNK / 2 : HRY_STATS_CHUNK;
    status = hry_box_resolve(NULL, desc->rank, shape, &v->whole, err);
    if (status)
        return status;
    if (layout && layout->category == HRY_SPARSE)
        return init_sparse(v, err);
    if (!hry_desc_count(desc, &v->count))
        return fail_count(err);
    if (v->count == 0)
        return HRY_OK;
    if (layout && layout->category == HRY_DENSE)
        return init_dense(v, err);
    if (desc->layout == HRY_LAYOUT_BLOCK_PAGED)
        status = hry_verify_once(tensor, v->executor, err);
    plan_boxes(v, HRY_TALLY_SEGMENT);
    return status;
}
