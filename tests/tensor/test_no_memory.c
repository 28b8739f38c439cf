/* Work that takes memory where there is none: each allocation fails in turn, and nothing is left behind. */
#include "base/bytes.h"
#include "support/counting_alloc.h"
#include "support/naive_layout.h"

#include <hurray/quantize.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROWS = 12, COLUMNS = 70, DEPTH = 5, COUNT = ROWS * COLUMNS * DEPTH };

typedef struct work {
    const hry_tensor *tensor;
    const hry_layout *layout;       /* to this one, or */
    const hry_quantizer *quantizer; /* to codes, or */
    uint8_t type;                   /* to values */
} work;

static hry_status do_work(const work *w, const hry_allocator *allocator, hry_tensor **out, hry_error *err)
{
    hry_relayout_options options = { .allocator = allocator };
    if (w->layout)
        return hry_tensor_relayout(w->tensor, w->layout, &options, out, err);
    if (!w->quantizer)
        return hry_tensor_dequantize(w->tensor, w->type, &options, out, err);
    hry_quantizer q = *w->quantizer;
    q.allocator = allocator;
    return hry_tensor_quantize(w->tensor, &q, out, err);
}

/* The report tells how much was wanted, perhaps with what belongs to it. */
static void fail_each(const work *w)
{
    hry_status status = HRY_E_MEMORY;
    for (size_t at = 1; status; at++) {
        hry_tensor *out = NULL;
        hry_error err = { 0 };
        counting_alloc heap;
        counting_alloc_init(&heap);
        heap.fail_at = at;
        status = do_work(w, &heap.allocator, &out, &err);
        if (status) {
            assert_int_equal(status, HRY_E_MEMORY);
            assert_null(out);
            assert_true(err.value >= heap.wanted);
        } else {
            assert_true(at > 1 && heap.calls == at - 1);
            hry_tensor_release(out);
        }
        assert_int_equal(heap.blocks, 0);
    }
}

static const uint64_t shapes[2][3] = { { ROWS * DEPTH, COLUMNS }, { ROWS, COLUMNS, DEPTH } };

static hry_tensor *dense(float *x, uint32_t rank)
{
    uint64_t seed = rank;
    hry_tensor *t = NULL;
    for (int i = 0; i < COUNT; i++)
        hry_store_f32((uint8_t *)&x[i], naive_below(&seed, 3) ? 0 : (float)(1 + naive_below(&seed, 1000)));
    assert_int_equal(hry_tensor_dense(HRY_TYPE_FLOAT32, rank, shapes[rank - 2], x, NULL, NULL, &t, NULL), HRY_OK);
    return t;
}

/* From every layout in which elements are found in another way, into every layout that takes work. */
static const hry_layout layouts[] = { { .tag = HRY_LAYOUT_ROW_MAJOR }, { .tag = HRY_LAYOUT_COLUMN_MAJOR },
                                      { .tag = HRY_LAYOUT_COO },       { .tag = HRY_LAYOUT_CSR },
                                      { .tag = HRY_LAYOUT_CSC },       { .tag = HRY_LAYOUT_CSF } };
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static bool holds(const hry_layout *layout, uint32_t rank)
{
    bool matrix = layout->tag == HRY_LAYOUT_CSR || layout->tag == HRY_LAYOUT_CSC;
    return matrix ? rank == 2 : layout->tag != HRY_LAYOUT_CSF || rank == 3;
}

static void test_relayout(void **state)
{
    (void)state;
    static float x[COUNT];
    for (uint32_t rank = 2; rank <= 3; rank++) {
        hry_tensor *whole = dense(x, rank);
        for (int i = 0; i < LAYOUTS; i++) {
            hry_tensor *from = NULL;
            if (!holds(&layouts[i], rank))
                continue;
            assert_int_equal(hry_tensor_relayout(whole, &layouts[i], NULL, &from, NULL), HRY_OK);
            for (int j = 0; j < LAYOUTS; j++)
                if (holds(&layouts[j], rank))
                    fail_each(&(work){ .tensor = from, .layout = &layouts[j] });
            hry_tensor_release(from);
        }
        hry_tensor_release(whole);
    }
}

static void test_quantize(void **state)
{
    (void)state;
    static float x[COUNT];
    static const uint8_t schemes[] = { HRY_SCHEME_PER_TENSOR, HRY_SCHEME_PER_CHANNEL, HRY_SCHEME_PER_BLOCK };
    for (uint32_t rank = 2; rank <= 3; rank++) {
        hry_tensor *whole = dense(x, rank);
        for (int i = 0; i < LAYOUTS; i++) {
            hry_tensor *from = NULL;
            if (!holds(&layouts[i], rank))
                continue;
            assert_int_equal(hry_tensor_relayout(whole, &layouts[i], NULL, &from, NULL), HRY_OK);
            for (size_t k = 0; k < sizeof schemes; k++)
                for (uint32_t axis = 0; axis < rank; axis++) {
                    hry_quantizer q = { .scheme = schemes[k],
                                        .axis = axis,
                                        .block = 4,
                                        .symmetric = true,
                                        .optimize = true,
                                        .storage = HRY_TYPE_INT4 };
                    hry_tensor *codes = NULL;
                    fail_each(&(work){ .tensor = from, .quantizer = &q });
                    assert_int_equal(hry_tensor_quantize(from, &q, &codes, NULL), HRY_OK);
                    fail_each(&(work){ .tensor = codes, .type = HRY_TYPE_FLOAT16 });
                    hry_tensor_release(codes);
                }
            hry_tensor_release(from);
        }
        hry_tensor_release(whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relayout),
        cmocka_unit_test(test_quantize),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
