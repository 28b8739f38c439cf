/* Metadata of GGUF files: as a container has them, and back with the widths that they came in. */
#include "interop/gguf_model.h"
#include "interop/st_model.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 };

static hry_file *open_made(const gguf_maker *m)
{
    hry_file *file = NULL;
    hry_error err;
    if (hry_gguf_open_memory(m->bytes, m->used, NULL, NULL, NULL, &file, &err))
        fail_msg("%s", err.message);
    return file;
}

/* One of every type, of arrays too, with values at their ends. */
static void make_all(gguf_maker *m, int big)
{
    gguf_begin(m, big, 3, 0, 26);
    gguf_key(m, "u8", U8);
    gguf_u8(m, 255);
    gguf_key(m, "i8", I8);
    gguf_u8(m, 0x80);
    gguf_key(m, "u16", U16);
    gguf_u16(m, 65535);
    gguf_key(m, "i16", I16);
    gguf_u16(m, 0x8000);
    gguf_key(m, "u32", U32);
    gguf_u32(m, 7); /* would fit a byte */
    gguf_key(m, "i32", I32);
    gguf_u32(m, 0x80000000u);
    gguf_key(m, "f32", F32);
    gguf_u32(m, 0x3DCCCCCD);
    gguf_key(m, "f32.nan", F32);
    gguf_u32(m, 0xFF800001u); /* signalling, with a sign */
    gguf_key(m, "bool", BOOL);
    gguf_u8(m, 1);
    gguf_key(m, "bool.odd", BOOL);
    gguf_u8(m, 2);
    gguf_key(m, "string", STRING);
    gguf_string(m, "h\xC3\xA9");
    gguf_key(m, "string.latin", STRING);
    gguf_string(m, "h\xE9");
    gguf_key(m, "u64", U64);
    gguf_u64(m, UINT64_MAX);
    gguf_key(m, "i64", I64);
    gguf_u64(m, UINT64_C(1) << 63);
    gguf_key(m, "f64", F64);
    gguf_u64(m, UINT64_C(0x3FB999999999999A));
    gguf_key(m, "f64.short", F64);
    gguf_u64(m, UINT64_C(0x3FE0000000000000)); /* would fit float32 */
    gguf_key(m, "a.u8", ARRAY);
    gguf_u32(m, U8);
    gguf_u64(m, 3);
    gguf_raw(m, "\1\2\377", 3);
    gguf_key(m, "a.i8", ARRAY);
    gguf_u32(m, I8);
    gguf_u64(m, 2);
    gguf_raw(m, "\1\377", 2);
    gguf_key(m, "a.u16", ARRAY);
    gguf_u32(m, U16);
    gguf_u64(m, 2);
    gguf_u16(m, 1);
    gguf_u16(m, 65535);
    gguf_key(m, "a.f32", ARRAY);
    gguf_u32(m, F32);
    gguf_u64(m, 2);
    gguf_u32(m, 0x80000000u);
    gguf_u32(m, 0x3F800000);
    gguf_key(m, "a.i64", ARRAY);
    gguf_u32(m, I64);
    gguf_u64(m, 2);
    gguf_u64(m, 1);
    gguf_u64(m, (uint64_t)-2);
    gguf_key(m, "a.bool", ARRAY);
    gguf_u32(m, BOOL);
    gguf_u64(m, 4);
    gguf_raw(m, "\0\1\3\0", 4);
    gguf_key(m, "a.string", ARRAY);
    gguf_u32(m, STRING);
    gguf_u64(m, 3);
    gguf_string(m, "a");
    gguf_string(m, "");
    gguf_string(m, "bcd");
    gguf_key(m, "a.latin", ARRAY);
    gguf_u32(m, STRING);
    gguf_u64(m, 2);
    gguf_string(m, "ok");
    gguf_string(m, "\xE9");
    gguf_key(m, "a.none", ARRAY);
    gguf_u32(m, F64);
    gguf_u64(m, 0);
    gguf_key(m, "nested", ARRAY);
    gguf_u32(m, ARRAY);
    gguf_u64(m, 2);
    gguf_u32(m, I16);
    gguf_u64(m, 1);
    gguf_u16(m, 0x0102);
    gguf_u32(m, STRING);
    gguf_u64(m, 1);
    gguf_string(m, "in");
}

static const hry_kv_value *value_of(const hry_file *file, const char *key, uint8_t type)
{
    const hry_kv *kv = hry_file_kv(file, key);
    if (!kv)
        fail_msg("no key %s", key);
    assert_int_equal(kv->value.type, type);
    return &kv->value;
}

/* The elements of an array, as the bits of 64-bit numbers. */
static void assert_elements(const hry_file *file, const char *key, uint8_t type, const uint64_t *wanted, size_t count)
{
    const hry_kv_value *array = value_of(file, key, HRY_KV_ARRAY);
    hry_kv_value element;
    size_t i = 0;
    assert_int_equal(array->element_type, type);
    for (uint64_t cursor = 0; hry_kv_array_next(array, &cursor, &element); i++) {
        assert_in_range(i, 0, count - 1);
        assert_int_equal(element.type == HRY_KV_BOOL ? element.as.boolean : element.as.uint64, wanted[i]);
    }
    assert_int_equal(i, count);
}

static void assert_text(hry_str text, const char *wanted)
{
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.ptr, wanted, text.len);
}

static void assert_all(hry_file *file)
{
    uint64_t bits;
    assert_int_equal(hry_file_kv_count(file), 26); /* all but the nested one, and the record */
    assert_text(hry_file_kv_at(file, 0)->key, "u8");
    assert_int_equal(value_of(file, "u8", HRY_KV_UINT64)->as.uint64, 255);
    assert_true(value_of(file, "i8", HRY_KV_INT64)->as.int64 == -128);
    assert_int_equal(value_of(file, "u16", HRY_KV_UINT64)->as.uint64, 65535);
    assert_true(value_of(file, "i16", HRY_KV_INT64)->as.int64 == -32768);
    assert_int_equal(value_of(file, "u32", HRY_KV_UINT64)->as.uint64, 7);
    assert_true(value_of(file, "i32", HRY_KV_INT64)->as.int64 == INT32_MIN);
    assert_true(value_of(file, "f32", HRY_KV_FLOAT64)->as.float64 == (double)0.1f);
    memcpy(&bits, &value_of(file, "f32.nan", HRY_KV_FLOAT64)->as.float64, 8);
    assert_true(bits == UINT64_C(0xFFF0000020000000));
    assert_true(value_of(file, "bool", HRY_KV_BOOL)->as.boolean);
    assert_true(value_of(file, "bool.odd", HRY_KV_BOOL)->as.boolean);
    assert_text(value_of(file, "string", HRY_KV_STRING)->as.string, "h\xC3\xA9");
    assert_text(value_of(file, "string.latin", HRY_KV_BYTES)->as.string, "h\xE9");
    assert_true(value_of(file, "u64", HRY_KV_UINT64)->as.uint64 == UINT64_MAX);
    assert_true(value_of(file, "i64", HRY_KV_INT64)->as.int64 == INT64_MIN);
    assert_true(value_of(file, "f64", HRY_KV_FLOAT64)->as.float64 == 0.1);
    assert_true(value_of(file, "f64.short", HRY_KV_FLOAT64)->as.float64 == 0.5);
    assert_text(value_of(file, "a.u8", HRY_KV_BYTES)->as.string, "\1\2\377");
    assert_elements(file, "a.i8", HRY_KV_INT64, (uint64_t[]){ 1, UINT64_MAX }, 2);
    assert_elements(file, "a.u16", HRY_KV_UINT64, (uint64_t[]){ 1, 65535 }, 2);
    assert_elements(file, "a.f32", HRY_KV_FLOAT64, (uint64_t[]){ UINT64_C(1) << 63, UINT64_C(0x3FF0000000000000) }, 2);
    assert_elements(file, "a.i64", HRY_KV_INT64, (uint64_t[]){ 1, UINT64_MAX - 1 }, 2);
    assert_elements(file, "a.bool", HRY_KV_BOOL, (uint64_t[]){ 0, 1, 1, 0 }, 4);
    assert_elements(file, "a.none", HRY_KV_FLOAT64, NULL, 0);
    const hry_kv_value *strings = value_of(file, "a.string", HRY_KV_ARRAY);
    hry_kv_value element;
    uint64_t cursor = 0;
    for (int i = 0; i < 3; i++) {
        assert_true(hry_kv_array_next(strings, &cursor, &element));
        assert_text(element.as.string, ((const char *[]){ "a", "", "bcd" })[i]);
    }
    assert_int_equal(value_of(file, "a.latin", HRY_KV_ARRAY)->element_type, HRY_KV_BYTES);
    assert_null(hry_file_kv(file, "nested"));
    value_of(file, "gguf.metadata", HRY_KV_BYTES);
}

/* Saves, and gives the bytes to be freed by the caller. */
static uint8_t *saved(hry_file *file, bool strict, size_t *nbytes)
{
    hry_error err;
    if (hry_gguf_save(file, scratch_path("out.gguf"),
                      &(hry_export_options){ .strict = strict, .replace = true, .no_sync = true }, &err))
        fail_msg("%s", err.message);
    return read_file(scratch_path("out.gguf"), nbytes);
}

static void every_type(void **state)
{
    (void)state;
    gguf_maker m, big;
    hry_error err;
    make_all(&m, 0);
    make_all(&big, 1);
    for (int order = 0; order < 2; order++) {
        hry_file *file = open_made(order ? &big : &m), *container;
        assert_all(file);
        assert_int_equal(gguf_to_container(file, scratch_path("all.hrry"), &err), HRY_OK);
        hry_file_close(file);
        assert_int_equal(hry_file_open(scratch_path("all.hrry"), NULL, &container, &err), HRY_OK);
        assert_all(container);
        size_t nbytes;
        uint8_t *back = saved(container, true, &nbytes);
        /* What was big-endian comes back little-endian: the same as if it had always been. */
        size_t padding = nbytes - m.used;
        assert_in_range(padding, 0, order ? 31 : 0);
        assert_memory_equal(back, m.bytes, m.used);
        free(back);
        hry_file_close(container);
    }
    gguf_free(&m);
    gguf_free(&big);
}

/* A container that never was a GGUF file, opened; by a list of metadata. */
static hry_file *container_of(const hry_kv *kvs, size_t count)
{
    hry_error err;
    hry_writer *writer;
    hry_file *file;
    assert_int_equal(hry_writer_create(scratch_path("kv.hrry"),
                                       &(hry_writer_options){ .replace = true, .no_sync = true }, &writer, &err),
                     HRY_OK);
    for (size_t i = 0; i < count; i++)
        if (hry_writer_kv(writer, kvs[i].key.ptr, kvs[i].key.len, &kvs[i].value, &err))
            fail_msg("%s", err.message);
    assert_int_equal(hry_writer_finish(writer, &err), HRY_OK);
    hry_writer_destroy(writer);
    assert_int_equal(hry_file_open(scratch_path("kv.hrry"), NULL, &file, &err), HRY_OK);
    return file;
}

#define KEY(text)             \
    {                         \
        text, sizeof text - 1 \
    }
#define WHOLE(text, x)                              \
    {                                               \
        KEY(text),                                  \
        {                                           \
            .type = HRY_KV_UINT64, .as.uint64 = (x) \
        }                                           \
    }
#define SIGNED(text, x)                           \
    {                                             \
        KEY(text),                                \
        {                                         \
            .type = HRY_KV_INT64, .as.int64 = (x) \
        }                                         \
    }
#define FLOAT(text, x)                                \
    {                                                 \
        KEY(text),                                    \
        {                                             \
            .type = HRY_KV_FLOAT64, .as.float64 = (x) \
        }                                             \
    }

static void narrowest(void **state)
{
    (void)state;
    static const uint8_t words[] = { 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 };
    const hry_kv kvs[] = {
        WHOLE("a", 0),
        WHOLE("b", 255),
        WHOLE("c", 256),
        WHOLE("d", 65536),
        WHOLE("e", UINT64_C(1) << 32),
        SIGNED("f", -128),
        SIGNED("g", 128),
        SIGNED("h", -32769),
        SIGNED("i", INT64_C(1) << 31),
        FLOAT("j", 0.5),
        FLOAT("k", 0.1),
        FLOAT("l", -0.0),
        FLOAT("m", INFINITY),
        FLOAT("n", 0x1p-149),
        FLOAT("o", 0x1p-150),
        { KEY("p"), { .type = HRY_KV_BYTES, .as.string = KEY("xy") } },
        { KEY("q"), { .type = HRY_KV_ARRAY, .element_type = HRY_KV_UINT64, .as.array = { 2, 16, words } } },
        { KEY("r"), { .type = HRY_KV_ARRAY, .element_type = HRY_KV_INT64, .as.array = { 1, 8, words } } },
        { KEY("s"), { .type = HRY_KV_BOOL, .as.boolean = true } },
        WHOLE("general.alignment", 64),
        WHOLE("general.file_type", 1),
        SIGNED("split.count", 1),
        SIGNED("general.quantization_version", 2),
    };
    gguf_maker m;
    gguf_begin(&m, 0, 3, 0, sizeof kvs / sizeof *kvs);
    gguf_key(&m, "a", U8), gguf_u8(&m, 0);
    gguf_key(&m, "b", U8), gguf_u8(&m, 255);
    gguf_key(&m, "c", U16), gguf_u16(&m, 256);
    gguf_key(&m, "d", U32), gguf_u32(&m, 65536);
    gguf_key(&m, "e", U64), gguf_u64(&m, UINT64_C(1) << 32);
    gguf_key(&m, "f", I8), gguf_u8(&m, 0x80);
    gguf_key(&m, "g", I16), gguf_u16(&m, 128);
    gguf_key(&m, "h", I32), gguf_u32(&m, (uint32_t)-32769);
    gguf_key(&m, "i", I64), gguf_u64(&m, UINT64_C(1) << 31);
    gguf_key(&m, "j", F32), gguf_u32(&m, 0x3F000000);
    gguf_key(&m, "k", F64), gguf_u64(&m, UINT64_C(0x3FB999999999999A));
    gguf_key(&m, "l", F32), gguf_u32(&m, 0x80000000u);
    gguf_key(&m, "m", F32), gguf_u32(&m, 0x7F800000);
    gguf_key(&m, "n", F32), gguf_u32(&m, 1);
    gguf_key(&m, "o", F64), gguf_u64(&m, UINT64_C(0x3690000000000000));
    gguf_key(&m, "p", ARRAY), gguf_u32(&m, U8), gguf_u64(&m, 2), gguf_raw(&m, "xy", 2);
    gguf_key(&m, "q", ARRAY), gguf_u32(&m, U16), gguf_u64(&m, 2), gguf_u16(&m, 1), gguf_u16(&m, 256);
    gguf_key(&m, "r", ARRAY), gguf_u32(&m, I8), gguf_u64(&m, 1), gguf_u8(&m, 1);
    gguf_key(&m, "s", BOOL), gguf_u8(&m, 1);
    gguf_key(&m, "general.alignment", U32), gguf_u32(&m, 64);
    gguf_key(&m, "general.file_type", U32), gguf_u32(&m, 1);
    gguf_key(&m, "split.count", U16), gguf_u16(&m, 1);
    gguf_key(&m, "general.quantization_version", U32), gguf_u32(&m, 2);
    gguf_pad(&m, 64);
    hry_file *file = container_of(kvs, sizeof kvs / sizeof *kvs);
    size_t nbytes;
    uint8_t *bytes = saved(file, true, &nbytes);
    assert_int_equal(nbytes, m.used);
    assert_memory_equal(bytes, m.bytes, nbytes);
    free(bytes);
    hry_file_close(file);
    gguf_free(&m);
}

typedef struct heard {
    size_t count;
    hry_note_kind kind;
    char names[4][32];
} heard;

static void hear(void *ctx, const hry_note *note)
{
    heard *h = ctx;
    h->kind = note->kind;
    if (h->count < 4 && note->name.len < 32)
        memcpy(h->names[h->count], note->name.ptr, note->name.len);
    h->count++;
}

static void left_out(void **state)
{
    (void)state;
    static const uint8_t one[] = { 1, 0, 0, 0, 'x' };
    const hry_kv kvs[] = {
        { KEY("bytes"), { .type = HRY_KV_ARRAY, .element_type = HRY_KV_BYTES, .as.array = { 1, 5, one } } },
        { { "nul\0key", 7 }, { .type = HRY_KV_BOOL } },
        WHOLE("general.alignment", 4),
        { KEY("gguf.metadata"), { .type = HRY_KV_BYTES, .as.string = KEY("what") } },
        WHOLE("kept", 1),
    };
    heard h = { 0 };
    hry_error err;
    hry_export_options options = { .replace = true, .no_sync = true, .note = hear, .note_ctx = &h };
    hry_file *file = container_of(kvs, sizeof kvs / sizeof *kvs), *back;
    assert_int_equal(hry_gguf_save(file, scratch_path("out.gguf"), &options, &err), HRY_OK);
    assert_int_equal(h.count, 4);
    assert_int_equal(h.kind, HRY_NOTE_LEFT_OUT);
    assert_string_equal(h.names[0], "bytes");
    assert_string_equal(h.names[2], "general.alignment");
    assert_string_equal(h.names[3], "gguf.metadata");
    assert_int_equal(hry_gguf_open(scratch_path("out.gguf"), NULL, &back, &err), HRY_OK);
    assert_int_equal(hry_file_kv_count(back), 2);
    assert_int_equal(value_of(back, "kept", HRY_KV_UINT64)->as.uint64, 1);
    hry_file_close(back);
    options.strict = true;
    options.replace = false;
    assert_int_equal(hry_gguf_save(file, scratch_path("none.gguf"), &options, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(err.value, 4);
    assert_int_equal(hry_gguf_open(scratch_path("none.gguf"), NULL, &back, &err), HRY_E_ABSENT);
    hry_file_close(file);
}

/* The record yields to what was changed since. */
static void edited(void **state)
{
    (void)state;
    gguf_maker m, wanted;
    hry_error err;
    gguf_begin(&m, 0, 2, 0, 7);
    gguf_key(&m, "width", U32), gguf_u32(&m, 7);
    gguf_key(&m, "grown", U8), gguf_u8(&m, 7);
    gguf_key(&m, "odd", BOOL), gguf_u8(&m, 2);
    gguf_key(&m, "odds", ARRAY), gguf_u32(&m, BOOL), gguf_u64(&m, 2), gguf_u8(&m, 9), gguf_u8(&m, 0);
    gguf_key(&m, "gone", U8), gguf_u8(&m, 1);
    gguf_key(&m, "nested", ARRAY), gguf_u32(&m, ARRAY), gguf_u64(&m, 0);
    gguf_key(&m, "float", F32), gguf_u32(&m, 0x3F800000);
    hry_file *file = open_made(&m);
    const hry_kv *record = hry_file_kv(file, "gguf.metadata");
    static const uint8_t bools[] = { 1, 1 };
    const hry_kv kvs[] = {
        WHOLE("new", 1),
        SIGNED("width", 9), /* as it may come back from an editor */
        WHOLE("grown", 256),
        { KEY("odd"), { .type = HRY_KV_BOOL, .as.boolean = false } },
        { KEY("odds"), { .type = HRY_KV_ARRAY, .element_type = HRY_KV_BOOL, .as.array = { 2, 2, bools } } },
        FLOAT("float", 0.1),
        *record,
    };
    hry_file *container = container_of(kvs, sizeof kvs / sizeof *kvs);
    gguf_begin(&wanted, 0, 2, 0, 7); /* the version stays too */
    gguf_key(&wanted, "width", U32), gguf_u32(&wanted, 9);
    gguf_key(&wanted, "grown", U16), gguf_u16(&wanted, 256);
    gguf_key(&wanted, "odd", BOOL), gguf_u8(&wanted, 0);
    gguf_key(&wanted, "odds", ARRAY), gguf_u32(&wanted, BOOL), gguf_u64(&wanted, 2), gguf_u16(&wanted, 0x0101);
    gguf_key(&wanted, "nested", ARRAY), gguf_u32(&wanted, ARRAY), gguf_u64(&wanted, 0);
    gguf_key(&wanted, "float", F64), gguf_u64(&wanted, UINT64_C(0x3FB999999999999A));
    gguf_key(&wanted, "new", U8), gguf_u8(&wanted, 1);
    size_t nbytes;
    uint8_t *bytes = saved(container, true, &nbytes);
    assert_memory_equal(bytes, wanted.bytes, wanted.used);
    assert_in_range(nbytes - wanted.used, 0, 31);
    free(bytes);
    hry_file_close(container);
    hry_file_close(file);
    gguf_free(&m);
    gguf_free(&wanted);
    (void)err;
}

/* A record that is damaged in any byte is either none or one: nothing else happens. */
static void damaged_record(void **state)
{
    (void)state;
    gguf_maker m;
    make_all(&m, 0);
    hry_file *file = open_made(&m);
    hry_kv record = *hry_file_kv(file, "gguf.metadata");
    size_t n = record.value.as.string.len;
    char *copy = malloc(n);
    assert_non_null(copy);
    memcpy(copy, record.value.as.string.ptr, n);
    record.value.as.string.ptr = copy;
    for (size_t at = 0; at < n; at++) {
        hry_error err;
        copy[at] = (char)(copy[at] ^ (1 << at % 8));
        hry_file *container = container_of(&record, 1), *back;
        assert_int_equal(hry_gguf_save(container, scratch_path("out.gguf"),
                                       &(hry_export_options){ .replace = true, .no_sync = true }, &err),
                         HRY_OK);
        if (hry_gguf_open(scratch_path("out.gguf"), NULL, &back, &err))
            fail_msg("byte %zu: %s", at, err.message);
        hry_file_close(back);
        hry_file_close(container);
        copy[at] = (char)(copy[at] ^ (1 << at % 8));
        record.value.as.string.len = at; /* and cut short */
        container = container_of(&record, 1);
        assert_int_equal(hry_gguf_save(container, scratch_path("out.gguf"),
                                       &(hry_export_options){ .strict = true, .replace = true, .no_sync = true }, &err),
                         HRY_E_UNSUPPORTED);
        hry_file_close(container);
        record.value.as.string.len = n;
    }
    free(copy);
    hry_file_close(file);
    gguf_free(&m);
}

/* A GGUF file that has the reserved key itself, and one whose key is too long for a container. */
static void awkward_keys(void **state)
{
    (void)state;
    gguf_maker m;
    hry_error err;
    hry_file *container;
    char *key = malloc(70001);
    assert_non_null(key);
    memset(key, 'k', 70000);
    key[70000] = 0;
    gguf_begin(&m, 0, 3, 0, 3);
    gguf_key(&m, "gguf.metadata", STRING), gguf_string(&m, "mine");
    gguf_key(&m, key, BOOL), gguf_u8(&m, 1);
    gguf_key(&m, "plain", BOOL), gguf_u8(&m, 1);
    hry_file *file = open_made(&m);
    assert_int_equal(hry_file_kv_count(file), 2);
    assert_int_equal(gguf_to_container(file, scratch_path("all.hrry"), &err), HRY_OK);
    assert_int_equal(hry_file_open(scratch_path("all.hrry"), NULL, &container, &err), HRY_OK);
    size_t nbytes;
    uint8_t *bytes = saved(container, true, &nbytes);
    assert_int_equal(nbytes, m.used);
    assert_memory_equal(bytes, m.bytes, m.used);
    free(bytes);
    free(key);
    hry_file_close(container);
    hry_file_close(file);
    gguf_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type), cmocka_unit_test(narrowest),      cmocka_unit_test(left_out),
        cmocka_unit_test(edited),     cmocka_unit_test(damaged_record), cmocka_unit_test(awkward_keys),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
