/* A file is there whole or not at all, whatever call fails. */
#include "os/atomic.h"
#include "os/io.h"
#include "support/faulty_os.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct faulty_os faulty;
static struct hry_atomic atomic;
static hry_error err;

static int setup(void **state)
{
    (void)state;
    memset(&err, 0, sizeof err);
    faulty_os_init(&faulty);
    return scratch_make() ? 0 : -1;
}

static hry_status begin(const char *name, unsigned flags)
{
    return hry_atomic_begin(&atomic, &faulty.os, NULL, scratch_path(name), flags, &err);
}

static void begin_with(const char *name, unsigned flags, const char *text)
{
    assert_int_equal(begin(name, flags), HRY_OK);
    assert_int_equal(hry_os_write_all(&faulty.os, atomic.fd, text, strlen(text), &err), HRY_OK);
}

static void assert_file(const char *name, const char *text)
{
    assert_true(scratch_is(name, text, strlen(text)));
}

static mode_t mode_of(const char *name)
{
    struct stat st;
    assert_int_equal(lstat(scratch_path(name), &st), 0);
    return st.st_mode & 0777;
}

static void commit_makes_the_file(void **state)
{
    (void)state;
    mode_t mask = umask(022);
    begin_with("new", 0, "content");
    assert_int_equal(access(scratch_path("new"), F_OK), -1);
    assert_int_equal(scratch_count(), 1); /* the temporary lies beside it */
    assert_int_equal(hry_atomic_commit(&atomic, &err), HRY_OK);
    assert_file("new", "content");
    assert_int_equal(mode_of("new"), 0644);
    assert_int_equal(scratch_count(), 1);
    assert_int_equal(faulty.calls[CALL_SYNC], 2); /* the file and its directory */
    assert_int_equal(faulty.open_files, 0);
    hry_atomic_abort(&atomic);
    assert_file("new", "content");
    umask(mask);
}

static void abort_leaves_nothing(void **state)
{
    (void)state;
    begin_with("new", 0, "content");
    hry_atomic_abort(&atomic);
    assert_int_equal(scratch_count(), 0);
    assert_int_equal(faulty.open_files, 0);
    hry_atomic_abort(&atomic);
    atomic = (struct hry_atomic){ .fd = -1 };
    hry_atomic_abort(&atomic);
}

static void replacing_keeps_permissions(void **state)
{
    (void)state;
    assert_true(scratch_write("old", "before", 6));
    assert_int_equal(chmod(scratch_path("old"), 0640), 0);
    begin_with("old", HRY_ATOMIC_REPLACE | HRY_ATOMIC_NO_SYNC, "after");
    assert_file("old", "before");
    assert_int_equal(hry_atomic_commit(&atomic, &err), HRY_OK);
    assert_file("old", "after");
    assert_int_equal(mode_of("old"), 0640);
    assert_int_equal(scratch_count(), 1);
    assert_int_equal(faulty.calls[CALL_SYNC], 0);
}

/* Also by the second way, for file systems that cannot rename without replacing. */
static void an_existing_file_stays(void **state)
{
    (void)state;
    assert_true(scratch_write("old", "before", 6));
    for (int way = 0; way < 2; way++) {
        faulty_os_fail(&faulty, CALL_RENAME_NEW, 0, way ? 1 : 0, EINVAL);
        begin_with("old", 0, "after");
        assert_int_equal(hry_atomic_commit(&atomic, &err), HRY_E_BUSY);
        assert_int_equal(err.value, EEXIST);
        assert_int_equal(faulty.calls[CALL_LINK], way);
        assert_file("old", "before");
        assert_int_equal(scratch_count(), 1);
        assert_int_equal(faulty.open_files, 0);
    }
}

static void a_new_name_by_link(void **state)
{
    (void)state;
    static const int errors[] = { EINVAL, ENOSYS };
    for (int i = 0; i < 2; i++) {
        begin_with("new", 0, "content");
        faulty_os_fail(&faulty, CALL_RENAME_NEW, 0, 1, errors[i]);
        assert_int_equal(hry_atomic_commit(&atomic, &err), HRY_OK);
        assert_int_equal(faulty.calls[CALL_LINK], 1);
        assert_file("new", "content");
        assert_int_equal(scratch_count(), 1);
        unlink(scratch_path("new"));
    }
}

static void links_are_followed(void **state)
{
    (void)state;
    assert_true(scratch_write("real", "before", 6));
    assert_int_equal(symlink("real", scratch_path("link")), 0);
    begin_with("link", HRY_ATOMIC_REPLACE, "after");
    assert_int_equal(hry_atomic_commit(&atomic, &err), HRY_OK);
    assert_file("real", "after");
    assert_file("link", "after");
    assert_int_equal(readlink(scratch_path("link"), (char[8]){ 0 }, 8), 4);
    assert_int_equal(symlink("nothing", scratch_path("dangling")), 0);
    assert_int_equal(begin("dangling", 0), HRY_E_ABSENT);
    assert_null(atomic.names);
}

static void only_files_are_replaced(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    assert_int_equal(symlink("/dev/null", scratch_path("null")), 0);
    assert_int_equal(mkdir(scratch_path("dir"), 0700), 0);
    static const char *const names[] = { "pipe", "null", "dir", "dir/", "dir/." };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(begin(names[i], HRY_ATOMIC_REPLACE), HRY_E_USAGE);
    assert_int_equal(begin("none/file", 0), HRY_E_ABSENT);
    assert_int_equal(begin("pipe/file", 0), HRY_E_IO);
    assert_int_equal(err.value, ENOTDIR);
    assert_int_equal(hry_atomic_begin(&atomic, &faulty.os, NULL, "", 0, &err), HRY_E_USAGE);
    assert_int_equal(atomic.fd, -1);
    assert_int_equal(scratch_count(), 3);
}

static void a_name_without_directory(void **state)
{
    (void)state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch_path("")), 0);
    assert_int_equal(hry_atomic_begin(&atomic, &faulty.os, NULL, "plain", 0, &err), HRY_OK);
    assert_int_equal(hry_atomic_commit(&atomic, &err), HRY_OK);
    assert_int_equal(chdir(before), 0);
    assert_file("plain", "");
    assert_int_equal(faulty.calls[CALL_SYNC], 2);
}

static void a_taken_temporary_name_is_skipped(void **state)
{
    (void)state;
    assert_true(scratch_write(".hurray-0000000000000005.tmp", "mine", 4));
    faulty.unique = 5;
    begin_with("new", 0, "content");
    assert_int_equal(faulty.calls[CALL_OPEN], 2);
    assert_int_equal(hry_atomic_commit(&atomic, &err), HRY_OK);
    assert_file(".hurray-0000000000000005.tmp", "mine");
    assert_file("new", "content");
    /* Not for ever, though. */
    faulty_os_fail(&faulty, CALL_OPEN, 0, 1000000, EEXIST);
    assert_int_equal(begin("other", 0), HRY_E_IO);
}

static void *no_memory(void *ctx, size_t size, size_t align)
{
    (void)ctx, (void)size, (void)align;
    return NULL;
}

static void lack_of_memory(void **state)
{
    (void)state;
    const hry_allocator none = { .alloc = no_memory };
    assert_int_equal(hry_atomic_begin(&atomic, &faulty.os, &none, scratch_path("new"), 0, &err), HRY_E_MEMORY);
    assert_int_equal(scratch_count(), 0);
    hry_atomic_abort(&atomic);
}

/* One attempt to write over "old"; the first failing step's status. */
static hry_status attempt(void)
{
    hry_status status = begin("old", HRY_ATOMIC_REPLACE);
    if (status)
        return status;
    status = hry_os_write_all(&faulty.os, atomic.fd, "after", 5, &err);
    if (status) {
        hry_atomic_abort(&atomic);
        return status;
    }
    return hry_atomic_commit(&atomic, &err);
}

/* Each call of each kind fails once: the file is the old one whole, or the new one when only the directory's sync was
 * left; nothing else lies there, and nothing is open. */
static void any_call_may_fail(void **state)
{
    (void)state;
    unsigned faults = 0;
    assert_true(scratch_write("old", "before", 6));
    assert_int_equal(attempt(), HRY_OK);
    unsigned calls[CALL_KINDS];
    memcpy(calls, faulty.calls, sizeof calls);
    for (int kind = CALL_OPEN; kind < CALL_KINDS; kind++) {
        for (unsigned i = 0; i < calls[kind]; i++) {
            assert_true(scratch_write("old", "before", 6));
            faulty_os_fail(&faulty, (enum faulty_call)kind, i, 1, EIO);
            bool directory = (kind == CALL_SYNC || kind == CALL_OPEN) && i == 1;
            bool harmless = kind == CALL_CLOSE && i == 1; /* the directory's */
            hry_status status = attempt();
            assert_int_equal(status, harmless ? HRY_OK : HRY_E_IO);
            assert_file("old", directory || harmless ? "after" : "before");
            assert_int_equal(scratch_count(), 1);
            assert_int_equal(faulty.open_files, 0);
            faults++;
        }
    }
    assert_true(faults >= 9);
}

static void directories_that_cannot_be_synced(void **state)
{
    (void)state;
    begin_with("new", 0, "content");
    faulty_os_fail(&faulty, CALL_SYNC, 1, 1, EINVAL);
    assert_int_equal(hry_atomic_commit(&atomic, &err), HRY_OK);
    begin_with("new2", 0, "content");
    faulty_os_fail(&faulty, CALL_OPEN, 0, 1, EACCES);
    assert_int_equal(hry_atomic_commit(&atomic, &err), HRY_OK);
    begin_with("new3", 0, "content");
    faulty_os_fail(&faulty, CALL_SYNC, 1, 1, EINTR);
    assert_int_equal(hry_atomic_commit(&atomic, &err), HRY_OK);
    assert_int_equal(scratch_count(), 3);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(commit_makes_the_file),   TEST(abort_leaves_nothing),     TEST(replacing_keeps_permissions),
        TEST(an_existing_file_stays),  TEST(a_new_name_by_link),       TEST(links_are_followed),
        TEST(only_files_are_replaced), TEST(a_name_without_directory), TEST(a_taken_temporary_name_is_skipped),
        TEST(lack_of_memory),          TEST(any_call_may_fail),        TEST(directories_that_cannot_be_synced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
