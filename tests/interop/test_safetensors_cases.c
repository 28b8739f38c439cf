/* The ready-made files of tests/support: each gets the verdict that its name says. */
#include "interop/st_model.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <string.h>

static char folder[512];

static int make_cases(void **state)
{
    (void)state;
    char command[1200];
    if (!scratch_make())
        return -1;
    snprintf(folder, sizeof folder, "%s/cases", scratch_path("."));
    snprintf(command, sizeof command, "python3 %s/tests/support/make_safetensors.py cases %s", HRY_SOURCE_DIR, folder);
    return system(command) == 0 ? 0 : -1;
}

static int remove_cases(void **state)
{
    (void)state;
    char command[600];
    snprintf(command, sizeof command, "rm -r %s", folder);
    int status = system(command);
    scratch_remove();
    return status;
}

/* Every tensor of an open file, down to its last byte. */
static hry_status touch(hry_file *file, hry_error *err)
{
    hry_status status = HRY_OK;
    for (uint64_t i = 0; i < hry_file_count(file) && !status; i++) {
        hry_tensor *tensor;
        status = hry_file_tensor_at(file, i, &tensor, err);
        if (status)
            break;
        uint64_t nbytes;
        const volatile uint8_t *bytes = hry_tensor_buffer(tensor, 0, &nbytes);
        for (uint64_t k = 0; k < nbytes; k++)
            (void)bytes[k];
        hry_tensor_release(tensor);
    }
    return status;
}

static void check_good(const char *path, hry_file *file)
{
    hry_error err = { 0 };
    hry_file *container = NULL;
    size_t before_size, after_size;
    const char *middle = scratch_path("middle.hrry"), *back = scratch_path("back.safetensors");
    if (to_container(file, middle, &err) || hry_file_open(middle, NULL, &container, &err) ||
        hry_safetensors_save(container, back, &(hry_export_options){ .strict = true, .replace = true, .no_sync = true },
                             &err))
        fail_msg("%s: %s", path, err.message);
    hry_file_close(container);
    uint8_t *before = read_file(path, &before_size), *after = read_file(back, &after_size);
    st_model a, b;
    st_model_read(&a, before, before_size);
    st_model_read(&b, after, after_size);
    st_model_assert_same(&a, &b);
    st_model_free(&a);
    st_model_free(&b);
    free(before);
    free(after);
}

static void check_verdict(const char *name, const char *verdict, hry_access access)
{
    char path[1200];
    hry_error err = { 0 };
    hry_file *file = NULL;
    /* strict: metadata that has no counterpart is refused with the rest */
    hry_import_options options = { .strict = true, .file.access = access };
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, name);
    hry_status status = hry_safetensors_open(path, &options, &file, &err);
    if (!status)
        status = touch(file, &err);
    if (strcmp(verdict, "good") == 0) {
        if (status)
            fail_msg("%s: %s", name, err.message);
        check_good(path, file);
    } else if (strcmp(verdict, "edge") == 0) {
        assert_true(status == HRY_OK || status == HRY_E_INPUT || status == HRY_E_UNSUPPORTED);
    } else if (status != HRY_E_INPUT && status != HRY_E_UNSUPPORTED && status != HRY_E_LIMIT) {
        fail_msg("%s: status %d", name, status);
    } else {
        assert_true(strlen(err.message) > 0 && !strchr(err.message, '\n'));
    }
    hry_file_close(file);
}

static void check_all(hry_access access)
{
    char path[600], line[70000];
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/cases.tsv", folder);
    FILE *table = fopen(path, "r");
    assert_non_null(table);
    while (fgets(line, sizeof line, table)) {
        const char *name = strtok(line, "\t"), *verdict = strtok(NULL, "\t");
        assert_non_null(verdict);
        check_verdict(name, verdict, access);
        count++;
    }
    fclose(table);
    assert_true(count > 100);
}

static void cases_mapped(void **state)
{
    (void)state;
    check_all(HRY_MAP);
}

static void cases_read(void **state)
{
    (void)state;
    check_all(HRY_READ);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(cases_mapped), cmocka_unit_test(cases_read) };
    return cmocka_run_group_tests(tests, make_cases, remove_cases);
}
