/* Reading safetensors: what becomes of a sound file, what is said of others, who owns what. */
#include "interop/st_model.h"
#include "interop/stingy.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <string.h>

static hry_file *open_json(uint8_t **bytes, const char *json, const void *data, size_t data_size,
                           const hry_import_options *options)
{
    size_t nbytes;
    hry_file *file;
    hry_error err;
    *bytes = st_frame(json, data, data_size, 8, &nbytes);
    if (hry_safetensors_open_memory(*bytes, nbytes, NULL, NULL, options, &file, &err))
        fail_msg("%s: %s", json, err.message);
    return file;
}

/* ---- Sound files ---- */

/* element-types, section 6. */
static void types(void **state)
{
    (void)state;
    static const struct {
        const char *dtype;
        uint8_t type;
        unsigned nbytes, buffer; /* of 24 elements: there, here */
    } rows[] = {
        { "BOOL", 0x20, 24, 3 },     { "U8", 0x11, 24, 24 },      { "I8", 0x10, 24, 24 },
        { "F8_E4M3", 0x40, 24, 24 }, { "F8_E5M2", 0x41, 24, 24 }, { "F8_E8M0", 0x42, 24, 24 },
        { "I16", 0x12, 48, 48 },     { "U16", 0x13, 48, 48 },     { "F16", 0x01, 48, 48 },
        { "BF16", 0x02, 48, 48 },    { "I32", 0x14, 96, 96 },     { "U32", 0x15, 96, 96 },
        { "F32", 0x03, 96, 96 },     { "C64", 0x50, 192, 192 },   { "I64", 0x16, 192, 192 },
        { "U64", 0x17, 192, 192 },   { "F64", 0x04, 192, 192 },   { "F4", 0x43, 12, 12 },
        { "F6_E2M3", 0x44, 18, 18 }, { "F6_E3M2", 0x45, 18, 18 },
    };
    static const uint8_t zeros[192];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char json[200];
        uint8_t *bytes;
        hry_desc desc;
        hry_buffer buffer;
        snprintf(json, sizeof json, "{\"w\":{\"dtype\":\"%s\",\"shape\":[2,3,4],\"data_offsets\":[0,%u]}}",
                 rows[i].dtype, rows[i].nbytes);
        hry_file *file = open_json(&bytes, json, zeros, rows[i].nbytes, NULL);
        assert_int_equal(hry_file_desc(file, 0, &desc, NULL), HRY_OK);
        assert_int_equal(hry_desc_type(&desc), rows[i].type);
        assert_int_equal(hry_desc_layout(&desc), HRY_LAYOUT_ROW_MAJOR);
        assert_int_equal(hry_desc_rank(&desc), 3);
        assert_true(hry_desc_dim(&desc, 0) == 2 && hry_desc_dim(&desc, 1) == 3 && hry_desc_dim(&desc, 2) == 4);
        assert_true(hry_desc_buffer(&desc, 0, &buffer));
        assert_int_equal(buffer.byte_size, rows[i].buffer);
        hry_file_close(file);
        free(bytes);
    }
}

static const char plain[] = "{\"__metadata__\":{\"z\":\"1\",\"a\":\"\\u00e9\\n\"},"
                            "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                            "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[3,7]},"
                            "\"n\\\"\":{\"dtype\":\"F64\",\"shape\":[0,5],\"data_offsets\":[7,7]},"
                            "\"c\":{\"dtype\":\"BOOL\",\"shape\":[5],\"data_offsets\":[7,12]}}";
static const uint8_t plain_data[12] = { 1, 2, 3, 0, 0, 0x80, 0x3F, 1, 0, 1, 1, 0 };

static void assert_str(hry_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.ptr, expected, text.len);
}

static void names_and_metadata(void **state)
{
    (void)state;
    uint8_t *bytes;
    hry_file *file = open_json(&bytes, plain, plain_data, sizeof plain_data, NULL);
    assert_string_equal(hry_file_format(file), "safetensors");
    assert_int_equal(hry_file_count(file), 4);
    static const char *const names[] = { "b", "a", "n\"", "c" };
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t found;
        assert_str(hry_file_name(file, i), names[i]);
        assert_true(hry_file_find(file, names[i], strlen(names[i]), &found));
        assert_int_equal(found, i);
    }
    assert_int_equal(hry_file_kv_count(file), 2);
    assert_str(hry_file_kv_at(file, 0)->key, "z");
    assert_str(hry_file_kv_at(file, 1)->key, "a");
    assert_int_equal(hry_file_kv_at(file, 1)->value.type, HRY_KV_STRING);
    assert_str(hry_file_kv(file, "a")->value.as.string, "\xC3\xA9\n");
    hry_file_close(file);
    free(bytes);
}

/* Buffers point into the bytes that were given, wherever they lie; an empty tensor has none. */
static void no_copy(void **state)
{
    (void)state;
    uint8_t *bytes;
    hry_tensor *tensor;
    uint64_t nbytes, length = strlen(plain);
    hry_file *file = open_json(&bytes, plain, plain_data, sizeof plain_data, NULL);
    const uint8_t *data = bytes + 8 + (length + 7) / 8 * 8;
    assert_int_equal(hry_file_tensor(file, "a", &tensor, NULL), HRY_OK);
    assert_ptr_equal(hry_tensor_buffer(tensor, 0, &nbytes), data + 3);
    assert_int_equal(nbytes, 4);
    hry_tensor_release(tensor);
    assert_int_equal(hry_file_tensor(file, "n\"", &tensor, NULL), HRY_OK);
    assert_null(hry_tensor_buffer(tensor, 0, &nbytes));
    hry_tensor_release(tensor);
    hry_file_close(file);
    free(bytes);
}

static void mapped_at(void **state)
{
    (void)state;
    size_t nbytes;
    uint8_t *bytes = st_frame(plain, plain_data, sizeof plain_data, 1, &nbytes);
    assert_true(scratch_write("odd.safetensors", bytes, nbytes));
    for (int access = HRY_MAP; access <= HRY_READ; access++) {
        hry_file *file;
        hry_tensor *a, *b, *c;
        uint64_t offset, size;
        hry_import_options options = { .file.access = (hry_access)access };
        assert_int_equal(hry_safetensors_open(scratch_path("odd.safetensors"), &options, &file, NULL), HRY_OK);
        assert_int_equal(hry_file_tensor(file, "a", &a, NULL), HRY_OK);
        assert_int_equal(hry_file_tensor(file, "b", &b, NULL), HRY_OK);
        assert_int_equal(hry_file_tensor(file, "c", &c, NULL), HRY_OK);
        assert_true(hry_file_buffer_offset(file, 1, 0, &offset, &size));
        assert_int_equal(offset, 8 + strlen(plain) + 3);
        assert_false(hry_file_buffer_offset(file, 3, 0, &offset, &size)); /* its bits are nowhere */
        hry_file_close(file);                                             /* the tensors keep what they need */
        const uint8_t *p = hry_tensor_buffer(a, 0, NULL), *q = hry_tensor_buffer(b, 0, NULL);
        assert_memory_equal(p, plain_data + 3, 4);
        assert_memory_equal(q, plain_data, 3);
        if (access == HRY_MAP)
            assert_ptr_equal(q + 3, p);
        else
            assert_int_equal((uintptr_t)p % 64, 0);
        assert_int_equal(*(const uint8_t *)hry_tensor_buffer(c, 0, NULL), 0x0D);
        hry_tensor_release(a);
        hry_tensor_release(b);
        hry_tensor_release(c);
    }
    free(bytes);
}

static void count_call(void *ctx)
{
    ++*(int *)ctx;
}

/* Once, after the file and its last tensor; not at all when opening fails. */
static void released_once(void **state)
{
    (void)state;
    size_t nbytes;
    int calls = 0;
    hry_file *file;
    hry_tensor *tensor;
    uint8_t *bytes = st_frame(plain, plain_data, sizeof plain_data, 8, &nbytes);
    assert_int_equal(hry_safetensors_open_memory(bytes, nbytes - 1, count_call, &calls, NULL, &file, NULL),
                     HRY_E_INPUT);
    assert_int_equal(calls, 0);
    assert_int_equal(hry_safetensors_open_memory(bytes, nbytes, count_call, &calls, NULL, &file, NULL), HRY_OK);
    assert_int_equal(hry_file_tensor(file, "c", &tensor, NULL), HRY_OK);
    hry_file_close(file);
    assert_int_equal(calls, 0);
    hry_tensor_release(tensor);
    assert_int_equal(calls, 1);
    free(bytes);
}

/* The first element of a byte is in its low nibble. */
static void nibbles(void **state)
{
    (void)state;
    uint8_t *bytes;
    hry_tensor *tensor;
    hry_file *file =
        open_json(&bytes, "{\"w\":{\"dtype\":\"F4\",\"shape\":[4],\"data_offsets\":[0,2]}}", "\x21\xF3", 2, NULL);
    assert_int_equal(hry_file_tensor(file, "w", &tensor, NULL), HRY_OK);
    static const double expected[] = { 0.5, 1, 1.5, -6 };
    for (uint64_t i = 0; i < 4; i++)
        assert_true(hry_element_f64(HRY_TYPE_FLOAT4_E2M1, hry_tensor_buffer(tensor, 0, NULL), i) == expected[i]);
    hry_tensor_release(tensor);
    hry_file_close(file);
    free(bytes);
}

/* ---- Booleans ---- */

enum { MANY_BOOLS = 16384 * 2 + 3 };

static uint8_t *many_bools(size_t *nbytes, uint8_t *bits)
{
    char json[128];
    uint8_t *data = malloc(MANY_BOOLS);
    assert_non_null(data);
    memset(bits, 0, MANY_BOOLS / 8 + 1);
    for (uint32_t i = 0, random = 7; i < MANY_BOOLS; i++) {
        random = random * 1664525u + 1013904223u;
        data[i] = (uint8_t)(random >> 31);
        bits[i / 8] = (uint8_t)(bits[i / 8] | data[i] << (i % 8));
    }
    snprintf(json, sizeof json, "{\"m\":{\"dtype\":\"BOOL\",\"shape\":[%d],\"data_offsets\":[0,%d]}}", MANY_BOOLS,
             MANY_BOOLS);
    uint8_t *bytes = st_frame(json, data, MANY_BOOLS, 8, nbytes);
    free(data);
    return bytes;
}

/* As a tensor, and copied out in pieces, mapped and read. */
static void bools(void **state)
{
    (void)state;
    static uint8_t bits[MANY_BOOLS / 8 + 1], copy[sizeof bits];
    size_t nbytes;
    uint8_t *bytes = many_bools(&nbytes, bits);
    assert_true(scratch_write("bools.safetensors", bytes, nbytes));
    for (int access = HRY_MAP; access <= HRY_READ; access++) {
        hry_file *file;
        hry_tensor *tensor;
        hry_import_options options = { .file.access = (hry_access)access };
        assert_int_equal(hry_safetensors_open(scratch_path("bools.safetensors"), &options, &file, NULL), HRY_OK);
        assert_int_equal(hry_file_tensor(file, "m", &tensor, NULL), HRY_OK);
        assert_memory_equal(hry_tensor_buffer(tensor, 0, NULL), bits, sizeof bits);
        hry_tensor_release(tensor);
        memset(copy, 0xAA, sizeof copy);
        assert_int_equal(hry_file_read_into(file, 0, 0, copy, sizeof copy, NULL, NULL), HRY_OK);
        assert_memory_equal(copy, bits, sizeof bits);
        hry_file_close(file);
    }
    free(bytes);
}

static void bool_of_2(void **state)
{
    (void)state;
    static uint8_t bits[MANY_BOOLS / 8 + 1];
    size_t nbytes, last;
    uint8_t *bytes = many_bools(&nbytes, bits);
    last = nbytes - 2;
    bytes[last] = 2;
    assert_true(scratch_write("bad.safetensors", bytes, nbytes));
    for (int access = HRY_MAP; access <= HRY_READ; access++) {
        hry_file *file;
        hry_tensor *tensor;
        hry_error err = { 0 };
        hry_import_options options = { .file.access = (hry_access)access };
        assert_int_equal(hry_safetensors_open(scratch_path("bad.safetensors"), &options, &file, NULL), HRY_OK);
        assert_int_equal(hry_file_tensor(file, "m", &tensor, &err), HRY_E_INPUT);
        assert_string_equal(err.message, "tensor \"m\": a BOOL of 2, neither 0 nor 1");
        assert_int_equal(err.offset, last);
        assert_int_equal(hry_file_read_into(file, 0, 0, bits, sizeof bits, NULL, &err), HRY_E_INPUT);
        hry_file_close(file);
    }
    free(bytes);
}

/* ---- Everything else ---- */

#define W "{\"w\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]"

/* The error stands where mark does; at least what the message says, with the tensor's name. */
static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *json, *mark;
        hry_status status;
        const char *says;
    } rows[] = {
        { "[]", "[", HRY_E_INPUT, "does not start with {" },
        { "{\"w\":1}", "1", HRY_E_INPUT, "tensor \"w\": entry is no object" },
        { "{\"w\":{}}", "}", HRY_E_INPUT, "tensor \"w\": no dtype" },
        { "{\"w\":{\"dtype\":\"U8\"}}", "}", HRY_E_INPUT, "tensor \"w\": no shape" },
        { "{\"w\":{\"dtype\":\"U8\",\"shape\":[]}}", "}", HRY_E_INPUT, "tensor \"w\": no data_offsets" },
        { W ",\"x\":1}}", "\"x\"", HRY_E_INPUT, "tensor \"w\": unknown field \"x\"" },
        { W ",\"shape\":[4]}}", "\"shape\":[4]}", HRY_E_INPUT, "tensor \"w\": duplicate field shape" },
        { W "},\"w\":{}}", "\"w\":{}", HRY_E_INPUT, "tensor \"w\": duplicate name" },
        { "{\"w\":{\"dtype\":\"F8_E4M3FNUZ\",\"shape\":[4],\"data_offsets\":[0,4]}}", "\"F8", HRY_E_UNSUPPORTED,
          "tensor \"w\": dtype F8_E4M3FNUZ has no counterpart" },
        { "{\"w\":{\"dtype\":\"F33\",\"shape\":[4],\"data_offsets\":[0,16]}}", "\"F33", HRY_E_INPUT,
          "tensor \"w\": unknown dtype \"F33\"" },
        { "{\"w\":{\"dtype\":\"U8\",\"shape\":[-1]}}", "-1", HRY_E_INPUT, "tensor \"w\": shape" },
        { "{\"w\":{\"dtype\":\"U8\",\"shape\":[[1]]}}", "[1]", HRY_E_INPUT, "nested" },
        { "{\"w\":{\"dtype\":\"U8\",\"shape\":[18446744073709551615,0],\"data_offsets\":[0,0]}}", "1844",
          HRY_E_UNSUPPORTED, "tensor \"w\": dimension of 2^64 - 1" },
        { "{\"w\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", "[0,0]", HRY_E_INPUT,
          "tensor \"w\": the size of its shape does not fit 64 bits" },
        { "{\"w\":{\"dtype\":\"F64\",\"shape\":[4611686018427387904],\"data_offsets\":[0,0]}}", "[0,0]", HRY_E_INPUT,
          "tensor \"w\": the size of its shape does not fit 64 bits" },
        { "{\"w\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", "[0,2]", HRY_E_INPUT,
          "tensor \"w\": 3 elements of F4 do not fill whole bytes" },
        { "{\"w\":{\"dtype\":\"F6_E2M3\",\"shape\":[2],\"data_offsets\":[0,2]}}", "[0,2]", HRY_E_INPUT,
          "tensor \"w\": 2 elements of F6_E2M3 do not fill whole bytes" },
        { "{\"w\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,17]}}", "[0,17]", HRY_E_INPUT,
          "tensor \"w\": data ends at 17, but there are only 16 bytes" },
        { "{\"w\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[16,0]}}", "[16,0]", HRY_E_INPUT,
          "tensor \"w\": data_offsets end before they begin" },
        { "{\"w\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,16]}}", "[0,16]", HRY_E_INPUT,
          "tensor \"w\": shape and dtype take 12 bytes, data_offsets give 16" },
        { "{\"w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0]}}", "]}}", HRY_E_INPUT,
          "tensor \"w\": data_offsets are not two" },
        { "{\"b\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[8,16]},"
          "\"a\":{\"dtype\":\"U8\",\"shape\":[9],\"data_offsets\":[0,9]}}",
          "\"b\"", HRY_E_INPUT, "tensor \"b\": data overlaps" },
        { "{\"b\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[8,16]},"
          "\"a\":{\"dtype\":\"U8\",\"shape\":[7],\"data_offsets\":[0,7]}}",
          "\"b\"", HRY_E_INPUT, "tensor \"b\": a hole before its data: bytes 7 to 8" },
        { "{\"__metadata__\":{},\"__metadata__\":{}}", "\"__metadata__\":{}}", HRY_E_INPUT, "duplicate" },
        { "{\"__metadata__\":{\"a\":1}}", "1", HRY_E_INPUT, "__metadata__: the value of \"a\" is no string" },
        { "{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", "\"2\"", HRY_E_INPUT, "duplicate key \"a\"" },
        { "{\"__metadata__\":[]}", "[", HRY_E_INPUT, "__metadata__ is no object" },
        { "{\"\":{}}", "\"\"", HRY_E_INPUT, "name is empty" },
    };
    static const uint8_t data[16];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t nbytes, at = (size_t)(strstr(rows[i].json, rows[i].mark) - rows[i].json);
        hry_file *file = NULL;
        hry_error err = { 0 };
        uint8_t *bytes = st_frame(rows[i].json, data, sizeof data, 8, &nbytes);
        hry_status status = hry_safetensors_open_memory(bytes, nbytes, NULL, NULL, NULL, &file, &err);
        if (status != rows[i].status || err.status != status || err.offset != 8 + at || err.rule != 0 ||
            !strstr(err.message, rows[i].says))
            fail_msg("%s: status %d, offset %u for %u: %s", rows[i].json, status, (unsigned)err.offset,
                     (unsigned)(8 + at), err.message);
        assert_null(file);
        free(bytes);
    }
}

/* Bytes that no tensor claims. */
static void left_over(void **state)
{
    (void)state;
    size_t nbytes;
    hry_file *file;
    hry_error err;
    uint8_t *bytes = st_frame(W "}}", "0123456789abcdefXYZ", 19, 8, &nbytes);
    assert_int_equal(hry_safetensors_open_memory(bytes, nbytes, NULL, NULL, NULL, &file, &err), HRY_E_INPUT);
    assert_string_equal(err.message, "3 bytes after the data of the last tensor");
    assert_int_equal(err.offset, nbytes - 3);
    free(bytes);
}

static void frames(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[16];
        size_t nbytes;
        const char *says;
    } rows[] = {
        { { 0 }, 0, "file of 0 bytes" },
        { { 2 }, 7, "file of 7 bytes" },
        { { 0 }, 8, "header of 0 bytes" },
        { { 9, 0, 0, 0, 0, 0, 0, 0, '{', '}' }, 16, "header of 9 bytes, but the file has only 8" },
        { { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, '{', '}' }, 16, "header of 18446744073709551615 bytes" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hry_file *file;
        hry_error err;
        uint8_t *exact = malloc(rows[i].nbytes + 1); /* so that a sanitizer sees what is read beyond */
        assert_non_null(exact);
        memcpy(exact, rows[i].bytes, rows[i].nbytes);
        uint8_t *shrunk = realloc(exact, rows[i].nbytes ? rows[i].nbytes : 1);
        assert_int_equal(hry_safetensors_open_memory(shrunk, rows[i].nbytes, NULL, NULL, NULL, &file, &err),
                         HRY_E_INPUT);
        assert_ptr_equal(strstr(err.message, rows[i].says), err.message);
        assert_int_equal(err.offset, 0);
        free(shrunk);
    }
}

static void limits(void **state)
{
    (void)state;
    size_t nbytes;
    hry_file *file;
    hry_error err;
    uint8_t *bytes = st_frame(plain, plain_data, sizeof plain_data, 8, &nbytes);
    hry_limits limits = { .header_length = strlen(plain) - 1 };
    hry_import_options options = { .file.parse.limits = &limits };
    assert_int_equal(hry_safetensors_open_memory(bytes, nbytes, NULL, NULL, &options, &file, &err), HRY_E_LIMIT);
    limits = (hry_limits){ .tensor_count = 3 };
    assert_int_equal(hry_safetensors_open_memory(bytes, nbytes, NULL, NULL, &options, &file, &err), HRY_E_LIMIT);
    assert_int_equal(err.offset, 8 + (strstr(plain, "\"c\"") - plain));
    limits = (hry_limits){ .tensor_count = 4, .header_length = nbytes };
    assert_int_equal(hry_safetensors_open_memory(bytes, nbytes, NULL, NULL, &options, &file, &err), HRY_OK);
    hry_file_close(file);
    free(bytes);
}

typedef struct heard {
    unsigned count;
    hry_note last;
    char name[64];
} heard;

static void hear(void *ctx, const hry_note *note)
{
    heard *h = ctx;
    h->count++;
    h->last = *note;
    snprintf(h->name, sizeof h->name, "%.*s", (int)note->name.len, note->name.ptr);
}

/* A key that no container can hold is left out and told of; strict refuses the file. */
static void empty_key(void **state)
{
    (void)state;
    uint8_t *bytes;
    heard h = { 0 };
    hry_error err;
    hry_import_options options = { .note = hear, .note_ctx = &h };
    hry_file *file = open_json(&bytes, "{\"__metadata__\":{\"\":\"x\",\"k\":\"v\"}}  ", NULL, 0, &options);
    assert_int_equal(h.count, 1);
    assert_true(h.last.kind == HRY_NOTE_LEFT_OUT && h.last.subject == HRY_NOTE_KEY && h.last.name.len == 0);
    assert_int_equal(hry_file_kv_count(file), 1);
    hry_file_close(file);
    options.strict = true;
    assert_int_equal(hry_safetensors_open_memory(bytes, 8 + 40, NULL, NULL, &options, &file, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(h.count, 2);
    free(bytes);
}

static void no_memory(void **state)
{
    (void)state;
    size_t nbytes;
    uint8_t *bytes = st_frame(plain, plain_data, sizeof plain_data, 8, &nbytes);
    for (size_t fail_at = 1;; fail_at++) {
        stingy s;
        stingy_init(&s, fail_at);
        hry_file *file = NULL;
        hry_tensor *tensor = NULL;
        hry_import_options options = { .file.allocator = &s.allocator };
        hry_status status = hry_safetensors_open_memory(bytes, nbytes, NULL, NULL, &options, &file, NULL);
        if (!status)
            status = hry_file_tensor(file, "c", &tensor, NULL);
        hry_tensor_release(tensor);
        hry_file_close(file);
        assert_int_equal(s.live, 0);
        if (!status) {
            assert_true(fail_at > 10);
            break;
        }
        assert_int_equal(status, HRY_E_MEMORY);
    }
    free(bytes);
}

/* A file that shrinks under its mapping is an error, not a signal. */
static void shrinks(void **state)
{
    (void)state;
    size_t nbytes;
    hry_file *file;
    hry_tensor *tensor;
    hry_error err;
    char json[128];
    static uint8_t data[65536];
    snprintf(json, sizeof json, "{\"w\":{\"dtype\":\"U8\",\"shape\":[65536],\"data_offsets\":[0,65536]}}");
    uint8_t *bytes = st_frame(json, data, sizeof data, 8, &nbytes);
    assert_true(scratch_write("shrinks.safetensors", bytes, nbytes));
    assert_int_equal(hry_safetensors_open(scratch_path("shrinks.safetensors"), NULL, &file, NULL), HRY_OK);
    assert_int_equal(truncate(scratch_path("shrinks.safetensors"), 5000), 0);
    assert_int_equal(hry_file_tensor(file, "w", &tensor, &err), HRY_E_IO);
    assert_non_null(strstr(err.message, "shrunk to 5000 bytes"));
    hry_file_close(file);
    free(bytes);
}

static void descriptors(void **state)
{
    (void)state;
    size_t nbytes;
    hry_file *file;
    hry_tensor *tensor;
    int ends[2];
    hry_error err;
    uint8_t *bytes = st_frame(plain, plain_data, sizeof plain_data, 8, &nbytes);
    assert_true(scratch_write("fd.safetensors", bytes, nbytes));
    FILE *stream = fopen(scratch_path("fd.safetensors"), "rb");
    assert_non_null(stream);
    assert_int_equal(hry_safetensors_open_fd(fileno(stream), NULL, &file, NULL), HRY_OK);
    fclose(stream);
    assert_int_equal(hry_file_tensor(file, "b", &tensor, NULL), HRY_OK);
    assert_memory_equal(hry_tensor_buffer(tensor, 0, NULL), plain_data, 3);
    hry_tensor_release(tensor);
    hry_file_close(file);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(hry_safetensors_open_fd(ends[0], NULL, &file, &err), HRY_E_USAGE);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(hry_safetensors_open_fd(-1, NULL, &file, &err), HRY_E_IO);
    assert_int_equal(hry_safetensors_open(scratch_path("absent"), NULL, &file, &err), HRY_E_ABSENT);
    assert_int_equal(hry_safetensors_open(scratch_path("."), NULL, &file, &err), HRY_E_USAGE);
    free(bytes);
}

static void formats(void **state)
{
    (void)state;
    static const uint8_t head[16] = { 2, 0, 0, 0, 0, 0, 0, 0, '{', '}' };
    assert_string_equal(hry_foreign_format(head, 10, 10, NULL), "safetensors");
    assert_null(hry_foreign_format(head, 10, 9, NULL)); /* a header beyond the file */
    assert_string_equal(hry_foreign_format(head, 10, 9, "cut.safetensors"), "safetensors");
    assert_null(hry_foreign_format("HRRYFILE", 8, 8, "x.hrry"));
    assert_null(hry_foreign_format("", 0, 0, ""));
    assert_null(hry_foreign_format("{\"weight_map\":{}}", 17, 17, "x.txt"));
    assert_null(hry_foreign_format("[\"weight_map\"]  ", 16, 16, "x.json"));
    assert_string_equal(hry_foreign_format("\n {\"weight_map\":{}}", 19, 19, "a.index.json"), "safetensors-index");
}

static void any_format(void **state)
{
    (void)state;
    size_t nbytes;
    hry_file *file;
    hry_error err;
    uint8_t *bytes = st_frame(plain, plain_data, sizeof plain_data, 8, &nbytes);
    assert_true(scratch_write("no-ending", bytes, nbytes));
    assert_true(scratch_write("text", "hello", 5));
    assert_int_equal(hry_foreign_open(scratch_path("no-ending"), NULL, &file, &err), HRY_OK);
    assert_int_equal(hry_file_count(file), 4);
    hry_file_close(file);
    assert_int_equal(hry_foreign_open(scratch_path("text"), NULL, &file, &err), HRY_E_INPUT);
    assert_int_equal(hry_foreign_open(scratch_path("absent"), NULL, &file, &err), HRY_E_ABSENT);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),         cmocka_unit_test(names_and_metadata),
        cmocka_unit_test(no_copy),       cmocka_unit_test(mapped_at),
        cmocka_unit_test(released_once), cmocka_unit_test(nibbles),
        cmocka_unit_test(bools),         cmocka_unit_test(bool_of_2),
        cmocka_unit_test(refused),       cmocka_unit_test(left_over),
        cmocka_unit_test(frames),        cmocka_unit_test(limits),
        cmocka_unit_test(empty_key),     cmocka_unit_test(no_memory),
        cmocka_unit_test(shrinks),       cmocka_unit_test(descriptors),
        cmocka_unit_test(formats),       cmocka_unit_test(any_format),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
