/* Files that shrink, fill the disk, lie beyond 4 GiB, or are opened a thousand times. */
#include "file/assemble.h"
#include "file/kept.h"
#include "file/verdict.h"
#include "support/rules_reached.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)

static void write_large(const char *name, uint64_t nbytes)
{
    hry_writer *w;
    uint8_t *data = calloc(1, nbytes);
    assert_non_null(data);
    data[nbytes - 1] = 99;
    assert_int_equal(hry_writer_create(scratch_path(name), &(hry_writer_options){ .no_sync = true }, &w, NULL), HRY_OK);
    add(w, "big", HRY_TYPE_UINT8, 1, &nbytes, data);
    add(w, "small", HRY_TYPE_UINT8, 1, shape4, four);
    finish(w);
    free(data);
}

/* The process that opened it lives, and is told. */
static void a_file_that_shrinks(void **state)
{
    (void)state;
    hry_file *f;
    hry_tensor *t, *before;
    uint64_t nbytes = 64 * MIB;
    static uint8_t copy[64 << 20];
    hry_error err = { 0 };
    write_large("shrinks.hrry", nbytes);
    assert_int_equal(hry_file_open(scratch_path("shrinks.hrry"), NULL, &f, NULL), HRY_OK);
    assert_int_equal(hry_file_tensor(f, "big", &before, NULL), HRY_OK);
    assert_int_equal(truncate(scratch_path("shrinks.hrry"), MIB), 0);
    assert_int_equal(hry_file_tensor(f, "big", &t, &err), HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), "F-T05");
    rule_reached(err.rule);
    assert_int_equal(err.value, MIB);
    err = (hry_error){ 0 };
    assert_int_equal(hry_file_read_into(f, 0, 0, copy, nbytes, NULL, &err), HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), "F-T05");
    assert_int_equal(hry_file_check(f, NULL, NULL, NULL, &nbytes, &err), HRY_E_INPUT);
    hry_tensor_release(before);
    hry_file_close(f);
    remove(scratch_path("shrinks.hrry"));

    write_large("shrinks.hrry", nbytes = 64 * MIB);
    assert_int_equal(hry_file_open(scratch_path("shrinks.hrry"), &(hry_file_options){ .access = HRY_READ }, &f, NULL),
                     HRY_OK);
    assert_int_equal(truncate(scratch_path("shrinks.hrry"), MIB), 0);
    assert_int_equal(hry_file_tensor(f, "big", &t, &err), HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), "F-T05");
    hry_file_close(f);
    remove(scratch_path("shrinks.hrry"));
}

static size_t count_open_files(void)
{
    size_t n = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static size_t count_mappings_of(const char *name)
{
    char line[1024];
    size_t n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        n += strstr(line, name) != NULL;
    fclose(maps);
    return n;
}

static void a_thousand_times(void **state)
{
    (void)state;
    write_large("again.hrry", 5000);
    size_t open_before = count_open_files();
    for (size_t i = 0; i < 1000; i++) {
        hry_file *f;
        hry_tensor *t;
        assert_int_equal(hry_file_open(scratch_path("again.hrry"), NULL, &f, NULL), HRY_OK);
        assert_int_equal(hry_file_tensor(f, "big", &t, NULL), HRY_OK);
        hry_file_close(f);
        /* The mapping lives until the last tensor is released. */
        assert_int_equal(((const uint8_t *)hry_tensor_buffer(t, 0, NULL))[4999], 99);
        assert_int_equal(count_mappings_of("again.hrry"), 1);
        hry_tensor_release(t);
    }
    assert_int_equal(count_mappings_of("again.hrry"), 0);
    assert_int_equal(count_open_files(), open_before);
    int fd = open(scratch_path("again.hrry"), O_RDONLY);
    hry_file *f;
    assert_int_equal(hry_file_open_fd(fd, NULL, &f, NULL), HRY_OK);
    close(fd);
    assert_int_equal(touch_all(f, NULL), HRY_OK);
    hry_file_close(f);
    assert_int_equal(count_open_files(), open_before);
    remove(scratch_path("again.hrry"));
}

/* Zero copy: two tensors of one file point into one mapping, at the alignment that the file has. */
static void pointers_into_the_mapping(void **state)
{
    (void)state;
    for (uint32_t alignment = 4096; alignment <= 2u << 20; alignment *= 8) {
        hry_writer *w;
        hry_file *f;
        hry_tensor *a, *b;
        hry_writer_options options = { .alignment = alignment, .no_sync = true };
        assert_int_equal(hry_writer_create(scratch_path("aligned.hrry"), &options, &w, NULL), HRY_OK);
        add(w, "a", HRY_TYPE_UINT8, 1, shape4, four);
        add(w, "b", HRY_TYPE_UINT8, 1, shape4, four);
        finish(w);
        assert_int_equal(hry_file_open(scratch_path("aligned.hrry"), NULL, &f, NULL), HRY_OK);
        assert_int_equal(hry_file_tensor(f, "a", &a, NULL), HRY_OK);
        assert_int_equal(hry_file_tensor(f, "b", &b, NULL), HRY_OK);
        uint64_t at_a, at_b, nbytes;
        assert_true(hry_file_buffer_offset(f, 0, 0, &at_a, &nbytes) && hry_file_buffer_offset(f, 1, 0, &at_b, &nbytes));
        assert_false(hry_file_buffer_offset(f, 1, 1, &at_b, &nbytes));
        const uint8_t *pa = hry_tensor_buffer(a, 0, NULL), *pb = hry_tensor_buffer(b, 0, NULL);
        assert_int_equal((uintptr_t)pa % alignment, 0);
        assert_int_equal((uintptr_t)pb % alignment, 0);
        assert_int_equal(pb - pa, at_b - at_a);
        assert_int_equal(count_mappings_of("aligned.hrry"), 1);
        hry_tensor_release(a);
        hry_tensor_release(b);
        hry_file_close(f);
        remove(scratch_path("aligned.hrry"));
    }
}

/* Bytes far beyond what 32 bits count: a file with a hole in it, the second tensor behind the hole. */
static void beyond_four_gib(void **state)
{
    (void)state;
    assembly a;
    uint64_t far = (uint64_t)5 << 30, offset, nbytes;
    hry_file *f;
    hry_tensor *t;
    float last[2];
    asm_begin(&a, 0, 4096); /* no CRC, so that the index can be changed where it lies */
    asm_floats(&a, "near", (float[]){ 1, 2 }, 1, (uint64_t[]){ 2 });
    asm_floats(&a, "far", (float[]){ 3, 4 }, 1, (uint64_t[]){ 2 });
    asm_end(&a);
    uint64_t data = far + 4096;
    size_t moved = a.descriptor[1], tail = a.nbytes - a.data[1];
    asm_set(&a, a.fixed[1], far, 8);
    asm_set(&a, a.fixed[1] + 12, data, 8);
    asm_set(&a, a.trailer, a.index - a.data[1] + data, 8);
    int fd = open(scratch_path("sparse.hrry"), O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, a.bytes, moved, 0), moved);
    assert_int_equal(pwrite(fd, a.bytes + moved, a.descriptor_length[1], (off_t)far), a.descriptor_length[1]);
    assert_int_equal(pwrite(fd, a.bytes + a.data[1], tail, (off_t)data), tail);
    close(fd);
    static const hry_access ways[] = { HRY_MAP, HRY_READ };
    for (size_t way = 0; way < 2; way++) {
        hry_error err = { 0 };
        if (hry_file_open(scratch_path("sparse.hrry"), &(hry_file_options){ .access = ways[way] }, &f, &err) ||
            hry_file_tensor(f, "far", &t, &err))
            fail_msg("%s", err.message);
        const float *here = hry_tensor_data(t, HRY_TYPE_FLOAT32);
        assert_true(here[0] == 3 && here[1] == 4);
        assert_true(hry_file_buffer_offset(f, 1, 0, &offset, &nbytes));
        assert_true(offset == data && nbytes == 8);
        assert_int_equal(hry_file_read_into(f, 1, 0, last, sizeof last, NULL, &err), HRY_OK);
        assert_true(last[0] == 3 && last[1] == 4);
        hry_tensor_release(t);
        hry_file_close(f);
    }
    asm_free(&a);
    remove(scratch_path("sparse.hrry"));
}

/* In a process of its own, as the limit stays: writing stops, the old file stands, nothing else does. */
static int write_under_limit(void)
{
    hry_writer *w;
    hry_tensor *t;
    uint64_t n = 8 * MIB;
    uint8_t *data = calloc(1, n);
    hry_error err = { 0 };
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){ MIB, MIB });
    if (!data || hry_tensor_dense(HRY_TYPE_UINT8, 1, &n, data, NULL, NULL, &t, NULL) ||
        hry_writer_create(scratch_path("old.hrry"), &(hry_writer_options){ .replace = true }, &w, NULL))
        return 1;
    hry_status status = hry_writer_add(w, "x", t, &err);
    if (!status)
        status = hry_writer_finish(w, &err);
    hry_writer_destroy(w);
    return status == HRY_E_IO && err.value != 0 ? 0 : 2;
}

static void a_full_disk(void **state)
{
    (void)state;
    assert_true(scratch_write("old.hrry", "what was there", 14));
    size_t files = scratch_count();
    pid_t child = fork();
    if (child == 0)
        _exit(write_under_limit());
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    assert_true(scratch_is("old.hrry", "what was there", 14));
    assert_int_equal(scratch_count(), files);
    remove(scratch_path("old.hrry"));

    int full = open("/dev/full", O_WRONLY);
    if (full < 0)
        skip();
    hry_writer *w;
    hry_error err = { 0 };
    assert_int_equal(hry_writer_create_fd(full, NULL, &w, NULL), HRY_OK);
    add(w, "x", HRY_TYPE_UINT8, 1, shape4, four);
    assert_int_equal(hry_writer_finish(w, &err), HRY_E_IO);
    assert_true(err.value != 0);
    hry_writer_destroy(w);
    close(full);
}

/* What is no file at all. */
static void not_a_file(void **state)
{
    (void)state;
    hry_file *f;
    hry_error err = { 0 };
    int ends[2];
    assert_int_equal(hry_file_open(scratch_path("nowhere.hrry"), NULL, &f, &err), HRY_E_ABSENT);
    assert_int_equal(hry_file_open(scratch_path("."), NULL, &f, &err), HRY_E_USAGE);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(hry_file_open_fd(ends[0], NULL, &f, &err), HRY_E_USAGE);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(hry_file_open_fd(-1, NULL, &f, &err), HRY_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_shrinks),
        cmocka_unit_test(a_thousand_times),
        cmocka_unit_test(pointers_into_the_mapping),
        cmocka_unit_test(beyond_four_gib),
        cmocka_unit_test(a_full_disk),
        cmocka_unit_test(not_a_file),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
