#include "interop/st_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

void st_model_read(st_model *model, const uint8_t *bytes, size_t nbytes)
{
    uint64_t length = 0;
    char message[256] = "";
    assert_true(nbytes >= 8);
    for (int i = 7; i >= 0; i--)
        length = length << 8 | bytes[i];
    assert_true(length <= nbytes - 8);
    char *json = calloc(1, (size_t)length + 1);
    assert_non_null(json);
    memcpy(json, bytes + 8, (size_t)length);
    model->header = yajl_tree_parse(json, message, sizeof message);
    free(json);
    if (!model->header)
        fail_msg("%s", message);
    assert_true(YAJL_IS_OBJECT(model->header));
    model->data = bytes + 8 + length;
    model->data_size = nbytes - 8 - (size_t)length;
}

void st_model_free(st_model *model)
{
    yajl_tree_free(model->header);
}

static yajl_val field(yajl_val object, const char *key)
{
    return yajl_tree_get(object, (const char *[]){ key, NULL }, yajl_t_any);
}

static unsigned long long offset(yajl_val entry, unsigned i)
{
    yajl_val pair = field(entry, "data_offsets");
    assert_true(YAJL_IS_ARRAY(pair) && YAJL_GET_ARRAY(pair)->len == 2);
    return strtoull(YAJL_GET_NUMBER(YAJL_GET_ARRAY(pair)->values[i]), NULL, 10);
}

static void assert_same_entry(const char *name, const st_model *a, yajl_val x, const st_model *b, yajl_val y)
{
    const char *d = YAJL_GET_STRING(field(x, "dtype")), *e = YAJL_GET_STRING(field(y, "dtype"));
    assert_true(d && e);
    if (strcmp(d, e) != 0)
        fail_msg("%s: another dtype", name);
    yajl_val p = field(x, "shape"), q = field(y, "shape");
    assert_int_equal(YAJL_GET_ARRAY(p)->len, YAJL_GET_ARRAY(q)->len);
    for (size_t k = 0; k < YAJL_GET_ARRAY(p)->len; k++)
        assert_string_equal(YAJL_GET_NUMBER(YAJL_GET_ARRAY(p)->values[k]),
                            YAJL_GET_NUMBER(YAJL_GET_ARRAY(q)->values[k]));
    unsigned long long n = offset(x, 1) - offset(x, 0);
    assert_int_equal(n, offset(y, 1) - offset(y, 0));
    assert_true(offset(x, 1) <= a->data_size && offset(y, 1) <= b->data_size);
    if (n && memcmp(a->data + offset(x, 0), b->data + offset(y, 0), (size_t)n) != 0)
        fail_msg("%s: other bytes", name);
}

static yajl_val metadata(const st_model *model, size_t *count)
{
    yajl_val m = field(model->header, "__metadata__");
    *count = m ? YAJL_GET_OBJECT(m)->len : 0;
    return m;
}

static void assert_same_metadata(const st_model *a, const st_model *b)
{
    size_t m, n;
    yajl_val x = metadata(a, &m), y = metadata(b, &n);
    assert_int_equal(m, n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(YAJL_GET_OBJECT(x)->keys[i], YAJL_GET_OBJECT(y)->keys[i]);
        assert_string_equal(YAJL_GET_STRING(YAJL_GET_OBJECT(x)->values[i]),
                            YAJL_GET_STRING(YAJL_GET_OBJECT(y)->values[i]));
    }
}

/* The next tensor from *i on; NULL at the end. */
static const char *next(const st_model *model, size_t *i, yajl_val *entry)
{
    for (; *i < YAJL_GET_OBJECT(model->header)->len; (*i)++) {
        const char *name = YAJL_GET_OBJECT(model->header)->keys[*i];
        *entry = YAJL_GET_OBJECT(model->header)->values[*i];
        if (strcmp(name, "__metadata__") == 0)
            continue;
        (*i)++;
        return name;
    }
    return NULL;
}

void st_model_assert_same(const st_model *a, const st_model *b)
{
    size_t i = 0, k = 0;
    assert_same_metadata(a, b);
    for (;;) {
        yajl_val x, y;
        const char *name = next(a, &i, &x), *other = next(b, &k, &y);
        assert_int_equal(!name, !other);
        if (!name)
            break;
        assert_string_equal(name, other);
        assert_same_entry(name, a, x, b, y);
    }
}

uint8_t *st_frame(const char *json, const void *data, size_t data_size, size_t pad, size_t *nbytes)
{
    size_t length = (strlen(json) + pad - 1) / pad * pad;
    uint8_t *bytes = malloc(8 + length + data_size + 1);
    assert_non_null(bytes);
    memset(bytes + 8, ' ', length);
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)length >> (8 * i));
    memcpy(bytes + 8, json, strlen(json));
    if (data_size)
        memcpy(bytes + 8 + length, data, data_size);
    *nbytes = 8 + length + data_size;
    return bytes;
}

uint8_t *read_file(const char *path, size_t *nbytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be read", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    uint8_t *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    *nbytes = (size_t)size;
    return bytes;
}

hry_status to_container(hry_file *file, const char *path, hry_error *err)
{
    return to_container_with(file, path, NULL, err);
}

hry_status to_container_with(hry_file *file, const char *path, const hry_allocator *allocator, hry_error *err)
{
    hry_writer *writer;
    hry_status status = hry_writer_create(
        path, &(hry_writer_options){ .replace = true, .no_sync = true, .allocator = allocator }, &writer, err);
    for (uint64_t i = 0; i < hry_file_kv_count(file) && !status; i++) {
        const hry_kv *kv = hry_file_kv_at(file, i);
        status = hry_writer_kv(writer, kv->key.ptr, kv->key.len, &kv->value, err);
    }
    for (uint64_t i = 0; i < hry_file_count(file) && !status; i++) {
        hry_str name = hry_file_name(file, i);
        status = hry_writer_copy(writer, name.ptr, name.len, file, i, err);
    }
    if (!status)
        status = hry_writer_finish(writer, err);
    hry_writer_destroy(writer);
    return status;
}
