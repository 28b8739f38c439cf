#include "base/checked.h"
#include "layout/layouts.h"
#include "layout/map.h"

enum { ROW = HRY_LAYOUT_ROW_MAJOR, COLUMN = HRY_LAYOUT_COLUMN_MAJOR, STRIDED = HRY_LAYOUT_STRIDED, NESTED = 4 };

/*
 * One level's fields in the bytes: tile_shape u64[r], outer_layout u8, inner_layout u8, reserved u8[2], then the
 * strides of either that is strided.
 */
typedef struct level {
    const uint8_t *tile_shape;
    uint8_t outer, inner;
    const uint8_t *outer_strides, *inner_strides; /* NULL where there are none */
    const uint8_t *end;
} level;

static level level_at(const uint8_t *p, uint32_t rank)
{
    level l = { .tile_shape = p, .outer = p[8 * rank], .inner = p[8 * rank + 1] };
    p += 8 * rank + 4;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): parsed bytes are all there */
    if (l.outer == STRIDED) {
        l.outer_strides = p;
        p += 8 * rank;
    }
    if (l.inner == STRIDED) {
        l.inner_strides = p;
        p += 8 * rank;
    }
    l.end = p;
    return l;
}

static hry_status parse_level(hry_draft *f, uint32_t at, bool *nested, uint32_t *next)
{
    uint32_t rank = f->view.rank, head = 8 * rank + 4;
    if (f->view.length - at < head)
        return hry_draft_fail(f, HRY_RULE_D_06, HRY_SECTION_LAYOUT, at, f->view.length);
    const uint8_t *p = f->view.bytes + at;
    for (uint32_t k = 0; k < rank; k++)
        if (hry_load64(p + 8 * k) == 0)
            return hry_draft_fail(f, HRY_RULE_L_TIL_01, HRY_SECTION_LAYOUT, at + 8 * k, 0);
    uint8_t outer = p[8 * rank], inner = p[8 * rank + 1];
    if (outer < ROW || outer > STRIDED)
        return hry_draft_fail(f, HRY_RULE_L_TIL_02, HRY_SECTION_LAYOUT, at + 8 * rank, outer);
    if (inner < ROW || inner > NESTED)
        return hry_draft_fail(f, HRY_RULE_L_TIL_03, HRY_SECTION_LAYOUT, at + 8 * rank + 1, inner);
    hry_status status = hry_draft_reserved(f, HRY_RULE_L_TIL_04, HRY_SECTION_LAYOUT, at + 8 * rank + 2, 2);
    if (status)
        return status;
    uint32_t strides = (outer == STRIDED ? 8 * rank : 0) + (inner == STRIDED ? 8 * rank : 0);
    if (f->view.length - at - head < strides)
        return hry_draft_fail(f, HRY_RULE_D_06, HRY_SECTION_LAYOUT, at + head, f->view.length);
    *nested = inner == NESTED;
    *next = at + head + strides;
    return HRY_OK;
}

static hry_status parse(hry_draft *f, uint32_t *length)
{
    uint32_t at = f->view.layout_offset;
    const hry_limits *limits = f->options->limits;
    uint32_t limit = limits && limits->tile_levels ? limits->tile_levels : HRY_TILE_LEVELS_MAX;
    bool nested = true;
    for (uint32_t depth = 1; nested; depth++) {
        if (depth > limit)
            return hry_draft_fail(f, HRY_RULE_L_TIL_05, HRY_SECTION_LAYOUT, at, depth);
        hry_status status = parse_level(f, at, &nested, &at);
        if (status)
            return status;
    }
    *length = at - f->view.layout_offset;
    return HRY_OK;
}

/* reach of an order (row, column or strided) over the box extent; every entry of extent is at least 1. */
static bool order_reach(uint8_t order, const uint8_t *strides, uint32_t rank, const uint64_t *extent, hry_reach *reach)
{
    *reach = (hry_reach){ 0, 0 };
    if (order == STRIDED) {
        for (uint32_t k = 0; k < rank; k++)
            if (!hry_reach_stride(reach, (int64_t)hry_load64(strides + 8 * k), extent[k]))
                return false;
        return true;
    }
    uint64_t total;
    if (!hry_product(extent, rank, &total))
        return false;
    reach->above = total - 1;
    return true;
}

/*
 * Adds the reach of one level and those inside it: tiles of a grid over the shape, T elements apart, then what lies
 * inside one tile. The elements of the outermost tiles count in full, padding included.
 */
static bool levels_reach(const uint8_t *fields, uint32_t rank, const uint64_t *shape, hry_reach *reach)
{
    uint64_t extent[HRY_RANK_MAX], tile[HRY_RANK_MAX];
    for (uint32_t k = 0; k < rank; k++)
        extent[k] = shape[k];
    for (;;) {
        level l = level_at(fields, rank);
        for (uint32_t k = 0; k < rank; k++) {
            tile[k] = hry_load64(l.tile_shape + 8 * k);
            if (tile[k] == 0) /* a builder asks before anything is verified */
                return false;
            extent[k] = hry_ceil_div(extent[k], tile[k]);
        }
        hry_reach tiles;
        uint64_t pitch;
        if (!order_reach(l.outer, l.outer_strides, rank, extent, &tiles) || !hry_product(tile, rank, &pitch) ||
            !hry_mul_add(tiles.below, pitch, reach->below, &reach->below) ||
            !hry_mul_add(tiles.above, pitch, reach->above, &reach->above))
            return false;
        if (l.inner != NESTED) {
            hry_reach inside;
            return order_reach(l.inner, l.inner_strides, rank, tile, &inside) &&
                   hry_add(inside.below, reach->below, &reach->below) &&
                   hry_add(inside.above, reach->above, &reach->above);
        }
        for (uint32_t k = 0; k < rank; k++)
            extent[k] = tile[k];
        fields = l.end;
    }
}

static hry_status check_divides(const hry_draft *f)
{
    const uint8_t *outer = f->view.bytes + f->view.layout_offset;
    for (level l = level_at(outer, f->view.rank); l.inner == NESTED; l = level_at(l.end, f->view.rank))
        for (uint32_t k = 0; k < f->view.rank; k++) {
            uint64_t around = hry_load64(l.tile_shape + 8 * k), inner = hry_load64(l.end + 8 * k);
            if (around % inner != 0)
                return hry_draft_fail(f, HRY_RULE_L_TIL_06, HRY_SECTION_LAYOUT,
                                      (uint64_t)(l.end - f->view.bytes) + 8 * k, inner);
        }
    return HRY_OK;
}

static hry_status verify(hry_draft *f)
{
    hry_status status = check_divides(f);
    if (status || f->view.state & (HRY_DESC_HAS_DYNAMIC | HRY_DESC_EMPTY))
        return status;
    uint64_t shape[HRY_RANK_MAX];
    for (uint32_t k = 0; k < f->view.rank; k++)
        shape[k] = hry_draft_dim(f, k);
    hry_reach reach = { 0, 0 };
    if (f->count_overflows || !levels_reach(f->view.bytes + f->view.layout_offset, f->view.rank, shape, &reach))
        return hry_layout_check_unreachable(f);
    return hry_layout_check_reach(f, reach);
}

static void copy_words(const uint8_t *from, uint32_t n, void *to)
{
    uint64_t *words = to;
    for (uint32_t k = 0; from && k < n; k++)
        words[k] = hry_load64(from + 8 * k);
}

static bool get(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store)
{
    hry_layout *to = layout;
    for (uint32_t depth = 0; depth < HRY_TILE_LEVELS_MAX; depth++) {
        level l = level_at(fields, rank);
        copy_words(l.tile_shape, rank, store->shape[depth]);
        copy_words(l.outer_strides, rank, store->outer[depth]);
        copy_words(l.inner_strides, rank, store->inner[depth]);
        *to = (hry_layout){
            .tag = HRY_LAYOUT_TILED,
            .outer_layout = l.outer,
            .inner_layout = l.inner,
            .tile_shape = store->shape[depth],
            .outer_strides = l.outer_strides ? store->outer[depth] : NULL,
            .inner_strides = l.inner_strides ? store->inner[depth] : NULL,
        };
        if (l.inner != NESTED)
            return true;
        if (depth + 1 < HRY_TILE_LEVELS_MAX) {
            to->inner = &store->level[depth + 1];
            to = &store->level[depth + 1];
        }
        fields = l.end;
    }
    return false;
}

static uint8_t outer_order(const hry_layout *layout)
{
    return layout->outer_layout ? layout->outer_layout : ROW;
}

static uint8_t inner_order(const hry_layout *layout)
{
    return layout->inner_layout ? layout->inner_layout : layout->inner ? NESTED : ROW;
}

static bool length(const hry_layout *layout, uint32_t rank, uint64_t *nbytes)
{
    uint64_t total = 0;
    for (uint32_t depth = 0; layout; depth++) {
        bool outer = outer_order(layout) == STRIDED, inner = inner_order(layout) == STRIDED;
        if (depth == HRY_RANK_MAX || !layout->tile_shape || (outer && !layout->outer_strides) ||
            (inner && !layout->inner_strides) || (inner_order(layout) == NESTED && !layout->inner))
            return false;
        total += 8 * (uint64_t)rank * (1u + outer + inner) + 4;
        layout = inner_order(layout) == NESTED ? layout->inner : NULL;
    }
    *nbytes = total;
    return true;
}

static uint8_t *put_words(const void *from, uint32_t n, uint8_t *to)
{
    const uint64_t *words = from;
    for (uint32_t k = 0; k < n; k++)
        hry_store64(to + 8 * k, words[k]);
    return to + 8 * n;
}

static void put(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields)
{
    (void)shape;
    while (layout) {
        fields = put_words(layout->tile_shape, rank, fields);
        fields[0] = outer_order(layout);
        fields[1] = inner_order(layout);
        fields[2] = fields[3] = 0;
        fields += 4;
        if (outer_order(layout) == STRIDED)
            fields = put_words(layout->outer_strides, rank, fields);
        if (inner_order(layout) == STRIDED)
            fields = put_words(layout->inner_strides, rank, fields);
        layout = inner_order(layout) == NESTED ? layout->inner : NULL;
    }
}

static bool buffer_size(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes)
{
    (void)i;
    uint64_t count, need, before;
    if (!hry_shape_product(shape, rank, &count))
        return false;
    *nbytes = 0;
    if (count == 0)
        return true;
    /* The encoded form is small for any tiling that get can hand out; the reach is computed on it alone. */
    uint8_t fields[HRY_TILE_LEVELS_MAX * (8 * 3 * HRY_RANK_MAX + 4)];
    if (!length(layout, rank, &need) || need > sizeof fields)
        return false;
    put(layout, rank, shape, fields);
    hry_reach reach = { 0, 0 };
    return levels_reach(fields, rank, shape, &reach) && hry_reach_bytes(&reach, bits, &before, nbytes);
}

/* The strides of an order over the box extent, of pieces that are unit elements long each. */
static void order_strides(uint8_t order, const int64_t *given, uint32_t rank, const uint64_t *extent, uint64_t unit,
                          uint64_t *strides)
{
    uint64_t stride = unit;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t k = order == ROW ? rank - 1 - i : i;
        strides[k] = order == STRIDED ? (uint64_t)given[k] * unit : stride;
        stride *= extent[k];
    }
}

/* What wraps in a product belongs to a tile that no element lies in. */
static void map_tiled(const hry_layout *layout, uint32_t rank, const uint64_t *shape, hry_map *map)
{
    struct {
        uint64_t size[HRY_RANK_MAX], stride[HRY_RANK_MAX];
    } digits[HRY_TILE_LEVELS_MAX + 1];
    uint64_t extent[HRY_RANK_MAX];
    uint32_t levels = 0;
    memcpy(extent, shape, rank * sizeof *extent);
    for (const hry_layout *l = layout; l && levels < HRY_TILE_LEVELS_MAX;
         l = inner_order(l) == NESTED ? l->inner : NULL, levels++) {
        uint64_t pitch = 1;
        for (uint32_t k = 0; k < rank; k++) {
            pitch *= l->tile_shape[k];
            digits[levels].size[k] = extent[k] = hry_ceil_div(extent[k], l->tile_shape[k]);
        }
        order_strides(outer_order(l), l->outer_strides, rank, extent, pitch, digits[levels].stride);
        memcpy(extent, l->tile_shape, rank * sizeof *extent);
        if (inner_order(l) != NESTED) {
            memcpy(digits[levels + 1].size, extent, rank * sizeof *extent);
            order_strides(inner_order(l), l->inner_strides, rank, extent, 1, digits[levels + 1].stride);
        }
    }
    for (uint32_t k = 0; k < rank; k++) {
        hry_map_axis(map, shape[k]);
        for (uint32_t i = levels; i > 0; i--)
            /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): set above, for each level and dimension */
            hry_map_digit(map, digits[i].size[k], (int64_t)digits[i].stride[k]);
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): there is at least one level */
        hry_map_digit(map, HRY_DIGIT_REST, (int64_t)digits[0].stride[k]);
    }
}

const hry_layout_row hry_layout_tiled = {
    .name = "tiled",
    .tag = HRY_LAYOUT_TILED,
    .tier = 1,
    .category = HRY_DENSE,
    .buffers = 1,
    .fields = 4,
    .fields_per_dim = 8,
    .parse = parse,
    .verify = verify,
    .get = get,
    .length = length,
    .put = put,
    .buffer_size = buffer_size,
    .map = map_tiled,
};
