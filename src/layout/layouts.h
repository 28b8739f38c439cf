/*
 * What the library knows of each layout: one row a tag. A layout is a file that fills in a row; the descriptor's parser
 * and builder, and everything that reads or moves elements, go through it.
 */
#ifndef HRY_LAYOUT_LAYOUTS_H
#define HRY_LAYOUT_LAYOUTS_H

#include "base/checked.h"
#include "base/draft.h"

#include <hurray/layout.h>

enum hry_layout_category { HRY_DENSE, HRY_SPARSE, HRY_INDIRECT, HRY_VIRTUAL, HRY_PRIVATE };

struct hry_map;

typedef struct hry_layout_row {
    const char *name;
    uint8_t tag, tier;
    uint8_t category; /* enum hry_layout_category */
    uint8_t buffers;  /* buffers of the layout's own: buffers + buffers_per_dim * rank */
    uint8_t buffers_per_dim;
    uint8_t fields; /* bytes of the layout's fields: fields + fields_per_dim * rank, unless parse says more */
    uint8_t fields_per_dim;

    /*
     * Phase P1 over the fields at f->layout_offset, of which the fixed part above is known to be there. *length is
     * that part's and may be raised; bytes up to f->end may be read. NULL: no rule.
     */
    hry_status (*parse)(hry_draft *f, uint32_t *length);
    /* Phase P2: the fields against shape, buffers and sections. Never NULL. */
    hry_status (*verify)(hry_draft *f);

    /* Fields to a value and back. get: false when the value does not fit store. NULL: no fields. */
    bool (*get)(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store);
    /* The bytes that put writes; false when layout lacks an array. NULL: the fixed part. */
    bool (*length)(const hry_layout *layout, uint32_t rank, uint64_t *nbytes);
    void (*put)(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields);

    /*
     * The least bytes that buffer i of the layout's own must have, for elements of bits; 0 where only the data say it.
     * False when that does not fit, or depends on a dynamic dimension. For composites there is none.
     */
    bool (*buffer_size)(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint32_t bits, uint32_t i,
                        uint64_t *nbytes);

    /* The axes and digits of a dense layout that has elements, on an empty map (map.h). NULL: not dense. */
    void (*map)(const hry_layout *layout, uint32_t rank, const uint64_t *shape, struct hry_map *map);
} hry_layout_row;

extern const hry_layout_row *const hry_layout_by_tag[256];

/* The row of a known or private tag, NULL for others. */
static inline const hry_layout_row *hry_layout_row_of(uint8_t tag)
{
    return hry_layout_by_tag[tag];
}

/* The rows by position, private last; NULL from the end on. */
const hry_layout_row *hry_layout_row_at(size_t position);

static inline uint32_t hry_layout_own_buffers(const hry_layout_row *row, uint32_t rank)
{
    return row->buffers + (uint32_t)row->buffers_per_dim * rank;
}

extern const hry_layout_row hry_layout_row_major, hry_layout_column_major, hry_layout_strided, hry_layout_tiled,
    hry_layout_morton, hry_layout_coo, hry_layout_csr, hry_layout_csc, hry_layout_csf, hry_layout_block_paged,
    hry_layout_composite, hry_layout_hilbert, hry_layout_private;

/* ---- Shared by the layouts ---- */

/*
 * The lowest and highest element offset that a dense layout uses, as distances from the element [0,...,0]: below holds
 * how far the lowest lies before it, above how far the highest lies behind it.
 */
typedef struct hry_reach {
    uint64_t below, above;
} hry_reach;

/* Widens reach by index 0..count-1 along a stride; false when it does not fit. count must not be 0. */
bool hry_reach_stride(hry_reach *reach, int64_t stride, uint64_t count);

/*
 * Whether strides give each index a place of its own, as far as they tell in order of size: each must be beyond all
 * that the smaller ones reach. Dimensions of one index do not matter.
 */
bool hry_strides_apart(uint32_t rank, const int64_t *strides, const uint64_t *counts);

/*
 * The bytes from the byte at byte_offset that reach takes: before it (*before) and from it on (*after), for elements
 * of bits. False when they do not fit.
 */
bool hry_reach_bytes(const hry_reach *reach, uint32_t bits, uint64_t *before, uint64_t *after);

/* D-37 for a tensor that is neither dynamic nor empty: all that reach covers lies in buffer 0. */
hry_status hry_layout_check_reach(hry_draft *f, hry_reach reach);
/* The same when the reach does not even fit 64 bits. */
hry_status hry_layout_check_unreachable(hry_draft *f);

/* D-38: buffer i holds at least count items of item_bits each. */
hry_status hry_layout_check_buffer(hry_draft *f, uint32_t i, uint64_t count, uint32_t item_bits);
/* The same for a size that does not fit 64 bits. */
hry_status hry_layout_check_oversize(hry_draft *f, uint32_t i);

/* D-36 */
hry_status hry_layout_check_no_offset(const hry_draft *f);
/* nnz against the product of the shape, by rule; nnz is the field at layout_offset. */
hry_status hry_layout_check_nnz(hry_draft *f, enum hry_rule rule);

/* The product of n dimensions; false while one is dynamic or when it does not fit. Zero wins over overflow. */
bool hry_shape_product(const uint64_t *shape, uint32_t n, uint64_t *product);

/* A layout that cannot be a shard (by rule) is one. */
hry_status hry_layout_check_no_shard(const hry_draft *f, enum hry_rule rule);

#endif
