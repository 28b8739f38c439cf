/* Writing .npy files: bytes by NumPy's text of the format, values of every layout, what is said and what is refused. */
#include "interop/npy_model.h"
#include "interop/stingy.h"
#include "support/composites.h"
#include "support/scratch.h"
#include "support/stored_of.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const hry_export_options strict = { .strict = true };

static hry_tensor *dense(uint8_t type, uint32_t rank, const uint64_t *shape, const void *data)
{
    hry_tensor *t = NULL;
    hry_error err;
    assert_int_equal(hry_tensor_dense(type, rank, shape, data, NULL, NULL, &t, &err), HRY_OK);
    return t;
}

static npy_kept saved(const hry_tensor *t, const hry_export_options *options)
{
    npy_kept kept;
    hry_error err;
    hry_sink sink = npy_keep(&kept);
    if (hry_npy_save_tensor_sink(t, &sink, options, &err))
        fail_msg("%s", err.message);
    return kept;
}

/* ---- Bytes ---- */

static void test_bytes(void **state)
{
    (void)state;
    static const uint16_t data[] = { 0x0201, 0x0403, 0x0605, 0x0807, 0x0A09, 0x0C0B }; /* as stored, by bytes */
    static const struct {
        uint32_t rank;
        uint64_t shape[3];
        const char *text;
    } shapes[] = {
        { 2, { 2, 3 }, "(2, 3)" }, { 1, { 6 }, "(6,)" }, { 3, { 1, 6, 1 }, "(1, 6, 1)" }, { 0, { 0 }, "()" }
    };
    for (size_t i = 0; i < 4; i++) {
        char want[256];
        hry_tensor *t = dense(HRY_TYPE_UINT16, shapes[i].rank, shapes[i].shape, data);
        npy_kept kept = saved(t, &strict);
        int n = snprintf(want, sizeof want, "{'descr': '<u2', 'fortran_order': False, 'shape': %s, }", shapes[i].text);
        size_t size = shapes[i].rank ? sizeof data : 2;
        assert_memory_equal(kept.bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
        assert_memory_equal(kept.bytes + 10, want, (size_t)n);
        for (size_t k = 10 + (size_t)n; k < 127; k++)
            assert_int_equal(kept.bytes[k], ' ');
        assert_int_equal(kept.bytes[127], '\n');
        assert_int_equal(kept.nbytes, 128 + size);
        assert_memory_equal(kept.bytes + 128, data, size);
        free(kept.bytes);
        hry_tensor_release(t);
    }
}

/* The longest header there is: 64 dimensions of 20 digits. */
static void test_longest(void **state)
{
    (void)state;
    uint64_t shape[HRY_RANK_MAX] = { 0 };
    for (int k = 1; k < HRY_RANK_MAX; k++)
        shape[k] = UINT64_MAX - 1;
    hry_tensor *t = dense(HRY_TYPE_COMPLEX128, HRY_RANK_MAX, shape, NULL);
    npy_kept kept = saved(t, &strict);
    assert_int_equal(kept.nbytes % 64, 0);
    hry_file *file = npy_open_kept(kept.bytes, kept.nbytes);
    hry_desc desc;
    hry_error err;
    assert_int_equal(hry_file_desc(file, 0, &desc, &err), HRY_OK);
    size_t n, m;
    const void *got = hry_desc_bytes(&desc, &n), *want = hry_desc_bytes(hry_tensor_desc(t), &m);
    assert_int_equal(n, m);
    assert_memory_equal(got, want, n);
    hry_file_close(file);
    hry_tensor_release(t);
}

/* All types that NumPy has come back with the same bytes. */
static void test_there_and_back(void **state)
{
    (void)state;
    static const uint8_t types[] = { HRY_TYPE_BOOL,      HRY_TYPE_INT8,      HRY_TYPE_INT16,   HRY_TYPE_INT32,
                                     HRY_TYPE_INT64,     HRY_TYPE_UINT8,     HRY_TYPE_UINT16,  HRY_TYPE_UINT32,
                                     HRY_TYPE_UINT64,    HRY_TYPE_FLOAT16,   HRY_TYPE_FLOAT32, HRY_TYPE_FLOAT64,
                                     HRY_TYPE_COMPLEX64, HRY_TYPE_COMPLEX128 };
    static const uint64_t shape[] = { 3, 7 };
    _Alignas(64) uint8_t data[3 * 7 * 16 + 1];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 37 + i / 11);
    for (size_t i = 0; i < sizeof types; i++)
        for (size_t skew = 0; skew < 2; skew++) {
            uint64_t want_size, size;
            data[2 + skew] &= types[i] == HRY_TYPE_BOOL ? 0x1F : 0xFF; /* behind the last of 21 bits */
            hry_tensor *t = dense(types[i], 2, shape, data + skew);
            npy_kept kept = saved(t, &strict);
            hry_file *file = npy_open_kept(kept.bytes, kept.nbytes);
            hry_tensor *back = NULL;
            hry_error err;
            assert_int_equal(hry_file_tensor_at(file, 0, &back, &err), HRY_OK);
            assert_int_equal(hry_tensor_type(back), types[i]);
            const void *want = hry_tensor_buffer(t, 0, &want_size), *got = hry_tensor_buffer(back, 0, &size);
            assert_int_equal(size, want_size);
            assert_memory_equal(got, want, size);
            hry_tensor_release(back);
            hry_file_close(file);
            hry_tensor_release(t);
        }
}

/* ---- Layouts ---- */

enum { ROWS = 1300, COLUMNS = 1000 }; /* more than are read at a time */

static const uint64_t shape[] = { ROWS, COLUMNS };

static int32_t value_at(uint64_t r, uint64_t c)
{
    return (r * 31 + c) % 5 ? 0 : (int32_t)(r * COLUMNS + c);
}

static void check_values(const hry_tensor *t, const char *note)
{
    npy_heard heard = { 0 };
    hry_export_options options = { .note = npy_hear, .note_ctx = &heard };
    npy_kept kept = saved(t, &options);
    assert_string_equal(heard.text, note);
    hry_file *file = npy_open_kept(kept.bytes, kept.nbytes);
    hry_tensor *back = NULL;
    hry_error err;
    assert_int_equal(hry_file_tensor_at(file, 0, &back, &err), HRY_OK);
    int32_t *values = malloc(sizeof *values * ROWS * COLUMNS);
    assert_int_equal(hry_tensor_read(back, NULL, HRY_TYPE_INT32, NULL, values, &err), HRY_OK);
    for (uint64_t r = 0, n = 0; r < ROWS; r++)
        for (uint64_t c = 0; c < COLUMNS; c++)
            assert_int_equal(values[n++], value_at(r, c));
    free(values);
    hry_tensor_release(back);
    hry_file_close(file);
    /* What is said is a change. */
    npy_kept none;
    hry_sink sink = npy_keep(&none);
    assert_int_equal(hry_npy_save_tensor_sink(t, &sink, &strict, &err), note[0] ? HRY_E_UNSUPPORTED : HRY_OK);
    if (note[0])
        assert_int_equal(none.nbytes, 0);
    free(none.bytes);
}

static void test_layouts(void **state)
{
    (void)state;
    static const uint64_t tile[] = { 16, 16 };
    static const struct {
        hry_layout layout;
        const char *note;
    } layouts[] = { { { .tag = HRY_LAYOUT_ROW_MAJOR }, "" },
                    { { .tag = HRY_LAYOUT_COLUMN_MAJOR }, "2 1 : layout column-major becomes row-major\n" },
                    { { .tag = HRY_LAYOUT_TILED, .tile_shape = tile }, "2 1 : layout tiled becomes row-major\n" },
                    { { .tag = HRY_LAYOUT_CSC }, "2 1 : layout csc becomes row-major\n" },
                    { { .tag = HRY_LAYOUT_COO }, "2 1 : layout coo becomes row-major\n" } };
    int32_t *data = malloc(sizeof *data * ROWS * COLUMNS);
    for (uint64_t i = 0; i < (uint64_t)ROWS * COLUMNS; i++)
        data[i] = value_at(i / COLUMNS, i % COLUMNS);
    hry_tensor *row = dense(HRY_TYPE_INT32, 2, shape, stored_of(HRY_TYPE_INT32, data, (uint64_t)ROWS * COLUMNS));
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        hry_tensor *t = NULL;
        hry_error err;
        if (hry_tensor_relayout(row, &layouts[i].layout, NULL, &t, &err))
            fail_msg("%s", err.message);
        check_values(t, layouts[i].note);
        hry_tensor_release(t);
    }
    hry_tensor_release(row);
    free(data);
}

static void test_quantized(void **state)
{
    (void)state;
    static const int8_t codes[] = { 2, -4, 6, 127 };
    static const uint64_t four[] = { 4 };
    hry_quantization q = { .scheme = HRY_SCHEME_PER_TENSOR, .scale = 0.5F, .zero_point = 2 };
    hry_desc_spec spec = { .type = HRY_TYPE_INT8, .rank = 1, .shape = four, .quantization = &q };
    uint8_t bytes[256];
    hry_desc desc;
    hry_tensor *t = NULL;
    void *room;
    hry_error err;
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_tensor_alloc(&desc, NULL, &t, &room, &err), HRY_OK);
    memcpy(room, codes, sizeof codes);
    npy_heard heard = { 0 };
    npy_kept kept = saved(t, &(hry_export_options){ .note = npy_hear, .note_ctx = &heard });
    assert_string_equal(heard.text, "2 1 : quantization per-tensor-affine becomes float32\n");
    hry_file *file = npy_open_kept(kept.bytes, kept.nbytes);
    hry_tensor *back = NULL;
    assert_int_equal(hry_file_tensor_at(file, 0, &back, &err), HRY_OK);
    float values[4];
    assert_int_equal(hry_tensor_read(back, NULL, HRY_TYPE_FLOAT32, NULL, values, &err), HRY_OK);
    assert_true(values[0] == 0.0F && values[1] == -3.0F && values[2] == 2.0F && values[3] == 62.5F);
    hry_tensor_release(back);
    hry_file_close(file);
    npy_kept none;
    hry_sink sink = npy_keep(&none);
    assert_int_equal(hry_npy_save_tensor_sink(t, &sink, &strict, &err), HRY_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "quantization"));
    hry_tensor_release(t);
}

/* ---- Types that NumPy does not have ---- */

static void test_wider(void **state)
{
    (void)state;
    static const struct {
        uint8_t type, wider;
        uint8_t bytes[16];
        double value;
        const char *note;
    } cases[] = {
        { HRY_TYPE_BFLOAT16, HRY_TYPE_FLOAT32, { 0xC0, 0x3F }, 1.5, "type bfloat16 becomes float32" },
        { HRY_TYPE_FLOAT8_E4M3, HRY_TYPE_FLOAT32, { 0x7E }, 448, "type float8_e4m3 becomes float32" },
        { HRY_TYPE_FLOAT8_E5M2, HRY_TYPE_FLOAT32, { 0x7B }, 57344, "type float8_e5m2 becomes float32" },
        { HRY_TYPE_FLOAT8_E8M0, HRY_TYPE_FLOAT32, { 0x80 }, 2, "type float8_e8m0 becomes float32" },
        { HRY_TYPE_FLOAT6_E2M3, HRY_TYPE_FLOAT32, { 0x1F }, 7.5, "type float6_e2m3 becomes float32" },
        { HRY_TYPE_FLOAT6_E3M2, HRY_TYPE_FLOAT32, { 0x1F }, 28, "type float6_e3m2 becomes float32" },
        { HRY_TYPE_FLOAT4_E2M1, HRY_TYPE_FLOAT32, { 0x07 }, 6, "type float4_e2m1 becomes float32" },
        { HRY_TYPE_INT4, HRY_TYPE_INT8, { 0x09 }, -7, "type int4 becomes int8" },
        { HRY_TYPE_INT2, HRY_TYPE_INT8, { 0x02 }, -2, "type int2 becomes int8" },
        { HRY_TYPE_UINT4, HRY_TYPE_UINT8, { 0x0F }, 15, "type uint4 becomes uint8" },
        { HRY_TYPE_UINT2, HRY_TYPE_UINT8, { 0x03 }, 3, "type uint2 becomes uint8" },
        { HRY_TYPE_FLOAT128,
          HRY_TYPE_FLOAT64,
          { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xFF, 0x3F },
          1.5,
          "type float128 becomes float64, rounded" },
    };
    static const uint64_t one[] = { 1 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        npy_heard heard = { 0 };
        npy_kept kept;
        hry_error err;
        char want[64];
        double value;
        hry_sink sink = npy_keep(&kept);
        hry_export_options options = { .note = npy_hear, .note_ctx = &heard };
        hry_tensor *t = dense(cases[i].type, 1, one, cases[i].bytes), *back = NULL;
        assert_int_equal(hry_npy_save_tensor_sink(t, &sink, &options, &err), HRY_E_UNSUPPORTED);
        snprintf(want, sizeof want, "NumPy has no %s; its values fit %s", hry_type_name(cases[i].type),
                 hry_type_name(cases[i].wider));
        assert_string_equal(err.message, want);
        assert_true(kept.nbytes == 0 && heard.used == 0);
        options.widen = true;
        kept = saved(t, &options);
        snprintf(want, sizeof want, "2 1 : %s\n", cases[i].note);
        assert_string_equal(heard.text, want);
        hry_file *file = npy_open_kept(kept.bytes, kept.nbytes);
        assert_int_equal(hry_file_tensor_at(file, 0, &back, &err), HRY_OK);
        assert_int_equal(hry_tensor_type(back), cases[i].wider);
        assert_int_equal(hry_tensor_read(back, NULL, HRY_TYPE_FLOAT64, NULL, &value, &err), HRY_OK);
        assert_true(value == cases[i].value);
        hry_tensor_release(back);
        hry_file_close(file);
        hry_tensor_release(t);
    }
}

/* ---- Files ---- */

typedef struct entry {
    const char *name;
    const hry_tensor *tensor;
} entry;

static hry_file *container(const entry *entries, size_t count, const char *key)
{
    hry_writer *w;
    hry_file *file = NULL;
    hry_error err;
    hry_writer_options options = { .replace = true, .no_sync = true };
    assert_int_equal(hry_writer_create(scratch_path("c.hrry"), &options, &w, &err), HRY_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(hry_writer_add(w, entries[i].name, entries[i].tensor, &err), HRY_OK);
    if (key)
        assert_int_equal(hry_writer_kv_string(w, key, "x", &err), HRY_OK);
    assert_int_equal(hry_writer_finish(w, &err), HRY_OK);
    hry_writer_destroy(w);
    assert_int_equal(hry_file_open(scratch_path("c.hrry"), NULL, &file, &err), HRY_OK);
    return file;
}

static void test_one_tensor(void **state)
{
    (void)state;
    static const float data[] = { 1, 2, 3, 4 };
    static const uint64_t two[] = { 2 }, four[] = { 4 }, first[] = { 0 }, second[] = { 2 };
    hry_error err;
    hry_tensor *t = dense(HRY_TYPE_FLOAT32, 1, four, data);
    npy_heard heard = { 0 };
    hry_export_options options = { .note = npy_hear, .note_ctx = &heard, .no_sync = true };
    hry_file *file = container(&(entry){ "w", t }, 1, "about");
    assert_int_equal(hry_npy_save(file, scratch_path("w.npy"), &options, &err), HRY_OK);
    assert_string_equal(heard.text, "1 2 about: a .npy file has no metadata\n");
    npy_kept kept = saved(t, &strict);
    assert_true(scratch_is("w.npy", kept.bytes, kept.nbytes));
    /* It is there now. */
    assert_int_equal(hry_npy_save(file, scratch_path("w.npy"), &options, &err), HRY_E_BUSY);
    options.replace = true;
    assert_int_equal(hry_npy_save(file, scratch_path("w.npy"), &options, &err), HRY_OK);
    assert_int_equal(hry_npy_save(file, scratch_path("x.npy"), &strict, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(hry_npy_save_tensor(t, scratch_path("y.npy"), NULL, &err), HRY_OK);
    assert_true(scratch_is("y.npy", kept.bytes, kept.nbytes));
    int ends[2];
    uint8_t piped[256];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(hry_npy_save_fd(file, ends[1], NULL, &err), HRY_OK);
    assert_int_equal(read(ends[0], piped, sizeof piped), kept.nbytes);
    assert_memory_equal(piped, kept.bytes, kept.nbytes);
    assert_int_equal(hry_npy_save_tensor_fd(t, ends[1], NULL, &err), HRY_OK);
    assert_int_equal(read(ends[0], piped, sizeof piped), kept.nbytes);
    assert_memory_equal(piped, kept.bytes, kept.nbytes);
    close(ends[0]);
    close(ends[1]);
    free(kept.bytes);
    hry_file_close(file);

    /* A composite is one, with its members; two tensors are not, and none is none. */
    member_spec members[2] = {
        { .spec = { .type = HRY_TYPE_FLOAT32, .rank = 1, .shape = two, .parent_shape = four, .shard_offset = first } }
    };
    members[1] = members[0];
    members[1].spec.shard_offset = second;
    hry_tensor *whole = composite_of(HRY_TYPE_FLOAT32, 1, four, 1, 0, members, 2, 2, &err);
    assert_non_null(whole);
    file = container(&(entry){ "w", whole }, 1, NULL);
    assert_int_equal(hry_file_count(file), 3);
    assert_int_equal(hry_npy_save(file, scratch_path("w.npy"), &options, &err), HRY_OK);
    hry_file_close(file);
    file = container((const entry[]){ { "w", whole }, { "v", t } }, 2, NULL);
    assert_int_equal(hry_npy_save(file, scratch_path("x.npy"), &options, &err), HRY_E_UNSUPPORTED);
    assert_string_equal(err.message, "a .npy file holds one tensor, and here are 4 entries");
    hry_file_close(file);
    file = container((const entry[]){ { "v", t }, { "w", t } }, 2, NULL);
    hry_sink sink = npy_keep(&kept);
    assert_int_equal(hry_npy_save_sink(file, &sink, &options, &err), HRY_E_UNSUPPORTED);
    hry_file_close(file);
    file = container(NULL, 0, NULL);
    assert_int_equal(hry_npy_save_sink(file, &sink, &options, &err), HRY_E_UNSUPPORTED);
    hry_file_close(file);
    hry_tensor_release(whole);
    hry_tensor_release(t);
}

/* A failure leaves nothing behind. */
static void test_failures(void **state)
{
    (void)state;
    _Alignas(64) static int8_t data[4096];
    static const uint64_t square[] = { 64, 64 };
    hry_error err;
    hry_layout layout = { .tag = HRY_LAYOUT_COLUMN_MAJOR };
    hry_tensor *row = dense(HRY_TYPE_INT8, 2, square, data), *t = NULL;
    assert_int_equal(hry_tensor_relayout(row, &layout, NULL, &t, &err), HRY_OK);
    size_t before = scratch_count(), fail_at = 1;
    for (hry_status status = HRY_E_MEMORY; status; fail_at++) {
        stingy s;
        stingy_init(&s, fail_at);
        hry_export_options options = { .allocator = &s.allocator, .no_sync = true };
        status = hry_npy_save_tensor(t, scratch_path("f.npy"), &options, &err);
        assert_true(status == HRY_OK || status == HRY_E_MEMORY);
        assert_int_equal(s.live, 0);
        assert_int_equal(scratch_count(), before + (status == HRY_OK));
    }
    assert_true(fail_at > 3);
    for (size_t room = 1; room < 4096 + 128; room += 500) {
        npy_kept kept;
        hry_sink sink = npy_keep(&kept);
        kept.room = room;
        assert_int_equal(hry_npy_save_tensor_sink(t, &sink, NULL, &err), HRY_E_IO);
        free(kept.bytes);
    }
    hry_tensor_release(t);
    hry_tensor_release(row);
    /* A group has no values of its own. */
    member_spec members[1] = { { .spec = { .type = HRY_TYPE_FLOAT32 } } };
    t = composite_of(HRY_TYPE_FLOAT32, 1, (const uint64_t[]){ 3 }, 3, 0, members, 1, 1, &err);
    assert_non_null(t);
    before = scratch_count();
    assert_int_equal(hry_npy_save_tensor(t, scratch_path("g.npy"), NULL, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(scratch_count(), before);
    hry_tensor_release(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),      cmocka_unit_test(test_longest),   cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_layouts),    cmocka_unit_test(test_quantized), cmocka_unit_test(test_wider),
        cmocka_unit_test(test_one_tensor), cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
