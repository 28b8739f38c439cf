/*
 * What is made of large sparse tensors, whatever the threads, is what the test makes from all elements by the format's
 * text; and of several faults the first in the order of storage is the one that is found.
 */
#include "tensor/large_case.h"

#include "base/bytes.h"
#include "support/naive_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
    size_t nbytes = large_size(l->bits, l->count);
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
    for (int j = 0; j < LARGE_WAYS; j++) {
        if ((large_ways[j].rank && large_ways[j].rank != from->rank) ||
            (large_ways[j].tag == HRY_LAYOUT_COO && !large_ways[j].is_sorted))
            continue;
        large_lay_out(&to, seed, large_ways[j].tag, large_ways[j].is_sorted, large_ways[j].mode);
        for (int i = -1; i < LARGE_WAYS; i++) {
            if (i >= 0 && large_ways[i].rank && large_ways[i].rank != from->rank)
                continue;
            if (i >= 0) {
                large_lay_out(from, seed, large_ways[i].tag, large_ways[i].is_sorted, large_ways[i].mode);
                t = large_tensor(from);
            }
            for (int threads = 0; threads < 2; threads++) {
                hry_relayout_options options = { .executor = threads ? &large_executor : NULL };
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
        uint64_t shape[LARGE_RANK];
    } cases[] = { { HRY_TYPE_FLOAT32, 2, { 301, 704 } },   { HRY_TYPE_INT4, 2, { 1000, 129 } },
                  { HRY_TYPE_COMPLEX128, 2, { 70, 900 } }, { HRY_TYPE_UINT8, 3, { 30, 41, 96 } },
                  { HRY_TYPE_FLOAT64, 3, { 2, 300, 77 } }, { HRY_TYPE_FLOAT16, 2, { 60000, 1 } } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t seed = 100 + i;
        large l;
        large_make(&l, &seed, cases[i].type, cases[i].rank, cases[i].shape);
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
        const large_way *w = &large_ways[round % LARGE_WAYS];
        large l;
        large_make(&l, &seed, HRY_TYPE_UINT8, w->rank ? w->rank : 2,
                   w->rank == 3 ? (uint64_t[]){ 31, 40, 200 } : (uint64_t[]){ 400, 600 });
        large_lay_out(&l, &seed, w->tag, w->is_sorted, w->mode);
        for (uint64_t n = naive_below(&seed, 4); n; n--) {
            /* The tree's numbers of nodes stay what they are: how many follow from another rule is tested elsewhere. */
            uint32_t buffer = w->tag == HRY_LAYOUT_CSF ? 6 : 1 + (uint32_t)naive_below(&seed, l.buffers - 1);
            uint64_t i = naive_below(&seed, l.nbytes[buffer] / 8);
            hry_store64(l.buffer[buffer] + 8 * i, naive_random(&seed) >> (naive_below(&seed, 2) ? 56 : 0));
        }
        fault want = first_fault(&l);
        for (int threads = 0; threads < 2; threads++) {
            hry_error err = { 0 };
            hry_tensor *t = large_tensor(&l);
            hry_status status = hry_tensor_verify_with(t, HRY_VERIFY_INDEX, threads ? &large_executor : NULL, &err);
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
        large_make(&l, &seed, HRY_TYPE_UINT8, 2, (uint64_t[]){ 300, 500 });
        large_lay_out(&l, &seed, HRY_LAYOUT_COO, false, large_ways[0].mode);
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
            hry_tensor *t = large_tensor(&l), *out = NULL;
            hry_relayout_options options = { .executor = threads ? &large_executor : NULL };
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relayout),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_duplicates),
    };
    return cmocka_run_group_tests(tests, large_start_pool, large_end_pool);
}
