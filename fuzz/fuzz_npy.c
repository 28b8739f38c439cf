/*
 * Any bytes as a .npy file: opened or refused with a place inside it; what opens can be read to the last byte, or not
 * (bools that are none), as saving it says; what is saved opens again with the same values.
 */
#include "saved.h"

#include <hurray/interop.h>
#include <stdlib.h>
#include <string.h>

static void *values_of(const hry_tensor *t, size_t *nbytes)
{
    uint64_t count, size;
    hry_error err;
    CHECK(hry_desc_count(hry_tensor_desc(t), &count));
    CHECK(hry_type_size(hry_type_find(hry_tensor_type(t))->bits, count, &size));
    void *values = malloc((size_t)size + 1);
    CHECK(values && !hry_tensor_read(t, NULL, 0, NULL, values, &err));
    *nbytes = (size_t)size;
    return values;
}

static void save_and_open(hry_file *file, const hry_tensor *t)
{
    kept k = { 0 };
    hry_error err;
    hry_sink sink = { .write = keep, .ctx = &k };
    hry_file *again = NULL;
    hry_tensor *back = NULL;
    size_t m, n;
    CHECK(!hry_npy_save_sink(file, &sink, NULL, &err));
    CHECK(!hry_npy_open_memory(k.bytes, k.nbytes, "again.npy", NULL, NULL, NULL, &again, &err));
    CHECK(!hry_file_tensor_at(again, 0, &back, &err) && hry_tensor_type(back) == hry_tensor_type(t));
    void *a = values_of(t, &m), *b = values_of(back, &n);
    CHECK(m == n && memcmp(a, b, n) == 0);
    free(a);
    free(b);
    hry_tensor_release(back);
    hry_file_close(again);
    free(k.bytes);
}

/* What is read in pieces is the buffer of the tensor. */
static void read_pieces(hry_file *file, const hry_tensor *t)
{
    uint64_t nbytes;
    hry_error err;
    const uint8_t *want = hry_tensor_buffer(t, 0, &nbytes);
    uint8_t *got = malloc((size_t)nbytes + 1);
    CHECK(got && !hry_file_read_into(file, 0, 0, got, nbytes, NULL, &err));
    CHECK(nbytes == 0 || memcmp(got, want, (size_t)nbytes) == 0);
    free(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hry_error err = { 0 };
    hry_file *file = NULL;
    hry_tensor *t = NULL;
    hry_status status = hry_npy_open_memory(data, size, "some.npy", NULL, NULL, NULL, &file, &err);
    CHECK((status == HRY_OK) == (file != NULL));
    if (!file) {
        CHECK(err.offset <= size && *err.message && !strchr(err.message, '\n'));
        return 0;
    }
    if (hry_file_tensor_at(file, 0, &t, &err)) {
        CHECK(err.status == HRY_E_INPUT && err.offset < size);
    } else {
        read_pieces(file, t);
        save_and_open(file, t);
    }
    hry_tensor_release(t);
    hry_file_close(file);
    return 0;
}
