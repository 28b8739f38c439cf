#include "tensor/sparse_case.h"

#include "support/naive_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

uint64_t sparse_get(const sparse_case *c, uint32_t buffer, uint64_t i)
{
    uint64_t value = 0;
    for (unsigned b = 0; b < 8; b++)
        value |= (uint64_t)c->buffer[buffer][8 * i + b] << 8 * b;
    return value;
}

void sparse_set(sparse_case *c, uint32_t buffer, uint64_t i, uint64_t value)
{
    for (unsigned b = 0; b < 8; b++)
        c->buffer[buffer][8 * i + b] = (uint8_t)(value >> 8 * b);
}

static void room(sparse_case *c, uint32_t buffer, size_t nbytes)
{
    c->nbytes[buffer] = nbytes;
    c->buffer[buffer] = aligned_alloc(64, (nbytes + 64) / 64 * 64);
    assert_non_null(c->buffer[buffer]);
}

/* The order of two elements by the dimensions in turn. */
static int compare(const sparse_case *c, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t level = 0; level < c->rank; level++) {
        uint32_t k = c->mode[level];
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    }
    return 0;
}

static void sort_elements(sparse_case *c)
{
    for (uint64_t i = 1; i < c->nnz; i++)
        for (uint64_t j = i; j > 0 && compare(c, c->index[j - 1], c->index[j]) > 0; j--) {
            uint64_t other[SPARSE_RANK];
            memcpy(other, c->index[j], sizeof other);
            memcpy(c->index[j], c->index[j - 1], sizeof other);
            memcpy(c->index[j - 1], other, sizeof other);
        }
}

static void choose_elements(sparse_case *c, uint64_t *seed)
{
    uint64_t index[SPARSE_RANK] = { 0 }, chance = 1 + naive_below(seed, 8);
    c->nnz = 0;
    do {
        if (naive_below(seed, chance) == 0 && c->nnz < SPARSE_MOST)
            memcpy(c->index[c->nnz++], index, sizeof index);
    } while (naive_next(c->rank, c->shape, index));
    for (uint64_t i = c->nnz; i-- > 1;) {
        uint64_t other[SPARSE_RANK], j = naive_below(seed, i + 1);
        memcpy(other, c->index[i], sizeof other);
        memcpy(c->index[i], c->index[j], sizeof other);
        memcpy(c->index[j], other, sizeof other);
    }
    if (c->tag != HRY_LAYOUT_COO || c->is_sorted)
        sort_elements(c);
}

static void fill_coo(sparse_case *c)
{
    room(c, 1, (size_t)c->nnz * c->rank * 8);
    for (uint64_t i = 0; i < c->nnz; i++)
        for (uint32_t k = 0; k < c->rank; k++)
            sparse_set(c, 1, i * c->rank + k, c->index[i][k]);
}

static void fill_compressed(sparse_case *c)
{
    uint64_t slices = c->shape[c->mode[0]];
    room(c, 1, (size_t)c->nnz * 8);
    room(c, 2, (size_t)(slices + 1) * 8);
    for (uint64_t i = 0; i < c->nnz; i++)
        sparse_set(c, 1, i, c->index[i][c->mode[1]]);
    for (uint64_t x = 0; x <= slices; x++) {
        uint64_t before = 0;
        for (uint64_t i = 0; i < c->nnz; i++)
            before += c->index[i][c->mode[0]] < x;
        sparse_set(c, 2, x, before);
    }
}

/* Whether element i starts a node of a level: it differs from the one before in some dimension down to that level. */
static bool starts_node(const sparse_case *c, uint64_t i, int level)
{
    for (int l = 0; l <= level; l++)
        if (i == 0 || c->index[i][c->mode[l]] != c->index[i - 1][c->mode[l]])
            return true;
    return false;
}

static void fill_tree(sparse_case *c)
{
    for (int level = 0; level < (int)c->rank; level++) {
        uint64_t parents = 0, nodes = 0;
        for (uint64_t i = 0; i < c->nnz; i++) {
            parents += level == 0 ? i == 0 : starts_node(c, i, level - 1);
            nodes += starts_node(c, i, level);
        }
        if (level == 0)
            parents = 1;
        room(c, 2 * (uint32_t)level + 1, (size_t)(parents + 1) * 8);
        room(c, 2 * (uint32_t)level + 2, (size_t)nodes * 8);
        uint64_t parent = 0, node = 0;
        sparse_set(c, 2 * (uint32_t)level + 1, 0, 0);
        for (uint64_t i = 0; i < c->nnz; i++) {
            if (i > 0 && level > 0 && starts_node(c, i, level - 1))
                sparse_set(c, 2 * (uint32_t)level + 1, ++parent, node);
            if (starts_node(c, i, level))
                sparse_set(c, 2 * (uint32_t)level + 2, node++, c->index[i][c->mode[level]]);
        }
        if (parents)
            sparse_set(c, 2 * (uint32_t)level + 1, parents, nodes);
    }
}

void sparse_remake(sparse_case *c)
{
    uint8_t bytes[4096];
    hry_desc desc;
    hry_error err;
    hry_buffer rows[SPARSE_BUFFERS] = { { 0 } };
    hry_layout layout = { .tag = c->tag, .nnz = c->nnz, .is_sorted = c->is_sorted, .mode_order = c->mode };
    hry_desc_spec spec = { .type = c->type,
                           .rank = c->rank,
                           .shape = c->shape,
                           .layout = &layout,
                           .buffers = rows,
                           .buffer_count = c->buffer_count };
    hry_tensor_release(c->tensor);
    c->tensor = NULL;
    for (uint32_t i = 0; i < c->buffer_count; i++)
        rows[i].byte_size = c->nbytes[i];
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_tensor_create(&desc, (const void *const *)c->buffer, NULL, NULL, NULL, &c->tensor, &err),
                     HRY_OK);
}

void sparse_make(sparse_case *c, uint64_t *seed, uint8_t tag, bool is_sorted, uint32_t rank, uint64_t largest)
{
    static const uint8_t types[] = { HRY_TYPE_FLOAT16, HRY_TYPE_FLOAT32, HRY_TYPE_FLOAT64,    HRY_TYPE_INT8,
                                     HRY_TYPE_BOOL,    HRY_TYPE_INT4,    HRY_TYPE_FLOAT6_E2M3 };
    uint64_t nbytes;
    memset(c, 0, sizeof *c);
    c->tag = tag;
    c->is_sorted = is_sorted;
    c->rank = rank;
    c->type = types[naive_below(seed, sizeof types)];
    for (uint32_t k = 0; k < rank; k++) {
        uint32_t other = (uint32_t)naive_below(seed, k + 1);
        c->shape[k] = 1 + naive_below(seed, largest);
        c->mode[k] = tag == HRY_LAYOUT_CSF ? c->mode[other] : tag == HRY_LAYOUT_CSC ? 1 - k : k;
        if (tag == HRY_LAYOUT_CSF)
            c->mode[other] = k;
    }
    choose_elements(c, seed);
    c->buffer_count = tag == HRY_LAYOUT_COO ? 2 : tag == HRY_LAYOUT_CSF ? 2 * rank + 1 : 3;
    hry_type_size(hry_type_find(c->type)->bits, c->nnz, &nbytes);
    room(c, 0, (size_t)nbytes);
    for (size_t i = 0; i < nbytes; i++)
        c->buffer[0][i] = (uint8_t)naive_random(seed);
    if (tag == HRY_LAYOUT_COO)
        fill_coo(c);
    else if (tag == HRY_LAYOUT_CSF)
        fill_tree(c);
    else
        fill_compressed(c);
    sparse_remake(c);
}

void sparse_free(sparse_case *c)
{
    hry_tensor_release(c->tensor);
    for (uint32_t i = 0; i < c->buffer_count; i++)
        free(c->buffer[i]);
}
