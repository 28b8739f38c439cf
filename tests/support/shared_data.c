#include "support/shared_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

uint8_t *shared_read(const char *path, size_t *nbytes)
{
    char full[4096];
    assert_in_range(snprintf(full, sizeof full, "%s/%s", HRY_SHARED_DIR, path), 1, sizeof full - 1);
    if (access(full, F_OK) != 0) {
        print_message("skipped: %s is not there\n", full);
        skip();
    }
    gzFile file = gzopen(full, "rb");
    assert_non_null(file);
    size_t used = 0, capacity = 1 << 16;
    uint8_t *bytes = malloc(capacity);
    assert_non_null(bytes);
    int got;
    while ((got = gzread(file, bytes + used, (unsigned)(capacity - used - 1))) > 0) {
        used += (size_t)got;
        if (capacity - used < 2) {
            bytes = realloc(bytes, capacity *= 2);
            assert_non_null(bytes);
        }
    }
    assert_int_equal(got, 0);
    assert_int_equal(gzclose(file), Z_OK);
    bytes[used] = 0;
    *nbytes = used;
    return bytes;
}

yajl_val shared_json(const char *path)
{
    size_t nbytes;
    char message[256] = "";
    uint8_t *text = shared_read(path, &nbytes);
    yajl_val tree = yajl_tree_parse((const char *)text, message, sizeof message);
    free(text);
    if (!tree)
        fail_msg("%s: %s", path, message);
    return tree;
}

yajl_val json_at(yajl_val object, const char *key)
{
    const char *steps[] = { key, NULL };
    yajl_val value = yajl_tree_get(object, steps, yajl_t_any);
    if (!value)
        fail_msg("no key %s", key);
    return value;
}

uint64_t json_u64(yajl_val value)
{
    assert_true(YAJL_IS_NUMBER(value));
    return strtoull(YAJL_GET_NUMBER(value), NULL, 10);
}

int64_t json_i64(yajl_val value)
{
    assert_true(YAJL_IS_NUMBER(value));
    return strtoll(YAJL_GET_NUMBER(value), NULL, 10);
}

uint64_t json_hex(yajl_val value)
{
    const char *text = YAJL_GET_STRING(value);
    if (!text)
        fail_msg("not a string");
    char *end;
    uint64_t number = strtoull(text ? text : "", &end, 16);
    assert_int_equal(*end, 0);
    return number;
}
