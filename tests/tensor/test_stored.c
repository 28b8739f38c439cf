/* Sparse tensors: lookup, walking, boxes, and their rules one by one. */
#include "support/naive_layout.h"
#include "support/rules_reached.h"
#include "tensor/dense_case.h"
#include "tensor/sparse_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make(sparse_case *c, uint64_t *seed)
{
    static const uint64_t largest[] = { 0, 60, 16, 7, 5, 4 };
    static const uint8_t tags[] = { HRY_LAYOUT_COO, HRY_LAYOUT_COO, HRY_LAYOUT_CSR, HRY_LAYOUT_CSC, HRY_LAYOUT_CSF };
    uint64_t choice = naive_below(seed, sizeof tags);
    uint32_t rank = 1 + (uint32_t)naive_below(seed, SPARSE_RANK);
    if (tags[choice] == HRY_LAYOUT_CSR || tags[choice] == HRY_LAYOUT_CSC)
        rank = 2;
    if (tags[choice] == HRY_LAYOUT_CSF && rank < 3)
        rank = 3;
    sparse_make(c, seed, tags[choice], choice == 0, rank, largest[rank]);
}

/* The element stored at an index: its number, or -1. */
static int64_t stored_at(const sparse_case *c, const uint64_t *index)
{
    for (uint64_t i = 0; i < c->nnz; i++)
        if (memcmp(c->index[i], index, c->rank * sizeof *index) == 0)
            return (int64_t)i;
    return -1;
}

static void test_find(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 300; i++) {
        uint64_t seed = i, index[SPARSE_RANK] = { 0 }, position;
        sparse_case c;
        bool found;
        hry_error err;
        make(&c, &seed);
        do {
            int64_t want = stored_at(&c, index);
            assert_int_equal(hry_tensor_find(c.tensor, index, &found, &position, &err), HRY_OK);
            assert_int_equal(found, want >= 0);
            if (found)
                assert_int_equal(position, want);
        } while (naive_next(c.rank, c.shape, index));
        index[0] = c.shape[0];
        assert_int_equal(hry_tensor_find(c.tensor, index, &found, &position, &err), HRY_E_USAGE);
        sparse_free(&c);
    }
}

static bool in_box(const hry_box *box, uint32_t rank, const uint64_t *index)
{
    for (uint32_t k = 0; k < rank; k++) {
        bool in = false;
        for (uint64_t j = 0; j < box->count[k]; j++)
            in |= index[k] == box->start[k] + j * (uint64_t)(box->step[k] ? box->step[k] : 1);
        if (!in)
            return false;
    }
    return true;
}

static void test_walk(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 400; i++) {
        uint64_t seed = i * 17, index[HRY_RANK_MAX], position;
        sparse_case c;
        hry_box box;
        hry_stored *stored;
        hry_error err;
        make(&c, &seed);
        dense_box(&seed, c.rank, c.shape, &box);
        assert_int_equal(hry_stored_create(c.tensor, i % 3 ? &box : NULL, &stored, &err), HRY_OK);
        for (uint64_t n = 0; n < c.nnz; n++) {
            if (i % 3 && !in_box(&box, c.rank, c.index[n]))
                continue;
            assert_true(hry_stored_next(stored, index, &position));
            assert_memory_equal(index, c.index[n], c.rank * sizeof *index);
            assert_int_equal(position, n);
        }
        assert_false(hry_stored_next(stored, index, &position));
        assert_false(hry_stored_next(stored, index, &position));
        hry_stored_destroy(stored);
        sparse_free(&c);
    }
}

static void test_read(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 400; i++) {
        uint64_t seed = i * 1013, at[HRY_RANK_MAX] = { 0 }, index[HRY_RANK_MAX], count = 1, nbytes;
        sparse_case c;
        hry_box box;
        hry_error err;
        make(&c, &seed);
        uint32_t bits = hry_type_find(c.type)->bits;
        dense_box(&seed, c.rank, c.shape, &box);
        for (uint32_t k = 0; k < c.rank; k++)
            count *= box.count[k];
        hry_type_size(bits, count, &nbytes);
        uint8_t *own = malloc(nbytes);
        double *values = malloc(count * sizeof *values);
        memset(own, 0xFF, nbytes);
        hry_read_options options = { .stored = true };
        assert_int_equal(hry_tensor_read_with(c.tensor, &box, 0, NULL, &options, own, &err), HRY_OK);
        assert_int_equal(hry_tensor_read(c.tensor, &box, HRY_TYPE_FLOAT64, NULL, values, &err), HRY_OK);
        uint64_t n = 0;
        do {
            uint64_t got, want = 0, lo;
            double value = 0;
            dense_index(&box, c.rank, at, index);
            int64_t position = stored_at(&c, index);
            if (position >= 0) {
                hry_element_bits(c.type, c.buffer[0], (uint64_t)position, &want, &lo);
                value = hry_element_f64(c.type, c.buffer[0], (uint64_t)position);
            }
            hry_element_bits(c.type, own, n, &got, &lo);
            assert_int_equal(got, want);
            assert_true(value != value ? values[n] != values[n] : values[n] == value);
            n++;
        } while (naive_next(c.rank, box.count, at));
        for (uint64_t bit = count * bits; bit < nbytes * 8; bit++)
            assert_int_equal(naive_bit(own, (int64_t)bit), 0);
        free(own);
        free(values);
        sparse_free(&c);
    }
}

/* ---- Rules ---- */

static void expect(sparse_case *c, int level, const char *rule, uint32_t offset)
{
    hry_error err = { 0 };
    sparse_remake(c);
    hry_status status = hry_tensor_verify(c->tensor, (hry_verify_level)level, &err);
    if (!rule) {
        assert_int_equal(status, HRY_OK);
        return;
    }
    assert_rule("sparse", status, &err, rule, offset);
    assert_int_equal(err.section, HRY_SECTION_DATA);
    if (level == HRY_VERIFY_DEEP)
        return;
    /* Reading says the same. */
    uint64_t count, nbytes;
    assert_true(hry_desc_count(hry_tensor_desc(c->tensor), &count));
    assert_true(hry_type_size(hry_desc_bits(hry_tensor_desc(c->tensor)), count, &nbytes));
    void *room = malloc(nbytes);
    memset(&err, 0, sizeof err);
    assert_int_equal(hry_tensor_read(c->tensor, NULL, 0, NULL, room, &err), HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), rule);
    free(room);
}

/* A change of number i of a buffer, found at number `at`. */
static void spoil_before(sparse_case *c, int level, uint32_t buffer, uint64_t i, uint64_t value, const char *rule,
                         uint64_t at)
{
    uint64_t before = sparse_get(c, buffer, i);
    sparse_set(c, buffer, i, value);
    expect(c, level, rule, (uint32_t)(8 * at));
    sparse_set(c, buffer, i, before);
    expect(c, level, NULL, 0);
}

static void spoil(sparse_case *c, int level, uint32_t buffer, uint64_t i, uint64_t value, const char *rule)
{
    spoil_before(c, level, buffer, i, value, rule, i);
}

/* The first generated case that holds at least nnz elements. */
static void make_full(sparse_case *c, uint8_t tag, bool is_sorted, uint32_t rank, uint64_t nnz)
{
    uint64_t seed = 5;
    for (;;) {
        sparse_make(c, &seed, tag, is_sorted, rank, rank < 3 ? 9 : 5);
        bool wide = true;
        for (uint32_t k = 0; k < rank; k++)
            wide &= c->shape[k] >= 3;
        if (wide && c->nnz >= nnz)
            return;
        sparse_free(c);
    }
}

static void test_coo_rules(void **state)
{
    (void)state;
    sparse_case c;
    make_full(&c, HRY_LAYOUT_COO, true, 3, 12);
    spoil(&c, HRY_VERIFY_INDEX, 1, 3 * 5 + 1, c.shape[1], "L-COO-20");
    spoil(&c, HRY_VERIFY_INDEX, 1, 2, UINT64_MAX, "L-COO-20");
    for (uint32_t k = 0; k < 3; k++) /* entry 7 becomes entry 6 */
        sparse_set(&c, 1, 3 * 7 + k, c.index[6][k]);
    expect(&c, HRY_VERIFY_INDEX, "L-COO-21", 8 * 3 * 7);
    for (uint32_t k = 0; k < 3; k++) /* and comes before it */
        sparse_set(&c, 1, 3 * 7 + k, c.index[5][k]);
    expect(&c, HRY_VERIFY_INDEX, "L-COO-21", 8 * 3 * 7);
    sparse_free(&c);
}

static void test_coo_duplicates(void **state)
{
    (void)state;
    sparse_case c;
    for (int wide = 0; wide < 2; wide++) {
        make_full(&c, HRY_LAYOUT_COO, false, 3, 12);
        if (wide) /* more elements than 64 bits count: told apart by their tuples */
            for (uint32_t k = 0; k < 3; k++)
                c.shape[k] = UINT64_C(1) << 40;
        sparse_remake(&c);
        hry_error err;
        assert_int_equal(hry_tensor_verify(c.tensor, HRY_VERIFY_DEEP, &err), HRY_OK);
        for (uint32_t k = 0; k < 3; k++)
            sparse_set(&c, 1, 3 * 10 + k, c.index[2][k]);
        expect(&c, HRY_VERIFY_DEEP, "L-COO-22", 8 * 3 * 10);
        /* The index level does not look, and a lookup finds the first. */
        bool found;
        uint64_t position;
        sparse_remake(&c);
        assert_int_equal(hry_tensor_find(c.tensor, c.index[2], &found, &position, &err), HRY_OK);
        assert_true(found && position == 2);
        sparse_free(&c);
    }
}

static void test_compressed_rules(void **state)
{
    (void)state;
    static const char *const rules[2][4] = { { "L-CSR-20", "L-CSR-21", "L-CSR-22", "L-CSR-23" },
                                             { "L-CSC-20", "L-CSC-21", "L-CSC-22", "L-CSC-23" } };
    for (int csc = 0; csc < 2; csc++) {
        sparse_case c;
        make_full(&c, csc ? HRY_LAYOUT_CSC : HRY_LAYOUT_CSR, false, 2, 20);
        uint64_t slices = c.shape[c.mode[0]], most = c.shape[c.mode[1]], pair = 1, last = c.nnz - 1;
        while (c.index[pair][c.mode[0]] != c.index[pair - 1][c.mode[0]])
            pair++;
        spoil(&c, HRY_VERIFY_INDEX, 2, 0, 1, rules[csc][0]);
        spoil(&c, HRY_VERIFY_INDEX, 2, slices, c.nnz + 1, rules[csc][0]);
        sparse_set(&c, 2, 1, c.nnz); /* beyond what follows */
        sparse_set(&c, 2, 2, 0);
        expect(&c, HRY_VERIFY_INDEX, rules[csc][1], 16);
        sparse_free(&c);
        make_full(&c, csc ? HRY_LAYOUT_CSC : HRY_LAYOUT_CSR, false, 2, 20);
        spoil(&c, HRY_VERIFY_INDEX, 1, pair, c.index[pair - 1][c.mode[1]], rules[csc][2]);
        spoil(&c, HRY_VERIFY_INDEX, 1, last, most, rules[csc][3]);
        spoil(&c, HRY_VERIFY_INDEX, 1, last, UINT64_MAX, rules[csc][3]);
        spoil_before(&c, HRY_VERIFY_INDEX, 2, 1, UINT64_MAX, rules[csc][1], 2);
        sparse_free(&c);
    }
}

static void test_tree_rules(void **state)
{
    (void)state;
    sparse_case c;
    make_full(&c, HRY_LAYOUT_CSF, false, 3, 20);
    uint64_t pair = 1;
    while (c.index[pair][c.mode[0]] != c.index[pair - 1][c.mode[0]] ||
           c.index[pair][c.mode[1]] != c.index[pair - 1][c.mode[1]])
        pair++;
    for (uint32_t level = 0; level < 3; level++)
        spoil(&c, HRY_VERIFY_INDEX, 2 * level + 1, 0, 1, "L-CSF-20");
    spoil_before(&c, HRY_VERIFY_INDEX, 3, 1, 1000000, "L-CSF-21", 2);
    spoil(&c, HRY_VERIFY_INDEX, 1, 1, 1000000, "L-CSF-22");
    spoil(&c, HRY_VERIFY_INDEX, 5, c.nbytes[5] / 8 - 1, c.nnz + 1, "L-CSF-22");
    spoil(&c, HRY_VERIFY_INDEX, 6, pair, c.index[pair - 1][c.mode[2]], "L-CSF-23");
    spoil(&c, HRY_VERIFY_INDEX, 2, c.nbytes[2] / 8 - 1, c.shape[c.mode[0]], "L-CSF-24");
    spoil(&c, HRY_VERIFY_INDEX, 6, c.nnz - 1, UINT64_MAX, "L-CSF-24");
    c.nbytes[3] -= 8; /* fewer pointers than there are parents */
    expect(&c, HRY_VERIFY_INDEX, "L-CSF-22", (uint32_t)c.nbytes[3]);
    sparse_free(&c);
}

/* Hostile arrays of any contents: an answer, and no access outside of the buffers (which a sanitizer would see). */
static void test_hostile(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 2000; i++) {
        uint64_t seed = i * 99991, index[HRY_RANK_MAX], position;
        sparse_case c;
        hry_error err;
        hry_stored *stored;
        bool found;
        make(&c, &seed);
        for (uint64_t n = 1 + naive_below(&seed, 3); n; n--) {
            uint32_t buffer = 1 + (uint32_t)naive_below(&seed, c.buffer_count - 1);
            uint64_t most = c.nbytes[buffer] / 8;
            if (most)
                sparse_set(&c, buffer, naive_below(&seed, most), naive_random(&seed) >> naive_below(&seed, 64));
        }
        sparse_remake(&c);
        for (uint32_t k = 0; k < c.rank; k++)
            index[k] = naive_below(&seed, c.shape[k]);
        hry_status status = hry_tensor_verify(c.tensor, HRY_VERIFY_INDEX, &err);
        assert_int_equal(hry_tensor_find(c.tensor, index, &found, &position, &err), status);
        assert_int_equal(hry_stored_create(c.tensor, NULL, &stored, &err), status);
        if (status)
            assert_int_equal(err.section, HRY_SECTION_DATA);
        else
            for (uint64_t n = 0; hry_stored_next(stored, index, &position); n++)
                assert_true(position < c.nnz && n < c.nnz);
        if (!status)
            hry_stored_destroy(stored);
        sparse_free(&c);
    }
}

static void test_not_sparse(void **state)
{
    (void)state;
    hry_tensor *t;
    hry_stored *stored;
    hry_error err;
    bool found;
    uint64_t position;
    float data[4] = { 1, 2, 3, 4 };
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, 1, (uint64_t[]){ 4 }, data, NULL, NULL, &t, &err), HRY_OK);
    assert_int_equal(hry_stored_create(t, NULL, &stored, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(hry_tensor_find(t, (uint64_t[]){ 0 }, &found, &position, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(hry_tensor_find_token(t, 0, 0, &found, &position, &err), HRY_E_UNSUPPORTED);
    hry_stored_destroy(NULL);
    hry_tensor_release(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),           cmocka_unit_test(test_walk),
        cmocka_unit_test(test_read),           cmocka_unit_test(test_coo_rules),
        cmocka_unit_test(test_coo_duplicates), cmocka_unit_test(test_compressed_rules),
        cmocka_unit_test(test_tree_rules),     cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_not_sparse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
