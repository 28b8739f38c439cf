/* Writing safetensors: what is carried, what is said of the rest, what is never left behind. */
#include "interop/st_model.h"
#include "interop/stingy.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <string.h>

/* What is said, one remark a line: "1t NAME: REASON". */
typedef struct heard {
    char text[4096];
    size_t used;
} heard;

static void hear(void *ctx, const hry_note *note)
{
    heard *h = ctx;
    h->used += (size_t)snprintf(h->text + h->used, sizeof h->text - h->used, "%d%c %.*s: %s\n", (int)note->kind,
                                " tkp"[note->subject], (int)note -> name.len, note->name.ptr, note->reason);
}

typedef struct kept {
    uint8_t *bytes;
    size_t nbytes, fail_after; /* fail_after: bytes; 0: never */
    int finished;
} kept;

static hry_status keep(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    kept *k = ctx;
    if (k->fail_after && k->nbytes + nbytes >= k->fail_after) {
        if (err)
            *err = (hry_error){ .status = HRY_E_IO, .message = "full" };
        return HRY_E_IO;
    }
    k->bytes = realloc(k->bytes, k->nbytes + nbytes + 1);
    assert_non_null(k->bytes);
    memcpy(k->bytes + k->nbytes, bytes, nbytes);
    k->nbytes += nbytes;
    return HRY_OK;
}

static hry_status keep_finish(void *ctx, hry_error *err)
{
    (void)err;
    ((kept *)ctx)->finished++;
    return HRY_OK;
}

/* ---- Containers to write from ---- */

static hry_writer *start(const char *name)
{
    hry_writer *writer;
    assert_int_equal(
        hry_writer_create(scratch_path(name), &(hry_writer_options){ .replace = true, .no_sync = true }, &writer, NULL),
        HRY_OK);
    return writer;
}

static void add(hry_writer *writer, const char *name, const hry_desc_spec *spec, const void *bytes, size_t nbytes)
{
    uint8_t room[2048];
    hry_desc desc;
    hry_error err;
    if (hry_desc_encode(spec, NULL, room, sizeof room, &desc, &err) ||
        hry_writer_begin(writer, name, strlen(name), &desc, &err) || hry_writer_data(writer, bytes, nbytes, &err) ||
        hry_writer_end(writer, &err))
        fail_msg("%s: %s", name, err.message);
}

static hry_file *finish(hry_writer *writer, const char *name)
{
    hry_file *file;
    assert_int_equal(hry_writer_finish(writer, NULL), HRY_OK);
    hry_writer_destroy(writer);
    assert_int_equal(hry_file_open(scratch_path(name), NULL, &file, NULL), HRY_OK);
    return file;
}

/* The whole output: the header's JSON as it stands, then the data. */
static void assert_output(hry_file *file, const hry_export_options *options, const char *json, const void *data,
                          size_t data_size)
{
    size_t nbytes;
    kept k = { 0 };
    hry_error err;
    hry_sink sink = { .write = keep, .finish = keep_finish, .ctx = &k };
    if (hry_safetensors_save_sink(file, &sink, options, &err))
        fail_msg("%s", err.message);
    uint8_t *expected = st_frame(json, data, data_size, 8, &nbytes);
    k.bytes[k.nbytes] = 0;
    if (k.nbytes != nbytes || memcmp(k.bytes, expected, nbytes) != 0)
        fail_msg("%s", (const char *)k.bytes + 8);
    assert_int_equal(k.finished, 1);
    free(expected);
    free(k.bytes);
}

/* ---- What is carried ---- */

static void carried(void **state)
{
    (void)state;
    hry_writer *w = start("carried.hrry");
    hry_writer_kv_string(w, "q\"\n", "\xC3\xA9", NULL);
    hry_writer_kv_string(w, "empty", "", NULL);
    add(w, "b", &(hry_desc_spec){ .type = HRY_TYPE_BOOL, .rank = 1, .shape = (uint64_t[]){ 11 } }, "\x0D\x06", 2);
    add(w, "s", &(hry_desc_spec){ .type = HRY_TYPE_UINT16 }, "\x34\x12", 2);
    add(w, "e", &(hry_desc_spec){ .type = HRY_TYPE_COMPLEX64, .rank = 2, .shape = (uint64_t[]){ 3, 0 } }, "", 0);
    add(w, "f/4", &(hry_desc_spec){ .type = HRY_TYPE_FLOAT4_E2M1, .rank = 1, .shape = (uint64_t[]){ 4 } }, "\x21\xF3",
        2);
    hry_file *file = finish(w, "carried.hrry");
    heard h = { .used = 0 };
    assert_output(file, &(hry_export_options){ .strict = true, .note = hear, .note_ctx = &h },
                  "{\"__metadata__\":{\"q\\\"\\n\":\"\xC3\xA9\",\"empty\":\"\"},"
                  "\"b\":{\"dtype\":\"BOOL\",\"shape\":[11],\"data_offsets\":[0,11]},"
                  "\"s\":{\"dtype\":\"U16\",\"shape\":[],\"data_offsets\":[11,13]},"
                  "\"e\":{\"dtype\":\"C64\",\"shape\":[3,0],\"data_offsets\":[13,13]},"
                  "\"f/4\":{\"dtype\":\"F4\",\"shape\":[4],\"data_offsets\":[13,15]}}",
                  "\1\0\1\1\0\0\0\0\0\1\1\x34\x12\x21\xF3", 15);
    assert_string_equal(h.text, "");
    hry_file_close(file);
}

/* A file without tensors is one too. (RPT-11) */
static void nothing_or_little(void **state)
{
    (void)state;
    hry_file *file = finish(start("nothing.hrry"), "nothing.hrry");
    assert_output(file, NULL, "{}", "", 0);
    hry_file_close(file);
    hry_writer *w = start("little.hrry");
    hry_writer_kv_string(w, "a", "1", NULL);
    file = finish(w, "little.hrry");
    assert_output(file, NULL, "{\"__metadata__\":{\"a\":\"1\"}}", "", 0);
    hry_file_close(file);
}

/* Elements that start inside a buffer which is larger than they need. */
static void inside_a_buffer(void **state)
{
    (void)state;
    uint8_t bytes[96];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    const hry_buffer buffer = { .byte_size = sizeof bytes, .alignment = 64 };
    hry_writer *w = start("inside.hrry");
    add(w, "w",
        &(hry_desc_spec){ .type = HRY_TYPE_INT32,
                          .rank = 1,
                          .shape = (uint64_t[]){ 2 },
                          .byte_offset = 5,
                          .buffers = &buffer,
                          .buffer_count = 1 },
        bytes, sizeof bytes);
    add(w, "b",
        &(hry_desc_spec){ .type = HRY_TYPE_BOOL,
                          .rank = 1,
                          .shape = (uint64_t[]){ 9 },
                          .byte_offset = 15,
                          .buffers = &buffer,
                          .buffer_count = 1 },
        bytes, sizeof bytes);
    hry_file *file = finish(w, "inside.hrry");
    assert_output(file, NULL,
                  "{\"w\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                  "\"b\":{\"dtype\":\"BOOL\",\"shape\":[9],\"data_offsets\":[8,17]}}",
                  "\5\6\7\x8\x9\xA\xB\xC\1\1\1\1\0\0\0\0\0", 17);
    hry_file_close(file);
}

/* ---- What is not ---- */

static hry_file *mixed(void)
{
    static const uint8_t zeros[4096];
    const uint64_t shape[] = { 4, 4 };
    hry_writer *w = start("mixed.hrry");
    add(w, "col",
        &(hry_desc_spec){ .type = HRY_TYPE_FLOAT32,
                          .rank = 2,
                          .shape = shape,
                          .layout = &(hry_layout){ .tag = HRY_LAYOUT_COLUMN_MAJOR } },
        zeros, 64);
    add(w, "tiled",
        &(hry_desc_spec){ .type = HRY_TYPE_FLOAT32,
                          .rank = 2,
                          .shape = shape,
                          .layout = &(hry_layout){ .tag = HRY_LAYOUT_TILED, .tile_shape = (uint64_t[]){ 2, 2 } } },
        zeros, 64);
    add(w, "int4", &(hry_desc_spec){ .type = HRY_TYPE_INT4, .rank = 2, .shape = shape }, zeros, 8);
    add(w, "quant",
        &(hry_desc_spec){ .type = HRY_TYPE_INT8,
                          .rank = 2,
                          .shape = shape,
                          .quantization = &(hry_quantization){ .scheme = HRY_SCHEME_PER_TENSOR, .scale = 0.5f } },
        zeros, 16);
    add(w, "odd4", &(hry_desc_spec){ .type = HRY_TYPE_FLOAT4_E2M1, .rank = 1, .shape = (uint64_t[]){ 3 } }, zeros, 2);
    add(w, "odd6", &(hry_desc_spec){ .type = HRY_TYPE_FLOAT6_E2M3, .rank = 1, .shape = (uint64_t[]){ 5 } }, zeros, 6);
    add(w, "good", &(hry_desc_spec){ .type = HRY_TYPE_UINT8, .rank = 1, .shape = (uint64_t[]){ 2 } }, "ok", 2);
    add(w, "shard",
        &(hry_desc_spec){ .type = HRY_TYPE_UINT8,
                          .rank = 1,
                          .shape = (uint64_t[]){ 2 },
                          .parent_shape = (uint64_t[]){ 4 },
                          .shard_offset = (uint64_t[]){ 2 },
                          .statistics = &(hry_statistics){ .computed_mask = HRY_STATS_NNZ, .nnz = 2 } },
        "sh", 2);
    hry_writer_kv_int64(w, "i", -5, NULL);
    hry_writer_kv_uint64(w, "u", UINT64_MAX, NULL);
    hry_writer_kv_float64(w, "f", 0.1, NULL);
    hry_writer_kv_float64(w, "inf", -__builtin_inf(), NULL);
    hry_writer_kv_float64(w, "nan", __builtin_nan(""), NULL);
    hry_writer_kv_bool(w, "b", true, NULL);
    hry_writer_kv(w, "raw", 3, &(hry_kv_value){ .type = HRY_KV_BYTES, .as.string = { "\0\1", 2 } }, NULL);
    return finish(w, "mixed.hrry");
}

static const char said[] = "2k i: a number, written as its text\n"
                           "2k u: a number, written as its text\n"
                           "2k f: a number, written as its text\n"
                           "2k inf: a number, written as its text\n"
                           "2k nan: a number, written as its text\n"
                           "2k b: a bool, written as its text\n"
                           "1k raw: bytes are no text\n"
                           "1t col: layout column-major is not representable\n"
                           "1t tiled: layout tiled is not representable\n"
                           "1t int4: type int4 is not representable\n"
                           "1t quant: quantization per-tensor-affine is not representable\n"
                           "1t odd4: 3 elements of F4 do not fill whole bytes\n"
                           "1t odd6: 5 elements of F6_E2M3 do not fill whole bytes\n"
                           "2t shard: its place in a larger tensor is dropped\n"
                           "2t shard: its statistics are dropped\n";

static void left_out(void **state)
{
    (void)state;
    heard h = { .used = 0 };
    hry_file *file = mixed();
    assert_output(file, &(hry_export_options){ .note = hear, .note_ctx = &h },
                  "{\"__metadata__\":{\"i\":\"-5\",\"u\":\"18446744073709551615\",\"f\":\"0.10000000000000001\","
                  "\"inf\":\"-Infinity\",\"nan\":\"NaN\",\"b\":\"true\"},"
                  "\"good\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
                  "\"shard\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
                  "oksh", 4);
    assert_string_equal(h.text, said);
    hry_file_close(file);
}

/* Everything is said, and nothing is written. */
static void strict(void **state)
{
    (void)state;
    heard h = { .used = 0 };
    hry_error err;
    kept k = { 0 };
    hry_file *file = mixed();
    size_t before = scratch_count();
    hry_export_options options = { .strict = true, .note = hear, .note_ctx = &h };
    assert_int_equal(hry_safetensors_save(file, scratch_path("strict"), &options, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(scratch_count(), before);
    assert_string_equal(h.text, said);
    assert_int_equal(err.value, 15);
    assert_non_null(strstr(err.message, "key \"i\": a number"));
    hry_sink sink = { .write = keep, .finish = keep_finish, .ctx = &k };
    assert_int_equal(hry_safetensors_save_sink(file, &sink, &options, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(k.nbytes + (size_t)k.finished, 0);
    hry_file_close(file);
}

static void metadata_as_a_name(void **state)
{
    (void)state;
    hry_error err;
    hry_writer *w = start("reserved.hrry");
    add(w, "__metadata__", &(hry_desc_spec){ .type = HRY_TYPE_UINT8 }, "x", 1);
    hry_file *file = finish(w, "reserved.hrry");
    size_t before = scratch_count();
    assert_int_equal(hry_safetensors_save(file, scratch_path("x"), NULL, &err), HRY_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "\"__metadata__\""));
    assert_int_equal(scratch_count(), before);
    hry_file_close(file);
}

/* ---- Where to ---- */

static void to_a_path(void **state)
{
    (void)state;
    hry_error err;
    uint8_t *bytes;
    size_t nbytes;
    hry_file *file = mixed();
    assert_true(scratch_write("there", "old", 3));
    size_t before = scratch_count();
    assert_int_equal(hry_safetensors_save(file, scratch_path("there"), NULL, &err), HRY_E_BUSY);
    assert_true(scratch_is("there", "old", 3));
    assert_int_equal(scratch_count(), before);
    assert_int_equal(hry_safetensors_save(file, scratch_path("there"), &(hry_export_options){ .replace = true }, &err),
                     HRY_OK);
    assert_int_equal(scratch_count(), before);
    bytes = read_file(scratch_path("there"), &nbytes);
    assert_memory_equal(bytes + nbytes - 4, "oksh", 4);
    free(bytes);
    assert_int_equal(hry_safetensors_save(file, scratch_path("absent/x"), NULL, &err), HRY_E_ABSENT);
    hry_file_close(file);
}

/* One larger than the pipe and than any buffer, small ones around it. */
static hry_file *large(uint8_t **data, size_t *nbytes)
{
    *nbytes = (size_t)3 << 20;
    *data = malloc(*nbytes);
    assert_non_null(*data);
    for (size_t i = 0; i < *nbytes; i++)
        (*data)[i] = (uint8_t)(i * 2654435761u >> 13);
    hry_writer *w = start("large.hrry");
    add(w, "a", &(hry_desc_spec){ .type = HRY_TYPE_UINT8, .rank = 1, .shape = (uint64_t[]){ 3 } }, "abc", 3);
    add(w, "big", &(hry_desc_spec){ .type = HRY_TYPE_FLOAT32, .rank = 1, .shape = (uint64_t[]){ *nbytes / 4 } }, *data,
        *nbytes);
    add(w, "z", &(hry_desc_spec){ .type = HRY_TYPE_UINT8, .rank = 1, .shape = (uint64_t[]){ 3 } }, "xyz", 3);
    return finish(w, "large.hrry");
}

static void assert_large(const uint8_t *bytes, size_t size, const uint8_t *data, size_t nbytes)
{
    assert_true(size > nbytes + 6);
    const uint8_t *tail = bytes + size - nbytes - 6;
    assert_memory_equal(tail, "abc", 3);
    assert_memory_equal(tail + 3, data, nbytes);
    assert_memory_equal(tail + 3 + nbytes, "xyz", 3);
}

/* From a mapped file and from one that is read, to a path and into a pipe. */
static void copied(void **state)
{
    (void)state;
    uint8_t *data, *bytes;
    size_t nbytes, size;
    hry_error err;
    hry_file_close(large(&data, &nbytes));
    for (int access = HRY_MAP; access <= HRY_READ; access++) {
        hry_file *file;
        char command[700];
        hry_file_options options = { .access = (hry_access)access };
        assert_int_equal(hry_file_open(scratch_path("large.hrry"), &options, &file, NULL), HRY_OK);
        if (hry_safetensors_save(file, scratch_path("to-path"), &(hry_export_options){ .replace = true }, &err))
            fail_msg("%s", err.message);
        snprintf(command, sizeof command, "cat >%s", scratch_path("to-pipe"));
        FILE *pipe = popen(command, "w");
        assert_non_null(pipe);
        if (hry_safetensors_save_fd(file, fileno(pipe), NULL, &err))
            fail_msg("%s", err.message);
        assert_int_equal(pclose(pipe), 0);
        bytes = read_file(scratch_path("to-path"), &size);
        assert_large(bytes, size, data, nbytes);
        assert_true(scratch_is("to-pipe", bytes, size));
        free(bytes);
        hry_file_close(file);
    }
    free(data);
}

/* safetensors to safetensors, without a container between: also from memory, whose bytes no kernel can copy. */
static void from_safetensors(void **state)
{
    (void)state;
    uint8_t *data;
    size_t nbytes, size;
    hry_file *file = large(&data, &nbytes), *again;
    assert_int_equal(hry_safetensors_save(file, scratch_path("one"), &(hry_export_options){ .replace = true }, NULL),
                     HRY_OK);
    hry_file_close(file);
    uint8_t *bytes = read_file(scratch_path("one"), &size);
    assert_int_equal(hry_safetensors_open(scratch_path("one"), NULL, &file, NULL), HRY_OK);
    assert_int_equal(hry_safetensors_open_memory(bytes, size, NULL, NULL, NULL, &again, NULL), HRY_OK);
    assert_int_equal(hry_safetensors_save(file, scratch_path("two"), NULL, NULL), HRY_OK);
    assert_int_equal(hry_safetensors_save(again, scratch_path("three"), NULL, NULL), HRY_OK);
    assert_true(scratch_is("two", bytes, size));
    assert_true(scratch_is("three", bytes, size));
    hry_file_close(file);
    hry_file_close(again);
    free(bytes);
    free(data);
}

/* A sink that is full: its error comes out, wherever it happens, and it is never finished. */
static void full_sink(void **state)
{
    (void)state;
    uint8_t *data;
    size_t nbytes;
    hry_file *file = large(&data, &nbytes);
    for (size_t room = 1; room < nbytes; room = room * 7 + 5) {
        kept k = { .fail_after = room };
        hry_error err;
        hry_sink sink = { .write = keep, .finish = keep_finish, .ctx = &k };
        assert_int_equal(hry_safetensors_save_sink(file, &sink, NULL, &err), HRY_E_IO);
        assert_string_equal(err.message, "full");
        assert_int_equal(k.finished, 0);
        free(k.bytes);
    }
    hry_file_close(file);
    free(data);
}

static void no_memory(void **state)
{
    (void)state;
    hry_file *file = mixed();
    size_t before = scratch_count();
    for (size_t fail_at = 1;; fail_at++) {
        stingy s;
        stingy_init(&s, fail_at);
        hry_status status = hry_safetensors_save(
            file, scratch_path("memory"), &(hry_export_options){ .allocator = &s.allocator, .no_sync = true }, NULL);
        assert_int_equal(s.live, 0);
        if (!status) {
            assert_true(fail_at > 3);
            break;
        }
        assert_int_equal(status, HRY_E_MEMORY);
        assert_int_equal(scratch_count(), before);
    }
    hry_file_close(file);
}

/* Whatever the data's size, memory is for headers and a few buffers, both ways: bools too are turned in pieces. */
static void memory_for_headers_only(void **state)
{
    (void)state;
    enum { BOOLS = 40 << 20, FLOATS = 8 << 20, BUFFERS = 3 << 20 };
    char json[256];
    size_t nbytes;
    hry_error err;
    snprintf(json, sizeof json,
             "{\"b\":{\"dtype\":\"BOOL\",\"shape\":[%d],\"data_offsets\":[0,%d]},"
             "\"f\":{\"dtype\":\"F32\",\"shape\":[%d],\"data_offsets\":[%d,%d]}}",
             BOOLS, BOOLS, FLOATS / 4, BOOLS, BOOLS + FLOATS);
    uint8_t *data = calloc(1, BOOLS + FLOATS);
    assert_non_null(data);
    data[BOOLS - 1] = 1;
    uint8_t *bytes = st_frame(json, data, BOOLS + FLOATS, 8, &nbytes);
    free(data);
    assert_true(scratch_write("big.safetensors", bytes, nbytes));
    for (int access = HRY_MAP; access <= HRY_READ; access++) {
        stingy s;
        stingy_init(&s, 0);
        hry_file *file, *container;
        hry_import_options in = { .file = { .access = (hry_access)access, .allocator = &s.allocator } };
        hry_export_options out = { .replace = true, .no_sync = true, .allocator = &s.allocator };
        assert_int_equal(hry_safetensors_open(scratch_path("big.safetensors"), &in, &file, &err), HRY_OK);
        assert_int_equal(to_container_with(file, scratch_path("big.hrry"), &s.allocator, &err), HRY_OK);
        hry_file_close(file);
        assert_int_equal(hry_file_open(scratch_path("big.hrry"), &in.file, &container, &err), HRY_OK);
        assert_int_equal(hry_safetensors_save(container, scratch_path("back"), &out, &err), HRY_OK);
        hry_file_close(container);
        assert_true(scratch_is("back", bytes, nbytes));
        assert_true(s.peak < BUFFERS);
        assert_int_equal(s.live, 0);
    }
    free(bytes);
}

/* Data that cannot be carried ends a conversion, whichever way it goes: no file, no temporary. */
static void bad_bool_on_the_way(void **state)
{
    (void)state;
    size_t nbytes;
    hry_file *file;
    hry_error err;
    uint8_t *bytes =
        st_frame("{\"w\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[0,3]}}", "\0\1\7", 3, 8, &nbytes);
    assert_int_equal(hry_safetensors_open_memory(bytes, nbytes, NULL, NULL, NULL, &file, NULL), HRY_OK);
    size_t before = scratch_count();
    assert_int_equal(to_container(file, scratch_path("bool.hrry"), &err), HRY_E_INPUT);
    assert_non_null(strstr(err.message, "tensor \"w\": a BOOL of 7"));
    assert_int_equal(hry_safetensors_save(file, scratch_path("bool"), NULL, &err), HRY_E_INPUT);
    assert_int_equal(scratch_count(), before);
    hry_file_close(file);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carried),
        cmocka_unit_test(nothing_or_little),
        cmocka_unit_test(inside_a_buffer),
        cmocka_unit_test(left_out),
        cmocka_unit_test(strict),
        cmocka_unit_test(metadata_as_a_name),
        cmocka_unit_test(to_a_path),
        cmocka_unit_test(copied),
        cmocka_unit_test(from_safetensors),
        cmocka_unit_test(full_sink),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(bad_bool_on_the_way),
        cmocka_unit_test(memory_for_headers_only),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
