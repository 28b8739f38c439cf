/* A region of a mapped file touches the pages that it lies on, and no others. */
#include "support/scratch.h"

#include <hurray/file.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIDE = 1024, TILE = 64, TILE_PAGES = TILE * TILE * 4 / 4096 };

static void make_file(const char *path)
{
    uint8_t bytes[256];
    hry_desc desc;
    hry_error err;
    hry_tensor *t;
    hry_writer *writer;
    void *buffer;
    hry_layout layout = { .tag = HRY_LAYOUT_TILED, .tile_shape = (uint64_t[]){ TILE, TILE } };
    hry_desc_spec spec = {
        .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = (uint64_t[]){ SIDE, SIDE }, .layout = &layout
    };
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
    assert_int_equal(hry_tensor_alloc(&desc, NULL, &t, &buffer, &err), HRY_OK);
    memset(buffer, 1, (size_t)SIDE * SIDE * 4);
    assert_int_equal(hry_writer_create(path, NULL, &writer, &err), HRY_OK);
    assert_int_equal(hry_writer_add(writer, "t", t, &err), HRY_OK);
    assert_int_equal(hry_writer_finish(writer, &err), HRY_OK);
    hry_writer_destroy(writer);
    hry_tensor_release(t);
}

/* Pages are taken away from the mapping, and given back one by one as they are touched. */
static struct {
    uint8_t *start;
    size_t nbytes, page;
    volatile long touched;
} watched;

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    size_t offset = (size_t)((uint8_t *)info->si_addr - watched.start);
    (void)context;
    if (offset >= watched.nbytes) { /* a fault of another kind: let it happen again */
        signal(signal_number, SIG_DFL);
        return;
    }
    watched.touched++;
    mprotect(watched.start + offset / watched.page * watched.page, watched.page, PROT_READ);
}

/* The pages of a mapped tensor's buffer that reading a box touches. */
static long touched_by(const hry_tensor *t, const hry_box *box, float *dst)
{
    uint64_t nbytes;
    hry_error err;
    struct sigaction before, action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
    watched.start = (uint8_t *)hry_tensor_buffer(t, 0, &nbytes);
    watched.nbytes = (size_t)nbytes;
    watched.page = (size_t)sysconf(_SC_PAGESIZE);
    watched.touched = 0;
    assert_int_equal((uintptr_t)watched.start % watched.page, 0);
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    assert_int_equal(mprotect(watched.start, watched.nbytes, PROT_NONE), 0);
    hry_status status = hry_tensor_read(t, box, 0, NULL, dst, &err);
    assert_int_equal(mprotect(watched.start, watched.nbytes, PROT_READ), 0);
    assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
    assert_int_equal(status, HRY_OK);
    return watched.touched;
}

static void test_tiles(void **state)
{
    (void)state;
    hry_file *file;
    hry_tensor *t;
    hry_error err;
    if (sysconf(_SC_PAGESIZE) != 4096)
        skip();
    assert_non_null(scratch_make());
    const char *path = scratch_path("tiled.hrry");
    float *dst = malloc((size_t)SIDE * SIDE * sizeof *dst);
    assert_non_null(dst);
    make_file(path);
    assert_int_equal(hry_file_open(path, NULL, &file, &err), HRY_OK);
    assert_int_equal(hry_file_tensor(file, "t", &t, &err), HRY_OK);
    hry_box one = { .start = { 5 * TILE, 7 * TILE }, .count = { TILE, TILE } };
    hry_box corner = { .start = { 6 * TILE - 1, 8 * TILE - 1 }, .count = { 2, 2 } };
    hry_box row = { .start = { 100, 0 }, .count = { 1, SIDE } };
    assert_int_equal(touched_by(t, &one, dst), TILE_PAGES);
    assert_int_equal(touched_by(t, &corner, dst), 4); /* one element of each of four tiles */
    assert_int_equal(touched_by(t, &row, dst), SIDE / TILE);
    assert_int_equal(touched_by(t, NULL, dst), SIDE / TILE * (SIDE / TILE) * TILE_PAGES);
    assert_true(dst[0] != 0);
    hry_tensor_release(t);
    hry_file_close(file);
    free(dst);
    scratch_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_tiles) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
