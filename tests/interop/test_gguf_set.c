/* Split sets: several files that are one model. (format: gguf, section 1.9) */
#include "base/bytes.h"
#include "interop/gguf_model.h"
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

enum { U8, I8, U16, I16, U32, I32, BOOL = 7, STRING, U64 = 10, I64, F64 };
enum { F32 = 0, Q8_0 = 8 };

/* What a part says of itself. */
typedef struct part {
    unsigned no, count;
    int total;         /* -1: not said */
    const char *names; /* of its tensors, a letter each */
    unsigned alignment;
} part;

static void put_keys(gguf_maker *m, const part *p)
{
    gguf_key(m, "split.no", U16);
    gguf_u16(m, p->no);
    gguf_key(m, "split.count", U16);
    gguf_u16(m, p->count);
    if (p->total >= 0) {
        gguf_key(m, "split.tensors.count", I32);
        gguf_u32(m, (uint32_t)p->total);
    }
    if (p->alignment) {
        gguf_key(m, "general.alignment", U32);
        gguf_u32(m, p->alignment);
    }
}

/* Tensors of one float each: the code of their letter. */
static void put_tensors(gguf_maker *m, const part *p)
{
    unsigned alignment = p->alignment ? p->alignment : 32;
    for (size_t i = 0; p->names[i]; i++)
        gguf_info(m, (char[]){ p->names[i], 0 }, 1, (uint64_t[]){ 1 }, F32, i * alignment);
    for (size_t i = 0; p->names[i]; i++) {
        gguf_pad(m, alignment);
        gguf_u32(m, hry_f32_bits((float)p->names[i]));
    }
    if (*p->names)
        gguf_pad(m, alignment);
}

static void make_part(gguf_maker *m, const part *p)
{
    unsigned keys = 2u + (p->total >= 0) + (p->alignment != 0);
    gguf_begin(m, 0, 3, strlen(p->names), keys + (p->no == 0));
    put_keys(m, p);
    if (p->no == 0) {
        gguf_key(m, "general.architecture", STRING);
        gguf_string(m, "none");
    }
    put_tensors(m, p);
}

/* As "m-00001-of-00003.gguf" and so on; the name counts from the place, whatever the part says. */
static void write_set(const part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gguf_maker m;
        char name[64];
        make_part(&m, &parts[i]);
        snprintf(name, sizeof name, "m-%05zu-of-%05zu.gguf", i + 1, count);
        assert_true(scratch_write(name, m.bytes, m.used));
        gguf_free(&m);
    }
}

static void assert_whole(hry_file *file, const char *names)
{
    assert_int_equal(hry_file_count(file), strlen(names));
    for (uint64_t i = 0; i < strlen(names); i++) {
        hry_tensor *tensor;
        hry_error err;
        hry_str name = hry_file_name(file, i);
        assert_int_equal(name.len, 1);
        assert_int_equal(name.ptr[0], names[i]);
        if (hry_file_tensor_at(file, i, &tensor, &err))
            fail_msg("%s", err.message);
        assert_true(hry_load_f32(hry_tensor_buffer(tensor, 0, NULL)) == (float)names[i]);
        hry_tensor_release(tensor);
    }
}

static const part good[] = { { 0, 3, 5, "ab", 0 }, { 1, 3, 5, "c", 64 }, { 2, 3, -1, "de", 8 } };

static void whole(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    hry_file_info info;
    write_set(good, 3);
    uint64_t size = scratch_size("m-00001-of-00003.gguf") + scratch_size("m-00002-of-00003.gguf") +
                    scratch_size("m-00003-of-00003.gguf");
    for (hry_access access = HRY_MAP; access <= HRY_READ; access++) {
        hry_import_options options = { .file.access = access };
        if (hry_gguf_open(scratch_path("m-00001-of-00003.gguf"), &options, &file, &err))
            fail_msg("%s", err.message);
        assert_whole(file, "abcde");
        assert_null(hry_file_kv(file, "split.count"));
        assert_null(hry_file_kv(file, "split.no"));
        assert_null(hry_file_kv(file, "split.tensors.count"));
        assert_non_null(hry_file_kv(file, "general.architecture"));
        hry_file_info_get(file, &info);
        assert_int_equal(info.file_size, size);
        hry_file_close(file);
    }
}

/* One file from all: copied as GGUF, and by way of a container. */
static void merged(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file, *container, *back;
    gguf_maker wanted;
    part one = { 0, 0, -1, "abcde", 0 };
    gguf_begin(&wanted, 0, 3, 5, 1);
    gguf_key(&wanted, "general.architecture", STRING);
    gguf_string(&wanted, "none");
    put_tensors(&wanted, &one);
    write_set(good, 3);
    hry_export_options options = { .strict = true, .replace = true, .no_sync = true };
    assert_int_equal(hry_gguf_open(scratch_path("m-00001-of-00003.gguf"), NULL, &file, &err), HRY_OK);
    assert_int_equal(hry_gguf_save(file, scratch_path("one.gguf"), &options, &err), HRY_OK);
    assert_true(scratch_is("one.gguf", wanted.bytes, wanted.used));
    assert_int_equal(hry_gguf_open(scratch_path("one.gguf"), NULL, &back, &err), HRY_OK);
    assert_whole(back, "abcde");
    hry_file_close(back);
    assert_int_equal(gguf_to_container(file, scratch_path("one.hrry"), &err), HRY_OK);
    assert_int_equal(hry_file_open(scratch_path("one.hrry"), NULL, &container, &err), HRY_OK);
    assert_int_equal(hry_gguf_save(container, scratch_path("one.gguf"), &options, &err), HRY_OK);
    assert_true(scratch_is("one.gguf", wanted.bytes, wanted.used));
    hry_file_close(container);
    hry_file_close(file);
    gguf_free(&wanted);
}

/* The first file with metadata alone, and counts of 0 and 1 that split nothing. */
static void odd_but_good(void **state)
{
    (void)state;
    hry_error err;
    hry_file *file;
    const part empty_first[] = { { 0, 2, 1, "", 0 }, { 1, 2, 1, "z", 0 } };
    write_set(empty_first, 2);
    assert_int_equal(hry_gguf_open(scratch_path("m-00001-of-00002.gguf"), NULL, &file, &err), HRY_OK);
    assert_whole(file, "z");
    hry_file_close(file);
    for (unsigned count = 0; count < 2; count++) {
        gguf_maker m;
        make_part(&m, &(part){ 0, count, -1, "q", 0 });
        assert_int_equal(hry_gguf_open_memory(m.bytes, m.used, NULL, NULL, NULL, &file, &err), HRY_OK);
        assert_whole(file, "q");
        assert_non_null(hry_file_kv(file, "split.count")); /* nothing was merged */
        hry_file_close(file);
        gguf_free(&m);
    }
}

static void assert_refused(const part *parts, size_t count, const char *words)
{
    hry_error err;
    hry_file *file;
    char first[64];
    write_set(parts, count);
    snprintf(first, sizeof first, "m-00001-of-%05zu.gguf", count);
    assert_int_equal(hry_gguf_open(scratch_path(first), NULL, &file, &err), HRY_E_INPUT);
    if (!strstr(err.message, words))
        fail_msg("\"%s\" does not say \"%s\"", err.message, words);
}

static void broken(void **state)
{
    (void)state;
    assert_refused((part[]){ { 0, 2, 2, "a", 0 }, { 0, 2, 2, "b", 0 } }, 2,
                   "m-00002-of-00002.gguf: its split.no is not 1");
    assert_refused((part[]){ { 0, 2, 2, "a", 0 }, { 1, 3, 2, "b", 0 } }, 2, "its split.count is 3, the first file's 2");
    assert_refused((part[]){ { 0, 2, 2, "a", 0 }, { 1, 0, 2, "b", 0 } }, 2, "its split.count is 0");
    assert_refused((part[]){ { 0, 2, 3, "a", 0 }, { 1, 2, 3, "b", 0 } }, 2, "split.tensors.count is 3");
    assert_refused((part[]){ { 0, 2, 2, "a", 0 }, { 1, 2, 2, "a", 0 } }, 2, "tensor \"a\": it is there twice");
    hry_error err;
    hry_file *file;
    /* Cut short in the second file. */
    write_set(good, 3);
    assert_int_equal(truncate(scratch_path("m-00002-of-00003.gguf"), 100), 0);
    assert_int_equal(hry_gguf_open(scratch_path("m-00001-of-00003.gguf"), NULL, &file, &err), HRY_E_INPUT);
    assert_non_null(strstr(err.message, "m-00002-of-00003.gguf: "));
    /* Not the first; a name that tells nothing of the others; a number that is none. */
    write_set(good, 3);
    assert_int_equal(hry_gguf_open(scratch_path("m-00003-of-00003.gguf"), NULL, &file, &err), HRY_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "file 3 of 3 of a split set: open the first one"));
    assert_int_equal(rename(scratch_path("m-00001-of-00003.gguf"), scratch_path("other.gguf")), 0);
    assert_int_equal(hry_gguf_open(scratch_path("other.gguf"), NULL, &file, &err), HRY_E_INPUT);
    assert_non_null(strstr(err.message, "-00001-of-00003.gguf"));
    for (int which = 0; which < 4; which++) {
        gguf_maker m;
        gguf_begin(&m, 0, 3, 0, 2);
        gguf_key(&m, "split.count", which == 0 ? STRING : which == 1 ? I32 : U32);
        if (which == 0)
            gguf_string(&m, "two");
        else
            gguf_u32(&m, which == 1 ? (uint32_t)-2 : which == 2 ? 100000 : 2);
        gguf_key(&m, which == 3 ? "other.no" : "split.no", U8);
        gguf_u8(&m, 0);
        assert_true(scratch_write("n-00001-of-00002.gguf", m.bytes, m.used));
        assert_int_equal(hry_gguf_open(scratch_path("n-00001-of-00002.gguf"), NULL, &file, &err), HRY_E_INPUT);
        static const char *const words[] = { "not a whole number", "negative", "split.count is 100000",
                                             "without split.no" };
        assert_non_null(strstr(err.message, words[which]));
        gguf_free(&m);
    }
}

typedef struct heard {
    size_t count;
    char names[4][32];
} heard;

static void hear(void *ctx, const hry_note *note)
{
    heard *h = ctx;
    assert_int_equal(note->kind, HRY_NOTE_MISSING);
    assert_int_equal(note->subject, HRY_NOTE_PART);
    assert_in_range(note->name.len, 1, 31);
    memcpy(h->names[h->count], note->name.ptr, note->name.len);
    h->count++;
}

/* All that is missing is named, not only the first. */
static void missing(void **state)
{
    (void)state;
    const part parts[] = { { 0, 4, 4, "a", 0 }, { 1, 4, 4, "b", 0 }, { 2, 4, 4, "c", 0 }, { 3, 4, 4, "d", 0 } };
    heard h = { 0 };
    hry_error err;
    hry_file *file;
    write_set(parts, 4);
    assert_int_equal(unlink(scratch_path("m-00002-of-00004.gguf")), 0);
    assert_int_equal(unlink(scratch_path("m-00004-of-00004.gguf")), 0);
    hry_import_options options = { .note = hear, .note_ctx = &h };
    assert_int_equal(hry_gguf_open(scratch_path("m-00001-of-00004.gguf"), &options, &file, &err), HRY_E_INPUT);
    assert_int_equal(h.count, 2);
    assert_string_equal(h.names[0], "m-00002-of-00004.gguf");
    assert_string_equal(h.names[1], "m-00004-of-00004.gguf");
    assert_non_null(strstr(err.message, "m-00002-of-00004.gguf"));
    assert_non_null(strstr(err.message, "m-00004-of-00004.gguf"));
}

static void no_memory(void **state)
{
    (void)state;
    write_set(good, 3);
    for (size_t fail_at = 1;; fail_at++) {
        stingy s;
        hry_file *file = NULL;
        stingy_init(&s, fail_at);
        hry_import_options options = { .file.allocator = &s.allocator };
        hry_status status = hry_gguf_open(scratch_path("m-00001-of-00003.gguf"), &options, &file, NULL);
        hry_file_close(file);
        assert_int_equal(s.live, 0);
        if (!status) {
            assert_true(fail_at > 10);
            break;
        }
        assert_int_equal(status, HRY_E_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),  cmocka_unit_test(merged),  cmocka_unit_test(odd_but_good),
        cmocka_unit_test(broken), cmocka_unit_test(missing), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
