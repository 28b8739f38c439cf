#include "file/kept.h"

#include "file/verdict.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint8_t four[4] = { 1, 2, 3, 4 };
const uint64_t shape4[1] = { 4 };

hry_status keep(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    kept *k = ctx;
    (void)err;
    k->bytes = realloc(k->bytes, k->nbytes + nbytes + 1);
    assert_non_null(k->bytes);
    memcpy(k->bytes + k->nbytes, bytes, nbytes);
    k->nbytes += nbytes;
    return HRY_OK;
}

hry_writer *writer_to(kept *k, const hry_writer_options *options)
{
    hry_writer *w;
    *k = (kept){ 0 };
    hry_sink sink = { .write = keep, .ctx = k };
    assert_int_equal(hry_writer_create_sink(&sink, options, &w, NULL), HRY_OK);
    return w;
}

void assert_read_as(const kept *k, const char *expected)
{
    static char got[65536], command[1024];
    assert_true(scratch_write("judged.hrry", k->bytes, k->nbytes));
    snprintf(command, sizeof command, "python3 '%s/tests/file/read_container.py' '%s' 2>&1", HRY_SOURCE_DIR,
             scratch_path("judged.hrry"));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t n = fread(got, 1, sizeof got - 1, pipe);
    got[n] = 0;
    int result = pclose(pipe);
    assert_string_equal(got, expected);
    assert_int_equal(result, 0);
}

void assert_readable(const kept *k)
{
    hry_error err = { 0 };
    if (read_all_of(k->bytes, k->nbytes, NULL, &err))
        fail_msg("%s at %zu: %s", hry_rule_id(err.rule), (size_t)err.offset, err.message);
}

void finish(hry_writer *w)
{
    hry_error err = { 0 };
    if (hry_writer_finish(w, &err))
        fail_msg("%s", err.message);
    hry_writer_destroy(w);
}

void add(hry_writer *w, const char *name, uint8_t type, uint32_t rank, const uint64_t *shape, const void *data)
{
    hry_tensor *t;
    assert_int_equal(hry_tensor_dense(type, rank, shape, data, NULL, NULL, &t, NULL), HRY_OK);
    hry_error err = { 0 };
    if (hry_writer_add(w, name, t, &err))
        fail_msg("%s", err.message);
    hry_tensor_release(t);
}
