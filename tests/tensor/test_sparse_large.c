/*
 * Sparse tensors of so many elements that threads share the work: what is made of them, whatever the threads, is what
 * the test makes from all elements by the format's text; and of several faults the first in the order of storage is
 * the one that is found.
 */
#include "support/naive_layout.h"
#include "tensor/naive_statistics.h"

#include "base/bytes.h"
#include "tensor/object.h"

#include <hurray/pool.h>
#include <hurray/quantize.h>
#include <hurray/tensor.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 250000, RANK = 3, BUFFERS = 2 * RANK + 1 };

/* All elements in row-major order, and what is made of those that are stored. */
typedef struct large {
    uint8_t type;
    uint32_t bits, rank;
    uint64_t shape[RANK], count, nnz;
    uint8_t *dense, *stored; /* stored: a flag for each; the others are 0 */
    uint8_t tag;
    uint32_t mode[RANK];
    bool is_sorted;
    uint64_t (*index)[RANK]; /* of stored elements, in the order of storage */
    uint64_t *flat;          /* their places in dense */
    uint32_t buffers;
    uint8_t *buffer[BUFFERS];
    size_t nbytes[BUFFERS];
} large;

static hry_pool *pool;
static hry_executor executor;

static int start_pool(void **state)
{
    (void)state;
    assert_int_equal(hry_pool_create(3, NULL, &pool, NULL), HRY_OK);
    executor = hry_pool_executor(pool);
    return 0;
}

static int end_pool(void **state)
{
    (void)state;
    hry_pool_destroy(pool);
    return 0;
}

static size_t size_of(uint32_t bits, uint64_t n)
{
    uint64_t nbytes;
    assert_true(hry_type_size(bits, n, &nbytes));
    return (size_t)nbytes;
}

static void make_elements(large *l, uint64_t *seed, uint8_t type, uint32_t rank, const uint64_t *shape)
{
    uint64_t heavy = naive_below(seed, shape[0]); /* a slice with more than the others */
    memset(l, 0, sizeof *l);
    l->type = type;
    l->bits = hry_type_find(type)->bits;
    l->rank = rank;
    l->count = 1;
    for (uint32_t k = 0; k < rank; k++)
        l->count *= l->shape[k] = shape[k];
    assert_true(l->count <= MOST);
    l->dense = calloc(1, size_of(l->bits, l->count) + 1);
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
    uint64_t index[RANK], flat = l->flat[i];
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
static void lay_out(large *l, uint64_t *seed, uint8_t tag, bool is_sorted, const uint32_t *mode)
{
    uint64_t at[RANK] = { 0 }, by_level[RANK], n = 0;
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
        uint64_t index[RANK] = { 0 }, flat = 0;
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
    l->nbytes[0] = size_of(l->bits, l->nnz);
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
static hry_tensor *quantized_of(const large *l, uint8_t scheme, uint32_t axis, const float *scales, uint64_t count)
{
    uint8_t bytes[1024];
    hry_desc desc;
    hry_error err = { 0 };
    hry_tensor *t = NULL;
    hry_buffer rows[BUFFERS + 1] = { { 0 } };
    const void *buffers[BUFFERS + 1];
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

static hry_tensor *tensor_of(const large *l)
{
    return quantized_of(l, 0, 0, NULL, 0);
}

static void large_free(large *l)
{
    for (uint32_t i = 0; i < l->buffers; i++)
        free(l->buffer[i]);
    free(l->dense);
    free(l->stored);
    free(l->index);
    free(l->flat);
}

typedef struct way {
    uint8_t tag;
    bool is_sorted;
    uint32_t rank; /* that it is for; 0: any */
    uint32_t mode[RANK];
} way;

static const way ways[] = {
    { HRY_LAYOUT_COO, false, 0, { 0, 1, 2 } }, { HRY_LAYOUT_COO, true, 0, { 0, 1, 2 } },
    { HRY_LAYOUT_CSR, false, 2, { 0, 1 } },    { HRY_LAYOUT_CSC, false, 2, { 1, 0 } },
    { HRY_LAYOUT_CSF, false, 3, { 0, 1, 2 } }, { HRY_LAYOUT_CSF, false, 3, { 2, 0, 1 } },
    { HRY_LAYOUT_CSF, false, 3, { 1, 0, 2 } },
};
enum { WAYS = sizeof ways / sizeof *ways };

static void assert_buffers(const hry_tensor *t, const large *want)
{
    uint64_t nbytes;
    assert_int_equal(hry_tensor_desc(t)->buffer_count, want->buffers);
    for (uint32_t i = 0; i < want->buffers; i++) {
        const void *bytes = hry_tensor_buffer(t, i, &nbytes);
        assert_int_equal(nbytes, want->nbytes[i]);
        assert_memory_equal(bytes, want->buffer[i], nbytes);
    }
}

static void assert_dense(const hry_tensor *t, const large *l, const hry_executor *with)
{
    size_t nbytes = size_of(l->bits, l->count);
    uint8_t *all = malloc(nbytes);
    hry_read_options options = { .executor = with, .stored = true };
    memset(all, 0xA5, nbytes);
    assert_int_equal(hry_tensor_read_with(t, NULL, 0, NULL, &options, all, NULL), HRY_OK);
    assert_memory_equal(all, l->dense, nbytes);
    free(all);
}

/* From every layout into every other. */
static void relay_all(large *from, uint64_t *seed)
{
    large to = *from; /* shares the elements */
    to.buffers = 0;
    to.index = malloc(from->count * sizeof *to.index);
    to.flat = malloc(from->count * sizeof *to.flat);
    memset(to.buffer, 0, sizeof to.buffer);
    hry_tensor *full = NULL, *t = NULL, *made;
    assert_int_equal(hry_tensor_dense(from->type, from->rank, from->shape, from->dense, NULL, NULL, &full, NULL),
                     HRY_OK);
    for (int j = 0; j < WAYS; j++) {
        if ((ways[j].rank && ways[j].rank != from->rank) || (ways[j].tag == HRY_LAYOUT_COO && !ways[j].is_sorted))
            continue;
        lay_out(&to, seed, ways[j].tag, ways[j].is_sorted, ways[j].mode);
        for (int i = -1; i < WAYS; i++) {
            if (i >= 0 && ways[i].rank && ways[i].rank != from->rank)
                continue;
            if (i >= 0) {
                lay_out(from, seed, ways[i].tag, ways[i].is_sorted, ways[i].mode);
                t = tensor_of(from);
            }
            for (int threads = 0; threads < 2; threads++) {
                hry_relayout_options options = { .executor = threads ? &executor : NULL };
                hry_layout layout = { .tag = to.tag, .mode_order = to.mode };
                assert_int_equal(hry_tensor_relayout(i < 0 ? full : t, &layout, &options, &made, NULL), HRY_OK);
                assert_buffers(made, &to);
                assert_int_equal(hry_tensor_verify_with(made, HRY_VERIFY_DEEP, options.executor, NULL), HRY_OK);
                assert_dense(made, from, options.executor);
                if (i >= 0)
                    assert_dense(t, from, options.executor);
                hry_tensor_release(made);
            }
            if (i >= 0)
                hry_tensor_release(t);
        }
    }
    hry_tensor_release(full);
    for (uint32_t i = 0; i < to.buffers; i++)
        free(to.buffer[i]);
    free(to.index);
    free(to.flat);
}

static void test_relayout(void **state)
{
    (void)state;
    static const struct {
        uint8_t type;
        uint32_t rank;
        uint64_t shape[RANK];
    } cases[] = { { HRY_TYPE_FLOAT32, 2, { 301, 704 } },   { HRY_TYPE_INT4, 2, { 1000, 129 } },
                  { HRY_TYPE_COMPLEX128, 2, { 70, 900 } }, { HRY_TYPE_UINT8, 3, { 30, 41, 96 } },
                  { HRY_TYPE_FLOAT64, 3, { 2, 300, 77 } }, { HRY_TYPE_FLOAT16, 2, { 60000, 1 } } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t seed = 100 + i;
        large l;
        make_elements(&l, &seed, cases[i].type, cases[i].rank, cases[i].shape);
        relay_all(&l, &seed);
        large_free(&l);
    }
}

/* ---- The first fault ---- */

typedef struct fault {
    const char *rule; /* NULL: none */
    uint64_t offset;
} fault;

static uint64_t word(const large *l, uint32_t buffer, uint64_t i)
{
    return hry_load64(l->buffer[buffer] + 8 * i);
}

/* By the rules, number by number. */
static fault slices_fault(const large *l, uint32_t pointers, uint64_t slices, uint64_t nnz, uint64_t most,
                          uint32_t coordinates, const char *const *rules)
{
    if (word(l, pointers, 0) != 0)
        return (fault){ rules[0], 0 };
    for (uint64_t x = 0; x < slices; x++)
        if (word(l, pointers, x + 1) < word(l, pointers, x))
            return (fault){ rules[1], 8 * (x + 1) };
    if (word(l, pointers, slices) != nnz)
        return (fault){ rules[2], 8 * slices };
    for (uint64_t x = 0; x < slices; x++)
        for (uint64_t i = word(l, pointers, x); i < word(l, pointers, x + 1); i++) {
            if (word(l, coordinates, i) >= most)
                return (fault){ rules[4], 8 * i };
            if (i > word(l, pointers, x) && word(l, coordinates, i) <= word(l, coordinates, i - 1))
                return (fault){ rules[3], 8 * i };
        }
    return (fault){ NULL, 0 };
}

static fault list_fault(const large *l)
{
    for (uint64_t i = 0; i < l->nnz; i++) {
        int order = 0;
        for (uint32_t k = 0; k < l->rank; k++) {
            uint64_t at = word(l, 1, i * l->rank + k);
            if (at >= l->shape[k])
                return (fault){ "L-COO-20", 8 * (i * l->rank + k) };
            uint64_t before = i ? word(l, 1, (i - 1) * l->rank + k) : 0;
            if (i && !order)
                order = at > before ? 1 : at < before ? -1 : 0;
        }
        if (l->is_sorted && i && order <= 0)
            return (fault){ "L-COO-21", 8 * i * l->rank };
    }
    return (fault){ NULL, 0 };
}

static fault first_fault(const large *l)
{
    static const char *const csr[] = { "L-CSR-20", "L-CSR-21", "L-CSR-20", "L-CSR-22", "L-CSR-23" };
    static const char *const csc[] = { "L-CSC-20", "L-CSC-21", "L-CSC-20", "L-CSC-22", "L-CSC-23" };
    static const char *const csf[] = { "L-CSF-20", "L-CSF-21", "L-CSF-22", "L-CSF-23", "L-CSF-24" };
    if (l->tag == HRY_LAYOUT_COO)
        return list_fault(l);
    if (l->tag != HRY_LAYOUT_CSF)
        return slices_fault(l, 2, l->shape[l->mode[0]], l->nnz, l->shape[l->mode[1]], 1,
                            l->tag == HRY_LAYOUT_CSR ? csr : csc);
    uint64_t parents = 1;
    fault f = { NULL, 0 };
    for (uint32_t level = 0; level < l->rank && !f.rule; level++) {
        uint32_t crd = 2 * level + 2;
        f = slices_fault(l, crd - 1, parents, l->nbytes[crd] / 8, l->shape[l->mode[level]], crd, csf);
        parents = l->nbytes[crd] / 8;
    }
    return f;
}

static void test_faults(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t round = 0; round < 140; round++) {
        uint64_t seed = 900 + round;
        const way *w = &ways[round % WAYS];
        large l;
        make_elements(&l, &seed, HRY_TYPE_UINT8, w->rank ? w->rank : 2,
                      w->rank == 3 ? (uint64_t[]){ 31, 40, 200 } : (uint64_t[]){ 400, 600 });
        lay_out(&l, &seed, w->tag, w->is_sorted, w->mode);
        for (uint64_t n = naive_below(&seed, 4); n; n--) {
            /* The tree's numbers of nodes stay what they are: how many follow from another rule is tested elsewhere. */
            uint32_t buffer = w->tag == HRY_LAYOUT_CSF ? 6 : 1 + (uint32_t)naive_below(&seed, l.buffers - 1);
            uint64_t i = naive_below(&seed, l.nbytes[buffer] / 8);
            hry_store64(l.buffer[buffer] + 8 * i, naive_random(&seed) >> (naive_below(&seed, 2) ? 56 : 0));
        }
        fault want = first_fault(&l);
        for (int threads = 0; threads < 2; threads++) {
            hry_error err = { 0 };
            hry_tensor *t = tensor_of(&l);
            hry_status status = hry_tensor_verify_with(t, HRY_VERIFY_INDEX, threads ? &executor : NULL, &err);
            assert_int_equal(status, want.rule ? HRY_E_INPUT : HRY_OK);
            if (want.rule) {
                assert_string_equal(hry_rule_id(err.rule), want.rule);
                assert_int_equal(err.offset, want.offset);
            }
            hry_tensor_release(t);
        }
        found += want.rule != NULL;
        large_free(&l);
    }
    assert_in_range(found, 70, 139);
}

/* Of elements that are there twice, the first in row-major order, at its second place. */
static void test_duplicates(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 6; round++) {
        uint64_t seed = 70 + round, best = UINT64_MAX, second = 0;
        large l;
        make_elements(&l, &seed, HRY_TYPE_UINT8, 2, (uint64_t[]){ 300, 500 });
        lay_out(&l, &seed, HRY_LAYOUT_COO, false, ways[0].mode);
        uint64_t *seen = malloc(l.count * sizeof *seen);
        for (uint64_t n = 0; n < 3 * round; n++) {
            uint64_t i = naive_below(&seed, l.nnz), j = naive_below(&seed, l.nnz);
            memcpy(l.buffer[1] + 16 * i, l.buffer[1] + 16 * j, 16);
        }
        memset(seen, 0xFF, l.count * sizeof *seen);
        for (uint64_t i = 0; i < l.nnz; i++) {
            uint64_t flat = word(&l, 1, 2 * i) * l.shape[1] + word(&l, 1, 2 * i + 1);
            if (seen[flat] == UINT64_MAX) {
                seen[flat] = i;
            } else if (flat < best) {
                best = flat;
                second = i;
            }
        }
        for (int threads = 0; threads < 2; threads++) {
            hry_error err = { 0 };
            hry_tensor *t = tensor_of(&l), *out = NULL;
            hry_relayout_options options = { .executor = threads ? &executor : NULL };
            hry_status status = hry_tensor_verify_with(t, HRY_VERIFY_DEEP, options.executor, &err);
            assert_int_equal(status, best == UINT64_MAX ? HRY_OK : HRY_E_INPUT);
            assert_int_equal(err.offset, 16 * second);
            hry_layout csr = { .tag = HRY_LAYOUT_CSR };
            assert_int_equal(hry_tensor_relayout(t, &csr, &options, &out, &err), status);
            assert_int_equal(err.offset, 16 * second);
            hry_tensor_release(out);
            hry_tensor_release(t);
        }
        free(seen);
        large_free(&l);
    }
}

/* ---- Statistics ---- */

static void test_statistics(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        uint64_t seed = 7 + (uint64_t)i;
        large l;
        make_elements(&l, &seed, HRY_TYPE_INT8, ways[i].rank ? ways[i].rank : 2,
                      ways[i].rank == 3 ? (uint64_t[]){ 30, 41, 96 } : (uint64_t[]){ 330, 704 });
        for (uint64_t k = 0; k < l.count; k++) /* groups of 4 hold 3 at the most */
            if (k % 4 == 1)
                l.dense[k] = 0;
        lay_out(&l, &seed, ways[i].tag, ways[i].is_sorted, ways[i].mode);
        double *values = malloc(l.count * sizeof *values);
        for (uint64_t k = 0; k < l.count; k++)
            values[k] = (int8_t)l.dense[k];
        hry_statistics want, got[2];
        naive_statistics(values, l.count, l.shape[l.rank - 1], &want);
        want.nnz = l.nnz;
        want.sparsity_ratio = (double)(l.count - l.nnz) / (double)l.count;
        for (int threads = 0; threads < 2; threads++) {
            hry_tensor *t = tensor_of(&l);
            hry_statistics_options options = { .executor = threads ? &executor : NULL };
            memset(&got[threads], 0, sizeof *got);
            assert_int_equal(hry_tensor_statistics(t, &options, &got[threads], NULL), HRY_OK);
            assert_statistics(&got[threads], &want, hry_layout_name(l.tag));
            hry_tensor_release(t);
        }
        assert_true(got[0].value_mean == got[1].value_mean && got[0].value_stddev == got[1].value_stddev);
        free(values);
        large_free(&l);
    }
}

/* Scales by channel and by block: the values of all layouts, and their statistics, with the same bits for any number
 * of threads. */
static void test_quantized(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; i++)
        for (uint32_t axis = 0; axis < (ways[i].rank ? ways[i].rank : 2); axis++)
            for (int blocks = 0; blocks < 2; blocks++) {
                uint64_t seed = 50 + (uint64_t)i, at[RANK] = { 0 }, n = 0, count = 1;
                large l;
                make_elements(&l, &seed, i % 2 ? HRY_TYPE_INT8 : HRY_TYPE_INT4, ways[i].rank ? ways[i].rank : 2,
                              ways[i].rank == 3 ? (uint64_t[]){ 30, 41, 96 } : (uint64_t[]){ 301, 404 });
                lay_out(&l, &seed, ways[i].tag, ways[i].is_sorted, ways[i].mode);
                uint64_t parts = blocks ? (l.shape[axis] + 1) / 2 : l.shape[axis];
                for (uint32_t k = 0; k < l.rank; k++)
                    count *= k == axis ? parts : blocks ? l.shape[k] : 1;
                float *scales = malloc(count * sizeof *scales), *got = malloc(l.count * sizeof *got);
                double *want = malloc(l.count * sizeof *want);
                for (uint64_t k = 0; k < count; k++)
                    scales[k] = 0.25F * (float)(1 + naive_below(&seed, 1000));
                do { /* blocks are numbered in row-major order of the other dimensions, those along axis last */
                    uint64_t number = 0;
                    for (uint32_t k = 0; blocks && k < l.rank; k++)
                        number = k == axis ? number : number * l.shape[k] + at[k];
                    number = blocks ? number * parts + at[axis] / 2 : at[axis];
                    want[n] = hry_element_f64(l.type, l.dense, n) * (double)scales[number];
                    n++;
                } while (naive_next(l.rank, l.shape, at));
                hry_statistics expected, found[2];
                naive_statistics(want, l.count, l.shape[l.rank - 1], &expected);
                expected.nnz = l.nnz;
                expected.sparsity_ratio = (double)(l.count - l.nnz) / (double)l.count;
                for (int threads = 0; threads < 2; threads++) {
                    hry_tensor *t =
                        quantized_of(&l, blocks ? HRY_SCHEME_PER_BLOCK : HRY_SCHEME_PER_CHANNEL, axis, scales, count);
                    hry_read_options read = { .executor = threads ? &executor : NULL };
                    hry_statistics_options options = { .executor = read.executor };
                    assert_int_equal(hry_tensor_read_with(t, NULL, HRY_TYPE_FLOAT32, NULL, &read, got, NULL), HRY_OK);
                    for (n = 0; n < l.count; n++)
                        assert_true(got[n] == want[n]);
                    memset(&found[threads], 0, sizeof *found);
                    assert_int_equal(hry_tensor_statistics(t, &options, &found[threads], NULL), HRY_OK);
                    assert_statistics(&found[threads], &expected, hry_layout_name(l.tag));
                    hry_tensor_release(t);
                }
                assert_true(found[0].value_mean == found[1].value_mean);
                assert_true(found[0].value_stddev == found[1].value_stddev);
                free(scales);
                free(got);
                free(want);
                large_free(&l);
            }
}

/* ---- Rows ---- */

static void test_rows(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        uint64_t seed = 30 + (uint64_t)i;
        uint32_t rank = ways[i].rank ? ways[i].rank : 2;
        large l;
        hry_rows rows;
        make_elements(&l, &seed, HRY_TYPE_INT8, rank,
                      rank == 3 ? (uint64_t[]){ 20, 17, 40 } : (uint64_t[]){ 150, 333 });
        lay_out(&l, &seed, ways[i].tag, ways[i].is_sorted, ways[i].mode);
        hry_tensor *t = tensor_of(&l);
        bool found = ways[i].tag == HRY_LAYOUT_CSR || (ways[i].tag == HRY_LAYOUT_COO && ways[i].is_sorted) ||
                     (ways[i].tag == HRY_LAYOUT_CSF && ways[i].mode[0] == 0);
        assert_int_equal(hry_rows_init(&rows, t, NULL), found ? HRY_OK : HRY_E_UNSUPPORTED);
        if (found) {
            uint64_t length = l.shape[rank - 1];
            float row[333];
            assert_int_equal(rows.count, l.count / length);
            assert_int_equal(rows.length, length);
            for (uint64_t r = 0; r < rows.count; r++) {
                hry_rows_f32(&rows, r, row);
                for (uint64_t k = 0; k < length; k++)
                    assert_true(row[k] == (float)(int8_t)l.dense[r * length + k]);
            }
        }
        hry_tensor_release(t);
        large_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relayout),   cmocka_unit_test(test_faults),    cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_statistics), cmocka_unit_test(test_quantized), cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, start_pool, end_pool);
}
