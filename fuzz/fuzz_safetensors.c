/*
 * Any bytes as a safetensors file: opened or refused with a place inside it; what opens can be read to the last byte,
 * or not, as saving it says; what is saved opens again with the same tensors. Its JSON also goes to the reader of
 * sharded sets' indices.
 */
#include "base/limits.h"
#include "interop/safetensors/st_index.h"

#include "saved.h"

#include <hurray/interop.h>
#include <stdlib.h>
#include <string.h>

static const hry_limits limits = { .header_length = 1 << 20, .tensor_count = 10000 };

static hry_file *open_bytes(const uint8_t *data, size_t size, hry_error *err)
{
    hry_file *file = NULL;
    hry_import_options options = { .file.parse.limits = &limits };
    hry_status status = hry_safetensors_open_memory(data, size, NULL, NULL, &options, &file, err);
    CHECK((status == HRY_OK) == (file != NULL));
    return file;
}

/* False when some tensor cannot be had. */
static int touch(hry_file *file)
{
    volatile uint8_t sum = 0;
    for (uint64_t i = 0; i < hry_file_count(file); i++) {
        hry_tensor *tensor;
        uint64_t nbytes, found;
        hry_error err;
        hry_str name = hry_file_name(file, i);
        CHECK(hry_file_find(file, name.ptr, name.len, &found) && found == i);
        if (hry_file_tensor_at(file, i, &tensor, &err))
            return 0;
        const uint8_t *p = hry_tensor_buffer(tensor, 0, &nbytes);
        for (uint64_t k = 0; k < nbytes; k++)
            sum = (uint8_t)(sum + p[k]);
        hry_tensor_release(tensor);
    }
    return 1;
}

static void same(hry_file *a, hry_file *b)
{
    CHECK(hry_file_count(a) == hry_file_count(b) && hry_file_kv_count(a) == hry_file_kv_count(b));
    for (uint64_t i = 0; i < hry_file_count(a); i++) {
        hry_tensor *x, *y;
        uint64_t m, n;
        hry_str p = hry_file_name(a, i), q = hry_file_name(b, i);
        CHECK(p.len == q.len && memcmp(p.ptr, q.ptr, p.len) == 0);
        CHECK(!hry_file_tensor_at(a, i, &x, NULL) && !hry_file_tensor_at(b, i, &y, NULL));
        const hry_desc *d = hry_tensor_desc(x), *e = hry_tensor_desc(y);
        CHECK(d->length == e->length && memcmp(d->bytes, e->bytes, d->length) == 0);
        const void *u = hry_tensor_buffer(x, 0, &m), *v = hry_tensor_buffer(y, 0, &n);
        CHECK(m == n && (m == 0 || memcmp(u, v, m) == 0));
        hry_tensor_release(x);
        hry_tensor_release(y);
    }
}

static void save_and_open(hry_file *file, int readable)
{
    kept k = { 0 };
    hry_error err;
    hry_sink sink = { .write = keep, .ctx = &k };
    hry_status status = hry_safetensors_save_sink(file, &sink, &(hry_export_options){ .strict = true }, &err);
    CHECK((status == HRY_OK) == (readable != 0));
    if (status == HRY_OK) {
        hry_limits wide = limits;
        wide.header_length *= 8; /* escapes and separators may grow */
        hry_import_options options = { .file.parse.limits = &wide };
        hry_file *again = NULL;
        CHECK(!hry_safetensors_open_memory(k.bytes, k.nbytes, NULL, NULL, &options, &again, &err));
        same(file, again);
        hry_file_close(again);
    }
    free(k.bytes);
}

static void read_index(const uint8_t *json, size_t nbytes)
{
    hry_st_index index;
    hry_notes notes = { .fn = NULL };
    hry_limits all = hry_limits_resolve(&limits);
    hry_error err = { 0 };
    if (hry_st_index_read(&index, json, nbytes, &all, NULL, &notes, &err)) {
        CHECK(err.offset <= nbytes && !strchr(err.message, '\n'));
        return;
    }
    for (size_t i = 0; i < index.count; i++)
        CHECK(index.part_of[i] < index.part_count);
    hry_st_index_fini(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hry_error err = { 0 };
    hry_file *file = open_bytes(data, size, &err);
    if (size > 8)
        read_index(data + 8, size - 8);
    if (!file) {
        CHECK(err.offset <= size && err.rule == 0 && *err.message && !strchr(err.message, '\n'));
        return 0;
    }
    save_and_open(file, touch(file));
    hry_file_close(file);
    return 0;
}
