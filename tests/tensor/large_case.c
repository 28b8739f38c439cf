#include "tensor/large_case.h"

#include "base/bytes.h"
#include "support/naive_layout.h"
#include "tensor/object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static hry_pool *pool;
hry_executor large_executor;

int large_start_pool(void **state)
{
    (void)state;
    assert_int_equal(hry_pool_create(3, NULL, &pool, NULL), HRY_OK);
    large_executor = hry_pool_executor(pool);
    return 0;
}

int large_end_pool(void **state)
{
    (void)state;
    hry_pool_destroy(pool);
    return 0;
}

size_t large_size(uint32_t bits, uint64_t n)
{
    uint64_t nbytes;
    assert_true(hry_type_size(bits, n, &nbytes));
    return (size_t)nbytes;
}

void large_make(large *l, uint64_t *seed, uint8_t type, uint32_t rank, const uint64_t *shape)
{
    uint64_t heavy = naive_below(seed, shape[0]); /* a slice with more than the others */
    memset(l, 0, sizeof *l);
    l->type = type;
    l->bits = hry_type_find(type)->bits;
    l->rank = rank;
    l->count = 1;
    for (uint32_t k = 0; k < rank; k++)
        l->count *= l->shape[k] = shape[k];
    assert_true(l->count <= LARGE_MOST);
    l->dense = calloc(1, large_size(l->bits, l->count) + 1);
    l->stored = calloc(1, l->count);
    l->index = malloc(l->count * sizeof *l->index);
    l->flat = malloc(l->count * sizeof *l->flat);
    uint64_t slice = l->count / shape[0];
    for (uint64_t i = 0; i < l->count; i++)
        if (naive_below(seed, 8) < (i / slice == heavy ? 8 : 5)) {
            uint64_t low = naive_random(seed) | 1, high = l->bits > 64 ? naive_random(seed) : 0;
            hry_element_set_bits(type, l->dense, i, l->bits < 64 ? low & (((uint64_t)1 << l->bits) - 1) : low, high);
            l->stored[i] = 1;
            l->nnz++;
        }
}

static uint64_t *room(large *l, uint32_t buffer, uint64_t words)
{
    l->nbytes[buffer] = (size_t)words * 8;
    free(l->buffer[buffer]);
    l->buffer[buffer] = malloc((size_t)words * 8 + 1);
    return (uint64_t *)(void *)l->buffer[buffer];
}

static void swap_entries(large *l, uint64_t i, uint64_t j)
{
    uint64_t index[LARGE_RANK], flat = l->flat[i];
    memcpy(index, l->index[i], sizeof index);
    memcpy(l->index[i], l->index[j], sizeof index);
    memcpy(l->index[j], index, sizeof index);
    l->flat[i] = l->flat[j];
    l->flat[j] = flat;
}

static void fill_coo(large *l)
{
    uint64_t *indices = room(l, 1, l->nnz * l->rank);
    for (uint64_t i = 0; i < l->nnz; i++)
        for (uint32_t k = 0; k < l->rank; k++)
            hry_store64(indices + i * l->rank + k, l->index[i][k]);
}

static void fill_compressed(large *l)
{
    uint64_t *indices = room(l, 1, l->nnz), *pointers = room(l, 2, l->shape[l->mode[0]] + 1), i = 0;
    for (uint64_t x = 0; x <= l->shape[l->mode[0]]; x++) {
        while (i < l->nnz && l->index[i][l->mode[0]] < x)
            i++;
        hry_store64(pointers + x, i);
    }
    for (i = 0; i < l->nnz; i++)
        hry_store64(indices + i, l->index[i][l->mode[1]]);
}

static bool starts_node(const large *l, uint64_t i, int level)
{
    for (int k = 0; k <= level; k++)
        if (i == 0 || l->index[i][l->mode[k]] != l->index[i - 1][l->mode[k]])
            return true;
    return false;
}

static void fill_tree(large *l)
{
    uint64_t parents = 1;
    for (int level = 0; level < (int)l->rank; level++) {
        uint64_t *pos = room(l, 2 * (uint32_t)level + 1, parents + 1), *crd = room(l, 2 * (uint32_t)level + 2, l->nnz);
        uint64_t nodes = 0, parent = 0;
        hry_store64(pos, 0);
        for (uint64_t i = 0; i < l->nnz; i++) {
            if (i > 0 && level > 0 && starts_node(l, i, level - 1))
                hry_store64(pos + ++parent, nodes);
            if (starts_node(l, i, level))
                hry_store64(crd + nodes++, l->index[i][l->mode[level]]);
        }
        hry_store64(pos + parents, nodes);
        l->nbytes[2 * level + 2] = (size_t)nodes * 8;
        parents = nodes;
    }
}

/* The arrays of a sparse layout. Unsorted COO is shuffled. */
void large_lay_out(large *l, uint64_t *seed, uint8_t tag, bool is_sorted, const uint32_t *mode)
{
    uint64_t at[LARGE_RANK] = { 0 }, by_level[LARGE_RANK], n = 0;
    for (uint32_t i = 0; i < l->buffers; i++) {
        free(l->buffer[i]);
        l->buffer[i] = NULL;
    }
    l->tag = tag;
    l->is_sorted = is_sorted;
    memcpy(l->mode, mode, l->rank * sizeof *mode);
    for (uint32_t k = 0; k < l->rank; k++)
        by_level[k] = l->shape[mode[k]];
    do {
        uint64_t index[LARGE_RANK] = { 0 }, flat = 0;
        for (uint32_t k = 0; k < l->rank; k++)
            index[mode[k]] = at[k];
        for (uint32_t k = 0; k < l->rank; k++)
            flat = flat * l->shape[k] + index[k];
        if (l->stored[flat]) {
            memcpy(l->index[n], index, sizeof index);
            l->flat[n++] = flat;
        }
    } while (naive_next(l->rank, by_level, at));
    for (uint64_t i = n; tag == HRY_LAYOUT_COO && !is_sorted && i-- > 1;)
        swap_entries(l, i, naive_below(seed, i + 1));
    l->buffers = tag == HRY_LAYOUT_COO ? 2 : tag == HRY_LAYOUT_CSF ? 2 * l->rank + 1 : 3;
    l->nbytes[0] = large_size(l->bits, l->nnz);
    l->buffer[0] = calloc(1, l->nbytes[0] + 1);
    for (uint64_t i = 0; i < l->nnz; i++) {
        uint64_t low = 0, high = 0;
        hry_element_bits(l->type, l->dense, l->flat[i], &low, &high);
        hry_element_set_bits(l->type, l->buffer[0], i, low, high);
    }
    if (tag == HRY_LAYOUT_COO)
        fill_coo(l);
    else if (tag == HRY_LAYOUT_CSF)
        fill_tree(l);
    else
        fill_compressed(l);
}

/* With a scale for each index along axis, or for each block of 2 along it, where scales is not NULL. */
hry_tensor *large_quantized(const large *l, uint8_t scheme, uint32_t axis, const void *scales, uint64_t count)
{
    uint8_t bytes[1024];
    hry_desc desc;
    hry_error err = { 0 };
    hry_tensor *t = NULL;
    hry_buffer rows[LARGE_BUFFERS + 1] = { { 0 } };
    const void *buffers[LARGE_BUFFERS + 1];
    hry_quantization q = { .scheme = scheme,
                           .flags = HRY_QUANT_SYMMETRIC,
                           .axis = axis,
                           .block_size = 2,
                           .scale_type_tag = HRY_TYPE_FLOAT32,
                           .scale_buffer_index = l->buffers,
                           .zero_point_buffer_index = HRY_NO_BUFFER };
    hry_layout layout = { .tag = l->tag, .nnz = l->nnz, .is_sorted = l->is_sorted, .mode_order = l->mode };
    hry_desc_spec spec = { .type = l->type,
                           .rank = l->rank,
                           .shape = l->shape,
                           .layout = &layout,
                           .buffers = rows,
                           .quantization = scales ? &q : NULL,
                           .buffer_count = l->buffers + (scales ? 1 : 0) };
    for (uint32_t i = 0; i < l->buffers; i++) {
        rows[i].byte_size = l->nbytes[i];
        buffers[i] = l->buffer[i];
    }
    rows[l->buffers].byte_size = 4 * count;
    buffers[l->buffers] = scales;
    if (hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err) ||
        hry_tensor_create_stored(&desc, buffers, NULL, NULL, NULL, &t, &err))
        fail_msg("%s", err.message);
    return t;
}

hry_tensor *large_tensor(const large *l)
{
    return large_quantized(l, 0, 0, NULL, 0);
}

void large_free(large *l)
{
    for (uint32_t i = 0; i < l->buffers; i++)
        free(l->buffer[i]);
    free(l->dense);
    free(l->stored);
    free(l->index);
    free(l->flat);
}

const large_way large_ways[LARGE_WAYS] = {
    { HRY_LAYOUT_COO, false, 0, { 0, 1, 2 } }, { HRY_LAYOUT_COO, true, 0, { 0, 1, 2 } },
    { HRY_LAYOUT_CSR, false, 2, { 0, 1 } },    { HRY_LAYOUT_CSC, false, 2, { 1, 0 } },
    { HRY_LAYOUT_CSF, false, 3, { 0, 1, 2 } }, { HRY_LAYOUT_CSF, false, 3, { 2, 0, 1 } },
    { HRY_LAYOUT_CSF, false, 3, { 1, 0, 2 } },
};
