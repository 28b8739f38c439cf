#include "tensor/dense_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

unsigned naive_bit(const uint8_t *bytes, int64_t k)
{
    int64_t byte = k >= 0 ? k / 8 : -((7 - k) / 8);
    return bytes[byte] >> (k - 8 * byte) & 1;
}

static void offsets_of(const naive_tensor *n, int64_t *low, int64_t *high)
{
    uint64_t index[HRY_RANK_MAX] = { 0 };
    *low = *high = 0;
    do {
        int64_t offset = naive_offset(&n->layout, n->rank, n->shape, index);
        *low = offset < *low ? offset : *low;
        *high = offset > *high ? offset : *high;
    } while (naive_next(n->rank, n->shape, index));
}

void dense_make(dense_case *c, uint64_t *seed, uint8_t tag, uint32_t rank, uint64_t largest)
{
    static const uint8_t types[] = {
        HRY_TYPE_FLOAT16,     HRY_TYPE_BFLOAT16,    HRY_TYPE_FLOAT32,     HRY_TYPE_FLOAT64,     HRY_TYPE_INT8,
        HRY_TYPE_UINT8,       HRY_TYPE_INT16,       HRY_TYPE_UINT16,      HRY_TYPE_INT32,       HRY_TYPE_UINT32,
        HRY_TYPE_INT64,       HRY_TYPE_UINT64,      HRY_TYPE_BOOL,        HRY_TYPE_FLOAT8_E4M3, HRY_TYPE_FLOAT8_E5M2,
        HRY_TYPE_FLOAT8_E8M0, HRY_TYPE_FLOAT4_E2M1, HRY_TYPE_FLOAT6_E2M3, HRY_TYPE_FLOAT6_E3M2, HRY_TYPE_FLOAT128,
        HRY_TYPE_INT4,        HRY_TYPE_UINT4,       HRY_TYPE_INT2,        HRY_TYPE_UINT2,       HRY_TYPE_COMPLEX64,
        HRY_TYPE_COMPLEX128
    };
    int64_t low, high;
    naive_make(&c->n, seed, tag, rank, largest);
    c->type = types[naive_below(seed, sizeof types)];
    c->bits = hry_type_find(c->type)->bits;
    offsets_of(&c->n, &low, &high);
    /* Whole bytes, and whole groups of three for 6 bits, before the first element and behind the last. */
    int64_t unit = c->bits == 6 ? 24 : c->bits < 8 ? 8 : (int64_t)c->bits, before = -low * (int64_t)c->bits;
    c->byte_offset = (before + unit - 1) / unit * unit / 8 + unit / 8 * (int64_t)naive_below(seed, 3);
    uint64_t end = (uint64_t)(c->byte_offset + (high * (int64_t)c->bits / unit + 1) * unit / 8);
    uint8_t bytes[16384];
    hry_desc desc;
    hry_error err;
    hry_buffer row = { 0 };
    hry_desc_spec spec = { .type = c->type,
                           .rank = rank,
                           .shape = c->n.shape,
                           .layout = &c->n.layout,
                           .byte_offset = (uint64_t)c->byte_offset,
                           .buffers = &row,
                           .buffer_count = 1 };
    /* Curves and tiles are stored in full: the smallest buffer that the format takes. */
    for (row.byte_size = end; hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err); row.byte_size++)
        assert_string_equal(hry_rule_id(err.rule), "D-37");
    c->nbytes = row.byte_size;
    c->buffer = aligned_alloc(64, (c->nbytes + 63) / 64 * 64);
    assert_non_null(c->buffer);
    for (size_t i = 0; i < c->nbytes; i++)
        c->buffer[i] = (uint8_t)naive_random(seed);
    assert_int_equal(hry_tensor_create(&desc, (const void *const[]){ c->buffer }, NULL, NULL, NULL, &c->tensor, &err),
                     HRY_OK);
}

const uint8_t dense_tags[DENSE_TAGS] = { HRY_LAYOUT_ROW_MAJOR, HRY_LAYOUT_COLUMN_MAJOR, HRY_LAYOUT_STRIDED,
                                         HRY_LAYOUT_TILED,     HRY_LAYOUT_MORTON,       HRY_LAYOUT_HILBERT };

void dense_make_any(dense_case *c, uint64_t *seed, const uint64_t *largest, uint32_t ranks)
{
    uint8_t tag = dense_tags[naive_below(seed, DENSE_TAGS)];
    uint32_t rank = (uint32_t)naive_below(seed, ranks);
    if (tag != HRY_LAYOUT_ROW_MAJOR && rank == 0)
        rank = 1;
    if (tag == HRY_LAYOUT_HILBERT && rank == 1)
        rank = 2;
    dense_make(c, seed, tag, rank, largest[rank]);
}

void dense_free(dense_case *c)
{
    hry_tensor_release(c->tensor);
    free(c->buffer);
}

void dense_box(uint64_t *seed, uint32_t rank, const uint64_t *shape, hry_box *box)
{
    for (uint32_t k = 0; k < rank; k++) {
        uint64_t step = 1 + (naive_below(seed, 2) ? naive_below(seed, 5) : 0), n = shape[k];
        bool whole = naive_below(seed, 3) == 0, down = !whole && naive_below(seed, 3) == 0;
        box->start[k] = whole ? 0 : naive_below(seed, n);
        box->step[k] = down ? -(int64_t)step : whole ? 0 : (int64_t)step;
        uint64_t most = (down ? box->start[k] : n - 1 - box->start[k]) / step + 1;
        box->count[k] = whole ? n : 1 + naive_below(seed, most);
    }
    if (rank == 0) {
        box->start[0] = 0;
        box->step[0] = 0;
        box->count[0] = 1;
    }
}

void dense_index(const hry_box *box, uint32_t rank, const uint64_t *at, uint64_t *index)
{
    for (uint32_t k = 0; k < rank; k++)
        index[k] = box->start[k] + at[k] * (uint64_t)(box->step[k] ? box->step[k] : 1);
}

uint64_t dense_bits(const dense_case *c, const uint64_t *index, uint32_t from)
{
    int64_t offset = naive_offset(&c->n.layout, c->n.rank, c->n.shape, index);
    uint64_t bits = 0;
    for (uint32_t i = from; i < c->bits && i < from + 64; i++)
        bits |= (uint64_t)naive_bit(c->buffer, c->byte_offset * 8 + offset * (int64_t)c->bits + (int64_t)i)
                << (i - from);
    return bits;
}

uint64_t dense_box_count(const hry_box *box, uint32_t rank)
{
    uint64_t count = 1;
    for (uint32_t k = 0; k < rank; k++)
        count *= box->count[k];
    return count;
}
