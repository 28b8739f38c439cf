/*
 * Any bytes as a GGUF file: opened or refused with a place inside it, the same whether it lies in memory or is read;
 * what opens can be read in every form; what is saved, as a copy and by way of a container, opens again with the same
 * tensors and metadata. Bytes that are none are the record that an earlier GGUF file left in a container: whatever it
 * says, what is saved can be opened.
 */
#include "saved.h"

#include <hurray/interop.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const hry_allow all = { .all = true };
static const hry_limits limits = { .header_length = 1 << 20, .kv_length = 8 << 20, .tensor_count = 10000 };

enum { EXACT, CARRIED, NEEDED, FLOATS, MODES };

static hry_import_options mode_options(int mode)
{
    hry_import_options options = { .file.parse.limits = &limits };
    options.file.parse.allow = mode == CARRIED ? &all : NULL;
    options.whole_record = mode == EXACT || mode == CARRIED;
    options.dequantize = mode == FLOATS   ? HRY_DEQUANTIZE_ALL
                         : mode == NEEDED ? HRY_DEQUANTIZE_NEEDED
                                          : HRY_DEQUANTIZE_NONE;
    return options;
}

static hry_file *open_bytes(const uint8_t *data, size_t size, int mode, hry_error *err)
{
    hry_file *file = NULL;
    hry_import_options options = mode_options(mode);
    hry_status status = hry_gguf_open_memory(data, size, NULL, NULL, &options, &file, err);
    CHECK((status == HRY_OK) == (file != NULL));
    return file;
}

/* Reads every tensor that can be had. */
static void touch(hry_file *file)
{
    volatile uint8_t sum = 0;
    for (uint64_t i = 0; i < hry_file_count(file); i++) {
        hry_tensor *tensor;
        uint64_t nbytes, found;
        hry_error err;
        hry_str name = hry_file_name(file, i);
        CHECK(hry_file_find(file, name.ptr, name.len, &found) && found == i);
        if (hry_file_tensor_at(file, i, &tensor, &err)) {
            CHECK(err.status == HRY_E_UNSUPPORTED && !strchr(err.message, '\n'));
            continue;
        }
        for (uint32_t k = 0; k < hry_desc_buffer_count(hry_tensor_desc(tensor)); k++) {
            const uint8_t *p = hry_tensor_buffer(tensor, k, &nbytes);
            for (uint64_t at = 0; at < nbytes; at++)
                sum = (uint8_t)(sum + p[at]);
        }
        hry_tensor_release(tensor);
    }
}

static int same_text(hry_str a, hry_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static void same_value(const hry_kv_value *a, const hry_kv_value *b)
{
    CHECK(a->type == b->type);
    if (a->type == HRY_KV_ARRAY) {
        CHECK(a->element_type == b->element_type && a->as.array.count == b->as.array.count);
        CHECK(a->as.array.nbytes == b->as.array.nbytes);
        CHECK(a->as.array.nbytes == 0 || !memcmp(a->as.array.encoded, b->as.array.encoded, a->as.array.nbytes));
    } else if (a->type == HRY_KV_STRING || a->type == HRY_KV_BYTES) {
        CHECK(same_text(a->as.string, b->as.string));
    } else if (a->type == HRY_KV_BOOL) {
        CHECK(a->as.boolean == b->as.boolean);
    } else {
        CHECK(a->as.uint64 == b->as.uint64);
    }
}

/* The record tells the size of the file, which may have had holes. */
static void same_metadata(hry_file *a, hry_file *b)
{
    CHECK(hry_file_kv_count(a) == hry_file_kv_count(b));
    for (uint64_t i = 0; i + 1 < hry_file_kv_count(a); i++) {
        CHECK(same_text(hry_file_kv_at(a, i)->key, hry_file_kv_at(b, i)->key));
        same_value(&hry_file_kv_at(a, i)->value, &hry_file_kv_at(b, i)->value);
    }
}

static void same_tensors(hry_file *a, hry_file *b)
{
    CHECK(hry_file_count(a) == hry_file_count(b));
    for (uint64_t i = 0; i < hry_file_count(a); i++) {
        hry_tensor *x, *y;
        hry_status s = hry_file_tensor_at(a, i, &x, NULL), t = hry_file_tensor_at(b, i, &y, NULL);
        CHECK(same_text(hry_file_name(a, i), hry_file_name(b, i)) && s == t);
        if (s)
            continue;
        const hry_desc *d = hry_tensor_desc(x), *e = hry_tensor_desc(y);
        CHECK(d->length == e->length && memcmp(d->bytes, e->bytes, d->length) == 0);
        for (uint32_t k = 0; k < hry_desc_buffer_count(d); k++) {
            uint64_t m, n;
            const void *u = hry_tensor_buffer(x, k, &m), *v = hry_tensor_buffer(y, k, &n);
            CHECK(m == n && (m == 0 || memcmp(u, v, m) == 0));
        }
        hry_tensor_release(x);
        hry_tensor_release(y);
    }
}

static void count_note(void *ctx, const hry_note *note)
{
    CHECK(note->reason && !strchr(note->reason, '\n'));
    ++*(size_t *)ctx;
}

/* Saves file, opens what that gives, and compares both with nothing left out. */
static void save_and_compare(hry_file *file, hry_file *with)
{
    kept k = { 0 };
    hry_error err;
    size_t notes = 0;
    hry_sink sink = { .write = keep, .ctx = &k };
    hry_export_options options = { .note = count_note, .note_ctx = &notes };
    hry_status status = hry_gguf_save_sink(file, &sink, &options, &err);
    CHECK(status == HRY_OK || status == HRY_E_UNSUPPORTED);
    hry_file *again = status ? NULL : open_bytes(k.bytes, k.nbytes, CARRIED, &err);
    if (again && with && notes == 0) {
        same_tensors(with, again);
        same_metadata(with, again);
    }
    hry_file_close(again);
    free(k.bytes);
}

static hry_status fill_container(hry_writer *writer, hry_file *file)
{
    hry_error err;
    hry_status status = HRY_OK;
    for (uint64_t i = 0; i < hry_file_kv_count(file); i++) {
        const hry_kv *kv = hry_file_kv_at(file, i);
        CHECK(!hry_writer_kv(writer, kv->key.ptr, kv->key.len, &kv->value, &err));
    }
    for (uint64_t i = 0; i < hry_file_count(file) && !status; i++) {
        hry_str name = hry_file_name(file, i);
        status = hry_writer_copy(writer, name.ptr, name.len, file, i, &err);
    }
    return status ? status : hry_writer_finish(writer, &err);
}

static void by_container(hry_file *file)
{
    kept k = { 0 };
    hry_writer *writer = NULL;
    hry_sink sink = { .write = keep, .ctx = &k };
    hry_writer_options options = { .parse.allow = &all };
    CHECK(!hry_writer_create_sink(&sink, &options, &writer, NULL));
    if (fill_container(writer, file) == HRY_OK) {
        hry_file *container = NULL;
        hry_file_options allowed = { .parse.allow = &all };
        CHECK(!hry_file_open_memory(k.bytes, k.nbytes, NULL, NULL, &allowed, &container, NULL));
        save_and_compare(container, file);
        hry_file_close(container);
    }
    hry_writer_destroy(writer);
    free(k.bytes);
}

/* Through a file that is read a piece at a time: the same verdict. */
static void read_it(const uint8_t *data, size_t size, hry_status wanted)
{
    hry_file *file = NULL;
    hry_import_options options = mode_options(EXACT);
    options.file.access = HRY_READ;
    int fd = memfd_create("gguf", 0);
    CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    CHECK(hry_gguf_open_fd(fd, &options, &file, NULL) == wanted);
    close(fd);
    if (file)
        touch(file);
    hry_file_close(file);
}

static void as_record(const uint8_t *data, size_t size)
{
    kept k = { 0 };
    hry_writer *writer = NULL;
    hry_file *container = NULL, *again = NULL;
    hry_sink sink = { .write = keep, .ctx = &k };
    hry_kv_value value = { .type = HRY_KV_BYTES, .as.string = { (const char *)data, size } };
    CHECK(!hry_writer_create_sink(&sink, NULL, &writer, NULL));
    CHECK(!hry_writer_kv(writer, "gguf.metadata", 13, &value, NULL));
    CHECK(!hry_writer_kv_bool(writer, "b", true, NULL) && !hry_writer_kv_uint64(writer, "u", 300, NULL));
    CHECK(!hry_writer_kv_float64(writer, "f", 0.1, NULL) && !hry_writer_kv_string(writer, "s", "x", NULL));
    CHECK(!hry_writer_finish(writer, NULL));
    hry_writer_destroy(writer);
    CHECK(!hry_file_open_memory(k.bytes, k.nbytes, NULL, NULL, NULL, &container, NULL));
    kept saved = { 0 };
    sink.ctx = &saved;
    CHECK(!hry_gguf_save_sink(container, &sink, NULL, NULL));
    hry_status status = hry_gguf_open_memory(saved.bytes, saved.nbytes, NULL, NULL, NULL, &again, NULL);
    /* It may say that it is one of a split set. */
    CHECK(status == HRY_OK || (status != HRY_E_MEMORY && memmem(data, size, "split.", 6)));
    hry_file_close(again);
    hry_file_close(container);
    free(saved.bytes);
    free(k.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hry_error err = { 0 };
    if (size < 4 || memcmp(data, "GGUF", 4) != 0) {
        as_record(data, size);
        return 0;
    }
    hry_file *file = open_bytes(data, size, EXACT, &err);
    read_it(data, size, file ? HRY_OK : (hry_status)err.status);
    if (!file) {
        CHECK(err.offset <= size && err.rule == 0 && *err.message && !strchr(err.message, '\n'));
        return 0;
    }
    touch(file);
    hry_file_close(file);
    for (int mode = CARRIED; mode < MODES; mode++) {
        file = open_bytes(data, size, mode, &err);
        CHECK(file);
        touch(file);
        if (mode == CARRIED) {
            save_and_compare(file, file);
            by_container(file);
        }
        hry_file_close(file);
    }
    return 0;
}
