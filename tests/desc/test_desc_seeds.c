/*
 * The seeds of the descriptor's fuzz target (fuzz/corpus/desc) are the valid descriptors of these tests. With a folder
 * as its argument, writes them there.
 */
#include "desc/valid_descs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static FILE *open_seed(const char *folder, const char *name, const char *mode)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path ? fopen(path, mode) : NULL;
}

static void test_committed(void **state)
{
    (void)state;
    static desc_bytes d;
    static uint8_t bytes[sizeof d.bytes + 1];
    const valid_desc *v;
    for (size_t i = 0; (v = valid_desc_at(i)); i++) {
        valid_desc_make(v->name, &d);
        FILE *file = open_seed(HRY_SOURCE_DIR "/fuzz/corpus/desc", v->name, "rb");
        if (!file)
            fail_msg("no seed %s: run this program on fuzz/corpus/desc", v->name);
        assert_int_equal(fread(bytes, 1, sizeof bytes, file), d.n);
        assert_int_equal(fclose(file), 0);
        assert_memory_equal(bytes, d.bytes, d.n);
    }
}

static int write_seeds(const char *folder)
{
    static desc_bytes d;
    const valid_desc *v;
    for (size_t i = 0; (v = valid_desc_at(i)); i++) {
        valid_desc_make(v->name, &d);
        FILE *file = open_seed(folder, v->name, "wb");
        if (!file || fwrite(d.bytes, 1, d.n, file) != d.n || fclose(file) != 0) {
            perror(v->name);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_committed) };
    return argc > 1 ? write_seeds(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
