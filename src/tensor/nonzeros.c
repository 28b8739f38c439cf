#include "tensor/nonzeros.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/status.h"
#include "kern/kern.h"
#include "layout/layouts.h"
#include "tensor/access.h"
#include "tensor/bits.h"
#include "tensor/ranges.h"

#include <hurray/type.h>
#include <string.h>

enum { GRAIN = 1 << 16 }; /* elements that are worth handing to another thread */

void hry_nonzeros_fini(const hry_relayout *r, hry_nonzeros *z)
{
    const hry_allocator *allocator = r->options.allocator;
    hry_free(allocator, z->bits, (size_t)(z->slices * z->words) * sizeof *z->bits, _Alignof(uint64_t));
    hry_free(allocator, z->starts, (size_t)(z->slices + 1) * sizeof *z->starts, _Alignof(uint64_t));
    hry_free(allocator, z->own, z->own_bytes, 64);
}

/* ---- All elements in order ---- */

static void order_strides(const hry_relayout *r, const uint32_t *mode, int64_t *strides)
{
    uint64_t step = 1; /* it may wrap where a dimension is 0, and no stride counts */
    for (uint32_t level = r->rank; level-- > 0;) {
        strides[mode[level]] = (int64_t)step;
        step *= r->shape[mode[level]];
    }
}

/* Where the elements lie as they are wanted; NULL when they do not. */
static const uint8_t *find_in_order(const hry_relayout *r, const int64_t *strides)
{
    hry_map map;
    const uint8_t *first = hry_tensor_first(r->tensor);
    if (r->tensor->desc.layout == HRY_LAYOUT_COMPOSITE || !hry_tensor_map(r->tensor, &map) || map.hilbert_order ||
        map.empty || map.base * (int64_t)r->bits % 8 != 0)
        return NULL;
    for (uint32_t k = 0; k < r->rank; k++)
        if (r->shape[k] > 1 && (!hry_map_is_affine(&map, k) || hry_map_stride(&map, k) != strides[k]))
            return NULL;
    return first + map.base * (int64_t)r->bits / 8;
}

static hry_status read_in_order(const hry_relayout *r, const int64_t *strides, hry_nonzeros *z, hry_error *err)
{
    uint64_t nbytes = UINT64_MAX, count = z->slices * z->length;
    hry_map map;
    if (!hry_type_size(r->bits, count, &nbytes) || !hry_to_size(nbytes, &z->own_bytes) ||
        !(z->own = hry_alloc_zeroed(r->options.allocator, z->own_bytes, 64))) {
        z->own_bytes = 0;
        return hry_fail_memory(err, nbytes);
    }
    z->values = z->own;
    hry_map_strided(&map, r->rank, r->shape, strides);
    return hry_relayout_read(r, z->own, &map, err);
}

/* ---- Those that are not 0 ---- */

typedef struct looking {
    hry_nonzeros *nonzeros;
    uint32_t bits;
} looking;

static bool is_zero(const uint8_t *values, uint32_t bits, uint64_t i)
{
    static const uint8_t zeros[16];
    if (bits < 8)
        return hry_bits_get(bits, values, (int64_t)(i * bits)) == 0;
    return memcmp(values + i * (bits / 8), zeros, bits / 8) == 0;
}

/* Of any width. */
static uint64_t look_at_each(const hry_nonzeros *z, uint32_t bits, uint64_t first, uint64_t *words)
{
    uint64_t found = 0;
    memset(words, 0, (size_t)z->words * sizeof *words);
    for (uint64_t i = 0; i < z->length; i++)
        if (!is_zero(z->values, bits, first + i)) {
            words[i / 64] |= (uint64_t)1 << i % 64;
            found++;
        }
    return found;
}

/* Leaves in starts how many there are in each slice. */
static void look(void *ctx, uint64_t first, uint64_t end)
{
    const looking *l = ctx;
    const hry_nonzeros *z = l->nonzeros;
    for (uint64_t slice = first; slice < end; slice++) {
        uint64_t *words = z->bits + slice * z->words, place = slice * z->length;
        z->starts[slice] =
            z->size ? hry_kern()->nonzero_bits(z->values + place * z->size, z->size, (size_t)z->length, words)
                    : look_at_each(z, l->bits, place, words);
    }
}

static void sum_up(hry_nonzeros *z)
{
    uint64_t before = 0;
    for (uint64_t slice = 0; slice < z->slices; slice++) {
        uint64_t found = z->starts[slice];
        z->starts[slice] = before;
        before += found;
    }
    z->starts[z->slices] = before;
}

hry_status hry_nonzeros_init(const hry_relayout *r, const uint32_t *mode, hry_nonzeros *z, hry_error *err)
{
    int64_t strides[HRY_RANK_MAX] = { 0 };
    uint64_t count, length = r->shape[mode[r->rank - 1]];
    if (!hry_shape_product(r->shape, r->rank, &count) || count > INT64_MAX)
        return hry_fail_memory(err, UINT64_MAX);
    /* Where there are no elements, there may still be slices. */
    z->slices = count ? count / length : r->rank == 2 ? r->shape[mode[0]] : 0;
    z->length = length;
    z->size = r->bits >= 8 && r->bits <= 64 && hry_is_pow2(r->bits) ? r->bits / 8 : 0;
    if (z->slices == UINT64_MAX)
        return hry_fail_memory(err, UINT64_MAX);
    z->starts = hry_alloc_array(r->options.allocator, z->slices + 1, sizeof *z->starts, _Alignof(uint64_t));
    if (!z->starts)
        return hry_fail_array(err, z->slices + 1, sizeof *z->starts);
    memset(z->starts, 0, (size_t)(z->slices + 1) * 8);
    if (count == 0)
        return HRY_OK;
    order_strides(r, mode, strides);
    z->values = find_in_order(r, strides);
    hry_status status = z->values ? HRY_OK : read_in_order(r, strides, z, err);
    if (status)
        return status;
    z->words = hry_ceil_div(length, 64);
    z->bits = hry_alloc_array(r->options.allocator, z->slices * z->words, sizeof *z->bits, _Alignof(uint64_t));
    if (!z->bits)
        return hry_fail_array(err, z->slices * z->words, sizeof *z->bits);
    looking l = { .nonzeros = z, .bits = r->bits };
    hry_in_ranges(z->slices, GRAIN / length + 1, r->options.executor, look, &l);
    sum_up(z);
    return HRY_OK;
}

size_t hry_nonzeros_pick(const hry_nonzeros *z, uint64_t slice, uint64_t first, uint64_t *list, void *values)
{
    const uint64_t *words = z->bits + slice * z->words + first / 64;
    uint64_t left = z->words - first / 64;
    size_t n = left < HRY_NONZEROS_WORDS ? (size_t)left : HRY_NONZEROS_WORDS, taken = 0;
    if (z->size)
        return hry_kern()->pick_ones(words, n, first, list, z->values + (slice * z->length + first) * z->size, z->size,
                                     values);
    for (size_t i = 0; i < n; i++)
        for (uint64_t word = words[i]; word; word &= word - 1)
            list[taken++] = first + 64 * i + (uint64_t)__builtin_ctzll(word);
    return taken;
}
