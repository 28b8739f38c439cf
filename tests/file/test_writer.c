/* What the writer writes, byte by byte and as readers see it. */
#include "file/verdict.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* A sink that keeps what it gets. */
typedef struct kept {
    uint8_t *bytes;
    size_t nbytes;
} kept;

static hry_status keep(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    kept *k = ctx;
    (void)err;
    k->bytes = realloc(k->bytes, k->nbytes + nbytes + 1);
    assert_non_null(k->bytes);
    memcpy(k->bytes + k->nbytes, bytes, nbytes);
    k->nbytes += nbytes;
    return HRY_OK;
}

static hry_writer *writer_to(kept *k, const hry_writer_options *options)
{
    hry_writer *w;
    *k = (kept){ 0 };
    hry_sink sink = { .write = keep, .ctx = k };
    assert_int_equal(hry_writer_create_sink(&sink, options, &w, NULL), HRY_OK);
    return w;
}

/* file-format, 11: the smallest file. */
static void smallest_file(void **state)
{
    (void)state;
    static const uint8_t expected[112] = {
        'H',  'R',  'R',  'Y',         'F',  'I',  'L',  'E',  1,    0,    0,         0,        4,
        0,    0,    0,    0,           0x10, 0,    0,    64,   0,    0,    0,         0,        0,
        0,    0,    0xFF, 0xFF,        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, [72] = 64, [80] = 8, [100] = 0x8A,
        0xB2, 0x28, 0x8C, [108] = 'H', 'R',  'R',  'Y'
    };
    kept k;
    hry_writer *w = writer_to(&k, &(hry_writer_options){ .no_kv = true });
    assert_int_equal(hry_writer_finish(w, NULL), HRY_OK);
    hry_writer_destroy(w);
    assert_int_equal(k.nbytes, sizeof expected);
    assert_memory_equal(k.bytes, expected, sizeof expected);
    free(k.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(smallest_file) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
