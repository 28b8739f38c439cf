/* Sharded sets: an index and its parts as one file, and everything that may be wrong with them. */
#include "interop/st_model.h"
#include "interop/stingy.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <string.h>

typedef struct heard {
    char text[4096];
    size_t used;
} heard;

static void hear(void *ctx, const hry_note *note)
{
    heard *h = ctx;
    h->used += (size_t)snprintf(h->text + h->used, sizeof h->text - h->used, "%d%c %.*s: %s\n", (int)note->kind,
                                " tkp"[note->subject], (int)note -> name.len, note->name.ptr, note->reason);
}

static void write_part(const char *name, const char *json, const char *data)
{
    size_t nbytes;
    uint8_t *bytes = st_frame(json, data, strlen(data), 8, &nbytes);
    assert_true(scratch_write(name, bytes, nbytes));
    free(bytes);
}

static void write_index(const char *json)
{
    assert_true(scratch_write("model.safetensors.index.json", json, strlen(json)));
}

static hry_status open_index(const hry_import_options *options, hry_file **file, hry_error *err)
{
    return hry_safetensors_open_set(scratch_path("model.safetensors.index.json"), options, file, err);
}

#define ENTRY(name, begin, end) "\"" name "\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[" begin "," end "]}"

/* Two parts: a and b in one, c and d in two. */
static void write_parts(void)
{
    write_part("one",
               "{\"__metadata__\":{\"format\":\"pt\",\"k\":\"1\"}," ENTRY("a", "0", "2") "," ENTRY("b", "2", "4") "}",
               "aabb");
    write_part("two",
               "{\"__metadata__\":{\"format\":\"pt\",\"l\":\"2\"}," ENTRY("d", "0", "2") "," ENTRY("c", "2", "4") "}",
               "ddcc");
}

static const char good_index[] = "{\"metadata\":{\"total_size\":8,\"total_parameters\":8,\"tied\":true},"
                                 "\"weight_map\":{\"c\":\"two\",\"a\":\"one\",\"d\":\"two\",\"b\":\"one\"}}";

static void assert_tensor(hry_file *file, uint64_t i, const char *name, const char *bytes)
{
    hry_tensor *tensor;
    uint64_t nbytes;
    hry_str found = hry_file_name(file, i);
    assert_int_equal(found.len, strlen(name));
    assert_memory_equal(found.ptr, name, found.len);
    assert_int_equal(hry_file_tensor_at(file, i, &tensor, NULL), HRY_OK);
    assert_memory_equal(hry_tensor_buffer(tensor, 0, &nbytes), bytes, strlen(bytes));
    assert_int_equal(nbytes, strlen(bytes));
    hry_tensor_release(tensor);
}

/* In the order of the index; metadata of the parts as they are first named, then of the index. */
static void one_model(void **state)
{
    (void)state;
    hry_file *file;
    hry_error err;
    heard h = { .used = 0 };
    hry_file_info info;
    write_parts();
    write_index(good_index);
    for (int access = HRY_MAP; access <= HRY_READ; access++) {
        hry_import_options options = {
            .strict = true, .note = hear, .note_ctx = &h, .file.access = (hry_access)access
        };
        if (open_index(&options, &file, &err))
            fail_msg("%s", err.message);
        assert_int_equal(hry_file_count(file), 4);
        assert_tensor(file, 0, "c", "cc");
        assert_tensor(file, 1, "a", "aa");
        assert_tensor(file, 2, "d", "dd");
        assert_tensor(file, 3, "b", "bb");
        assert_int_equal(hry_file_kv_count(file), 5);
        static const char *const keys[] = { "format", "l", "k", "total_parameters", "tied" };
        for (uint64_t i = 0; i < 5; i++)
            assert_memory_equal(hry_file_kv_at(file, i)->key.ptr, keys[i], strlen(keys[i]));
        assert_int_equal(hry_file_kv(file, "total_parameters")->value.as.uint64, 8);
        assert_true(hry_file_kv(file, "tied")->value.as.boolean);
        hry_file_info_get(file, &info);
        assert_int_equal(info.file_size, strlen(good_index) + scratch_size("one") + scratch_size("two"));
        assert_int_equal(to_container(file, scratch_path("set.hrry"), &err), HRY_OK);
        hry_file_close(file);
    }
    assert_string_equal(h.text, "");
    assert_int_equal(hry_foreign_open(scratch_path("model.safetensors.index.json"), NULL, &file, &err), HRY_OK);
    hry_file_close(file);
}

/* All that is missing or there twice is named, and nothing opens. (RPT-60) */
static void incomplete(void **state)
{
    (void)state;
    static const struct {
        const char *index, *says;
    } rows[] = {
        { "{\"weight_map\":{\"a\":\"one\",\"b\":\"one\",\"c\":\"two\",\"d\":\"two\",\"e\":\"three\",\"f\":\"four\","
          "\"g\":\"three\"}}",
          "3p three: no such file\n3p four: no such file\n3t e: part \"three\" has no file\n3t f: part \"four\" has no "
          "file\n"
          "3t g: part \"three\" has no file\n" },
        { "{\"weight_map\":{\"a\":\"one\",\"x\":\"one\",\"b\":\"one\",\"c\":\"two\",\"y\":\"two\",\"d\":\"two\"}}",
          "3t x: part \"one\" does not have it\n3t y: part \"two\" does not have it\n" },
        { "{\"weight_map\":{\"a\":\"one\",\"c\":\"two\",\"d\":\"two\"}}",
          "3t b: part \"one\" has it, but not the index\n" },
        { "{\"weight_map\":{\"a\":\"one\",\"b\":\"one\",\"c\":\"two\",\"d\":\"two\",\"x\":\"twin\"}}",
          "3t x: part \"twin\" does not have it\n4t a: part \"twin\" has it too\n4t b: part \"twin\" has it too\n" },
        { "{\"weight_map\":{\"a\":\"one\",\"b\":\"one\",\"c\":\"one\",\"d\":\"two\"}}",
          "3t c: part \"one\" does not have it\n4t c: part \"two\" has it too\n" },
    };
    write_parts();
    write_part("twin", "{" ENTRY("a", "0", "2") "," ENTRY("b", "2", "4") "}", "aabb");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        heard h = { .used = 0 };
        hry_error err = { 0 };
        hry_file *file = NULL;
        write_index(rows[i].index);
        hry_status status = open_index(&(hry_import_options){ .note = hear, .note_ctx = &h }, &file, &err);
        assert_int_equal(status, HRY_E_INPUT);
        assert_string_equal(h.text, rows[i].says);
        assert_null(file);
        assert_ptr_equal(strstr(err.message, "the set is incomplete ("), err.message);
    }
}

static void bad_index(void **state)
{
    (void)state;
    static const struct {
        const char *index, *mark;
        hry_status status;
        const char *says;
    } rows[] = {
        { "[]", "[", HRY_E_INPUT, "index: no JSON object" },
        { "{}", "}", HRY_E_INPUT, "index: no weight_map" },
        { "{\"weight_map\":1}", "1", HRY_E_INPUT, "weight_map is no object" },
        { "{\"metadata\":[],\"weight_map\":{}}", "[", HRY_E_INPUT, "metadata is no object" },
        { "{\"weight_map\":{},\"weight_map\":{}}", "\"weight_map\":{}}", HRY_E_INPUT, "duplicate key weight_map" },
        { "{\"metadata\":{},\"metadata\":{}}", "\"metadata\":{}}", HRY_E_INPUT, "duplicate key metadata" },
        { "{\"weight_map\":{\"a\":\"one\",\"a\":\"two\"}}", "\"a\":\"two\"", HRY_E_INPUT,
          "tensor \"a\": duplicate name" },
        { "{\"weight_map\":{\"a\":1}}", "1", HRY_E_INPUT, "tensor \"a\": its part is no string" },
        { "{\"weight_map\":{\"a\":[\"one\"]}}", "[", HRY_E_INPUT, "tensor \"a\": its part is no string" },
        { "{\"weight_map\":{\"\":\"one\"}}", "\"\"", HRY_E_INPUT, "tensor \"\": name of 0" },
        { "{\"weight_map\":{\"a\":\"../one\"}}", "\"../one", HRY_E_INPUT, "part \"../one\": no name of a file" },
        { "{\"weight_map\":{\"a\":\"/etc/passwd\"}}", "\"/etc", HRY_E_INPUT, "part \"/etc/passwd\": no name" },
        { "{\"weight_map\":{\"a\":\"sub/one\"}}", "\"sub", HRY_E_INPUT, "part \"sub/one\": no name" },
        { "{\"weight_map\":{\"a\":\"..\"}}", "\"..", HRY_E_INPUT, "part \"..\": no name" },
        { "{\"weight_map\":{\"a\":\".\"}}", "\".", HRY_E_INPUT, "part \".\": no name" },
        { "{\"weight_map\":{\"a\":\"\"}}", "\"\"", HRY_E_INPUT, "part \"\": no name" },
        { "{\"weight_map\":{\"a\":\"one\\u0000x\"}}", "\"one", HRY_E_INPUT, "part \"one\\x00x\": no name" },
        { "{\"weight_map\":", "", HRY_E_INPUT, "premature EOF" },
    };
    write_parts();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hry_error err = { 0 };
        hry_file *file = NULL;
        write_index(rows[i].index);
        size_t at =
            *rows[i].mark ? (size_t)(strstr(rows[i].index, rows[i].mark) - rows[i].index) : strlen(rows[i].index);
        hry_status status = open_index(NULL, &file, &err);
        if (status != rows[i].status || err.offset != at || !strstr(err.message, rows[i].says))
            fail_msg("%s: status %d, offset %u: %s", rows[i].index, status, (unsigned)err.offset, err.message);
    }
    write_index("");
    assert_int_equal(open_index(NULL, &(hry_file *){ NULL }, NULL), HRY_E_INPUT);
}

/* A part that is there but broken is an error of its own, with its name. */
static void bad_part(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    write_parts();
    write_part("two", "{" ENTRY("c", "0", "2") "}", "c");
    write_index(good_index);
    assert_int_equal(open_index(NULL, &file, &err), HRY_E_INPUT);
    assert_ptr_equal(strstr(err.message, "part \"two\": tensor \"c\": data ends at 2"), err.message);
    assert_int_equal(err.offset, 8 + strlen("{\"c\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":"));
}

/* Metadata that contradicts or has no counterpart is told of. */
static void odd_metadata(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    heard h = { .used = 0 };
    write_part("one", "{\"__metadata__\":{\"k\":\"1\"}," ENTRY("a", "0", "2") "}", "aa");
    write_part("two", "{\"__metadata__\":{\"k\":\"2\"}," ENTRY("b", "0", "2") "}", "bb");
    write_index(
        "{\"new\":[{\"x\":[1,2]},3],\"metadata\":{\"total_size\":{\"odd\":1},\"n\":null,\"list\":[[1],{}],\"neg\":-1,"
        "\"text\":\"t\"},\"weight_map\":{\"a\":\"one\",\"b\":\"two\"},\"more\":\"y\"}");
    hry_import_options options = { .note = hear, .note_ctx = &h };
    if (open_index(&options, &file, &err))
        fail_msg("%s", err.message);
    assert_string_equal(h.text, "1k new: the index has no such field\n"
                                "1k n: metadata of the index that is no text, bool or whole number\n"
                                "1k list: metadata of the index that is no text, bool or whole number\n"
                                "1k neg: metadata of the index that is no text, bool or whole number\n"
                                "1k more: the index has no such field\n"
                                "1k k: parts give it different values, of which the first is kept\n");
    assert_int_equal(hry_file_kv_count(file), 2);
    assert_memory_equal(hry_file_kv(file, "k")->value.as.string.ptr, "1", 1);
    assert_memory_equal(hry_file_kv(file, "text")->value.as.string.ptr, "t", 1);
    hry_file_close(file);
    options.strict = true;
    assert_int_equal(open_index(&options, &file, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(err.value, 6);
}

static void limits(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    write_parts();
    write_index(good_index);
    hry_limits limits = { .tensor_count = 3 };
    hry_import_options options = { .file.parse.limits = &limits };
    assert_int_equal(open_index(&options, &file, &err), HRY_E_LIMIT);
    limits = (hry_limits){ .header_length = sizeof good_index - 2 };
    assert_int_equal(open_index(&options, &file, &err), HRY_E_LIMIT);
}

static void no_memory(void **state)
{
    (void)state;
    write_parts();
    write_index(good_index);
    for (size_t fail_at = 1;; fail_at++) {
        stingy s;
        hry_file *file = NULL;
        stingy_init(&s, fail_at);
        hry_status status = open_index(&(hry_import_options){ .file.allocator = &s.allocator }, &file, NULL);
        hry_file_close(file);
        assert_int_equal(s.live, 0);
        if (!status) {
            assert_true(fail_at > 20);
            break;
        }
        assert_int_equal(status, HRY_E_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_model), cmocka_unit_test(incomplete), cmocka_unit_test(bad_index),
        cmocka_unit_test(bad_part),  cmocka_unit_test(limits),     cmocka_unit_test(odd_metadata),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
