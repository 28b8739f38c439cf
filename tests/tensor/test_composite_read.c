/* Composites read through, against their definition applied index by index (composite, section 4). */
#include "support/naive_layout.h"
#include "tensor/dense_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANK = 3, MOST = 4, REPLACE = 1, ADD = 2 };

/* A member with its elements: whether it covers an index, and with which bits. */
typedef struct part {
    hry_tensor *tensor;
    bool sparse;
    uint64_t shape[RANK], offset[RANK];
    uint64_t stored[64][RANK]; /* sparse: local indices, ascending */
    uint64_t count;
    uint8_t *values; /* packed */
} part;

typedef struct whole {
    uint8_t type;
    uint32_t rank;
    uint64_t shape[RANK];
    part parts[MOST];
    size_t count;
    hry_tensor *tensor;
} whole;

static void *random_values(uint8_t type, uint64_t count, uint64_t *seed)
{
    uint64_t nbytes;
    hry_type_size(hry_type_find(type)->bits, count, &nbytes);
    void *values = calloc(1, nbytes + 1);
    /* Of like size, so that sums are no mere copies; with digits to round. */
    for (uint64_t i = 0; i < count; i++)
        hry_element_set_f64(type, values, i, ldexp((double)(int64_t)naive_random(seed), -58));
    return values;
}

/* The head with members on, in all but composition rule as given. */
static hry_tensor *head_of(const whole *w, uint8_t rule, uint8_t op)
{
    uint8_t bytes[512];
    hry_desc desc;
    hry_error err;
    hry_tensor *members[MOST], *t;
    hry_layout layout = {
        .tag = HRY_LAYOUT_COMPOSITE, .composition_rule = rule, .combine_op = op, .member_count = (uint32_t)w->count
    };
    hry_desc_spec spec = { .type = w->type, .rank = w->rank, .shape = w->shape, .layout = &layout };
    for (size_t i = 0; i < w->count; i++)
        members[i] = w->parts[i].tensor;
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    if (hry_tensor_composite(&desc, members, w->count, NULL, &t, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < w->count; i++)
        hry_tensor_release(members[i]);
    return t;
}

static uint64_t count_of(const uint64_t *shape, uint32_t rank)
{
    uint64_t count = 1;
    for (uint32_t k = 0; k < rank; k++)
        count *= shape[k];
    return count;
}

/* Makes the tensor of a part whose shape, offset and kind are set. */
static void make_part(const whole *w, part *p, const uint8_t *role, uint64_t *seed)
{
    uint8_t bytes[1024];
    hry_desc desc;
    hry_error err;
    void *buffers[2];
    uint64_t index[RANK] = { 0 };
    hry_layout layout = { .tag = naive_below(seed, 2) ? HRY_LAYOUT_ROW_MAJOR : HRY_LAYOUT_COLUMN_MAJOR };
    hry_desc_spec spec = { .type = w->type,
                           .rank = w->rank,
                           .shape = p->shape,
                           .parent_shape = w->shape,
                           .shard_offset = p->offset,
                           .member_role = role,
                           .layout = &layout };
    p->count = 0;
    if (p->sparse) {
        do
            if (naive_below(seed, 4) == 0 && p->count < 64)
                memcpy(p->stored[p->count++], index, sizeof index);
        while (naive_next(w->rank, p->shape, index));
        layout = (hry_layout){ .tag = HRY_LAYOUT_COO, .nnz = p->count, .is_sorted = true };
    }
    uint64_t count = p->sparse ? p->count : count_of(p->shape, w->rank);
    p->values = random_values(w->type, count, seed);
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_tensor_alloc(&desc, NULL, &p->tensor, buffers, &err), HRY_OK);
    if (!p->sparse) {
        hry_write_options options = { .stored = true };
        assert_int_equal(hry_desc_write(&desc, NULL, 0, NULL, p->values, &options, buffers, &err), HRY_OK);
        return;
    }
    for (uint64_t i = 0; i < p->count; i++) {
        uint64_t lo, hi;
        hry_element_bits(w->type, p->values, i, &lo, &hi);
        hry_element_set_bits(w->type, buffers[0], i, lo, hi);
        for (uint32_t k = 0; k < w->rank; k++)
            hry_element_set_bits(HRY_TYPE_UINT64, buffers[1], i * w->rank + k, p->stored[i][k], 0);
    }
}

/* Whether a part covers an index, and the number of its value. */
static bool covers(const whole *w, const part *p, const uint64_t *index, uint64_t *number)
{
    uint64_t local[RANK];
    *number = 0;
    for (uint32_t k = 0; k < w->rank; k++) {
        local[k] = index[k] - p->offset[k];
        if (index[k] < p->offset[k] || local[k] >= p->shape[k])
            return false;
        *number = *number * p->shape[k] + local[k];
    }
    if (!p->sparse)
        return true;
    for (uint64_t i = 0; i < p->count; i++)
        if (memcmp(p->stored[i], local, w->rank * sizeof *local) == 0) {
            *number = i;
            return true;
        }
    return false;
}

/* a + b in the type, by wider arithmetic. */
static void add_to(uint8_t type, uint8_t *sum, const void *values, uint64_t i)
{
    const hry_type_info *info = hry_type_find(type);
    uint64_t a, b, hi;
    if (info->kind == HRY_KIND_INT || info->kind == HRY_KIND_UINT) {
        hry_element_bits(type, sum, 0, &a, &hi);
        hry_element_bits(type, values, i, &b, &hi);
        hry_element_set_bits(type, sum, 0, a + b, 0); /* what is above the width falls off */
    } else {
        /* float64 has twice the digits of float32 and more, so that rounding twice is rounding once. */
        hry_element_set_f64(type, sum, 0, hry_element_f64(type, sum, 0) + hry_element_f64(type, values, i));
    }
}

static void element_of(const whole *w, uint8_t op, const uint64_t *index, uint8_t *element)
{
    memset(element, 0, 16);
    for (size_t m = 0; m < w->count; m++) {
        uint64_t number, lo, hi;
        if (!covers(w, &w->parts[m], index, &number))
            continue;
        if (op == ADD && m > 0) {
            add_to(w->type, element, w->parts[m].values, number);
            continue;
        }
        hry_element_bits(w->type, w->parts[m].values, number, &lo, &hi);
        hry_element_set_bits(w->type, element, 0, lo, hi);
    }
}

static void check(const whole *w, uint8_t op, uint64_t *seed)
{
    hry_box box;
    hry_error err;
    uint64_t at[RANK] = { 0 }, index[RANK], count, nbytes, n = 0;
    uint32_t bits = hry_type_find(w->type)->bits;
    dense_box(seed, w->rank, w->shape, &box);
    count = count_of(box.count, w->rank);
    hry_type_size(bits, count, &nbytes);
    uint8_t *own = malloc(nbytes);
    double *wide = malloc(count * sizeof *wide);
    hry_read_options options = { .stored = true };
    if (hry_tensor_read_with(w->tensor, &box, 0, NULL, &options, own, &err))
        fail_msg("%s", err.message);
    assert_int_equal(hry_tensor_read(w->tensor, &box, HRY_TYPE_FLOAT64, NULL, wide, &err), HRY_OK);
    do {
        uint8_t element[16];
        uint64_t got[2], want[2];
        dense_index(&box, w->rank, at, index);
        element_of(w, op, index, element);
        hry_element_bits(w->type, own, n, &got[0], &got[1]);
        hry_element_bits(w->type, element, 0, &want[0], &want[1]);
        if (got[0] != want[0] || got[1] != want[1])
            fail_msg("%s: %016llx, not %016llx", hry_type_name(w->type), (unsigned long long)got[0],
                     (unsigned long long)want[0]);
        assert_true(wide[n++] == hry_element_f64(w->type, element, 0));
    } while (naive_next(w->rank, box.count, at));
    free(own);
    free(wide);
}

static void end(whole *w)
{
    hry_tensor_release(w->tensor);
    for (size_t i = 0; i < w->count; i++)
        free(w->parts[i].values);
}

static void start(whole *w, uint64_t *seed, const uint8_t *types, size_t count)
{
    static const uint64_t largest[] = { 0, 30, 8, 5 };
    memset(w, 0, sizeof *w);
    w->type = types[naive_below(seed, count)];
    w->rank = 1 + (uint32_t)naive_below(seed, RANK);
    for (uint32_t k = 0; k < w->rank; k++)
        w->shape[k] = 1 + naive_below(seed, largest[w->rank]);
}

static void overlay(uint8_t op, const uint8_t *types, size_t count)
{
    for (uint64_t i = 1; i <= 400; i++) {
        uint64_t seed = i * 7 + op;
        whole w;
        start(&w, &seed, types, count);
        w.count = 1 + naive_below(&seed, MOST);
        for (size_t m = 0; m < w.count; m++) {
            part *p = &w.parts[m];
            uint8_t role = m == 0;
            p->sparse = naive_below(&seed, 2);
            for (uint32_t k = 0; k < w.rank; k++) {
                p->offset[k] = m ? naive_below(&seed, w.shape[k]) : 0;
                p->shape[k] = m ? 1 + naive_below(&seed, w.shape[k] - p->offset[k]) : w.shape[k];
            }
            make_part(&w, p, &role, &seed);
        }
        w.tensor = head_of(&w, 2, op);
        check(&w, op, &seed);
        check(&w, op, &seed);
        end(&w);
    }
}

static void test_replace(void **state)
{
    (void)state;
    static const uint8_t types[] = { HRY_TYPE_FLOAT16, HRY_TYPE_FLOAT32, HRY_TYPE_FLOAT64,     HRY_TYPE_INT8,
                                     HRY_TYPE_BOOL,    HRY_TYPE_INT4,    HRY_TYPE_FLOAT6_E3M2, HRY_TYPE_FLOAT128 };
    overlay(REPLACE, types, sizeof types);
}

static void test_add(void **state)
{
    (void)state;
    static const uint8_t types[] = { HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16, HRY_TYPE_FLOAT32,
                                     HRY_TYPE_FLOAT64, HRY_TYPE_INT8,     HRY_TYPE_UINT8,
                                     HRY_TYPE_INT16,   HRY_TYPE_UINT32,   HRY_TYPE_INT64 };
    overlay(ADD, types, sizeof types);
}

/* What is not added up, and sums whose digits no wider type has here. */
static void test_add_types(void **state)
{
    (void)state;
    static const uint8_t never[] = { HRY_TYPE_BOOL,        HRY_TYPE_INT4,        HRY_TYPE_UINT2,
                                     HRY_TYPE_FLOAT8_E4M3, HRY_TYPE_FLOAT8_E5M2, HRY_TYPE_FLOAT4_E2M1 };
    static const uint8_t pairs[] = { HRY_TYPE_COMPLEX64, HRY_TYPE_COMPLEX128, HRY_TYPE_FLOAT128 };
    static const uint8_t parts[] = { HRY_TYPE_FLOAT32, HRY_TYPE_FLOAT64, HRY_TYPE_FLOAT128 };
    for (size_t i = 0; i < sizeof never + sizeof pairs; i++) {
        bool refused = i < sizeof never;
        whole w = { .type = refused ? never[i] : pairs[i - sizeof never], .rank = 1, .shape = { 3 }, .count = 2 };
        uint64_t seed = i;
        uint8_t got[48];
        hry_error err;
        for (size_t m = 0; m < 2; m++) {
            w.parts[m].shape[0] = 3;
            uint8_t role = m == 0;
            make_part(&w, &w.parts[m], &role, &seed);
        }
        w.tensor = head_of(&w, 2, ADD);
        hry_read_options options = { .stored = true };
        hry_status status = hry_tensor_read_with(w.tensor, NULL, 0, NULL, &options, got, &err);
        assert_int_equal(status, refused ? HRY_E_UNSUPPORTED : HRY_OK);
        if (!refused) {
            uint8_t part_type = parts[i - sizeof never];
            uint64_t n = part_type == HRY_TYPE_FLOAT128 ? 3 : 6;
            for (uint64_t e = 0; e < n; e++) {
                double a = hry_element_f64(part_type, w.parts[0].values, e);
                double b = hry_element_f64(part_type, w.parts[1].values, e);
                uint8_t sum[16];
                /* The values came from float64, and of these the sum is close. */
                hry_element_set_f64(part_type, sum, 0, a + b);
                assert_true(fabs(hry_element_f64(part_type, got, e) - (a + b)) <= fabs(a + b) * 0x1p-52 ||
                            hry_element_f64(part_type, sum, 0) == hry_element_f64(part_type, got, e));
            }
        }
        end(&w);
    }
}

/* A partition by cuts along each axis, its members in any order. */
static void test_partition(void **state)
{
    (void)state;
    static const uint8_t types[] = { HRY_TYPE_FLOAT32, HRY_TYPE_INT16, HRY_TYPE_BOOL, HRY_TYPE_UINT4 };
    for (uint64_t i = 1; i <= 400; i++) {
        uint64_t seed = i * 3, cuts[2] = { 0 };
        whole w;
        start(&w, &seed, types, sizeof types);
        uint32_t axes = w.rank < 2 ? w.rank : 2;
        w.count = 1;
        for (uint32_t k = 0; k < axes; k++) {
            cuts[k] = naive_below(&seed, w.shape[k]);
            w.count *= cuts[k] ? 2 : 1;
        }
        size_t turn = naive_below(&seed, w.count);
        for (size_t m = 0; m < w.count; m++) {
            part *p = &w.parts[(m + turn) % w.count];
            size_t rest = m;
            p->sparse = naive_below(&seed, 3) == 0;
            for (uint32_t k = 0; k < w.rank; k++) {
                p->offset[k] = 0;
                p->shape[k] = w.shape[k];
                if (k < axes && cuts[k]) {
                    p->offset[k] = rest % 2 ? cuts[k] : 0;
                    p->shape[k] = rest % 2 ? w.shape[k] - cuts[k] : cuts[k];
                    rest /= 2;
                }
            }
            make_part(&w, p, NULL, &seed);
        }
        w.tensor = head_of(&w, 1, 0);
        check(&w, REPLACE, &seed);
        check(&w, REPLACE, &seed);
        end(&w);
    }
}

/* Many members in order along an axis: each element comes from its own, whichever of them are asked. */
static void test_many_members(void **state)
{
    (void)state;
    enum { MANY = 500 };
    for (uint32_t axis = 0; axis < 2; axis++) {
        uint64_t seed = 3 + axis, total = 0, value = 0;
        uint64_t shape[2] = { 3, 3 }, (*offsets)[2] = calloc(MANY, sizeof *offsets);
        uint64_t *lengths = calloc(MANY, sizeof *lengths);
        hry_tensor *members[MANY], *t;
        hry_error err;
        uint8_t bytes[512];
        hry_desc desc;
        for (size_t i = 0; i < MANY; i++) {
            offsets[i][axis] = total;
            total += lengths[i] = 1 + naive_below(&seed, 3);
        }
        shape[axis] = total;
        for (size_t i = 0; i < MANY; i++) {
            uint64_t own[2] = { 3, 3 };
            void *buffer;
            own[axis] = lengths[i];
            hry_desc_spec spec = {
                .type = HRY_TYPE_UINT16, .rank = 2, .shape = own, .parent_shape = shape, .shard_offset = offsets[i]
            };
            assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
            assert_int_equal(hry_tensor_alloc(&desc, NULL, &members[i], &buffer, &err), HRY_OK);
            for (uint64_t e = 0; e < own[0] * own[1]; e++) /* its own number along the axis, and across */
                hry_element_set_bits(
                    HRY_TYPE_UINT16, buffer, e,
                    axis ? (offsets[i][1] + e % own[1]) * 3 + e / own[1] : (offsets[i][0] + e / 3) * 3 + e % 3, 0);
        }
        hry_layout layout = { .tag = HRY_LAYOUT_COMPOSITE, .composition_rule = 1, .member_count = MANY };
        hry_desc_spec head = { .type = HRY_TYPE_UINT16, .rank = 2, .shape = shape, .layout = &layout };
        assert_int_equal(hry_desc_encode(&head, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
        assert_int_equal(hry_tensor_composite(&desc, members, MANY, NULL, &t, &err), HRY_OK);
        for (size_t i = 0; i < MANY; i++)
            hry_tensor_release(members[i]);
        for (int round = 0; round < 300; round++) {
            hry_box box;
            uint64_t at[2] = { 0 }, index[2];
            double *got = malloc((size_t)(total * 3) * sizeof *got);
            dense_box(&seed, 2, shape, &box);
            assert_int_equal(hry_tensor_read(t, &box, HRY_TYPE_FLOAT64, NULL, got, &err), HRY_OK);
            value = 0;
            do {
                dense_index(&box, 2, at, index);
                assert_true(got[value++] == (double)(index[axis] * 3 + index[1 - axis]));
            } while (naive_next(2, box.count, at));
            free(got);
        }
        hry_tensor_release(t);
        free(offsets);
        free(lengths);
    }
}

static void test_group(void **state)
{
    (void)state;
    whole w = { .type = HRY_TYPE_FLOAT32, .rank = 1, .shape = { 3 } };
    float got[3];
    hry_error err;
    w.tensor = head_of(&w, 3, 0);
    assert_int_equal(hry_tensor_read(w.tensor, NULL, 0, NULL, got, &err), HRY_E_UNSUPPORTED);
    end(&w);
}

/* Quantized members have no codes in common, and their values need what they stand for. */
static void test_quantized_member(void **state)
{
    (void)state;
    hry_quantization q = { .scheme = HRY_SCHEME_PER_TENSOR, .scale = 1 };
    whole w = { .type = HRY_TYPE_FLOAT32, .rank = 1, .shape = { 4 }, .count = 1 };
    hry_desc_spec spec = { .type = HRY_TYPE_INT8,
                           .rank = 1,
                           .shape = w.shape,
                           .parent_shape = w.shape,
                           .shard_offset = (uint64_t[]){ 0 },
                           .quantization = &q };
    uint8_t bytes[512];
    hry_desc desc;
    hry_error err;
    void *buffer;
    float got[4];
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_tensor_alloc(&desc, NULL, &w.parts[0].tensor, &buffer, &err), HRY_OK);
    memset(buffer, 0, 4);
    w.tensor = head_of(&w, 1, 0);
    hry_read_options options = { .stored = true };
    assert_int_equal(hry_tensor_read_with(w.tensor, NULL, 0, NULL, &options, got, &err), HRY_E_UNSUPPORTED);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replace),          cmocka_unit_test(test_add),          cmocka_unit_test(test_add_types),
        cmocka_unit_test(test_partition),        cmocka_unit_test(test_many_members), cmocka_unit_test(test_group),
        cmocka_unit_test(test_quantized_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
