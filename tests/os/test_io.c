/* Reading, writing, copying and mapping: on the real system, and on one that does less than asked. */
#include "os/io.h"
#include "support/faulty_os.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 100000

static unsigned char content[SIZE], found[SIZE];
static struct faulty_os faulty;
static hry_error err;

static int setup(void **state)
{
    (void)state;
    if (!scratch_make())
        return -1;
    for (size_t i = 0; i < SIZE; i++)
        content[i] = (unsigned char)(i * 31 + i / 256 * 7);
    memset(found, 0xEE, sizeof found);
    memset(&err, 0, sizeof err);
    faulty_os_init(&faulty);
    return scratch_write("file", content, SIZE) ? 0 : -1;
}

static int open_file(void)
{
    int fd = -1;
    assert_int_equal(hry_os_open_read(&faulty.os, scratch_path("file"), &fd, NULL), HRY_OK);
    return fd;
}

static int create(const char *name)
{
    int fd = faulty.os.open(&faulty.os, scratch_path(name), HRY_OS_CREATE, 0644);
    assert_true(fd >= 0);
    return fd;
}

static void close_all(int a, int b)
{
    hry_os_close(&faulty.os, a);
    hry_os_close(&faulty.os, b);
    assert_int_equal(faulty.open_files, 0);
}

static void open_says_what_is_wrong(void **state)
{
    (void)state;
    int fd = 77;
    assert_int_equal(hry_os_open_read(&faulty.os, scratch_path("none"), &fd, &err), HRY_E_ABSENT);
    assert_int_equal(err.value, ENOENT);
    assert_non_null(strstr(err.message, "none"));
    assert_int_equal(fd, 77);
    faulty_os_fail(&faulty, CALL_OPEN, 0, 1, EACCES);
    assert_int_equal(hry_os_open_read(&faulty.os, scratch_path("file"), &fd, &err), HRY_E_IO);
    assert_int_equal(err.value, EACCES);
    faulty_os_fail(&faulty, CALL_OPEN, 0, 3, EINTR);
    assert_int_equal(hry_os_open_read(&faulty.os, scratch_path("file"), &fd, &err), HRY_OK);
    close_all(fd, -1);
}

static void stat_and_dup(void **state)
{
    (void)state;
    int fd = open_file(), copy = -1;
    struct hry_os_stat stat = { 0 };
    assert_int_equal(hry_os_dup(&faulty.os, fd, &copy, &err), HRY_OK);
    assert_int_not_equal(fd, copy);
    assert_int_equal(hry_os_stat_fd(&faulty.os, copy, &stat, &err), HRY_OK);
    assert_int_equal(stat.size, SIZE);
    assert_true(stat.regular);
    assert_false(stat.directory || stat.link);
    close_all(fd, copy);
    assert_int_equal(hry_os_stat_fd(&faulty.os, fd, &stat, &err), HRY_E_IO);
    assert_int_equal(err.value, EBADF);
    assert_int_equal(hry_os_dup(&faulty.os, fd, &copy, &err), HRY_E_IO);
}

static void reads_are_whole(void **state)
{
    (void)state;
    static const size_t pieces[] = { 0, 1, 7, 4096, SIZE };
    int fd = open_file();
    for (size_t i = 0; i < 5; i++) {
        size_t n = pieces[i] == 1 ? 300 : SIZE - 11, got = 0;
        faulty.piece = pieces[i];
        faulty_os_fail(&faulty, CALL_PREAD, 1, 2, EINTR);
        memset(found, 0, sizeof found);
        assert_int_equal(hry_os_read_exact(&faulty.os, fd, 11, found, n, &err), HRY_OK);
        assert_memory_equal(found, content + 11, n);
        assert_int_equal(hry_os_read_some(&faulty.os, fd, SIZE - 5, found, 50, &got, &err), HRY_OK);
        assert_int_equal(got, 5);
        assert_memory_equal(found, content + SIZE - 5, 5);
    }
    close_all(fd, -1);
}

static void reads_say_where_the_file_ends(void **state)
{
    (void)state;
    int fd = open_file();
    size_t got = 99;
    assert_int_equal(hry_os_read_exact(&faulty.os, fd, SIZE - 3, found, 4, &err), HRY_E_IO);
    assert_int_equal(err.value, 0);
    assert_int_equal(err.offset, SIZE);
    assert_int_equal(hry_os_read_exact(&faulty.os, fd, UINT64_MAX, found, 1, &err), HRY_E_IO);
    assert_int_equal(hry_os_read_some(&faulty.os, fd, (uint64_t)INT64_MAX + 5, found, 4, &got, &err), HRY_OK);
    assert_int_equal(got, 0);
    assert_int_equal(hry_os_read_exact(&faulty.os, fd, SIZE, found, 0, &err), HRY_OK);
    faulty.piece = 100;
    faulty_os_fail(&faulty, CALL_PREAD, 3, 1, EIO);
    assert_int_equal(hry_os_read_exact(&faulty.os, fd, 0, found, 1000, &err), HRY_E_IO);
    assert_int_equal(err.value, EIO);
    close_all(fd, -1);
}

static void writes_are_whole(void **state)
{
    (void)state;
    int fd = create("out");
    faulty.piece = 777;
    faulty_os_fail(&faulty, CALL_WRITE, 2, 2, EINTR);
    assert_int_equal(hry_os_write_all(&faulty.os, fd, content, SIZE, &err), HRY_OK);
    assert_int_equal(hry_os_write_all(&faulty.os, fd, NULL, 0, &err), HRY_OK);
    faulty_os_fail(&faulty, CALL_PWRITE, 0, 2, EINTR);
    assert_int_equal(hry_os_write_at(&faulty.os, fd, 10, content, 3000, &err), HRY_OK);
    assert_int_equal(hry_os_sync(&faulty.os, fd, &err), HRY_OK);
    memcpy(found, content, SIZE);
    memcpy(found + 10, content, 3000);
    assert_true(scratch_is("out", found, SIZE));
    close_all(fd, -1);
}

static void writes_fail_loudly(void **state)
{
    (void)state;
    int fd = create("out");
    faulty.piece = 10;
    faulty_os_fail(&faulty, CALL_WRITE, 4, 1, ENOSPC);
    assert_int_equal(hry_os_write_all(&faulty.os, fd, content, 100, &err), HRY_E_IO);
    assert_int_equal(err.value, ENOSPC);
    assert_true(scratch_is("out", content, 40));
    faulty_os_fail(&faulty, CALL_WRITE, 0, 1000, 0); /* a system that takes nothing and gives no reason */
    assert_int_equal(hry_os_write_all(&faulty.os, fd, content, 100, &err), HRY_E_IO);
    faulty_os_fail(&faulty, CALL_PWRITE, 0, 1, EDQUOT);
    assert_int_equal(hry_os_write_at(&faulty.os, fd, 0, content, 100, &err), HRY_E_IO);
    assert_int_equal(err.value, EDQUOT);
    assert_int_equal(hry_os_write_at(&faulty.os, fd, UINT64_MAX, content, 1, &err), HRY_E_IO);
    assert_int_equal(err.value, EFBIG);
    faulty_os_fail(&faulty, CALL_SYNC, 0, 2, EINTR);
    assert_int_equal(hry_os_sync(&faulty.os, fd, &err), HRY_OK);
    faulty_os_fail(&faulty, CALL_SYNC, 0, 1, EIO);
    assert_int_equal(hry_os_sync(&faulty.os, fd, &err), HRY_E_IO);
    close_all(fd, -1);
}

/* Each way of copying in turn refuses, at its first call or midway; the bytes must not care. */
static void copies_by_any_way(void **state)
{
    (void)state;
    static const struct {
        enum faulty_call kind;
        unsigned first;
        int error;
        size_t piece;
    } ways[] = {
        { CALL_NONE, 0, 0, 0 },          { CALL_COPY_RANGE, 0, EXDEV, 0 },     { CALL_COPY_RANGE, 2, EINVAL, 1000 },
        { CALL_COPY_RANGE, 1, 0, 1000 }, { CALL_COPY_RANGE, 0, ENOSYS, 5000 },
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int from = open_file(), to = create("copy");
        faulty.piece = ways[i].piece;
        faulty_os_fail(&faulty, ways[i].kind, ways[i].first, 1000000, ways[i].error);
        assert_int_equal(hry_os_write_all(&faulty.os, to, "head", 4, &err), HRY_OK);
        assert_int_equal(hry_os_copy(&faulty.os, from, 1234, to, SIZE - 2000, &err), HRY_OK);
        assert_int_equal(hry_os_copy(&faulty.os, from, 0, to, 0, &err), HRY_OK);
        memcpy(found, "head", 4);
        memcpy(found + 4, content + 1234, SIZE - 2000);
        assert_true(scratch_is("copy", found, SIZE - 1996));
        assert_true(faulty.calls[CALL_COPY_RANGE] > 0);
        assert_true((faulty.calls[CALL_SEND] > 0) == (ways[i].kind != CALL_NONE));
        faulty.piece = 0;
        close_all(from, to);
        unlink(scratch_path("copy"));
    }
}

static int64_t no_copy(const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes)
{
    (void)os, (void)from, (void)offset, (void)to, (void)nbytes;
    return -ENOSYS;
}

static void copies_through_a_buffer_at_worst(void **state)
{
    (void)state;
    faulty.os.copy_range = faulty.os.send = no_copy;
    int from = open_file(), to = create("copy");
    assert_int_equal(hry_os_copy(&faulty.os, from, 5, to, SIZE - 5, &err), HRY_OK);
    assert_true(scratch_is("copy", content + 5, SIZE - 5));
    faulty_os_fail(&faulty, CALL_WRITE, 1, 1, ENOSPC);
    assert_int_equal(hry_os_copy(&faulty.os, from, 0, to, SIZE, &err), HRY_E_IO);
    assert_int_equal(err.value, ENOSPC);
    close_all(from, to);
}

static void copies_reach_pipes(void **state)
{
    (void)state;
    int pipe_ends[2], from = open_file();
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(hry_os_copy(&faulty.os, from, 100, pipe_ends[1], 10000, &err), HRY_OK);
    assert_int_equal(read(pipe_ends[0], found, 10000), 10000);
    assert_memory_equal(found, content + 100, 10000);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    close_all(from, -1);
}

static void copies_fail_loudly(void **state)
{
    (void)state;
    int from = open_file(), to = create("copy");
    assert_int_equal(hry_os_copy(&faulty.os, from, SIZE - 10, to, 11, &err), HRY_E_IO);
    assert_int_equal(err.value, 0);
    assert_int_equal(err.offset, SIZE);
    faulty_os_fail(&faulty, CALL_COPY_RANGE, 0, 1, ENOSPC);
    assert_int_equal(hry_os_copy(&faulty.os, from, 0, to, 11, &err), HRY_E_IO);
    assert_int_equal(err.value, ENOSPC);
    faulty_os_fail(&faulty, CALL_COPY_RANGE, 0, 2, EINTR);
    assert_int_equal(hry_os_copy(&faulty.os, from, 0, to, 11, &err), HRY_OK);
    assert_int_equal(hry_os_copy(&faulty.os, from, UINT64_MAX - 1, to, 1, &err), HRY_E_IO);
    close_all(from, to);
}

static void mapping(void **state)
{
    (void)state;
    int fd = open_file();
    const void *at = NULL;
    assert_int_equal(hry_os_map(&faulty.os, fd, SIZE, 1, &at, &err), HRY_OK);
    for (int advice = HRY_OS_SEQUENTIAL; advice <= HRY_OS_WILL_NEED; advice++)
        hry_os_advise(&faulty.os, (const char *)at + 5000, 20000, (enum hry_os_advice)advice);
    assert_memory_equal(at, content, SIZE);
    hry_os_unmap(&faulty.os, at, SIZE);
    assert_int_equal(faulty.calls[CALL_UNMAP], 1);

    assert_int_equal(hry_os_map(&faulty.os, fd, 0, 1, &at, &err), HRY_OK);
    assert_null(at);
    hry_os_unmap(&faulty.os, at, 0);
    hry_os_advise(&faulty.os, NULL, 0, HRY_OS_RANDOM);
    assert_int_equal(faulty.calls[CALL_MAP], 1);
    assert_int_equal(faulty.calls[CALL_UNMAP], 1);

    assert_int_equal(hry_os_map(&faulty.os, fd, UINT64_MAX, 1, &at, &err), HRY_E_UNSUPPORTED);
    faulty_os_fail(&faulty, CALL_MAP, 0, 1, ENOMEM);
    assert_int_equal(hry_os_map(&faulty.os, fd, SIZE, 1, &at, &err), HRY_E_MEMORY);
    assert_null(at);
    close_all(fd, -1);
}

static void mapping_at_a_multiple(void **state)
{
    (void)state;
    int fd = open_file();
    for (size_t align = 1; align <= (size_t)4 << 20; align *= 2) {
        const void *at[3];
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(hry_os_map(&faulty.os, fd, SIZE, align, &at[i], &err), HRY_OK);
            assert_int_equal((uintptr_t)at[i] % align, 0);
            assert_memory_equal(at[i], content, SIZE);
        }
        for (size_t i = 0; i < 3; i++)
            hry_os_unmap(&faulty.os, at[i], SIZE);
    }
    close_all(fd, -1);
}

static void huge_pages_stay_within_the_memory(void **state)
{
    (void)state;
    unsigned char *memory = malloc(8 << 20);
    assert_non_null(memory);
    hry_os_advise(&faulty.os, memory + 1, (8 << 20) - 2, HRY_OS_HUGE_PAGES);
    hry_os_advise(&faulty.os, memory + 1, 100, HRY_OS_HUGE_PAGES);
    memset(memory, 1, 8 << 20);
    free(memory);
}

static void names_differ(void **state)
{
    (void)state;
    assert_int_not_equal(hry_os_default.unique(&hry_os_default), hry_os_default.unique(&hry_os_default));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(open_says_what_is_wrong),
        TEST(stat_and_dup),
        TEST(reads_are_whole),
        TEST(reads_say_where_the_file_ends),
        TEST(writes_are_whole),
        TEST(writes_fail_loudly),
        TEST(copies_by_any_way),
        TEST(copies_through_a_buffer_at_worst),
        TEST(copies_reach_pipes),
        TEST(copies_fail_loudly),
        TEST(mapping),
        TEST(mapping_at_a_multiple),
        TEST(huge_pages_stay_within_the_memory),
        TEST(names_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
