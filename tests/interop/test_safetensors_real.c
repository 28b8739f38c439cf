/* Model files as other programs wrote them: there and back, byte for byte. */
#include "interop/st_model.h"
#include "support/scratch.h"
#include "support/shared_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <string.h>

/* safetensors, container, safetensors. */
static void there_and_back(hry_file *file, const uint8_t *before, size_t before_size)
{
    hry_error err;
    hry_file *container = NULL;
    size_t after_size;
    if (to_container(file, scratch_path("model.hrry"), &err) ||
        hry_file_open(scratch_path("model.hrry"), NULL, &container, &err) ||
        hry_safetensors_save(container, scratch_path("back"),
                             &(hry_export_options){ .strict = true, .replace = true, .no_sync = true }, &err))
        fail_msg("%s", err.message);
    hry_file_close(container);
    if (!before)
        return;
    uint8_t *after = read_file(scratch_path("back"), &after_size);
    st_model a, b;
    st_model_read(&a, before, before_size);
    st_model_read(&b, after, after_size);
    st_model_assert_same(&a, &b);
    st_model_free(&a);
    st_model_free(&b);
    free(after);
}

static void round_trip(const char *path)
{
    size_t nbytes;
    hry_error err;
    hry_file *file;
    uint8_t *bytes = read_file(path, &nbytes);
    if (hry_safetensors_open(path, &(hry_import_options){ .strict = true }, &file, &err))
        fail_msg("%s: %s", path, err.message);
    there_and_back(file, bytes, nbytes);
    hry_file_close(file);
    free(bytes);
}

static void own_model(void **state)
{
    (void)state;
    round_trip(HRY_SOURCE_DIR "/samples/digits.safetensors");
}

static void models(void **state)
{
    (void)state;
    static const char *const names[] = {
        "candle_csm_voices",
        "candle_jfk_codes",
        "cstudio_diff_new",
        "cstudio_diff_old",
        "cstudio_tiny",
        "fastsafetensors_a_f16",
        "jl_all_dtypes",
        "jl_all_dtypes_meta",
        "moshi_test_lm_codes",
        "moshi_test_lm_model",
        "moshi_test_lm_out",
        "nutllm_tiny_unaligned",
        "retsim",
        "silero_vad_16k",
        "stcpp_f64",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        size_t nbytes;
        snprintf(path, sizeof path, "safetensors/%s.safetensors", names[i]);
        char full[1024];
        snprintf(full, sizeof full, "%s/data/%s", HRY_SHARED_DIR, path);
        snprintf(path, sizeof path, "data/safetensors/%s.safetensors", names[i]);
        free(shared_read(path, &nbytes)); /* skips where there is none */
        round_trip(full);
    }
}

static void bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *path, *says;
    } rows[] = { { "data/bad/trailing_bytes.safetensors", "5 bytes after the data" },
                 { "data/bad/safetensors_abuse_attempt_1.safetensors", "header of 1000 bytes" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t nbytes;
        hry_file *file;
        hry_error err;
        uint8_t *bytes = shared_read(rows[i].path, &nbytes);
        assert_int_equal(hry_safetensors_open_memory(bytes, nbytes, NULL, NULL, NULL, &file, &err), HRY_E_INPUT);
        assert_ptr_equal(strstr(err.message, rows[i].says), err.message);
        free(bytes);
    }
}

static void copy_set(const char *leave_out)
{
    static const char *const files[] = {
        "model.safetensors.index.json",     "model-00001-of-00006.safetensors", "model-00002-of-00006.safetensors",
        "model-00003-of-00006.safetensors", "model-00004-of-00006.safetensors", "model-00005-of-00006.safetensors",
        "model-00006-of-00006.safetensors",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[256];
        size_t nbytes;
        snprintf(path, sizeof path, "data/safetensors/jl_sharded/%s", files[i]);
        uint8_t *bytes = shared_read(path, &nbytes);
        remove(scratch_path(files[i]));
        if (strcmp(files[i], leave_out) != 0)
            assert_true(scratch_write(files[i], bytes, nbytes));
        free(bytes);
    }
}

static void count_note(void *ctx, const hry_note *note)
{
    if (note->kind == HRY_NOTE_MISSING)
        ++*(unsigned *)ctx;
}

static void sharded(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    unsigned missing = 0;
    hry_import_options options = { .note = count_note, .note_ctx = &missing };
    const char *index = "model.safetensors.index.json";
    copy_set("");
    if (hry_foreign_open(scratch_path(index), &options, &file, &err))
        fail_msg("%s", err.message);
    assert_int_equal(hry_file_count(file), 36);
    there_and_back(file, NULL, 0);
    hry_file_close(file);
    copy_set("model-00004-of-00006.safetensors");
    assert_int_equal(hry_foreign_open(scratch_path(index), &options, &file, &err), HRY_E_INPUT);
    assert_int_equal(missing, 1 + 4); /* the part and the tensors in it */
    assert_non_null(strstr(err.message, "model-00004-of-00006.safetensors"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(own_model), cmocka_unit_test(models),
                                        cmocka_unit_test(bad_files), cmocka_unit_test(sharded) };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
