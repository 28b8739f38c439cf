/* Reading .npy files. */
#include "interop/npy_model.h"
#include "interop/stingy.h"
#include "support/scratch.h"
#include "support/shared_data.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static hry_tensor *only_tensor(hry_file *file)
{
    hry_tensor *t = NULL;
    hry_error err;
    assert_int_equal(hry_file_count(file), 1);
    if (hry_file_tensor_at(file, 0, &t, &err))
        fail_msg("%s", err.message);
    return t;
}

static double at(const hry_tensor *t, uint64_t i, uint64_t j)
{
    double value;
    hry_error err;
    assert_int_equal(hry_tensor_get(t, (const uint64_t[]){ i, j }, HRY_TYPE_FLOAT64, &value, &err), HRY_OK);
    return value;
}

/* ---- Types ---- */

static void test_types(void **state)
{
    (void)state;
    /* One element of each; the value by the format's text. */
    static const struct {
        const char *descr;
        uint8_t type;
        size_t size;
        uint8_t bytes[16];
        double value; /* of the real part */
    } cases[] = {
        { "|b1", HRY_TYPE_BOOL, 1, { 1 }, 1 },
        { "?", HRY_TYPE_BOOL, 1, { 0 }, 0 },
        { "|i1", HRY_TYPE_INT8, 1, { 0x80 }, -128 },
        { "i1", HRY_TYPE_INT8, 1, { 0x7F }, 127 },
        { "|u1", HRY_TYPE_UINT8, 1, { 0xFF }, 255 },
        { "<i2", HRY_TYPE_INT16, 2, { 0xFE, 0xFF }, -2 },
        { ">i2", HRY_TYPE_INT16, 2, { 0xFF, 0xFE }, -2 },
        { "<u2", HRY_TYPE_UINT16, 2, { 0x34, 0x12 }, 0x1234 },
        { ">u2", HRY_TYPE_UINT16, 2, { 0x12, 0x34 }, 0x1234 },
        { "<i4", HRY_TYPE_INT32, 4, { 0x78, 0x56, 0x34, 0x92 }, -1842063752 },
        { ">i4", HRY_TYPE_INT32, 4, { 0x92, 0x34, 0x56, 0x78 }, -1842063752 },
        { "<u4", HRY_TYPE_UINT32, 4, { 0x78, 0x56, 0x34, 0x92 }, 2452903544 },
        { ">u4", HRY_TYPE_UINT32, 4, { 0x92, 0x34, 0x56, 0x78 }, 2452903544 },
        { "<i8", HRY_TYPE_INT64, 8, { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF }, -1 },
        { ">i8", HRY_TYPE_INT64, 8, { 0, 0, 0, 0, 0, 0, 1, 2 }, 258 },
        { "<u8", HRY_TYPE_UINT64, 8, { 1, 0, 0, 0, 0, 0, 0, 0x80 }, 0x1p63 },
        { ">u8", HRY_TYPE_UINT64, 8, { 0x80, 0, 0, 0, 0, 0, 0, 1 }, 0x1p63 },
        { "<f2", HRY_TYPE_FLOAT16, 2, { 0x00, 0xC1 }, -2.5 },
        { ">f2", HRY_TYPE_FLOAT16, 2, { 0xC1, 0x00 }, -2.5 },
        { "<f4", HRY_TYPE_FLOAT32, 4, { 0x00, 0x00, 0xC0, 0x3F }, 1.5 },
        { ">f4", HRY_TYPE_FLOAT32, 4, { 0x3F, 0xC0, 0x00, 0x00 }, 1.5 },
        { "<f8", HRY_TYPE_FLOAT64, 8, { 0, 0, 0, 0, 0, 0, 0x05, 0xC0 }, -2.625 },
        { ">f8", HRY_TYPE_FLOAT64, 8, { 0xC0, 0x05, 0, 0, 0, 0, 0, 0 }, -2.625 },
        { "<c8", HRY_TYPE_COMPLEX64, 8, { 0, 0, 0xC0, 0x3F, 0, 0, 0x80, 0xBF }, 1.5 },
        { ">c8", HRY_TYPE_COMPLEX64, 8, { 0x3F, 0xC0, 0, 0, 0xBF, 0x80, 0, 0 }, 1.5 },
        { "<c16", HRY_TYPE_COMPLEX128, 16, { 0, 0, 0, 0, 0, 0, 0x05, 0xC0, 0, 0, 0, 0, 0, 0, 0xF0, 0xBF }, -2.625 },
        { ">c16", HRY_TYPE_COMPLEX128, 16, { 0xC0, 0x05, 0, 0, 0, 0, 0, 0, 0xBF, 0xF0 }, -2.625 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t nbytes;
        uint8_t *bytes = npy_usual(cases[i].descr, false, "()", cases[i].bytes, cases[i].size, &nbytes);
        hry_file *file = npy_open_kept(bytes, nbytes);
        hry_tensor *t = only_tensor(file);
        hry_error err;
        bool is_complex = hry_type_find(cases[i].type)->kind == HRY_KIND_COMPLEX;
        double value[2] = { 0, -1 };
        assert_string_equal(hry_file_format(file), "npy");
        assert_int_equal(hry_tensor_type(t), cases[i].type);
        assert_int_equal(hry_tensor_rank(t), 0);
        uint8_t to = is_complex ? HRY_TYPE_COMPLEX128 : HRY_TYPE_FLOAT64;
        assert_int_equal(hry_tensor_read(t, NULL, to, NULL, value, &err), HRY_OK);
        if (value[0] != cases[i].value || value[1] != -1.0)
            fail_msg("%s: %g %g", cases[i].descr, value[0], value[1]);
        hry_tensor_release(t);
        hry_file_close(file);
    }
}

/* ---- Order ---- */

static void test_orders(void **state)
{
    (void)state;
    static const int16_t data[] = { 11, 12, 13, 21, 22, 23 }; /* on hosts of either order: read as bytes below */
    uint8_t stored[12];
    for (size_t i = 0; i < 6; i++) {
        stored[2 * i] = (uint8_t)data[i];
        stored[2 * i + 1] = 0;
    }
    for (int fortran = 0; fortran < 2; fortran++) {
        size_t nbytes;
        uint8_t *bytes = npy_usual("<i2", fortran, "(2, 3)", stored, sizeof stored, &nbytes);
        hry_file *file = npy_open_kept(bytes, nbytes);
        hry_tensor *t = only_tensor(file);
        assert_int_equal(hry_desc_layout(hry_tensor_desc(t)), fortran ? HRY_LAYOUT_COLUMN_MAJOR : HRY_LAYOUT_ROW_MAJOR);
        assert_true(hry_tensor_dim(t, 0) == 2 && hry_tensor_dim(t, 1) == 3);
        for (uint64_t i = 0; i < 2; i++)
            for (uint64_t j = 0; j < 3; j++)
                assert_true(at(t, i, j) == (double)data[fortran ? i + 2 * j : 3 * i + j]);
        /* Not copied. */
        assert_ptr_equal(hry_tensor_buffer(t, 0, NULL), bytes + nbytes - sizeof stored);
        hry_tensor_release(t);
        hry_file_close(file);
    }
    /* One dimension has one order. */
    size_t nbytes;
    uint8_t *bytes = npy_usual("<i2", true, "(6,)", stored, sizeof stored, &nbytes);
    hry_file *file = npy_open_kept(bytes, nbytes);
    hry_tensor *t = only_tensor(file);
    assert_int_equal(hry_desc_layout(hry_tensor_desc(t)), HRY_LAYOUT_ROW_MAJOR);
    hry_tensor_release(t);
    hry_file_close(file);
}

static void test_bools(void **state)
{
    (void)state;
    static const uint8_t data[] = { 1, 0, 1, 1, 0 }; /* T F T T F */
    size_t nbytes;
    uint64_t size;
    hry_error err;
    uint8_t *bytes = npy_usual("|b1", false, "(5,)", data, sizeof data, &nbytes);
    hry_file *file = npy_open_kept(bytes, nbytes);
    hry_tensor *t = only_tensor(file);
    const uint8_t *bits = hry_tensor_buffer(t, 0, &size);
    assert_int_equal(size, 1);
    assert_int_equal(bits[0], 0x0D);
    npy_kept kept;
    hry_sink sink = npy_keep(&kept);
    assert_int_equal(hry_npy_save_tensor_sink(t, &sink, &(hry_export_options){ .strict = true }, &err), HRY_OK);
    assert_memory_equal(kept.bytes + kept.nbytes - 5, data, 5);
    free(kept.bytes);
    hry_tensor_release(t);
    hry_file_close(file);

    static const uint8_t bad[] = { 1, 0, 0, 0, 1, 0, 1, 0, 1, 0xFF, 1 };
    bytes = npy_usual("|b1", false, "(11,)", bad, sizeof bad, &nbytes);
    file = npy_open_kept(bytes, nbytes);
    assert_int_equal(hry_file_tensor_at(file, 0, &t, &err), HRY_E_INPUT);
    assert_int_equal(err.offset, nbytes - sizeof bad + 9);
    assert_int_equal(err.value, 0xFF);
    hry_file_close(file);
}

/* ---- Headers ---- */

static void test_headers(void **state)
{
    (void)state;
    static const struct {
        unsigned version;
        const char *header;
    } good[] = {
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" },
        { 2, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" },
        { 3, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" },
        { 1, "{\"shape\":(3,),\"fortran_order\":False,\"descr\":\"<f4\"}" },
        { 1, "{ 'shape' :\t( 3 , ) ,\n'descr' : '<f4' , 'fortran_order' : False }\n" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3L,), }" }, /* Python 2 */
        { 1, "   {'descr': '<f4', 'fortran_order': True, 'shape': (3,)}" },
    };
    static const uint8_t data[] = { 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40 }; /* 1, 2, 3 */
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t nbytes, pad = i % 2 ? 16 : 1;
        uint8_t *bytes = npy_frame(good[i].version, good[i].header, pad, data, sizeof data, &nbytes);
        hry_file *file = npy_open_kept(bytes, nbytes);
        hry_tensor *t = only_tensor(file);
        hry_error err;
        double values[3];
        assert_int_equal(hry_tensor_read(t, NULL, HRY_TYPE_FLOAT64, NULL, values, &err), HRY_OK);
        assert_true(values[0] == 1 && values[1] == 2 && values[2] == 3);
        hry_tensor_release(t);
        hry_file_close(file);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t rank;
        uint64_t shape[3];
    } shapes[] = { { "()", 0, { 0 } },
                   { "(184,)", 1, { 184 } },
                   { "( 2 ,3)", 2, { 2, 3 } },
                   { "(1, 0, 5)", 3, { 1, 0, 5 } },
                   { "(2, 3, )", 2, { 2, 3 } },
                   { "(0,)", 1, { 0 } },
                   { "(0, 18446744073709551614)", 2, { 0, UINT64_MAX - 1 } } };
    uint8_t data[184] = { 0 };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t nbytes, count = 1;
        for (uint32_t k = 0; k < shapes[i].rank; k++)
            count *= shapes[i].shape[k];
        uint8_t *bytes = npy_usual("|u1", false, shapes[i].text, data, count, &nbytes);
        hry_file *file = npy_open_kept(bytes, nbytes);
        hry_desc desc;
        hry_error err;
        assert_int_equal(hry_file_desc(file, 0, &desc, &err), HRY_OK);
        assert_int_equal(hry_desc_rank(&desc), shapes[i].rank);
        for (uint32_t k = 0; k < shapes[i].rank; k++)
            assert_int_equal(hry_desc_dim(&desc, k), shapes[i].shape[k]);
        hry_tensor *t = only_tensor(file);
        hry_tensor_release(t);
        hry_file_close(file);
    }
}

static void refuse(uint8_t *bytes, size_t nbytes, hry_status status, const char *words)
{
    hry_file *file = NULL;
    hry_error err = { 0 };
    hry_status got = hry_npy_open_memory(bytes, nbytes, NULL, NULL, NULL, NULL, &file, &err);
    if (got != status || !strstr(err.message, words))
        fail_msg("\"%s\" expected, got %d: %s", words, got, err.message);
    assert_true(err.offset <= nbytes && err.status == (int32_t)status);
    free(bytes);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        hry_status status;
        const char *words;
    } bad[] = {
        { "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "objects (a pickle): \"|O\"" },
        { "{'descr': '<U5', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "strings: \"<U5\"" },
        { "{'descr': '|S3', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "byte strings: \"|S3\"" },
        { "{'descr': '|V8', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "unknown meaning: \"|V8\"" },
        { "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "dates: \"<M8[ns]\"" },
        { "{'descr': '<m8[s]', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "time spans" },
        { "{'descr': '<f16', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "on the machine: \"<f16\"" },
        { "{'descr': '<c32', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "on the machine: \"<c32\"" },
        { "{'descr': [('x', '<f4'), ('y', '<i2')], 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED,
          "structured" },
        { "{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "array of arrays" },
        { "{'descr': '=f4', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "byte order" },
        { "{'descr': 'f4', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "byte order" },
        { "{'descr': '|f4', 'fortran_order': False, 'shape': (3,)}", HRY_E_UNSUPPORTED, "byte order" },
        { "{'descr': '<i3', 'fortran_order': False, 'shape': (3,)}", HRY_E_INPUT, "no element type: \"<i3\"" },
        { "{'descr': '<i400000000004', 'fortran_order': False, 'shape': (3,)}", HRY_E_INPUT, "no element type" },
        { "{'descr': '', 'fortran_order': False, 'shape': (3,)}", HRY_E_INPUT, "no element type: \"\"" },
        { "{'descr': '<', 'fortran_order': False, 'shape': (3,)}", HRY_E_INPUT, "no element type" },
        { "{'descr': 4, 'fortran_order': False, 'shape': (3,)}", HRY_E_INPUT, "'descr' is no string" },
        { "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}", HRY_E_INPUT, "no element type: \"<f4, \"" },
        { "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (3,)}", HRY_E_INPUT, "'descr' is no string" },
        { "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", HRY_E_INPUT, "neither True nor False" },
        { "{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (3,)}", HRY_E_INPUT, "neither True nor False" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", HRY_E_INPUT, "no tuple" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': 3}", HRY_E_INPUT, "no tuple" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': [3]}", HRY_E_INPUT, "no tuple" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3 1)}", HRY_E_INPUT, "comma" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", HRY_E_INPUT, "no whole number" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", HRY_E_INPUT, "no whole number" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3.0,)}", HRY_E_INPUT, "comma" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (03,)}", HRY_E_INPUT, "no whole number" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (0x3,)}", HRY_E_INPUT, "no whole number" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}", HRY_E_INPUT, "no whole" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615,)}", HRY_E_INPUT, "2^64 - 1" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", HRY_E_INPUT, "2^64 elem" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", HRY_E_INPUT, "truncated" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)}", HRY_E_INPUT, "truncated" },
        { "{'descr': '<f4', 'fortran_order': False}", HRY_E_INPUT, "is missing" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'shape': (3,)}", HRY_E_INPUT, "twice" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}", HRY_E_INPUT, "a key other than" },
        { "{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}", HRY_E_INPUT, "comma" },
        { "{'descr' '<f4', 'fortran_order': False, 'shape': (3,)}", HRY_E_INPUT, "colon" },
        { "{descr: '<f4', 'fortran_order': False, 'shape': (3,)}", HRY_E_INPUT, "key is no string" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)", HRY_E_INPUT, "comma" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x", HRY_E_INPUT, "follows the dictionary" },
        { "['descr']", HRY_E_INPUT, "no dictionary" },
        { "", HRY_E_INPUT, "no dictionary" },
    };
    static const uint8_t data[12];
    size_t nbytes;
    uint8_t *bytes;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bytes = npy_frame(1, bad[i].header, 64, data, sizeof data, &nbytes);
        refuse(bytes, nbytes, bad[i].status, bad[i].words);
    }
    bytes = npy_frame(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} \0", 64, data, 12, &nbytes);
    bytes[100] = 0; /* in the padding */
    refuse(bytes, nbytes, HRY_E_INPUT, "follows the dictionary");
    char deep[64 * 4 + 128] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (int k = 0; k < 65; k++)
        strcat(deep, "1, ");
    bytes = npy_frame(1, strcat(deep, ")}"), 64, data, sizeof data, &nbytes);
    refuse(bytes, nbytes, HRY_E_UNSUPPORTED, "64 dimensions");
}

/* Cut anywhere, a file says so, or that it is none. */
static void test_cut(void **state)
{
    (void)state;
    static const uint8_t data[12];
    for (unsigned version = 1; version <= 3; version++) {
        size_t nbytes;
        uint8_t *whole =
            npy_frame(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 64, data, 12, &nbytes);
        for (size_t n = 0; n < nbytes; n++) {
            uint8_t *bytes = malloc(n + 1);
            memcpy(bytes, whole, n);
            bytes = realloc(bytes, n ? n : 1);
            refuse(bytes, n, HRY_E_INPUT, n < 6 ? "no .npy file" : "truncated");
        }
        whole[6] = 4;
        refuse(whole, nbytes, HRY_E_UNSUPPORTED, "version 4.0");
    }
}

static void test_limit(void **state)
{
    (void)state;
    static const uint8_t data[12];
    size_t nbytes;
    hry_error err;
    hry_file *file = NULL;
    hry_limits limits = { .header_length = 54 };
    hry_import_options options = { .file.parse.limits = &limits };
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}"; /* of 55 bytes */
    uint8_t *bytes = npy_frame(2, header, 1, data, 12, &nbytes);
    assert_int_equal(hry_npy_open_memory(bytes, nbytes, NULL, NULL, NULL, &options, &file, &err), HRY_E_LIMIT);
    limits.header_length = 55;
    assert_int_equal(hry_npy_open_memory(bytes, nbytes, NULL, NULL, NULL, &options, &file, &err), HRY_OK);
    assert_true(hry_file_name(file, 0).len == 5 && memcmp(hry_file_name(file, 0).ptr, "array", 5) == 0);
    hry_file_close(file);
    free(bytes);
    bytes = npy_frame(2, header, 2 << 20, data, 12, &nbytes);
    refuse(bytes, nbytes, HRY_E_LIMIT, "limit of 1048576");
}

/* What follows is said, and refused where nothing may be left out. */
static void test_more(void **state)
{
    (void)state;
    static const uint8_t data[20];
    size_t nbytes;
    hry_error err;
    hry_file *file = NULL;
    npy_heard heard = { 0 };
    hry_import_options options = { .note = npy_hear, .note_ctx = &heard };
    uint8_t *bytes = npy_usual("<f4", false, "(3,)", data, sizeof data, &nbytes);
    assert_int_equal(hry_npy_open_memory(bytes, nbytes, "x/b.npy", NULL, NULL, &options, &file, &err), HRY_OK);
    assert_string_equal(heard.text, "2 1 b: 8 bytes that follow the array, perhaps others, are left out\n");
    hry_file_close(file);
    options.strict = true;
    assert_int_equal(hry_npy_open_memory(bytes, nbytes, "x/b.npy", NULL, NULL, &options, &file, &err),
                     HRY_E_UNSUPPORTED);
    free(bytes);
}

/* ---- Files ---- */

static void assert_name(const hry_file *file, const char *want)
{
    hry_str name = hry_file_name(file, 0);
    assert_int_equal(name.len, strlen(want));
    assert_memory_equal(name.ptr, want, name.len);
}

/* Big-endian and bool contents, made as they are asked for, whole and in odd pieces; mapped and read. */
static void test_files(void **state)
{
    (void)state;
    enum { COUNT = 9000 };
    static const char *const descrs[] = { ">c16", ">i2", "<f8", "|b1" };
    static const size_t sizes[] = { 16, 2, 8, 1 }, units[] = { 8, 2, 8, 1 };
    for (size_t d = 0; d < 4; d++) {
        size_t size = sizes[d], nbytes, want_size = d == 3 ? (COUNT + 7) / 8 : COUNT * size;
        uint8_t *data = malloc(COUNT * size), *want = calloc(1, want_size);
        for (size_t i = 0; i < COUNT * size; i++) {
            data[i] = (uint8_t)(d == 3 ? i % 3 == 0 : i * 7 + i / 251);
            if (d == 3)
                want[i / 8] = (uint8_t)(want[i / 8] | data[i] << i % 8);
            else
                want[descrs[d][0] == '>' ? i / units[d] * units[d] + units[d] - 1 - i % units[d] : i] = data[i];
        }
        uint8_t *bytes = npy_usual(descrs[d], false, "(9000,)", data, COUNT * size, &nbytes);
        assert_true(scratch_write("some.data.npy", bytes, nbytes));
        for (int access = 0; access < 2; access++) {
            hry_import_options options = { .file.access = access ? HRY_READ : HRY_MAP };
            hry_file *file;
            hry_error err;
            uint64_t have;
            if (hry_foreign_open(scratch_path("some.data.npy"), &options, &file, &err))
                fail_msg("%s", err.message);
            assert_name(file, "some.data");
            hry_tensor *t = only_tensor(file);
            const void *buffer = hry_tensor_buffer(t, 0, &have);
            assert_int_equal(have, want_size);
            assert_memory_equal(buffer, want, want_size);
            hry_file_close(file); /* the tensor keeps it */
            assert_memory_equal(buffer, want, want_size);
            hry_tensor_release(t);

            int fd = open(scratch_path("some.data.npy"), O_RDONLY);
            assert_int_equal(hry_npy_open_fd(fd, NULL, &options, &file, &err), HRY_OK);
            close(fd);
            assert_name(file, "array");
            uint8_t *got = malloc(want_size);
            assert_int_equal(hry_file_read_into(file, 0, 0, got, want_size, NULL, &err), HRY_OK);
            assert_memory_equal(got, want, want_size);
            free(got);
            hry_file_close(file);
        }
        free(bytes);
        free(want);
        free(data);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name;
    } names[] = { { "/a/b.c/weights.npy", "weights" },
                  { "weights", "weights" },
                  { "a.b.npy", "a.b" },
                  { "dir/.npy", ".npy" },
                  { "dir/", "array" },
                  { "", "array" },
                  { "\xFF\xFE.npy", "array" },
                  { "\xC3\xA4.npy", "\xC3\xA4" } };
    static const uint8_t data[4];
    size_t nbytes;
    uint8_t *bytes = npy_usual("<f4", false, "()", data, 4, &nbytes);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hry_file *file;
        hry_error err;
        assert_int_equal(hry_npy_open_memory(bytes, nbytes, names[i].path, NULL, NULL, NULL, &file, &err), HRY_OK);
        assert_name(file, names[i].name);
        hry_file_close(file);
    }
    free(bytes);
}

static void test_no_memory(void **state)
{
    (void)state;
    uint8_t data[64] = { 0 };
    size_t nbytes, fail_at = 1;
    uint8_t *bytes = npy_usual(">f4", true, "(4, 4)", data, sizeof data, &nbytes);
    assert_true(scratch_write("m.npy", bytes, nbytes));
    hry_status status = HRY_E_MEMORY;
    for (; status; fail_at++) {
        stingy s;
        hry_file *file = NULL;
        hry_tensor *t = NULL;
        hry_error err;
        stingy_init(&s, fail_at);
        hry_import_options options = { .file = { .allocator = &s.allocator, .access = HRY_READ } };
        status = hry_npy_open(scratch_path("m.npy"), &options, &file, &err);
        if (!status)
            status = hry_file_tensor_at(file, 0, &t, &err);
        assert_true(status == HRY_OK || status == HRY_E_MEMORY);
        hry_tensor_release(t);
        hry_file_close(file);
        assert_int_equal(s.live, 0);
    }
    assert_true(fail_at > 4);
    free(bytes);
}

/* ---- Real ones ---- */

static hry_file *open_shared(const char *path, hry_status status, hry_error *err)
{
    char full[1024];
    hry_file *file = NULL;
    size_t nbytes;
    free(shared_read(path, &nbytes));
    snprintf(full, sizeof full, "%s/%s", HRY_SHARED_DIR, path);
    if (hry_npy_open(full, NULL, &file, err) != status)
        fail_msg("%s: %s", path, status ? "opened" : err->message);
    return file;
}

static void test_real(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file = open_shared("data/npy/candle_test.npy", HRY_OK, &err);
    hry_tensor *t = only_tensor(file);
    int64_t numbers[10];
    assert_int_equal(hry_tensor_read(t, NULL, HRY_TYPE_INT64, NULL, numbers, &err), HRY_OK);
    for (int i = 0; i < 10; i++)
        assert_int_equal(numbers[i], i);
    hry_tensor_release(t);
    hry_file_close(file);
    file = open_shared("data/npy/scipy_estimate_gradients.npy", HRY_OK, &err); /* its data starts at byte 80 */
    t = only_tensor(file);
    assert_true(hry_tensor_type(t) == HRY_TYPE_FLOAT64 && hry_tensor_dim(t, 0) == 2225 && hry_tensor_dim(t, 1) == 2);
    hry_tensor_release(t);
    hry_file_close(file);
    file = open_shared("data/npy/scipy_jf_skew_t.npy", HRY_OK, &err);
    hry_file_close(file);
    open_shared("data/npy/scipy_stable_loc_scale.npy", HRY_E_UNSUPPORTED, &err);
    assert_non_null(strstr(err.message, "structured"));
    open_shared("data/bad/py3-objarr.npy", HRY_E_UNSUPPORTED, &err);
    assert_non_null(strstr(err.message, "objects"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),   cmocka_unit_test(test_orders), cmocka_unit_test(test_bools),
        cmocka_unit_test(test_headers), cmocka_unit_test(test_shapes), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cut),     cmocka_unit_test(test_limit),  cmocka_unit_test(test_more),
        cmocka_unit_test(test_files),   cmocka_unit_test(test_names),  cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
