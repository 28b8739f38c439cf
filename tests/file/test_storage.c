/* Where the bytes come from and go to: every failure of the system and of memory, and nothing left behind. */
#include "file/create.h"
#include "file/kept.h"
#include "file/open.h"
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

static struct faulty_os faulty;
static uint8_t payload[20000];
static const uint64_t payload_shape[] = { sizeof payload };

static void write_model(hry_writer *w)
{
    hry_writer_kv_string(w, "key", "value", NULL);
    add(w, "x", HRY_TYPE_UINT8, 1, payload_shape, payload);
    add(w, "y", HRY_TYPE_UINT8, 1, shape4, four);
}

/* A model of two tensors at PATH/model.hrry. */
static int setup(void **state)
{
    (void)state;
    kept k;
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 31 >> 3);
    faulty_os_init(&faulty);
    if (!scratch_make())
        return -1;
    hry_writer *w = writer_to(&k, NULL);
    write_model(w);
    finish(w);
    int written = scratch_write("model.hrry", k.bytes, k.nbytes);
    free(k.bytes);
    return written ? 0 : -1;
}

static const char *model_path(void)
{
    return scratch_path("model.hrry");
}

/* All that a reader does: listing, tensors, bytes into memory of its own. */
static hry_status use_model(const struct hry_os *os, const hry_file_options *options, hry_error *err)
{
    hry_file *f;
    hry_tensor *t;
    static uint8_t copy[sizeof payload];
    hry_status status = hry_file_open_on(os, model_path(), options, &f, err);
    if (status)
        return status;
    status = touch_all(f, err);
    if (!status)
        status = hry_file_tensor(f, "x", &t, err);
    if (!status) {
        assert_memory_equal(hry_tensor_data(t, HRY_TYPE_UINT8), payload, sizeof payload);
        hry_tensor_release(t);
        status = hry_file_read_into(f, 0, 0, copy, sizeof copy, NULL, err);
    }
    if (!status)
        assert_memory_equal(copy, payload, sizeof payload);
    hry_file_close(f);
    return status;
}

static const hry_file_options mapped = { .access = HRY_MAP }, read_in = { .access = HRY_READ };

static void every_system_call_of_a_reader_fails_once(void **state)
{
    (void)state;
    static const enum faulty_call kinds[] = { CALL_OPEN, CALL_PREAD, CALL_STAT, CALL_MAP };
    const hry_file_options *ways[] = { &mapped, &read_in };
    for (size_t way = 0; way < 2; way++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            unsigned reached = 0;
            for (unsigned n = 0; n < 100; n++) {
                hry_error err = { 0 };
                faulty_os_init(&faulty);
                faulty_os_fail(&faulty, kinds[k], n, 1, EIO);
                hry_status status = use_model(&faulty.os, ways[way], &err);
                assert_int_equal(faulty.open_files, 0);
                if (faulty.calls[kinds[k]] <= n)
                    break;
                reached++;
                /* What cannot be mapped is read instead. */
                assert_int_equal(status, kinds[k] == CALL_MAP ? HRY_OK : HRY_E_IO);
                if (status)
                    assert_int_equal(err.value, EIO);
            }
            assert_true(kinds[k] == CALL_MAP ? reached == (way == 0) : reached > 0 && reached < 100);
        }
}

/* One byte at a time, and interrupted. */
static void short_reads(void **state)
{
    (void)state;
    faulty_os_init(&faulty);
    faulty.piece = 7;
    assert_int_equal(use_model(&faulty.os, &read_in, NULL), HRY_OK);
    faulty_os_fail(&faulty, CALL_PREAD, 3, 5, EINTR);
    assert_int_equal(use_model(&faulty.os, &mapped, NULL), HRY_OK);
}

/* The file ends earlier than it did when its size was asked for. */
static void reads_that_end_early(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 100; n++) {
        hry_error err = { 0 };
        faulty_os_init(&faulty);
        faulty_os_fail(&faulty, CALL_PREAD, n, 1, 0);
        hry_status status = use_model(&faulty.os, &read_in, &err);
        if (faulty.calls[CALL_PREAD] <= n) {
            assert_true(n > 3);
            return;
        }
        assert_int_equal(status, HRY_E_INPUT);
        assert_string_equal(hry_rule_id(err.rule), "F-T05");
    }
    fail();
}

static void every_allocation_of_a_reader_fails_once(void **state)
{
    (void)state;
    const hry_file_options *ways[] = { &mapped, &read_in };
    static const uint8_t schemes[] = { 0xF1 };
    hry_allow allow = { .schemes = schemes, .scheme_count = 1 };
    for (size_t way = 0; way < 2; way++) {
        size_t needed = 0;
        for (size_t n = 1; n < 200 && !needed; n++) {
            counting_alloc heap;
            hry_error err = { 0 };
            counting_alloc_init(&heap);
            heap.fail_at = n;
            hry_file_options o = *ways[way];
            o.allocator = &heap.allocator;
            o.parse.allow = &allow;
            hry_status status = use_model(&hry_os_default, &o, &err);
            assert_int_equal(heap.blocks, 0);
            if (status == HRY_OK)
                needed = n;
            else
                assert_int_equal(status, HRY_E_MEMORY);
        }
        assert_true(needed > 5);
    }
}

static hry_status make_file(const struct hry_os *os, const hry_allocator *allocator)
{
    hry_writer *w;
    hry_tensor *t;
    hry_writer_options options = { .sorted = true, .allocator = allocator };
    hry_status status = hry_writer_create_on(os, scratch_path("new.hrry"), &options, &w, NULL);
    if (status)
        return status;
    assert_int_equal(hry_tensor_dense(HRY_TYPE_UINT8, 1, payload_shape, payload, NULL, NULL, &t, NULL), HRY_OK);
    status = hry_writer_kv_string(w, "key", "value", NULL);
    for (const char *name = "zyx"; *name && !status; name++)
        status = hry_writer_add(w, (const char[]){ *name, 0 }, t, NULL);
    if (!status)
        status = hry_writer_finish(w, NULL);
    hry_tensor_release(t);
    hry_writer_destroy(w);
    return status;
}

/* Nothing at the target, no temporary, no descriptor open; or the whole file. */
static void every_system_call_of_a_writer_fails_once(void **state)
{
    (void)state;
    static const enum faulty_call kinds[] = { CALL_OPEN, CALL_WRITE, CALL_SYNC, CALL_RENAME_NEW };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned n = 0;; n++) {
            faulty_os_init(&faulty);
            faulty_os_fail(&faulty, kinds[k], n, 1, ENOSPC);
            hry_status status = make_file(&faulty.os, NULL);
            assert_int_equal(faulty.open_files, 0);
            size_t files = scratch_count();
            if (status == HRY_OK || files == 2) { /* the sync of the directory may fail with the file in place */
                assert_int_equal(files, 2);
                remove(scratch_path("new.hrry"));
            } else {
                assert_int_equal(files, 1);
            }
            if (faulty.calls[kinds[k]] <= n) {
                assert_int_equal(status, HRY_OK);
                break;
            }
            assert_true(n < 20);
        }
}

static void every_allocation_of_a_writer_fails_once(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        counting_alloc heap;
        counting_alloc_init(&heap);
        heap.fail_at = n;
        hry_status status = make_file(&hry_os_default, &heap.allocator);
        assert_int_equal(heap.blocks, 0);
        if (status == HRY_OK) {
            assert_true(n > 5);
            break;
        }
        assert_int_equal(status, HRY_E_MEMORY);
        assert_int_equal(scratch_count(), 1);
    }
    remove(scratch_path("new.hrry"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_system_call_of_a_reader_fails_once),
        cmocka_unit_test(short_reads),
        cmocka_unit_test(reads_that_end_early),
        cmocka_unit_test(every_allocation_of_a_reader_fails_once),
        cmocka_unit_test(every_system_call_of_a_writer_fails_once),
        cmocka_unit_test(every_allocation_of_a_writer_fails_once),
    };
    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
