/* What the writer refuses, and that nothing of it is written. */
#include "file/kept.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void long_name(void **state)
{
    (void)state;
    kept k;
    char *name = malloc(65537);
    memset(name, 'n', 65537);
    hry_tensor *t;
    hry_error err = { 0 };
    assert_int_equal(hry_tensor_dense(HRY_TYPE_UINT8, 1, shape4, four, NULL, NULL, &t, NULL), HRY_OK);
    hry_writer *w = writer_to(&k, NULL);
    name[65536] = 0;
    assert_int_equal(hry_writer_add(w, name, t, &err), HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), "F-17");
    name[65535] = 0;
    assert_int_equal(hry_writer_add(w, name, t, &err), HRY_OK);
    hry_tensor_release(t);
    finish(w);
    assert_read_as(&k, "alignment 4096 flags 5\norder (65535)\n"
                       "tensor (65535) type 17 layout 1 shape [4] data 01020304\n");
    assert_readable(&k);
    free(name);
    free(k.bytes);
}

/* The largest alignment that the first tensor's buffers declare becomes the file's; a later one that needs more is
 * refused. (B-42) */
static void alignment_follows_the_first_tensor(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, later, option, expected;
        bool refused;
    } cases[] = { { 64, 64, 0, 4096, false },        { 65536, 4096, 0, 65536, false },     { 64, 8192, 0, 4096, true },
                  { 64, 8192, 16384, 16384, false }, { 2u << 20, 64, 0, 2u << 20, false }, { 4u << 20, 64, 0, 0, true },
                  { 8192, 64, 4096, 0, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kept k;
        uint8_t bytes[128];
        hry_desc desc;
        hry_error err = { 0 };
        hry_status status = HRY_OK;
        hry_writer *w = writer_to(&k, &(hry_writer_options){ .alignment = cases[i].option });
        for (size_t n = 0; n < 2 && !status; n++) {
            hry_buffer buffer = { .byte_size = 4, .alignment = n == 0 ? cases[i].first : cases[i].later };
            hry_desc_spec spec = {
                .type = HRY_TYPE_UINT8, .rank = 1, .shape = shape4, .buffer_count = 1, .buffers = &buffer
            };
            assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, NULL), HRY_OK);
            status = hry_writer_begin(w, n == 0 ? "a" : "b", 1, &desc, &err);
            if (!status) {
                assert_int_equal(hry_writer_data(w, four, 4, NULL), HRY_OK);
                assert_int_equal(hry_writer_end(w, NULL), HRY_OK);
            }
        }
        assert_int_equal(status, cases[i].refused ? HRY_E_INPUT : HRY_OK);
        assert_string_equal(hry_rule_id(err.rule), cases[i].refused ? "FL-07" : "");
        finish(w);
        if (cases[i].expected)
            assert_int_equal(k.bytes[16] | k.bytes[17] << 8 | k.bytes[18] << 16, cases[i].expected);
        assert_readable(&k);
        free(k.bytes);
    }
}

static hry_status begin(hry_writer *w, const char *name, size_t len, const hry_desc_spec *spec, hry_error *err)
{
    uint8_t bytes[256];
    hry_desc desc;
    assert_int_equal(hry_desc_encode(spec, NULL, bytes, sizeof bytes, &desc, NULL), HRY_OK);
    return hry_writer_begin(w, name, len, &desc, err);
}

/* What a writer must not write is refused before a byte of it is out, and the file goes on without it. */
static void refusals(void **state)
{
    (void)state;
    kept k;
    hry_writer *w = writer_to(&k, NULL);
    static const uint64_t dynamic[] = { HRY_DYNAMIC };
    hry_buffer cuda = { .byte_size = 4, .alignment = 64, .device_tag = HRY_DEVICE_CUDA };
    hry_buffer unbounded = { .byte_size = 4, .alignment = 64 };
    hry_desc_spec plain = { .type = HRY_TYPE_UINT8, .rank = 1, .shape = shape4 }, on_device = plain, open = plain;
    on_device.buffer_count = open.buffer_count = 1;
    on_device.buffers = &cuda;
    open.buffers = &unbounded;
    open.shape = dynamic;
    add(w, "there", HRY_TYPE_UINT8, 1, shape4, four);
    const struct {
        const char *name;
        size_t len;
        const hry_desc_spec *spec;
        const char *rule;
    } cases[] = { { "", 0, &plain, "F-17" },      { "\xC0\x80", 2, &plain, "F-17" }, { "\xFF\xFE", 2, &plain, "F-17" },
                  { "there", 5, &plain, "F-17" }, { "x", 1, &open, "F-T04" },        { "x", 1, &on_device, "FL-08" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hry_error err = { 0 };
        assert_int_equal(begin(w, cases[i].name, cases[i].len, cases[i].spec, &err), HRY_E_INPUT);
        assert_string_equal(hry_rule_id(err.rule), cases[i].rule);
    }
    finish(w);
    assert_read_as(&k, "alignment 4096 flags 5\norder there\n"
                       "tensor there type 17 layout 1 shape [4] data 01020304\n");
    free(k.bytes);
}

static void refused_metadata(void **state)
{
    (void)state;
    kept k;
    hry_writer *w = writer_to(&k, NULL);
    hry_kv_value yes = { .type = HRY_KV_BOOL, .as.boolean = true };
    hry_kv_value private_type = { .type = 0xF0 }, bad_text = { .type = HRY_KV_STRING, .as.string = { "\xFF", 1 } };
    hry_kv_value nested = { .type = HRY_KV_ARRAY, .element_type = HRY_KV_ARRAY };
    hry_kv_value short_array = { .type = HRY_KV_ARRAY,
                                 .element_type = HRY_KV_INT64,
                                 .as.array = { .count = 2, .nbytes = 8, .encoded = "\0\0\0\0\0\0\0" } };
    assert_int_equal(hry_writer_kv(w, "k", 1, &yes, NULL), HRY_OK);
    const struct {
        const char *key;
        size_t len;
        const hry_kv_value *value;
        const char *rule;
    } cases[] = { { "", 0, &yes, "F-27" },           { "\xC0\x80", 2, &yes, "F-27" }, { "k", 1, &yes, "F-27" },
                  { "p", 1, &private_type, "F-28" }, { "p", 1, &bad_text, "F-29" },   { "p", 1, &nested, "F-29" },
                  { "p", 1, &short_array, "F-29" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hry_error err = { 0 };
        assert_int_equal(hry_writer_kv(w, cases[i].key, cases[i].len, cases[i].value, &err), HRY_E_INPUT);
        assert_string_equal(hry_rule_id(err.rule), cases[i].rule);
    }
    finish(w);
    assert_read_as(&k, "alignment 4096 flags 5\nkv 'k' 5 True\norder \n");
    free(k.bytes);
    w = writer_to(&k, &(hry_writer_options){ .no_kv = true });
    assert_int_equal(hry_writer_kv_bool(w, "k", true, NULL), HRY_E_USAGE);
    hry_writer_destroy(w);
    free(k.bytes);
}

/* Calls out of turn, and data that are not what the descriptor announces. */
static void calls_out_of_turn(void **state)
{
    (void)state;
    kept k;
    hry_writer *w = writer_to(&k, NULL);
    hry_desc_spec spec = { .type = HRY_TYPE_UINT8, .rank = 1, .shape = shape4 };
    hry_tensor *t;
    assert_int_equal(hry_tensor_dense(HRY_TYPE_UINT8, 1, shape4, four, NULL, NULL, &t, NULL), HRY_OK);
    assert_int_equal(hry_writer_data(w, four, 1, NULL), HRY_E_USAGE);
    assert_int_equal(hry_writer_end(w, NULL), HRY_E_USAGE);
    assert_int_equal(begin(w, "x", 1, &spec, NULL), HRY_OK);
    assert_int_equal(begin(w, "y", 1, &spec, NULL), HRY_E_USAGE);
    assert_int_equal(hry_writer_add(w, "y", t, NULL), HRY_E_USAGE);
    assert_int_equal(hry_writer_finish(w, NULL), HRY_E_USAGE);
    assert_int_equal(hry_writer_data(w, "12345", 5, NULL), HRY_E_USAGE);
    assert_int_equal(hry_writer_data(w, four, 3, NULL), HRY_OK);
    assert_int_equal(hry_writer_end(w, NULL), HRY_E_USAGE);
    assert_int_equal(hry_writer_data(w, four + 3, 1, NULL), HRY_OK);
    assert_int_equal(hry_writer_end(w, NULL), HRY_OK);
    assert_int_equal(hry_writer_kv_bool(w, "k", true, NULL), HRY_OK);
    assert_int_equal(hry_writer_finish(w, NULL), HRY_OK);
    assert_int_equal(hry_writer_finish(w, NULL), HRY_E_USAGE);
    assert_int_equal(hry_writer_add(w, "y", t, NULL), HRY_E_USAGE);
    assert_int_equal(hry_writer_kv_bool(w, "l", true, NULL), HRY_E_USAGE);
    hry_writer_destroy(w);
    hry_tensor_release(t);
    assert_read_as(&k, "alignment 4096 flags 5\nkv 'k' 5 True\norder x\n"
                       "tensor x type 17 layout 1 shape [4] data 01020304\n");
    free(k.bytes);
    hry_writer_destroy(NULL);
    static const uint32_t bad[] = { 1, 2048, 12288, 4u << 20 };
    hry_sink sink = { .write = keep, .ctx = &k };
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(hry_writer_create_sink(&sink, &(hry_writer_options){ .alignment = bad[i] }, &w, NULL),
                         HRY_E_USAGE);
}

/* A sink that fails: the error comes back, and nothing works afterwards. */
static hry_status refuse(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    (void)ctx, (void)bytes, (void)nbytes;
    if (err) {
        *err = (hry_error){ .status = HRY_E_IO };
        strcpy(err->message, "no");
    }
    return HRY_E_IO;
}

static void failing_sink(void **state)
{
    (void)state;
    hry_writer *w;
    hry_error err = { 0 };
    hry_sink sink = { .write = refuse };
    assert_int_equal(hry_writer_create_sink(&sink, NULL, &w, NULL), HRY_OK);
    add(w, "x", HRY_TYPE_UINT8, 1, shape4, four);
    assert_int_equal(hry_writer_finish(w, &err), HRY_E_IO);
    assert_string_equal(err.message, "no");
    assert_int_equal(hry_writer_kv_bool(w, "k", true, NULL), HRY_E_IO);
    assert_int_equal(hry_writer_finish(w, NULL), HRY_E_IO);
    hry_writer_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_name),         cmocka_unit_test(alignment_follows_the_first_tensor),
        cmocka_unit_test(refusals),          cmocka_unit_test(refused_metadata),
        cmocka_unit_test(calls_out_of_turn), cmocka_unit_test(failing_sink),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
