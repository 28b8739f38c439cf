/* Where foreign files are written: whatever the system refuses is said, and nothing is left behind. */
#include "interop/foreign_out.h"
#include "support/faulty_os.h"
#include "support/scratch.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

enum { SIZE = 3 << 20 };

static uint8_t bytes[SIZE];

static int make_scratch(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 11);
    return scratch_make() && scratch_write("source", bytes, SIZE) ? 0 : -1;
}

/* A little from memory, then the source file: page upon page, or askew. */
static hry_status write_it(const struct hry_os *os, size_t before, hry_error *err)
{
    hry_foreign_out out;
    FILE *source = fopen(scratch_path("source"), "rb");
    assert_non_null(source);
    const hry_stored_buffer stored = { .nbytes = SIZE, .fd = fileno(source) };
    hry_status status =
        hry_foreign_out_open(&out, os, &(hry_target){ .kind = HRY_TARGET_PATH, .path = scratch_path("target") },
                             &(hry_export_options){ .replace = true }, err);
    if (!status) {
        status = hry_emit_bytes(&out.emit, bytes, before, err);
        if (!status)
            status = hry_foreign_out_stored(&out, NULL, &stored, 0, SIZE, err);
        status = hry_foreign_out_end(&out, status, err);
    }
    fclose(source);
    return status;
}

static void copies(void **state)
{
    (void)state;
    for (size_t before = 0; before <= 4096; before += 1024) {
        struct faulty_os faulty;
        hry_error err;
        faulty_os_init(&faulty);
        if (write_it(&faulty.os, before, &err))
            fail_msg("%s", err.message);
        /* The kernel copies where pages line up. */
        assert_int_equal(faulty.calls[CALL_COPY_RANGE] > 0, before % 4096 == 0);
        FILE *target = fopen(scratch_path("target"), "rb");
        assert_non_null(target);
        uint8_t *found = malloc(SIZE + 4097);
        assert_non_null(found);
        assert_int_equal(fread(found, 1, SIZE + 4097, target), SIZE + before);
        assert_memory_equal(found, bytes, before);
        assert_memory_equal(found + before, bytes, SIZE);
        free(found);
        fclose(target);
    }
}

static void faults(void **state)
{
    (void)state;
    static const enum faulty_call kinds[] = { CALL_OPEN, CALL_WRITE, CALL_PREAD, CALL_SYNC, CALL_RENAME };
    remove(scratch_path("target"));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct faulty_os faulty;
        hry_error err = { 0 };
        faulty_os_init(&faulty);
        faulty_os_fail(&faulty, kinds[k], 0, 1000, ENOSPC);
        hry_status status = write_it(&faulty.os, 1000, &err);
        if (status != HRY_E_IO || err.value != ENOSPC)
            fail_msg("call %d: status %d, %s", kinds[k], status, err.message);
        assert_int_equal(scratch_count(), 1); /* the source */
        assert_int_equal(faulty.open_files, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(copies), cmocka_unit_test(faults) };
    return cmocka_run_group_tests(tests, make_scratch, scratch_teardown);
}
