/* GGUF files as ggml and others wrote them, against what ggml itself makes of their blocks. */
#include "interop/gguf_model.h"
#include "interop/st_model.h"
#include "support/scratch.h"
#include "support/shared_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* The path of a file in the shared data; skips the test when it is not there. */
static const char *shared_path(const char *name)
{
    static char full[4096];
    size_t nbytes;
    free(shared_read(name, &nbytes));
    snprintf(full, sizeof full, "%s/%s", HRY_SHARED_DIR, name);
    return full;
}

static hry_file *open_gguf(const char *name, const hry_import_options *options)
{
    hry_error err;
    hry_file *file = NULL;
    if (hry_gguf_open(shared_path(name), options, &file, &err))
        fail_msg("%s: %s", name, err.message);
    return file;
}

/* Bit for bit, but for what a NaN is made of. */
static float stored_f32(uint8_t type, const void *elements, size_t i)
{
    return (float)hry_element_f64(type, elements, i);
}

/* Stored elements of a type against float32. */
static size_t count_differences(uint8_t type, const void *a, const void *b, size_t n)
{
    size_t differences = 0;
    for (size_t i = 0; i < n; i++) {
        float x = stored_f32(type, a, i), y = stored_f32(HRY_TYPE_FLOAT32, b, i);
        differences += memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y));
    }
    return differences;
}

static size_t compare_oracle(const char *name, hry_access access)
{
    char oracle_name[256];
    hry_error err;
    hry_file *oracle;
    size_t values = 0;
    hry_file *file = open_gguf(name, &(hry_import_options){ .dequantize = HRY_DEQUANTIZE_ALL, .file.access = access });
    snprintf(oracle_name, sizeof oracle_name, "%.*s.dequant_f32.safetensors", (int)strlen(name) - 5, name);
    assert_int_equal(hry_safetensors_open(shared_path(oracle_name), NULL, &oracle, &err), HRY_OK);
    assert_in_range(hry_file_count(oracle), 1, hry_file_count(file));
    for (uint64_t i = 0; i < hry_file_count(oracle); i++) {
        hry_tensor *ours = NULL, *theirs = NULL;
        uint64_t at, n, m;
        hry_str tensor = hry_file_name(oracle, i);
        assert_true(hry_file_find(file, tensor.ptr, tensor.len, &at));
        if (hry_file_tensor_at(file, at, &ours, &err) || hry_file_tensor_at(oracle, i, &theirs, &err))
            fail_msg("%.*s: %s", (int)tensor.len, tensor.ptr, err.message);
        const void *a = hry_tensor_buffer(ours, 0, &n), *b = hry_tensor_buffer(theirs, 0, &m);
        if (hry_tensor_type(ours) == HRY_TYPE_FLOAT32) {
            assert_int_equal(n, m);
            assert_int_equal(count_differences(HRY_TYPE_FLOAT32, a, b, (size_t)n / 4), 0);
            values += (size_t)n / 4;
        } else { /* half precision stays as it is */
            assert_int_equal(2 * n, m);
            assert_int_equal(count_differences(hry_tensor_type(ours), a, b, (size_t)n / 2), 0);
            values += (size_t)n / 2;
        }
        hry_tensor_release(ours);
        hry_tensor_release(theirs);
    }
    hry_file_close(oracle);
    hry_file_close(file);
    return values;
}

/* The numbers of values are those of gguf.md, section 6. */
static void as_ggml_does(void **state)
{
    (void)state;
    for (hry_access access = HRY_MAP; access <= HRY_READ; access++) {
        assert_int_equal(compare_oracle("data/gguf/silero_mixed_types.gguf", access), 671744);
        assert_int_equal(compare_oracle("data/gguf/edge_blocks.gguf", access), 1536);
    }
}

static const char *const files[] = { "data/gguf/silero_mixed_types.gguf",   "data/gguf/edge_blocks.gguf",
                                     "data/gguf/ggml-vocab-bert-bge.gguf",  "data/gguf/ggml-vocab-gpt-2.gguf",
                                     "data/gguf/gridcore_valid_small.gguf", "data/bad/empty.gguf" };

static void assert_saved_is(hry_file *file, const char *name, const char *label)
{
    hry_error err;
    size_t n, m;
    uint8_t *before = shared_read(name, &n);
    if (hry_gguf_save(file, scratch_path("back.gguf"),
                      &(hry_export_options){ .strict = true, .replace = true, .no_sync = true }, &err))
        fail_msg("%s: %s", name, err.message);
    uint8_t *after = read_file(scratch_path("back.gguf"), &m);
    if (n != m || memcmp(before, after, n) != 0)
        fail_msg("%s: not the same bytes %s", name, label);
    free(after);
    free(before);
}

/* A GGUF file that is copied as one keeps every byte, types without a form here included. */
static void copies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (hry_access access = HRY_MAP; access <= HRY_READ; access++) {
            hry_file *file = open_gguf(files[i], &(hry_import_options){ .file.access = access });
            assert_saved_is(file, files[i], "as a copy");
            hry_file_close(file);
        }
}

/* By way of a container, with what has no form carried as it is. */
static void there_and_back(void **state)
{
    const hry_file_options allowed = { .parse = { .allow = &gguf_all } };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hry_error err;
        hry_file *container = NULL;
        if (strstr(files[i], "edge"))
            continue; /* has infinite scales */
        hry_file *file = open_gguf(files[i], &(hry_import_options){ .file = allowed });
        if (gguf_to_container(file, scratch_path("model.hrry"), &err) ||
            gguf_open_container(scratch_path("model.hrry"), &container, &err))
            fail_msg("%s: %s", files[i], err.message);
        assert_saved_is(container, files[i], "by way of a container");
        hry_file_close(container);
        hry_file_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_ggml_does),
        cmocka_unit_test(copies),
        cmocka_unit_test(there_and_back),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
