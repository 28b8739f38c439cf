/*
 * Other layouts: what comes out is compared element by element with what the naive reading of the source says, index
 * arrays with lists that the test makes from the format's text.
 */
#include "tensor/dense_case.h"

#include "base/bytes.h"
#include "support/rules_reached.h"

#include <hurray/pool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The elements in row-major order, packed, as they are stored. */
static uint8_t *packed(const hry_tensor *t, uint64_t *nbytes)
{
    uint64_t count;
    hry_error err = { 0 };
    hry_read_options options = { .stored = true };
    assert_true(hry_desc_count(hry_tensor_desc(t), &count));
    assert_true(hry_type_size(hry_desc_bits(hry_tensor_desc(t)), count, nbytes));
    uint8_t *bytes = calloc(1, *nbytes + 1);
    if (hry_tensor_read_with(t, NULL, 0, NULL, &options, bytes, &err))
        fail_msg("%s", err.message);
    return bytes;
}

static void assert_same_elements(const hry_tensor *a, const hry_tensor *b)
{
    uint64_t na, nb;
    uint8_t *pa = packed(a, &na), *pb = packed(b, &nb);
    assert_int_equal(na, nb);
    assert_memory_equal(pa, pb, na);
    free(pa);
    free(pb);
}

static uint64_t ones(const void *bytes, uint64_t nbytes)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < nbytes; i++)
        n += (uint64_t)__builtin_popcount(((const uint8_t *)bytes)[i]);
    return n;
}

static hry_tensor *relayout(const hry_tensor *t, const hry_layout *layout, const hry_executor *executor)
{
    hry_tensor *out = NULL;
    hry_error err = { 0 };
    hry_relayout_options options = { .executor = executor };
    if (hry_tensor_relayout(t, layout, &options, &out, &err))
        fail_msg("%s to %s: %s", hry_layout_name(hry_tensor_desc(t)->layout), hry_layout_name(layout->tag),
                 err.message);
    return out;
}

/* A layout for the shape of c: strides without overlap, tilings without strides. False when tag cannot have it. */
static bool some_layout(const dense_case *c, uint64_t *seed, uint8_t tag, hry_layout *layout, hry_layout_store *store)
{
    uint32_t rank = c->n.rank;
    *layout = (hry_layout){ .tag = tag };
    if (rank == 0)
        return tag == HRY_LAYOUT_ROW_MAJOR;
    if (tag == HRY_LAYOUT_STRIDED) {
        int64_t step = 1 + (int64_t)naive_below(seed, 3);
        for (uint32_t i = 0; i < rank; i++) {
            uint32_t k = (i + 1) % rank;
            store->outer[0][k] = naive_below(seed, 2) ? step : -step;
            step *= (int64_t)c->n.shape[k] + (int64_t)naive_below(seed, 2);
        }
        layout->strides = store->outer[0];
    }
    if (tag == HRY_LAYOUT_TILED) {
        bool nested = naive_below(seed, 2);
        for (uint32_t k = 0; k < rank; k++) {
            store->shape[1][k] = 1 + naive_below(seed, 3);
            store->shape[0][k] = store->shape[1][k] * (1 + naive_below(seed, 3));
        }
        layout->tile_shape = store->shape[0];
        layout->outer_layout = (uint8_t)(1 + naive_below(seed, 2));
        layout->inner_layout = nested ? 4 : (uint8_t)(1 + naive_below(seed, 2));
        store->level[1] = (hry_layout){ .tag = HRY_LAYOUT_TILED, .tile_shape = store->shape[1], .outer_layout = 2 };
        layout->inner = nested ? &store->level[1] : NULL;
    }
    if (tag != HRY_LAYOUT_HILBERT)
        return true;
    for (uint32_t k = 0; k < rank; k++)
        if (c->n.shape[k] != c->n.shape[0] || (c->n.shape[0] & (c->n.shape[0] - 1)) || c->n.shape[0] < 2)
            return false;
    return rank >= 2;
}

static void make(dense_case *c, uint64_t *seed)
{
    static const uint64_t largest[] = { 1, 300, 40, 10, 6, 4 };
    dense_make_any(c, seed, largest, 6);
}

static void test_dense(void **state)
{
    (void)state;
    hry_pool *pool = NULL;
    assert_int_equal(hry_pool_create(3, NULL, &pool, NULL), HRY_OK);
    hry_executor executor = hry_pool_executor(pool);
    int made[256] = { 0 };
    for (uint64_t i = 1; i <= 1200; i++) {
        uint64_t seed = i, n, nbytes;
        dense_case c;
        hry_layout layout;
        hry_layout_store store;
        make(&c, &seed);
        uint8_t tag = dense_tags[naive_below(&seed, DENSE_TAGS)];
        if (some_layout(&c, &seed, tag, &layout, &store)) {
            hry_tensor *t = relayout(c.tensor, &layout, i % 2 ? &executor : NULL);
            assert_int_equal(hry_tensor_desc(t)->layout, tag);
            assert_same_elements(c.tensor, t);
            /* Whatever belongs to no element is 0. */
            uint8_t *elements = packed(t, &n);
            const void *data = hry_tensor_buffer(t, 0, &nbytes);
            assert_int_equal(ones(elements, n), ones(data, nbytes));
            free(elements);
            hry_tensor_release(t);
            made[tag]++;
        }
        dense_free(&c);
    }
    for (size_t i = 0; i < DENSE_TAGS; i++)
        assert_true(made[dense_tags[i]] > 20);
    hry_pool_destroy(pool);
}

/* ---- Sparse ---- */

/* A row-major tensor of a random type, most elements 0. */
static hry_tensor *sparse_case(uint64_t *seed, uint32_t rank, const uint64_t *shape, uint8_t type, void **memory)
{
    const hry_type_info *info = hry_type_find(type);
    uint64_t count = 1, nbytes;
    hry_tensor *t = NULL;
    for (uint32_t k = 0; k < rank; k++)
        count *= shape[k];
    assert_true(hry_type_size(info->bits, count, &nbytes));
    uint8_t *data = calloc(1, nbytes + 1);
    for (uint64_t i = 0; i < count; i++)
        if (naive_below(seed, 4) == 0)
            hry_element_set_bits(type, data, i, naive_random(seed) >> (64 - (info->bits < 64 ? info->bits : 64)),
                                 info->bits > 64 ? naive_random(seed) : 0);
    assert_int_equal(hry_tensor_dense(type, rank, shape, data, NULL, NULL, &t, NULL), HRY_OK);
    *memory = data;
    return t;
}

static uint64_t word(const hry_tensor *t, uint32_t buffer, uint64_t i)
{
    uint64_t nbytes;
    const uint8_t *bytes = hry_tensor_buffer(t, buffer, &nbytes);
    assert_true(i < nbytes / 8);
    return hry_load64(bytes + 8 * i);
}

static uint64_t words(const hry_tensor *t, uint32_t buffer)
{
    uint64_t nbytes;
    hry_tensor_buffer(t, buffer, &nbytes);
    return nbytes / 8;
}

/* The elements that are not all zeros, in row-major order of the dimensions in the order of mode. */
typedef struct list {
    uint64_t n, rank;
    uint64_t index[4096][4]; /* by level */
    uint64_t lo[4096], hi[4096];
} list;

static void make_list(list *l, const uint8_t *data, uint8_t type, uint32_t rank, const uint64_t *shape,
                      const uint32_t *mode)
{
    uint64_t by_level[4], at[4] = { 0 };
    for (uint32_t level = 0; level < rank; level++)
        by_level[level] = shape[mode[level]];
    l->n = 0;
    l->rank = rank;
    do {
        uint64_t place = 0, index[4] = { 0 };
        for (uint32_t level = 0; level < rank; level++)
            index[mode[level]] = at[level];
        for (uint32_t k = 0; k < rank; k++)
            place = place * shape[k] + index[k];
        hry_element_bits(type, data, place, &l->lo[l->n], &l->hi[l->n]);
        if (hry_type_find(type)->bits <= 64)
            l->hi[l->n] = 0;
        if (l->lo[l->n] || l->hi[l->n]) {
            memcpy(l->index[l->n], at, sizeof at);
            l->n++;
        }
    } while (naive_next(rank, by_level, at));
}

static void assert_values(const hry_tensor *t, const list *l, uint8_t type)
{
    const hry_type_info *info = hry_type_find(type);
    uint64_t nbytes, want;
    const void *values = hry_tensor_buffer(t, 0, &nbytes);
    assert_true(hry_type_size(info->bits, l->n, &want));
    assert_int_equal(nbytes, want);
    for (uint64_t i = 0; i < l->n; i++) {
        uint64_t lo = 0, hi = 0;
        hry_element_bits(type, values, i, &lo, &hi);
        assert_true(lo == l->lo[i] && (info->bits <= 64 || hi == l->hi[i]));
    }
}

/* From the format's text: pointers, then coordinates. */
static void assert_sparse(const hry_tensor *t, const list *l, const uint64_t *shape, const uint32_t *mode, uint8_t type)
{
    uint8_t tag = hry_tensor_desc(t)->layout;
    hry_error err = { 0 };
    assert_int_equal(hry_tensor_verify(t, HRY_VERIFY_DEEP, &err), HRY_OK);
    assert_values(t, l, type);
    if (tag == HRY_LAYOUT_COO) {
        assert_int_equal(words(t, 1), l->n * l->rank);
        for (uint64_t i = 0; i < l->n; i++)
            for (uint32_t k = 0; k < l->rank; k++)
                assert_int_equal(word(t, 1, i * l->rank + k), l->index[i][k]);
    } else if (tag == HRY_LAYOUT_CSR || tag == HRY_LAYOUT_CSC) {
        assert_int_equal(words(t, 2), shape[mode[0]] + 1);
        for (uint64_t x = 0; x <= shape[mode[0]]; x++) {
            uint64_t below = 0;
            while (below < l->n && l->index[below][0] < x)
                below++;
            assert_int_equal(word(t, 2, x), below);
        }
        for (uint64_t i = 0; i < l->n; i++)
            assert_int_equal(word(t, 1, i), l->index[i][1]);
    } else {
        uint64_t parents = 1; /* nodes of the level above */
        for (uint32_t level = 0; level < l->rank; level++) {
            uint64_t node = 0, parent = 0;
            assert_int_equal(words(t, 2 * level + 1), parents + 1);
            assert_int_equal(word(t, 2 * level + 1, 0), 0);
            for (uint64_t i = 0; i < l->n; i++) {
                bool starts = i == 0 || memcmp(l->index[i], l->index[i - 1], (level + 1) * sizeof(uint64_t));
                bool starts_parent = i == 0 || memcmp(l->index[i], l->index[i - 1], level * sizeof(uint64_t));
                if (i > 0 && starts_parent && level > 0)
                    assert_int_equal(word(t, 2 * level + 1, ++parent), node);
                if (starts)
                    assert_int_equal(word(t, 2 * level + 2, node++), l->index[i][level]);
            }
            assert_int_equal(word(t, 2 * level + 1, parents), node);
            assert_int_equal(words(t, 2 * level + 2), node);
            parents = node;
        }
    }
}

static bool same_buffers(const hry_tensor *a, const hry_tensor *b)
{
    const hry_desc *da = hry_tensor_desc(a), *db = hry_tensor_desc(b);
    if (da->length != db->length || memcmp(da->bytes, db->bytes, da->length) != 0)
        return false;
    for (uint32_t i = 0; i < da->buffer_count; i++) {
        uint64_t na, nb;
        const void *pa = hry_tensor_buffer(a, i, &na), *pb = hry_tensor_buffer(b, i, &nb);
        if (na != nb || (na && memcmp(pa, pb, na) != 0))
            return false;
    }
    return true;
}

static void test_sparse(void **state)
{
    (void)state;
    static list l;
    static const uint8_t types[] = { HRY_TYPE_FLOAT32, HRY_TYPE_BOOL,    HRY_TYPE_INT4,       HRY_TYPE_FLOAT6_E2M3,
                                     HRY_TYPE_UINT8,   HRY_TYPE_FLOAT16, HRY_TYPE_COMPLEX128, HRY_TYPE_INT64,
                                     HRY_TYPE_INT2,    HRY_TYPE_FLOAT128 };
    for (uint64_t round = 1; round <= 150; round++) {
        uint64_t seed = round, shape[4];
        uint32_t rank = 1 + (uint32_t)naive_below(&seed, 4), turned[4];
        uint8_t type = types[naive_below(&seed, sizeof types)];
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = 1 + naive_below(&seed, rank == 2 ? 40 : 7);
        for (uint32_t k = 0; k < rank; k++)
            turned[k] = (k + 1 + (uint32_t)naive_below(&seed, rank)) % rank;
        for (uint32_t k = 1; k < rank; k++)
            turned[k] = (turned[0] + k * (rank % 2 ? 2 : rank - 1)) % rank;
        void *memory;
        hry_tensor *dense = sparse_case(&seed, rank, shape, type, &memory), *made[5] = { 0 };
        const uint32_t identity[] = { 0, 1, 2, 3 }, columns[] = { 1, 0 };
        hry_layout targets[] = { { .tag = HRY_LAYOUT_COO },
                                 { .tag = HRY_LAYOUT_CSR },
                                 { .tag = HRY_LAYOUT_CSC },
                                 { .tag = HRY_LAYOUT_CSF },
                                 { .tag = HRY_LAYOUT_CSF, .mode_order = turned } };
        const uint32_t *modes[] = { identity, identity, columns, identity, turned };
        for (int i = 0; i < 5; i++) {
            if ((i == 1 || i == 2) ? rank != 2 : i >= 3 && rank < 3)
                continue;
            made[i] = relayout(dense, &targets[i], NULL);
            make_list(&l, memory, type, rank, shape, modes[i]);
            assert_sparse(made[i], &l, shape, modes[i], type);
        }
        for (int i = 0; i < 5; i++)
            for (int j = 0; made[i] && j < 5; j++) {
                if (!made[j])
                    continue;
                hry_tensor *t = relayout(made[i], &targets[j], NULL);
                assert_true(same_buffers(t, made[j]));
                hry_tensor_release(t);
            }
        for (int i = 0; i < 5; i++) {
            if (!made[i])
                continue;
            hry_tensor *t = relayout(made[i], &(hry_layout){ .tag = HRY_LAYOUT_ROW_MAJOR }, NULL);
            assert_same_elements(dense, t);
            hry_tensor_release(t);
            hry_tensor_release(made[i]);
        }
        hry_tensor_release(dense);
        free(memory);
    }
}

/* COO in any order, as bytes of our own. */
static hry_tensor *coo(uint32_t rank, const uint64_t *shape, uint64_t nnz, const float *values, const uint64_t *indices)
{
    uint8_t bytes[512];
    hry_desc desc;
    hry_tensor *t = NULL;
    hry_error err = { 0 };
    void *buffers[2];
    hry_layout layout = { .tag = HRY_LAYOUT_COO, .nnz = nnz };
    hry_desc_spec spec = { .type = HRY_TYPE_FLOAT32, .rank = rank, .shape = shape, .layout = &layout };
    if (hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err) ||
        hry_tensor_alloc(&desc, NULL, &t, buffers, &err))
        fail_msg("%s", err.message);
    for (uint64_t i = 0; i < nnz; i++)
        hry_store_f32((uint8_t *)buffers[0] + 4 * i, values[i]);
    for (uint64_t i = 0; i < nnz * rank; i++)
        hry_store64((uint8_t *)buffers[1] + 8 * i, indices[i]);
    return t;
}

/* More than 64 bits of indices. */
static void test_wide(void **state)
{
    (void)state;
    enum { N = 500, RANK = 4 };
    const uint64_t shape[RANK] = { (uint64_t)1 << 40, 9, (uint64_t)1 << 50, 3 };
    static uint64_t indices[N * RANK];
    static float values[N];
    uint64_t seed = 5;
    for (int i = 0; i < N; i++) {
        values[i] = (float)i;
        for (int k = 0; k < RANK; k++)
            indices[i * RANK + k] = naive_random(&seed) % (k == 0 && i % 2 ? 3 : shape[k]);
    }
    hry_tensor *t = coo(RANK, shape, N, values, indices);
    hry_tensor *sorted = relayout(t, &(hry_layout){ .tag = HRY_LAYOUT_COO }, NULL);
    hry_tensor *tree =
        relayout(t, &(hry_layout){ .tag = HRY_LAYOUT_CSF, .mode_order = (uint32_t[]){ 2, 0, 3, 1 } }, NULL);
    hry_tensor *back = relayout(tree, &(hry_layout){ .tag = HRY_LAYOUT_COO }, NULL);
    assert_int_equal(hry_tensor_verify(sorted, HRY_VERIFY_DEEP, NULL), HRY_OK);
    assert_int_equal(hry_tensor_verify(tree, HRY_VERIFY_DEEP, NULL), HRY_OK);
    assert_true(same_buffers(sorted, back));
    for (int i = 0; i < N; i++) {
        float value = -1;
        assert_int_equal(hry_tensor_get(sorted, &indices[i * RANK], HRY_TYPE_FLOAT32, &value, NULL), HRY_OK);
        assert_true(value == values[i]);
        assert_int_equal(hry_tensor_get(tree, &indices[i * RANK], HRY_TYPE_FLOAT32, &value, NULL), HRY_OK);
        assert_true(value == values[i]);
    }
    hry_tensor_release(t);
    hry_tensor_release(sorted);
    hry_tensor_release(tree);
    hry_tensor_release(back);
}

/* 64 bits of indices, none of which are the outermost dimension's. */
static void test_full_keys(void **state)
{
    (void)state;
    const uint64_t shape[] = { 1, ((uint64_t)1 << 31) + 1, ((uint64_t)1 << 31) + 1 }, last = (uint64_t)1 << 31;
    const uint64_t indices[] = { 0, last, last, 0, 5, last, 0, 0, 0, 0, last, 7 };
    const float values[] = { 4, 2, 1, 3 };
    hry_tensor *t = coo(3, shape, 4, values, indices);
    hry_tensor *tree = relayout(t, &(hry_layout){ .tag = HRY_LAYOUT_CSF, .mode_order = (uint32_t[]){ 1, 2, 0 } }, NULL);
    hry_tensor *sorted = relayout(tree, &(hry_layout){ .tag = HRY_LAYOUT_COO }, NULL);
    const uint64_t in_order[] = { 0, 0, 0, 0, 5, last, 0, last, 7, 0, last, last };
    for (uint64_t i = 0; i < 12; i++)
        assert_int_equal(word(sorted, 1, i), in_order[i]);
    for (uint64_t i = 0; i < 4; i++)
        assert_true(hry_load_f32((const uint8_t *)hry_tensor_buffer(sorted, 0, NULL) + 4 * i) == (float)(i + 1));
    hry_tensor_release(t);
    hry_tensor_release(tree);
    hry_tensor_release(sorted);
}

static void test_duplicates(void **state)
{
    (void)state;
    const uint64_t shape[] = { 4, 4 }, indices[] = { 0, 1, 2, 0, 0, 1 };
    const float values[] = { 1, 2, 3 };
    hry_tensor *t = coo(2, shape, 3, values, indices), *out = NULL;
    static const uint8_t tags[] = { HRY_LAYOUT_COO, HRY_LAYOUT_CSR, HRY_LAYOUT_CSC };
    for (size_t i = 0; i < sizeof tags; i++) {
        hry_error err = { 0 };
        hry_status status = hry_tensor_relayout(t, &(hry_layout){ .tag = tags[i] }, NULL, &out, &err);
        assert_rule("equal coordinates", status, &err, "L-COO-22", 2 * 2 * 8);
        assert_null(out);
    }
    hry_tensor_release(t);
}

static void test_empty(void **state)
{
    (void)state;
    static const uint8_t tags[] = { HRY_LAYOUT_ROW_MAJOR, HRY_LAYOUT_COLUMN_MAJOR, HRY_LAYOUT_MORTON,
                                    HRY_LAYOUT_COO,       HRY_LAYOUT_CSR,          HRY_LAYOUT_CSC };
    hry_tensor *t = NULL;
    assert_int_equal(hry_tensor_dense(HRY_TYPE_INT4, 2, (uint64_t[]){ 3, 0 }, NULL, NULL, NULL, &t, NULL), HRY_OK);
    for (size_t i = 0; i < sizeof tags; i++)
        for (size_t j = 0; j < sizeof tags; j++) {
            hry_tensor *a = relayout(t, &(hry_layout){ .tag = tags[i] }, NULL);
            hry_tensor *b = relayout(a, &(hry_layout){ .tag = tags[j] }, NULL);
            assert_int_equal(hry_tensor_dim(b, 0), 3);
            assert_int_equal(hry_tensor_dim(b, 1), 0);
            assert_int_equal(hry_tensor_verify(b, HRY_VERIFY_DEEP, NULL), HRY_OK);
            hry_tensor_release(a);
            hry_tensor_release(b);
        }
    hry_tensor_release(t);
}

static void test_pages(void **state)
{
    (void)state;
    static uint16_t data[9 * 2 * 8];
    for (uint16_t i = 0; i < 144; i++)
        data[i] = i;
    hry_tensor *t = NULL;
    assert_int_equal(hry_tensor_dense(HRY_TYPE_UINT16, 3, (uint64_t[]){ 9, 2, 8 }, data, NULL, NULL, &t, NULL), HRY_OK);
    for (uint8_t wide = 0; wide < 2; wide++) {
        hry_layout layout = { .tag = HRY_LAYOUT_BLOCK_PAGED, .page_size = 4, .block_table_index_type = wide };
        hry_tensor *pages = relayout(t, &layout, NULL);
        uint64_t nbytes;
        const uint8_t *pool = hry_tensor_buffer(pages, 0, &nbytes);
        assert_int_equal(nbytes, 3 * 4 * 2 * 8 * 2);
        assert_memory_equal(pool, data, sizeof data);
        assert_int_equal(ones(pool + sizeof data, nbytes - sizeof data), 0);
        hry_tensor_buffer(pages, 1, &nbytes);
        assert_int_equal(nbytes, wide ? 24 : 12);
        assert_int_equal(hry_tensor_verify(pages, HRY_VERIFY_DEEP, NULL), HRY_OK);
        assert_same_elements(t, pages);
        hry_tensor *back = relayout(pages, &(hry_layout){ .tag = HRY_LAYOUT_COLUMN_MAJOR }, NULL);
        assert_same_elements(t, back);
        hry_tensor_release(back);
        hry_tensor_release(pages);
    }
    hry_tensor_release(t);
}

static void refused(const hry_tensor *t, const hry_layout *layout, hry_status status)
{
    hry_tensor *out = NULL;
    hry_error err = { 0 };
    assert_int_equal(hry_tensor_relayout(t, layout, NULL, &out, &err), status);
    assert_int_equal(err.status, status);
    assert_null(out);
}

static void test_refused(void **state)
{
    (void)state;
    static float data[64];
    hry_tensor *t = NULL;
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 2, (uint64_t[]){ 4, 6 }, data, NULL, NULL, &t, NULL), HRY_OK);
    refused(t, &(hry_layout){ .tag = HRY_LAYOUT_COMPOSITE }, HRY_E_UNSUPPORTED);
    refused(t, &(hry_layout){ .tag = 0xF0 }, HRY_E_UNSUPPORTED);
    refused(t, &(hry_layout){ .tag = 0x0C }, HRY_E_UNSUPPORTED);
    refused(t, &(hry_layout){ .tag = HRY_LAYOUT_CSF }, HRY_E_UNSUPPORTED);
    refused(t, &(hry_layout){ .tag = HRY_LAYOUT_HILBERT }, HRY_E_UNSUPPORTED);
    refused(t, &(hry_layout){ .tag = HRY_LAYOUT_TILED }, HRY_E_USAGE);
    refused(t, &(hry_layout){ .tag = HRY_LAYOUT_STRIDED }, HRY_E_USAGE);
    refused(t, &(hry_layout){ .tag = HRY_LAYOUT_STRIDED, .strides = (int64_t[]){ 0, 1 } }, HRY_E_UNSUPPORTED);
    refused(t, &(hry_layout){ .tag = HRY_LAYOUT_STRIDED, .strides = (int64_t[]){ 5, -1 } }, HRY_E_UNSUPPORTED);
    refused(t, &(hry_layout){ .tag = HRY_LAYOUT_BLOCK_PAGED, .page_size = 2 }, HRY_E_USAGE);
    hry_tensor_release(t);
}

static hry_tensor *quantized(const hry_quantization *q, uint64_t scales)
{
    static _Alignas(64) uint8_t codes[64], parameters[256];
    uint8_t bytes[512];
    hry_desc desc;
    hry_tensor *t = NULL;
    hry_error err = { 0 };
    const void *buffers[3] = { codes, parameters, parameters + 128 };
    uint64_t seed = 3;
    for (int i = 0; i < 64; i++)
        codes[i] = naive_below(&seed, 3) ? 0 : (uint8_t)naive_random(&seed);
    for (uint64_t i = 0; i < scales; i++)
        hry_store_f32(parameters + 4 * i, (float)i + 0.5f);
    hry_desc_spec spec = { .type = HRY_TYPE_INT8, .rank = 2, .shape = (uint64_t[]){ 4, 16 }, .quantization = q };
    if (hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err) ||
        hry_tensor_create(&desc, buffers, NULL, NULL, NULL, &t, &err))
        fail_msg("%s", err.message);
    return t;
}

/* Codes and parameters go along; buffers of parameters come behind the layout's own. */
static void test_quantized(void **state)
{
    (void)state;
    hry_quantization q = { .scheme = HRY_SCHEME_PER_CHANNEL,
                           .flags = HRY_QUANT_SYMMETRIC,
                           .scale_buffer_index = 1,
                           .zero_point_buffer_index = HRY_NO_BUFFER };
    hry_tensor *t = quantized(&q, 4);
    static const uint8_t tags[] = { HRY_LAYOUT_COLUMN_MAJOR, HRY_LAYOUT_MORTON, HRY_LAYOUT_COO, HRY_LAYOUT_CSR,
                                    HRY_LAYOUT_CSC };
    for (size_t i = 0; i < sizeof tags; i++) {
        hry_tensor *out = relayout(t, &(hry_layout){ .tag = tags[i] }, NULL);
        hry_quantization got;
        uint64_t nbytes;
        assert_true(hry_desc_quantization(hry_tensor_desc(out), &got));
        assert_int_equal(got.scale_buffer_index, hry_tensor_desc(out)->buffer_count - 1);
        const void *scales = hry_tensor_buffer(out, got.scale_buffer_index, &nbytes);
        assert_int_equal(nbytes, 16);
        assert_memory_equal(scales, hry_tensor_buffer(t, 1, NULL), 16);
        assert_same_elements(t, out);
        hry_tensor_release(out);
    }
    hry_tensor_release(t);

    q = (hry_quantization){ .scheme = HRY_SCHEME_PER_TENSOR, .scale = 0.5f, .zero_point = 3 };
    t = quantized(&q, 0);
    refused(t, &(hry_layout){ .tag = HRY_LAYOUT_CSR }, HRY_E_UNSUPPORTED);
    hry_tensor *out = relayout(t, &(hry_layout){ .tag = HRY_LAYOUT_COLUMN_MAJOR }, NULL);
    assert_same_elements(t, out);
    hry_tensor_release(out);
    hry_tensor_release(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),     cmocka_unit_test(test_sparse),  cmocka_unit_test(test_wide),
        cmocka_unit_test(test_full_keys), cmocka_unit_test(test_empty),   cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_pages),     cmocka_unit_test(test_refused), cmocka_unit_test(test_quantized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
