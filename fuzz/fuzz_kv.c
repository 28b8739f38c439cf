/*
 * Any bytes as a KV section; the first says which minor version, and whether permissive. What parses is written by a
 * writer again, to the same bytes.
 */
#include "file/kv_list.h"
#include "packed.h"

typedef struct sink {
    uint8_t *bytes;
    size_t nbytes;
} sink;

static hry_status append(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    sink *s = ctx;
    (void)err;
    s->bytes = realloc(s->bytes, s->nbytes + nbytes + 1);
    CHECK(s->bytes);
    memcpy(s->bytes + s->nbytes, bytes, nbytes);
    s->nbytes += nbytes;
    return HRY_OK;
}

static void write_again(const hry_kv_list *list, const uint8_t *section, size_t nbytes, bool exact)
{
    sink out = { 0 };
    hry_writer *w;
    hry_error err;
    CHECK(hry_writer_create_sink(&(hry_sink){ .write = append, .ctx = &out }, NULL, &w, &err) == HRY_OK);
    for (size_t i = 0; i < list->count; i++) {
        const hry_kv *kv = &list->items[i];
        CHECK(hry_kv_list_find(list, kv->key) == kv);
        CHECK(hry_writer_kv(w, kv->key.ptr, kv->key.len, &kv->value, &err) == HRY_OK);
    }
    CHECK(hry_writer_finish(w, &err) == HRY_OK);
    hry_writer_destroy(w);
    size_t written = hry_load32(out.bytes + out.nbytes - 16);
    CHECK(exact ? written == nbytes : written <= nbytes);
    CHECK(memcmp(out.bytes + 64, section, written) == 0);
    free(out.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 5)
        return 0;
    uint8_t minor = data[0] & 1;
    hry_error err = { 0 };
    hry_kv_list list = { 0 };
    bool unavailable = false;
    hry_status status = hry_kv_parse(data + 1, size - 1, 1, minor, data[0] & 2, NULL, &list, &unavailable, &err);
    if (status)
        CHECK(status == HRY_E_INPUT && err.rule && err.offset >= 1 && err.offset <= size);
    else if (!unavailable)
        write_again(&list, data + 1, size - 1, minor == 0);
    hry_kv_list_fini(&list, NULL);
    return 0;
}
