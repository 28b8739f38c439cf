/* Rules of contents beside index arrays: pages, reserved codes, scales and zero points, bits behind the end. */
#include "support/rules_reached.h"
#include "tensor/dense_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A tensor with its own memory that is still being filled. */
typedef struct filled {
    hry_tensor *tensor;
    void *buffer[4];
} filled;

static filled make(const hry_desc_spec *spec)
{
    uint8_t bytes[2048];
    hry_desc desc;
    hry_error err;
    filled f;
    hry_buffer row;
    if (hry_desc_encode(spec, NULL, bytes, sizeof bytes, &desc, &err))
        fail_msg("%s", err.message);
    assert_int_equal(hry_tensor_alloc(&desc, NULL, &f.tensor, f.buffer, &err), HRY_OK);
    for (uint32_t i = 0; hry_desc_buffer(&desc, i, &row); i++)
        if (row.byte_size)
            memset(f.buffer[i], 0, row.byte_size);
    return f;
}

static void expect(const filled *f, hry_verify_level level, const char *rule, uint64_t offset)
{
    hry_error err = { 0 };
    hry_status status = hry_tensor_verify(f->tensor, level, &err);
    if (rule) {
        assert_rule("contents", status, &err, rule, offset);
        assert_int_equal(err.section, HRY_SECTION_DATA);
    } else {
        assert_int_equal(status, HRY_OK);
    }
}

/* Numbers as the format stores them, of 4 or 8 bytes. */
static void put_numbers(void *to, unsigned size, const uint64_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hry_element_set_bits(size == 8 ? HRY_TYPE_UINT64 : HRY_TYPE_UINT32, to, i, numbers[i], 0);
}

static void put_floats(void *to, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hry_element_set_f64(HRY_TYPE_FLOAT32, to, i, values[i]);
}

/* ---- Pages ---- */

/* Pages of 4 tokens; seq_ptr and block_table follow the spec's. */
static filled make_pages(bool wide, uint64_t tokens, const uint64_t *pointers, uint32_t sequences,
                         const uint64_t *table, size_t pages)
{
    hry_layout layout = { .tag = HRY_LAYOUT_BLOCK_PAGED,
                          .page_size = 4,
                          .num_pages = 5,
                          .num_seqs = sequences,
                          .block_table_index_type = wide };
    uint64_t shape[] = { tokens, 2, 3 };
    unsigned size = wide ? 8 : 4;
    hry_buffer rows[] = { { .byte_size = 5 * 4 * 2 * 3 },
                          { .byte_size = pages * size },
                          { .byte_size = (sequences + 1) * size } };
    filled f = make(&(hry_desc_spec){
        .type = HRY_TYPE_UINT8, .rank = 3, .shape = shape, .layout = &layout, .buffers = rows, .buffer_count = 3 });
    put_numbers(f.buffer[1], size, table, pages);
    put_numbers(f.buffer[2], size, pointers, sequences + 1);
    return f;
}

static void check_pages(bool wide, uint64_t tokens, const uint64_t *pointers, uint32_t sequences, const uint64_t *table,
                        size_t pages, const char *rule, uint64_t number)
{
    filled f = make_pages(wide, tokens, pointers, sequences, table, pages);
    expect(&f, HRY_VERIFY_INDEX, rule, number * (wide ? 8 : 4));
    hry_tensor_release(f.tensor);
}

static void test_pages(void **state)
{
    (void)state;
    const uint64_t table[] = { 0, 1, 0 };
    for (int wide = 0; wide < 2; wide++) {
        check_pages(wide, 9, (uint64_t[]){ 0, 2, 3 }, 2, table, 3, NULL, 0);
        check_pages(wide, 9, (uint64_t[]){ 1, 2, 3 }, 2, table, 3, "L-BP-20", 0);
        check_pages(wide, 9, (uint64_t[]){ 0, 2, 4 }, 2, table, 3, "L-BP-20", 2);
        check_pages(wide, 9, (uint64_t[]){ 0, 3, 2 }, 2, table, 3, "L-BP-21", 2);
        check_pages(wide, 9, (uint64_t[]){ 0, 2, 3 }, 2, (uint64_t[]){ 0, 5, 1 }, 3, "L-BP-22", 1);
        check_pages(wide, 13, (uint64_t[]){ 0, 2, 3 }, 2, table, 3, "L-BP-23", 2);
        check_pages(wide, 12, (uint64_t[]){ 0, 2, 3 }, 2, table, 3, NULL, 0);
        check_pages(wide, 6, (uint64_t[]){ 0, 2, 3 }, 2, table, 3, NULL, 0);
        check_pages(wide, 5, (uint64_t[]){ 0, 2, 3 }, 2, table, 3, "L-BP-23", 2);
        check_pages(wide, 0, (uint64_t[]){ 0 }, 0, table, 0, NULL, 0);
    }
}

/* The value of a pool element says where it is. */
static uint8_t pool_value(uint64_t flat)
{
    return (uint8_t)(flat * 7 + 1);
}

/* Boxes over tokens, heads and dimensions, up and down, against the lookup of the text. */
static void test_read_pages(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 300; i++) {
        uint64_t seed = i, counts[4], pointers[5] = { 0 }, table[12], tokens = 0;
        uint32_t sequences = 1 + (uint32_t)naive_below(&seed, 4);
        for (uint32_t s = 0; s < sequences; s++) {
            counts[s] = naive_below(&seed, 12);
            pointers[s + 1] = pointers[s] + (counts[s] + 3) / 4;
            tokens += counts[s];
        }
        for (uint32_t k = 0; k < 12; k++)
            table[k] = naive_below(&seed, 5);
        if (tokens == 0)
            continue;
        filled f = make_pages(i % 2, tokens, pointers, sequences, table, pointers[sequences]);
        for (uint64_t k = 0; k < 120; k++)
            ((uint8_t *)f.buffer[0])[k] = pool_value(k);
        hry_box box;
        hry_error err;
        uint64_t at[3] = { 0 }, index[3], n = 0;
        float got[11 * 4 * 6];
        dense_box(&seed, 3, (uint64_t[]){ tokens, 2, 3 }, &box);
        hry_read_options options = { .token_counts = counts };
        assert_int_equal(hry_tensor_read_with(f.tensor, &box, HRY_TYPE_FLOAT32, NULL, &options, got, &err), HRY_OK);
        do {
            uint64_t sequence = 0, token;
            dense_index(&box, 3, at, index);
            for (token = index[0]; token >= counts[sequence]; sequence++)
                token -= counts[sequence];
            uint64_t page = table[pointers[sequence] + token / 4];
            uint64_t flat = ((page * 4 + token % 4) * 2 + index[1]) * 3 + index[2];
            assert_true(got[n++] == (float)pool_value(flat));
        } while (naive_next(3, box.count, at));
        /* Without the counts there is an answer for one sequence only. */
        hry_status status = hry_tensor_read(f.tensor, &box, HRY_TYPE_FLOAT32, NULL, got, &err);
        assert_int_equal(status, sequences == 1 ? HRY_OK : HRY_E_UNSUPPORTED);
        counts[0]++;
        status = hry_tensor_read_with(f.tensor, &box, HRY_TYPE_FLOAT32, NULL, &options, got, &err);
        assert_rule("token counts", status, &err, "L-BP-24", 0);
        counts[0]--;
        if (sequences > 1 && counts[0] > 0) { /* as many in all, but not where the pages are */
            uint64_t moved = pointers[1] * 4 + 1 - counts[0];
            counts[0] += moved;
            counts[1] -= moved;
            status = hry_tensor_read_with(f.tensor, &box, HRY_TYPE_FLOAT32, NULL, &options, got, &err);
            assert_rule("token counts", status, &err, "L-BP-24", 0);
        }
        hry_tensor_release(f.tensor);
    }
}

/* A sequence as a tensor of its own: its pool is the other's. */
static void test_sequence(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        filled f = make_pages(wide, 9, (uint64_t[]){ 0, 2, 3 }, 2, (uint64_t[]){ 4, 1, 3 }, 3);
        hry_tensor *s;
        hry_error err;
        uint8_t got[6 * 6];
        for (uint64_t k = 0; k < 120; k++)
            ((uint8_t *)f.buffer[0])[k] = pool_value(k);
        assert_int_equal(hry_tensor_sequence(f.tensor, 0, 6, &s, &err), HRY_OK);
        assert_ptr_equal(hry_tensor_buffer(s, 0, NULL), f.buffer[0]);
        assert_int_equal(hry_tensor_dim(s, 0), 6);
        hry_status status = hry_tensor_sequence(f.tensor, 1, 5, &(hry_tensor *){ NULL }, &err);
        assert_rule("sequence", status, &err, "L-BP-24", 0);
        assert_int_equal(hry_tensor_sequence(f.tensor, 2, 1, &(hry_tensor *){ NULL }, &err), HRY_E_USAGE);
        hry_tensor_release(f.tensor);
        assert_int_equal(hry_tensor_read(s, NULL, 0, NULL, got, &err), HRY_OK);
        for (uint64_t k = 0; k < 36; k++)
            assert_int_equal(got[k], pool_value(k < 24 ? 4 * 24 + k : 24 + k - 24));
        hry_tensor_release(s);
        f = make_pages(wide, 9, (uint64_t[]){ 0, 2, 3 }, 2, (uint64_t[]){ 4, 1, 3 }, 3);
        assert_int_equal(hry_tensor_sequence(f.tensor, 0, 0, &s, &err), HRY_OK);
        expect(&(filled){ .tensor = s }, HRY_VERIFY_DEEP, NULL, 0);
        hry_tensor_release(s);
        hry_tensor_release(f.tensor);
    }
}

/* ---- Reserved e8m0 codes ---- */

/* Every logical element, and none of the padding. */
static void test_reserved_codes(void **state)
{
    (void)state;
    const uint8_t tags[] = { HRY_LAYOUT_ROW_MAJOR, HRY_LAYOUT_COLUMN_MAJOR, HRY_LAYOUT_TILED, HRY_LAYOUT_MORTON,
                             HRY_LAYOUT_HILBERT };
    for (uint64_t i = 1; i <= 100; i++) {
        uint64_t seed = i, index[HRY_RANK_MAX], nbytes;
        naive_tensor n;
        naive_make(&n, &seed, tags[i % 5], 2, 8);
        hry_desc_spec spec = { .type = HRY_TYPE_FLOAT8_E8M0, .rank = 2, .shape = n.shape, .layout = &n.layout };
        if (n.layout.tag == HRY_LAYOUT_TILED && (n.layout.outer_layout == 3 || n.layout.inner))
            continue; /* only what needs no byte_offset */
        filled f = make(&spec);
        hry_tensor_buffer(f.tensor, 0, &nbytes);
        memset(f.buffer[0], 0, nbytes); /* reserved wherever no element is */
        memset(index, 0, sizeof index);
        uint64_t last = 0;
        do {
            last = (uint64_t)naive_offset(&n.layout, 2, n.shape, index);
            ((uint8_t *)f.buffer[0])[last] = 0x7F;
        } while (naive_next(2, n.shape, index));
        ((uint8_t *)f.buffer[0])[last] = i % 2 ? 0 : 0xFF;
        expect(&f, HRY_VERIFY_INDEX, NULL, 0);
        expect(&f, HRY_VERIFY_DEEP, "E-02", last);
        ((uint8_t *)f.buffer[0])[last] = 0xFE;
        expect(&f, HRY_VERIFY_DEEP, NULL, 0);
        hry_tensor_release(f.tensor);
    }
}

static void test_reserved_in_lists(void **state)
{
    (void)state;
    hry_layout coo = { .tag = HRY_LAYOUT_COO, .nnz = 2, .is_sorted = true };
    filled f =
        make(&(hry_desc_spec){ .type = HRY_TYPE_FLOAT8_E8M0, .rank = 1, .shape = (uint64_t[]){ 5 }, .layout = &coo });
    ((uint8_t *)f.buffer[1])[8] = 3;
    ((uint8_t *)f.buffer[0])[0] = 0x7F;
    expect(&f, HRY_VERIFY_DEEP, "E-02", 1);
    hry_tensor_release(f.tensor);

    hry_layout pages = { .tag = HRY_LAYOUT_BLOCK_PAGED, .page_size = 2, .num_pages = 3, .num_seqs = 2 };
    hry_buffer rows[] = { { .byte_size = 6 }, { .byte_size = 12 }, { .byte_size = 12 } };
    f = make(&(hry_desc_spec){ .type = HRY_TYPE_FLOAT8_E8M0,
                               .rank = 3,
                               .shape = (uint64_t[]){ 5, 1, 1 },
                               .layout = &pages,
                               .buffers = rows,
                               .buffer_count = 3 });
    put_numbers(f.buffer[1], 4, (uint64_t[]){ 2, 0, 1 }, 3);
    put_numbers(f.buffer[2], 4, (uint64_t[]){ 0, 2, 3 }, 3);
    /* Page 2 is full; page 0, the last of its sequence, and page 1 have a token in their first slot at least. */
    memcpy(f.buffer[0], "\x7F\x00\x7F\x00\x7F\x00", 6);
    expect(&f, HRY_VERIFY_DEEP, "E-02", 5);
    ((uint8_t *)f.buffer[0])[5] = 1;
    expect(&f, HRY_VERIFY_DEEP, NULL, 0);
    hry_tensor_release(f.tensor);
}

/* ---- Parameters ---- */

static const uint64_t shape46[] = { 4, 6 };

static filled make_quantized(uint8_t type, const hry_quantization *q)
{
    return make(&(hry_desc_spec){ .type = type, .rank = 2, .shape = shape46, .quantization = q });
}

/* All scales good but one. */
static void check_scales(uint8_t type, const hry_quantization *q, uint64_t count, const char *rule)
{
    const float bad[] = { 0, -0.0f, NAN, INFINITY, -INFINITY, -1 };
    filled f = make_quantized(type, q);
    bool nf4 = q->scheme == HRY_SCHEME_NF4;
    unsigned size = q->scale_type_tag && q->scale_type_tag != HRY_TYPE_FLOAT32 ? 2 : 4;
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        for (uint64_t i = 0; i < count; i++)
            hry_element_set_f64(size == 4 ? HRY_TYPE_FLOAT32 : q->scale_type_tag, f.buffer[1], i, 0.25);
        uint64_t at = (b * 5 + 2) % count;
        hry_element_set_f64(size == 4 ? HRY_TYPE_FLOAT32 : q->scale_type_tag, f.buffer[1], at, (double)bad[b]);
        bool good = nf4 ? b < 2 : b == 5;
        expect(&f, HRY_VERIFY_INDEX, NULL, 0);
        expect(&f, HRY_VERIFY_DEEP, good ? NULL : rule, at * size);
        if (good) { /* remembered: make it anew */
            hry_tensor_release(f.tensor);
            f = make_quantized(type, q);
        }
    }
    hry_tensor_release(f.tensor);
}

static void test_scales(void **state)
{
    (void)state;
    hry_quantization q = { .scheme = HRY_SCHEME_PER_CHANNEL,
                           .axis = 1,
                           .scale_buffer_index = 1,
                           .zero_point_buffer_index = HRY_NO_BUFFER,
                           .flags = HRY_QUANT_SYMMETRIC };
    check_scales(HRY_TYPE_INT8, &q, 6, "Q-PC-05");
    q.scheme = HRY_SCHEME_PER_BLOCK;
    q.block_size = 4;
    check_scales(HRY_TYPE_INT8, &q, 8, "Q-PB-06");
    q.scale_type_tag = HRY_TYPE_FLOAT16;
    check_scales(HRY_TYPE_UINT4, &q, 8, "Q-PB-06");
    q.scale_type_tag = HRY_TYPE_BFLOAT16;
    check_scales(HRY_TYPE_INT2, &q, 8, "Q-PB-06");
    hry_quantization nf4 = { .scheme = HRY_SCHEME_NF4, .axis = 0, .block_size = 8, .scale_buffer_index = 1 };
    filled f = make(
        &(hry_desc_spec){ .type = HRY_TYPE_UINT4, .rank = 2, .shape = (uint64_t[]){ 16, 3 }, .quantization = &nf4 });
    hry_element_set_f64(HRY_TYPE_FLOAT32, f.buffer[1], 4, -0.5);
    expect(&f, HRY_VERIFY_DEEP, "Q-NF4-04", 16);
    hry_element_set_f64(HRY_TYPE_FLOAT32, f.buffer[1], 4, -0.0);
    expect(&f, HRY_VERIFY_DEEP, NULL, 0);
    hry_tensor_release(f.tensor);
    hry_quantization mx = { .scheme = HRY_SCHEME_MXFP, .axis = 1, .block_size = 16, .scale_buffer_index = 1 };
    for (int code = 0; code < 2; code++) {
        f = make(
            &(hry_desc_spec){ .type = HRY_TYPE_INT8, .rank = 2, .shape = (uint64_t[]){ 3, 32 }, .quantization = &mx });
        memset(f.buffer[1], 1, 6);
        ((uint8_t *)f.buffer[1])[5] = code ? 0xFF : 0;
        expect(&f, HRY_VERIFY_DEEP, "Q-MX-04", 5);
        hry_tensor_release(f.tensor);
    }
}

static void test_zero_points(void **state)
{
    (void)state;
    static const struct {
        uint8_t type;
        int32_t least, most;
    } ranges[] = { { HRY_TYPE_INT8, -128, 127 },      { HRY_TYPE_UINT8, 0, 255 },
                   { HRY_TYPE_INT4, -8, 7 },          { HRY_TYPE_UINT4, 0, 15 },
                   { HRY_TYPE_INT2, -2, 1 },          { HRY_TYPE_UINT2, 0, 3 },
                   { HRY_TYPE_INT16, -32768, 32767 }, { HRY_TYPE_UINT16, 0, 65535 },
                   { HRY_TYPE_UINT32, 0, INT32_MAX }, { HRY_TYPE_INT32, INT32_MIN, INT32_MAX } };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (int shared = 0; shared < 2; shared++) {
            hry_quantization q = { .scheme = HRY_SCHEME_PER_CHANNEL,
                                   .axis = 1,
                                   .scale_buffer_index = 1,
                                   .zero_point_buffer_index = shared ? 1 : 2 };
            const uint64_t points[] = { (uint32_t)ranges[i].least, (uint32_t)ranges[i].most, 0, 0, 0, 0 };
            filled f = make_quantized(ranges[i].type, &q);
            uint8_t *zeros = shared ? (uint8_t *)f.buffer[1] + 24 : f.buffer[2];
            for (uint64_t c = 0; c < 6; c++)
                hry_element_set_f64(HRY_TYPE_FLOAT32, f.buffer[1], c, 1.5);
            for (int side = 0; side < 2; side++) {
                int64_t beyond = side ? (int64_t)ranges[i].most + 1 : (int64_t)ranges[i].least - 1;
                put_numbers(zeros, 4, points, 6);
                if (beyond < INT32_MIN || beyond > INT32_MAX)
                    continue;
                put_numbers(zeros + 16, 4, &(uint64_t){ (uint32_t)beyond }, 1);
                expect(&f, HRY_VERIFY_DEEP, "Q-PC-06", (shared ? 24 : 0) + 16);
            }
            put_numbers(zeros, 4, points, 6);
            expect(&f, HRY_VERIFY_DEEP, NULL, 0);
            hry_tensor_release(f.tensor);
        }
}

/* Scales of slots on pages that no sequence has are nobody's. */
static void test_paged_scales(void **state)
{
    (void)state;
    hry_layout layout = { .tag = HRY_LAYOUT_BLOCK_PAGED, .page_size = 2, .num_pages = 3, .num_seqs = 1 };
    hry_quantization q = { .scheme = HRY_SCHEME_PER_BLOCK,
                           .axis = 0,
                           .block_size = 2,
                           .scale_buffer_index = 3,
                           .zero_point_buffer_index = HRY_NO_BUFFER,
                           .flags = HRY_QUANT_SYMMETRIC,
                           .scale_type_tag = HRY_TYPE_FLOAT32 };
    hry_buffer rows[] = { { .byte_size = 6 }, { .byte_size = 8 }, { .byte_size = 8 }, { .byte_size = 24 } };
    filled f = make(&(hry_desc_spec){ .type = HRY_TYPE_INT8,
                                      .rank = 3,
                                      .shape = (uint64_t[]){ 3, 1, 1 },
                                      .layout = &layout,
                                      .buffers = rows,
                                      .buffer_count = 4,
                                      .quantization = &q });
    put_numbers(f.buffer[1], 4, (uint64_t[]){ 2, 0 }, 2);
    put_numbers(f.buffer[2], 4, (uint64_t[]){ 0, 2 }, 2);
    put_floats(f.buffer[3], (double[]){ 1, 1, 0, 0, 1, 0 }, 6);
    expect(&f, HRY_VERIFY_DEEP, "Q-PB-06", 20);
    put_floats(f.buffer[3], (double[]){ 1, 1, 0, NAN, 1, 1 }, 6);
    expect(&f, HRY_VERIFY_DEEP, NULL, 0);
    hry_tensor_release(f.tensor);
}

/* ---- Bits behind the last element ---- */

static void count_lint(void *ctx, uint16_t rule, uint64_t offset, const char *message)
{
    uint64_t *found = ctx;
    assert_string_equal(hry_rule_id(rule), "E-01");
    assert_string_equal(message, hry_rule_text(rule));
    rule_reached(rule);
    found[0]++;
    found[1] = offset;
}

static void check_end(const filled *f, uint64_t offset, uint8_t clean, uint8_t dirty)
{
    uint64_t found[2] = { 0 };
    ((uint8_t *)f->buffer[0])[offset] = clean;
    hry_tensor_lint(f->tensor, count_lint, found);
    assert_int_equal(found[0], 0);
    ((uint8_t *)f->buffer[0])[offset] = dirty;
    hry_tensor_lint(f->tensor, count_lint, found);
    assert_int_equal(found[0], 1);
    ((uint8_t *)f->buffer[0])[offset] = clean;
}

static void test_end(void **state)
{
    (void)state;
    filled f = make(&(hry_desc_spec){ .type = HRY_TYPE_BOOL, .rank = 1, .shape = (uint64_t[]){ 11 } });
    check_end(&f, 1, 0x07, 0x0F);
    hry_tensor_release(f.tensor);
    f = make(&(hry_desc_spec){ .type = HRY_TYPE_INT2, .rank = 2, .shape = (uint64_t[]){ 3, 3 } });
    check_end(&f, 2, 0x03, 0x80);
    hry_tensor_release(f.tensor);
    f = make(&(hry_desc_spec){ .type = HRY_TYPE_FLOAT6_E2M3, .rank = 1, .shape = (uint64_t[]){ 5 } });
    check_end(&f, 3, 0x3F, 0x40);
    check_end(&f, 5, 0, 0x80);
    hry_tensor_release(f.tensor);
    hry_layout coo = { .tag = HRY_LAYOUT_COO, .nnz = 1, .is_sorted = true };
    f = make(&(hry_desc_spec){ .type = HRY_TYPE_UINT4, .rank = 1, .shape = (uint64_t[]){ 4 }, .layout = &coo });
    check_end(&f, 0, 0x0F, 0x1F);
    hry_tensor_release(f.tensor);
    /* A whole tile is stored: nothing of its last byte is behind the end, whatever it holds. */
    hry_layout tiled = { .tag = HRY_LAYOUT_TILED, .tile_shape = (uint64_t[]){ 4, 4 } };
    uint64_t found[2] = { 0 };
    f = make(&(hry_desc_spec){ .type = HRY_TYPE_BOOL, .rank = 2, .shape = (uint64_t[]){ 3, 3 }, .layout = &tiled });
    memset(f.buffer[0], 0xFF, 2);
    hry_tensor_lint(f.tensor, count_lint, found);
    assert_int_equal(found[0], 0);
    hry_tensor_release(f.tensor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_read_pages),
        cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_reserved_codes),
        cmocka_unit_test(test_reserved_in_lists),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_zero_points),
        cmocka_unit_test(test_paged_scales),
        cmocka_unit_test(test_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
