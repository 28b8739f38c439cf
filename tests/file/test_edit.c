/* Changing names and metadata: what comes of it, and a crash at every step of it. */
#include "file/edit.h"
#include "file/kept.h"
#include "file/pipe_in.h"
#include "file/verdict.h"
#include "support/counting_alloc.h"
#include "support/faulty_os.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *model(void)
{
    return scratch_path("model.hrry");
}

static void write_model(kept *k, bool sorted, bool no_kv)
{
    hry_writer *w = writer_to(k, &(hry_writer_options){ .sorted = sorted, .no_kv = no_kv });
    if (!no_kv) {
        hry_writer_kv_string(w, "author", "someone", NULL);
        hry_writer_kv_uint64(w, "version", 1, NULL);
    }
    add(w, "b", HRY_TYPE_UINT8, 1, shape4, four);
    add(w, "a", HRY_TYPE_INT8, 1, shape4, four);
    finish(w);
    unlink(model());
    unlink(scratch_path("model.hrry.undo"));
    assert_true(scratch_write("model.hrry", k->bytes, k->nbytes));
}

static kept read_model(void)
{
    kept k = { .bytes = malloc(1 << 20) };
    FILE *f = fopen(model(), "rb");
    assert_non_null(f);
    k.nbytes = fread(k.bytes, 1, 1 << 20, f);
    fclose(f);
    return k;
}

/* author goes, version becomes a long text, note is new; a and b change their names for each other's. */
static hry_status change(hry_edit *e, bool kv, hry_error *err)
{
    hry_kv_value text = { .type = HRY_KV_STRING, .as.string = { "two, and rather more of it", 26 } };
    hry_kv_value yes = { .type = HRY_KV_BOOL, .as.boolean = true };
    hry_status status = HRY_OK;
    if (kv) {
        status = hry_edit_kv_remove(e, "author", 6, err);
        if (!status)
            status = hry_edit_kv(e, "version", 7, &text, err);
    }
    if (!status)
        status = hry_edit_kv(e, "note", 4, &yes, err);
    hry_str first = hry_file_name(hry_edit_file(e), 0), second = hry_file_name(hry_edit_file(e), 1);
    if (!status)
        status = hry_edit_rename(e, 0, second.ptr, second.len, err);
    return status ? status : hry_edit_rename(e, 1, first.ptr, first.len, err);
}

static hry_status edit_model(const struct hry_os *os, const hry_allocator *allocator, bool in_place, bool kv,
                             hry_error *err)
{
    hry_edit *e;
    hry_edit_options o = { .in_place = in_place, .allocator = allocator };
    hry_status status = hry_edit_open_on(os, model(), &o, &e, err);
    if (status)
        return status;
    status = change(e, kv, err);
    if (!status)
        status = hry_edit_commit(e, err);
    hry_edit_close(e);
    return status;
}

static void both_ways(bool sorted, bool no_kv, const char *expected)
{
    kept first = { 0 };
    for (int in_place = 0; in_place < 2; in_place++) {
        kept old;
        hry_error err = { 0 };
        write_model(&old, sorted, no_kv);
        if (edit_model(&hry_os_default, NULL, in_place, !no_kv, &err))
            fail_msg("%s", err.message);
        kept k = read_model();
        assert_read_as(&k, expected);
        assert_readable(&k);
        scanned seen;
        assert_int_equal(scan_all(k.bytes, k.nbytes, 100, NULL, &seen, &err), HRY_OK);
        assert_false(access(scratch_path("model.hrry.undo"), F_OK) == 0);
        if (in_place) {
            assert_int_equal(k.nbytes, first.nbytes);
            assert_memory_equal(k.bytes, first.bytes, k.nbytes);
            free(k.bytes);
        } else {
            first = k;
        }
        free(old.bytes);
    }
    free(first.bytes);
}

static void names_and_metadata(void **state)
{
    (void)state;
    both_ways(false, false,
              "alignment 4096 flags 5\nkv 'version' 1 'two, and rather more of it'\nkv 'note' 5 True\norder a b\n"
              "tensor a type 17 layout 1 shape [4] data 01020304\n"
              "tensor b type 16 layout 1 shape [4] data 01020304\n");
}

static void sorted_names(void **state)
{
    (void)state;
    both_ways(true, false,
              "alignment 4096 flags 7\nkv 'version' 1 'two, and rather more of it'\nkv 'note' 5 True\norder a b\n"
              "tensor a type 17 layout 1 shape [4] data 01020304\n"
              "tensor b type 16 layout 1 shape [4] data 01020304\n");
}

/* The flag in the header is set when the first metadata come. */
static void first_metadata(void **state)
{
    (void)state;
    both_ways(false, true,
              "alignment 4096 flags 5\nkv 'note' 5 True\norder a b\n"
              "tensor a type 17 layout 1 shape [4] data 01020304\n"
              "tensor b type 16 layout 1 shape [4] data 01020304\n");
}

static void nothing_changed(void **state)
{
    (void)state;
    for (int in_place = 0; in_place < 2; in_place++) {
        kept k;
        hry_edit *e;
        write_model(&k, true, false);
        assert_int_equal(hry_edit_open(model(), &(hry_edit_options){ .in_place = in_place }, &e, NULL), HRY_OK);
        assert_int_equal(hry_file_count(hry_edit_file(e)), 2);
        assert_int_equal(hry_edit_commit(e, NULL), HRY_OK);
        assert_int_equal(hry_edit_commit(e, NULL), HRY_E_USAGE);
        hry_edit_close(e);
        assert_true(scratch_is("model.hrry", k.bytes, k.nbytes));
        free(k.bytes);
    }
}

static void refusals(void **state)
{
    (void)state;
    kept k;
    hry_edit *e;
    hry_error err = { 0 };
    hry_kv_value bad = { .type = 0xF0 };
    write_model(&k, false, false);
    assert_int_equal(hry_edit_open(model(), NULL, &e, NULL), HRY_OK);
    assert_int_equal(hry_edit_rename(e, 2, "x", 1, &err), HRY_E_USAGE);
    assert_int_equal(hry_edit_rename(e, 0, "", 0, &err), HRY_E_INPUT);
    assert_int_equal(hry_edit_rename(e, 0, "\xFF", 1, &err), HRY_E_INPUT);
    assert_int_equal(hry_edit_kv(e, "", 0, &bad, &err), HRY_E_INPUT);
    assert_int_equal(hry_edit_kv(e, "k", 1, &bad, &err), HRY_E_INPUT);
    assert_int_equal(hry_edit_kv_remove(e, "k", 1, &err), HRY_E_ABSENT);
    assert_int_equal(hry_edit_rename(e, 0, "a", 1, &err), HRY_OK);
    assert_int_equal(hry_edit_commit(e, &err), HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), "F-17");
    hry_edit_close(e);
    hry_edit_close(NULL);
    assert_true(scratch_is("model.hrry", k.bytes, k.nbytes));
    free(k.bytes);
}

/* ---- The process dies at its n-th change of the disk, which is half done; no call works after that ---- */

typedef struct mortal {
    struct hry_os os;
    unsigned steps, last; /* last 0: lives */
} mortal;

static mortal dying;

/* 0: alive; 1: this step is the last, half of it; 2: dead. */
static int fate(void)
{
    if (dying.last == 0)
        return dying.steps++, 0;
    if (dying.steps >= dying.last)
        return 2;
    return ++dying.steps == dying.last ? 1 : 0;
}

static bool is_dead(void)
{
    return dying.last != 0 && dying.steps >= dying.last;
}

static int64_t mortal_write(const struct hry_os *os, int fd, const void *src, size_t nbytes)
{
    int f = fate();
    (void)os;
    if (f == 1)
        hry_os_default.write(&hry_os_default, fd, src, nbytes / 2);
    return f ? -EIO : hry_os_default.write(&hry_os_default, fd, src, nbytes);
}

static int64_t mortal_pwrite(const struct hry_os *os, int fd, const void *src, size_t nbytes, uint64_t offset)
{
    int f = fate();
    (void)os;
    if (f == 1)
        hry_os_default.pwrite(&hry_os_default, fd, src, nbytes / 2, offset);
    return f ? -EIO : hry_os_default.pwrite(&hry_os_default, fd, src, nbytes, offset);
}

static int64_t mortal_copy(const struct hry_os *os, int from, uint64_t offset, int to, uint64_t nbytes)
{
    (void)os;
    return fate() ? -EIO : hry_os_default.copy_range(&hry_os_default, from, offset, to, nbytes);
}

static int mortal_truncate(const struct hry_os *os, int fd, uint64_t size)
{
    (void)os;
    return fate() ? -EIO : hry_os_default.truncate(&hry_os_default, fd, size);
}

static int mortal_sync(const struct hry_os *os, int fd)
{
    (void)os, (void)fd;
    return fate() ? -EIO : 0;
}

static int mortal_rename(const struct hry_os *os, const char *from, const char *to)
{
    (void)os;
    return fate() ? -EIO : hry_os_default.rename(&hry_os_default, from, to);
}

static int mortal_rename_new(const struct hry_os *os, const char *from, const char *to)
{
    (void)os;
    return fate() ? -EIO : hry_os_default.rename_new(&hry_os_default, from, to);
}

static int mortal_unlink(const struct hry_os *os, const char *path)
{
    (void)os;
    return fate() ? -EIO : hry_os_default.unlink(&hry_os_default, path);
}

static int mortal_open(const struct hry_os *os, const char *path, enum hry_os_open how, uint32_t mode)
{
    (void)os;
    return is_dead() ? -EIO : hry_os_default.open(&hry_os_default, path, how, mode);
}

static void be_mortal(unsigned last)
{
    dying = (mortal){ .os = hry_os_default, .last = last };
    dying.os.open = mortal_open;
    dying.os.write = mortal_write;
    dying.os.pwrite = mortal_pwrite;
    dying.os.copy_range = mortal_copy;
    dying.os.truncate = mortal_truncate;
    dying.os.sync = mortal_sync;
    dying.os.rename = mortal_rename;
    dying.os.rename_new = mortal_rename_new;
    dying.os.unlink = mortal_unlink;
}

static void crash_everywhere(bool in_place, bool no_kv)
{
    kept old, new;
    write_model(&old, true, no_kv);
    assert_int_equal(edit_model(&hry_os_default, NULL, in_place, !no_kv, NULL), HRY_OK);
    new = read_model();
    unsigned seen_old = 0, seen_new = 0;
    for (unsigned last = 1;; last++) {
        free(old.bytes);
        write_model(&old, true, no_kv);
        be_mortal(last);
        hry_status status = edit_model(&dying.os, NULL, in_place, !no_kv, NULL);
        if (!is_dead()) {
            assert_int_equal(status, HRY_OK);
            break;
        }
        bool restored;
        hry_error err = { 0 };
        if (hry_undo_restore(model(), &restored, &err)) /* the next command */
            fail_msg("step %u: %s", last, err.message);
        bool is_old = scratch_is("model.hrry", old.bytes, old.nbytes);
        bool is_new = scratch_is("model.hrry", new.bytes, new.nbytes);
        if (!is_old && !is_new)
            fail_msg("neither the old nor the new file after step %u", last);
        seen_old += is_old;
        seen_new += is_new;
        assert_false(access(scratch_path("model.hrry.undo"), F_OK) == 0);
    }
    assert_true(seen_old > 1 && seen_new > 0);
    free(old.bytes);
    free(new.bytes);
}

static void crashes_in_place(void **state)
{
    (void)state;
    crash_everywhere(true, false);
    crash_everywhere(true, true);
}

static void crashes_beside(void **state)
{
    (void)state;
    crash_everywhere(false, false);
}

/* A full disk, or a failing one, is no crash: the old file is back before the call returns. */
static void failures_in_place(void **state)
{
    (void)state;
    static const enum faulty_call kinds[] = { CALL_WRITE, CALL_PWRITE, CALL_SYNC, CALL_OPEN, CALL_PREAD };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned n = 0; n < 40; n++) {
            kept old;
            struct faulty_os faulty;
            hry_error err = { 0 };
            write_model(&old, false, false);
            faulty_os_init(&faulty);
            faulty_os_fail(&faulty, kinds[k], n, 1, ENOSPC);
            hry_status status = edit_model(&faulty.os, NULL, true, true, &err);
            assert_int_equal(faulty.open_files, 0);
            bool is_old = scratch_is("model.hrry", old.bytes, old.nbytes);
            free(old.bytes);
            if (faulty.calls[kinds[k]] <= n) {
                assert_int_equal(status, HRY_OK);
                break;
            }
            if (status)
                assert_true(is_old || hry_undo_restore(model(), NULL, NULL) == HRY_OK);
        }
}

/* A change that somebody else made since is not undone. */
static void undo_of_another_file(void **state)
{
    (void)state;
    kept old, other;
    hry_error err = { 0 };
    bool restored = true;
    write_model(&old, false, false);
    assert_int_equal(hry_undo_restore(model(), &restored, &err), HRY_OK);
    assert_false(restored);
    be_mortal(8);
    assert_int_equal(edit_model(&dying.os, NULL, true, true, NULL), HRY_E_IO);
    assert_int_equal(access(scratch_path("model.hrry.undo"), F_OK), 0);
    other = old;
    other.bytes[other.nbytes - 60] ^= 0x55;
    unlink(model());
    assert_true(scratch_write("model.hrry", other.bytes, other.nbytes));
    assert_int_equal(hry_undo_restore(model(), &restored, &err), HRY_E_INPUT);
    assert_true(scratch_is("model.hrry", other.bytes, other.nbytes));
    assert_int_equal(access(scratch_path("model.hrry.undo"), F_OK), 0);
    unlink(scratch_path("model.hrry.undo"));
    assert_true(scratch_write("model.hrry.undo", "not what it should be", 21));
    assert_int_equal(hry_undo_restore(model(), &restored, &err), HRY_E_INPUT);
    unlink(scratch_path("model.hrry.undo"));
    free(old.bytes);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    for (int in_place = 0; in_place < 2; in_place++)
        for (size_t n = 1;; n++) {
            kept old;
            counting_alloc heap;
            write_model(&old, true, false);
            counting_alloc_init(&heap);
            heap.fail_at = n;
            hry_status status = edit_model(&hry_os_default, &heap.allocator, in_place, true, NULL);
            assert_int_equal(heap.blocks, 0);
            bool is_old = scratch_is("model.hrry", old.bytes, old.nbytes);
            free(old.bytes);
            if (!status)
                break;
            assert_int_equal(status, HRY_E_MEMORY);
            if (!is_old)
                assert_int_equal(hry_undo_restore(model(), NULL, NULL), HRY_OK);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_metadata),
        cmocka_unit_test(sorted_names),
        cmocka_unit_test(first_metadata),
        cmocka_unit_test(nothing_changed),
        cmocka_unit_test(refusals),
        cmocka_unit_test(crashes_in_place),
        cmocka_unit_test(crashes_beside),
        cmocka_unit_test(failures_in_place),
        cmocka_unit_test(undo_of_another_file),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
