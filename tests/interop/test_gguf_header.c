/* Headers, sound and broken: which are refused, where, and in what words. (format: gguf, section 1.10) */
#include "interop/gguf_model.h"
#include "support/scratch.h"
#include "support/shared_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

enum { U8, I8, U16, I16, U32, I32, F32_KV, BOOL, STRING, ARRAY, U64, I64, F64_KV };
enum { F32 = 0, Q4_0 = 2, Q8_0 = 8, I8_ELEMENT = 24, IQ2_XXS = 16 };

static hry_status open_made(const gguf_maker *m, const hry_import_options *options, hry_file **file, hry_error *err)
{
    return hry_gguf_open_memory(m->bytes, m->used, NULL, NULL, options, file, err);
}

/* Opens it by all ways, which agree. */
static void assert_opens(gguf_maker *m)
{
    hry_error err;
    for (int way = 0; way < 3; way++) {
        hry_file *file = NULL;
        hry_import_options options = { .file.access = way == 1 ? HRY_MAP : HRY_READ };
        if (way)
            assert_true(scratch_write("made.gguf", m->bytes, m->used));
        if (way ? hry_gguf_open(scratch_path("made.gguf"), &options, &file, &err) : open_made(m, &options, &file, &err))
            fail_msg("%s", err.message);
        assert_string_equal(hry_file_format(file), "gguf");
        hry_file_close(file);
    }
    gguf_free(m);
}

static void assert_refused(gguf_maker *m, uint64_t offset, const char *words)
{
    hry_error err;
    for (int way = 0; way < 3; way++) {
        hry_file *file = NULL;
        hry_import_options options = { .file.access = way == 1 ? HRY_MAP : HRY_READ };
        if (way)
            assert_true(scratch_write("made.gguf", m->bytes, m->used));
        assert_int_equal(way ? hry_gguf_open(scratch_path("made.gguf"), &options, &file, &err)
                             : open_made(m, &options, &file, &err),
                         HRY_E_INPUT);
        if (!strstr(err.message, words))
            fail_msg("\"%s\" does not say \"%s\"", err.message, words);
        assert_int_equal(err.offset, offset);
        assert_null(strchr(err.message, '\n'));
        assert_null(file);
    }
    gguf_free(m);
}

/* One F32 tensor of two elements, after metadata that the caller has put. */
static void end_with_tensor(gguf_maker *m, const char *name, uint32_t rank, const uint64_t *dims, uint32_t type,
                            uint64_t offset, size_t nbytes)
{
    gguf_info(m, name, rank, dims, type, offset);
    gguf_pad(m, 32);
    for (size_t i = 0; i < nbytes; i++)
        gguf_u8(m, (unsigned)i);
}

static const uint64_t two[] = { 2 };

static void counts(void **state)
{
    (void)state;
    gguf_maker m;
    gguf_begin(&m, 0, 3, 0, 0);
    assert_opens(&m);
    gguf_begin(&m, 0, 3, 0, 0);
    m.bytes[0] = 'g';
    assert_refused(&m, 0, "magic");
    gguf_begin(&m, 0, 3, 0, 0);
    m.used = 23;
    assert_refused(&m, 0, "truncated");
    gguf_begin(&m, 0, 3, 0, 0);
    m.used = 0;
    assert_refused(&m, 0, "truncated");
    gguf_begin(&m, 0, 3, UINT64_C(1) << 61, 0);
    assert_refused(&m, 8, "tensors");
    gguf_begin(&m, 0, 3, 1, 0);
    assert_refused(&m, 8, "1 tensors");
    gguf_begin(&m, 0, 3, 0, UINT64_MAX);
    assert_refused(&m, 16, "metadata");
    /* One too many, and one too few: what follows is then no padding. */
    gguf_begin(&m, 0, 3, 2, 0);
    end_with_tensor(&m, "w", 1, two, F32, 0, 8);
    assert_refused(&m, 57, "name"); /* where the next entry would be there is only padding: an empty name */
    gguf_begin(&m, 0, 3, 0, 2);
    gguf_key(&m, "k", U8);
    gguf_u8(&m, 1);
    assert_refused(&m, 16, "2 metadata");
}

static void versions(void **state)
{
    (void)state;
    static const uint32_t bad[] = { 0, 1, 4, 0x10000, 0x10003 };
    gguf_maker m;
    for (uint32_t v = 2; v <= 3; v++) {
        gguf_begin(&m, 0, v, 1, 0);
        end_with_tensor(&m, "w", 1, two, F32, 0, 8);
        assert_opens(&m);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gguf_begin(&m, 0, bad[i], 0, 0);
        assert_refused(&m, 4, "version");
    }
    gguf_begin(&m, 1, 3, 1, 0);
    end_with_tensor(&m, "w", 1, two, F32, 0, 8);
    assert_opens(&m);
    gguf_begin(&m, 1, 2, 0, 0);
    assert_refused(&m, 4, "version 2 in big-endian order");
}

static void keys(void **state)
{
    (void)state;
    gguf_maker m;
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_key(&m, "", U32);
    gguf_u32(&m, 1);
    assert_refused(&m, 24, "key \"\" is empty");
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_key(&m, "a\xC0\x80", U32);
    gguf_u32(&m, 1);
    assert_refused(&m, 24, "not UTF-8");
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_u64(&m, 3);
    gguf_raw(&m, "a\0b", 3);
    gguf_u32(&m, U8);
    gguf_u32(&m, 1);
    assert_refused(&m, 24, "NUL");
    gguf_begin(&m, 0, 3, 0, 2);
    for (int i = 0; i < 2; i++) {
        gguf_key(&m, "a\nb", U8);
        gguf_u8(&m, 1);
    }
    assert_refused(&m, 40, "key \"a\\x0ab\" is there twice (duplicate)");
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_key(&m, "k", 13);
    gguf_u64(&m, 1);
    assert_refused(&m, 33, "type 13");
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_u64(&m, UINT64_MAX);
    gguf_u64(&m, 0);
    assert_refused(&m, 24, "truncated");
}

static void values(void **state)
{
    (void)state;
    gguf_maker m;
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_key(&m, "k", STRING);
    gguf_u64(&m, UINT32_MAX);
    assert_refused(&m, 37, "string of 4294967295 bytes");
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_key(&m, "k", ARRAY);
    gguf_u32(&m, 13);
    gguf_u64(&m, 0);
    assert_refused(&m, 37, "type 13");
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_key(&m, "k", ARRAY);
    gguf_u32(&m, U64);
    gguf_u64(&m, UINT64_C(1) << 61); /* times 8 is 0 */
    assert_refused(&m, 41, "array of 2305843009213693952 elements");
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_key(&m, "k", ARRAY);
    gguf_u32(&m, U16);
    gguf_u64(&m, 3);
    gguf_u32(&m, 0); /* two of three */
    assert_refused(&m, 41, "array of 3 elements");
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_key(&m, "k", ARRAY);
    gguf_u32(&m, STRING);
    gguf_u64(&m, 1);
    gguf_u64(&m, 5);
    gguf_raw(&m, "four", 4);
    assert_refused(&m, 49, "string of 5 bytes");
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_key(&m, "k", U64);
    gguf_u32(&m, 0);
    assert_refused(&m, 37, "truncated");
}

/* Arrays in arrays: eight deep and no deeper. */
static void nesting(void **state)
{
    (void)state;
    for (int depth = 7; depth <= 10; depth++) {
        gguf_maker m;
        gguf_begin(&m, 0, 3, 0, 1);
        gguf_key(&m, "k", ARRAY);
        for (int d = 1; d < depth; d++) {
            gguf_u32(&m, ARRAY);
            gguf_u64(&m, 1);
        }
        gguf_u32(&m, U8);
        gguf_u64(&m, 1);
        gguf_u8(&m, 42);
        if (depth <= 8)
            assert_opens(&m);
        else
            assert_refused(&m, 37 + 12 * 7, "nested more than 8 deep");
    }
}

static void alignments(void **state)
{
    (void)state;
    static const uint32_t good[] = { 1, 2, 8, 32, 64, 4096, 0x80000000u };
    static const uint32_t bad[] = { 0, 3, 12, 48, UINT32_MAX };
    gguf_maker m;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        gguf_begin(&m, 0, 3, 1, 1);
        gguf_key(&m, "general.alignment", U32);
        gguf_u32(&m, good[i]);
        gguf_info(&m, "w", 1, (uint64_t[]){ 0 }, F32, 0);
        assert_opens(&m);
        if (good[i] > 4096)
            continue;
        gguf_begin(&m, 0, 3, 1, 1);
        gguf_key(&m, "general.alignment", U32);
        gguf_u32(&m, good[i]);
        gguf_info(&m, "w", 1, two, F32, 0);
        gguf_pad(&m, good[i]);
        gguf_u64(&m, 0);
        assert_opens(&m);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gguf_begin(&m, 0, 3, 0, 1);
        gguf_key(&m, "general.alignment", U32);
        gguf_u32(&m, bad[i]);
        assert_refused(&m, 53, "power of two");
    }
    gguf_begin(&m, 0, 3, 0, 1);
    gguf_key(&m, "general.alignment", U64);
    gguf_u64(&m, 32);
    assert_refused(&m, 49, "not of type uint32");
    gguf_begin(&m, 0, 3, 1, 1);
    gguf_key(&m, "general.alignment", U32);
    gguf_u32(&m, 64);
    end_with_tensor(&m, "w", 1, two, F32, 32, 64);
    assert_refused(&m, 57 + 25, "offset 32 is not a multiple of the alignment 64");
}

static void names(void **state)
{
    (void)state;
    gguf_maker m;
    char name[66] = { 0 };
    memset(name, 'n', 65);
    gguf_begin(&m, 0, 3, 1, 0);
    end_with_tensor(&m, name, 1, two, F32, 0, 8);
    assert_refused(&m, 24, "65 bytes");
    name[64] = 0;
    gguf_begin(&m, 0, 3, 1, 0);
    end_with_tensor(&m, name, 1, two, F32, 0, 8);
    assert_opens(&m);
    gguf_begin(&m, 0, 3, 1, 0);
    end_with_tensor(&m, "", 1, two, F32, 0, 8);
    assert_refused(&m, 24, "empty");
    gguf_begin(&m, 0, 3, 1, 0);
    end_with_tensor(&m, "\xFF\xFE", 1, two, F32, 0, 8);
    assert_refused(&m, 24, "tensor \"\\xff\\xfe\": its name holds a NUL or is not UTF-8");
    gguf_begin(&m, 0, 3, 2, 0);
    gguf_info(&m, "w", 1, two, F32, 0);
    end_with_tensor(&m, "w", 1, two, F32, 32, 40);
    assert_refused(&m, 24 + 33, "tensor \"w\": it is there twice (duplicate)");
}

static void shapes(void **state)
{
    (void)state;
    static const struct {
        uint32_t rank;
        uint64_t dims[5];
        uint32_t type;
        size_t nbytes;
        uint64_t offset; /* of the fault; 0: none */
        const char *words;
    } cases[] = {
        { 0, { 0 }, F32, 4, 0, NULL },
        { 1, { 0 }, F32, 0, 0, NULL },
        { 2, { 4, 0 }, F32, 0, 0, NULL },
        { 4, { 1, 2, 1, 3 }, F32, 24, 0, NULL },
        { 2, { 0, 7 }, Q8_0, 0, 0, NULL },
        { 2, { 32, 2 }, Q8_0, 68, 0, NULL },
        { 5, { 1, 1, 1, 1, 1 }, F32, 4, 33, "5 dimensions" },
        { UINT32_MAX, { 1 }, F32, 4, 33, "4294967295 dimensions" },
        { 1, { UINT64_C(1) << 63 }, I8_ELEMENT, 0, 37, "too many elements" },
        { 3, { UINT64_C(1) << 31, UINT64_C(1) << 31, 4 }, I8_ELEMENT, 0, 53, "too many elements" },
        { 4, { 0, UINT64_C(1) << 31, UINT64_C(1) << 31, 4 }, F32, 0, 61, "too many elements" },
        { 1, { INT64_MAX }, I8_ELEMENT, 0, 37, "too many elements" },
        { 1, { INT64_MAX - 1 }, F32, 0, 45, "does not fit" },
        { 1, { 31 }, Q8_0, 34, 45, "not whole blocks of Q8_0" },
        { 1, { 33 }, Q4_0, 36, 45, "33 elements" },
        { 0, { 0 }, Q4_0, 18, 37, "1 elements" },
        { 1, { 128 }, IQ2_XXS, 66, 45, "not whole blocks of IQ2_XXS" },
        { 1, { 32 }, 4, 32, 45, "type 4, which was removed" },
        { 1, { 32 }, 43, 32, 45, "unknown type 43" },
        { 1, { 32 }, UINT32_MAX, 32, 45, "unknown type 4294967295" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gguf_maker m;
        gguf_begin(&m, 0, 3, 1, 0);
        gguf_string(&m, "w");
        gguf_u32(&m, cases[i].rank);
        for (uint32_t k = 0; k < 5 && k < cases[i].rank; k++)
            gguf_u64(&m, cases[i].dims[k]);
        gguf_u32(&m, cases[i].type);
        gguf_u64(&m, 0);
        gguf_pad(&m, 32);
        for (size_t k = 0; k < cases[i].nbytes; k++)
            gguf_u8(&m, 0);
        if (cases[i].words)
            assert_refused(&m, cases[i].offset, cases[i].words);
        else
            assert_opens(&m);
    }
}

/* Two tensors of 32 bytes each, and the bytes behind the header. */
static void make_two(gguf_maker *m, uint64_t first, uint64_t second, size_t nbytes)
{
    gguf_begin(m, 0, 3, 2, 0);
    gguf_info(m, "a", 1, (uint64_t[]){ 32 }, I8_ELEMENT, first);
    gguf_info(m, "b", 1, (uint64_t[]){ 32 }, I8_ELEMENT, second);
    gguf_pad(m, 32);
    for (size_t i = 0; i < nbytes; i++)
        gguf_u8(m, (unsigned)i);
}

static void data(void **state)
{
    (void)state;
    gguf_maker m;
    make_two(&m, 0, 32, 64);
    assert_opens(&m);
    make_two(&m, 32, 0, 64); /* any order */
    assert_opens(&m);
    make_two(&m, 64, 160, 192); /* holes */
    assert_opens(&m);
    make_two(&m, 0, 0, 64);
    assert_refused(&m, 24 + 33 + 25, "tensor \"b\": its data at 0 overlap");
    make_two(&m, 32, 32, 64);
    assert_refused(&m, 24 + 33 + 25, "overlap");
    make_two(&m, 0, 16, 64);
    assert_refused(&m, 24 + 33 + 25, "offset 16");
    make_two(&m, 0, 32, 63);
    assert_refused(&m, 24 + 33 + 25, "tensor \"b\": its data, 32 bytes at 32 of 63, lie beyond the file's end");
    make_two(&m, 0, UINT64_C(0xFFFFFFFFFFFFFFE0), 64);
    assert_refused(&m, 24 + 33 + 25, "beyond the file's end");
    make_two(&m, 0, UINT64_C(1) << 62, 64);
    assert_refused(&m, 24 + 33 + 25, "beyond the file's end");
    /* The first by position, not by place. */
    make_two(&m, 64, 32, 40);
    assert_refused(&m, 24 + 25, "tensor \"a\"");
    /* The header ends, and the data would start later. */
    gguf_begin(&m, 0, 3, 1, 0);
    gguf_info(&m, "w", 1, two, F32, 0);
    assert_refused(&m, 57, "ends before its data start");
    /* An empty tensor needs no data, wherever it is said to be. */
    gguf_begin(&m, 0, 3, 1, 0);
    gguf_info(&m, "w", 1, (uint64_t[]){ 0 }, F32, UINT64_C(1) << 40);
    assert_opens(&m);
    /* A long overlapped by a short one behind it. */
    gguf_begin(&m, 0, 3, 3, 0);
    gguf_info(&m, "a", 1, (uint64_t[]){ 96 }, I8_ELEMENT, 0);
    gguf_info(&m, "b", 1, (uint64_t[]){ 0 }, I8_ELEMENT, 32);
    gguf_info(&m, "c", 1, (uint64_t[]){ 1 }, I8_ELEMENT, 64);
    gguf_pad(&m, 32);
    for (size_t i = 0; i < 96; i++)
        gguf_u8(&m, 0);
    assert_refused(&m, 24 + 33 + 33 + 25, "tensor \"c\": its data at 64 overlap another tensor's, which end at 96");
}

/* Whatever is cut off or changed in one byte: a verdict, the same by all ways of reading. */
static void damage(void **state)
{
    (void)state;
    gguf_maker m, copy;
    gguf_begin(&m, 0, 3, 2, 3);
    gguf_key(&m, "general.alignment", U32);
    gguf_u32(&m, 32);
    gguf_key(&m, "s", ARRAY);
    gguf_u32(&m, STRING);
    gguf_u64(&m, 2);
    gguf_string(&m, "x");
    gguf_string(&m, "yz");
    gguf_key(&m, "n", ARRAY);
    gguf_u32(&m, ARRAY);
    gguf_u64(&m, 1);
    gguf_u32(&m, I16);
    gguf_u64(&m, 2);
    gguf_u32(&m, 7);
    gguf_info(&m, "w", 2, (uint64_t[]){ 32, 2 }, Q8_0, 0);
    gguf_info(&m, "v", 1, two, F32, 96);
    gguf_pad(&m, 32);
    size_t header = m.used;
    for (size_t i = 0; i < 104; i++)
        gguf_u8(&m, 1);
    copy = m;
    for (size_t cut = 0; cut < m.used; cut++) {
        hry_file *file;
        hry_error err;
        copy.used = cut;
        assert_int_equal(open_made(&copy, NULL, &file, &err), HRY_E_INPUT);
    }
    assert_true(scratch_write("made.gguf", m.bytes, m.used));
    copy.used = m.used;
    for (size_t at = 0; at < header; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            hry_file *file = NULL;
            hry_error err;
            copy.bytes[at] ^= (uint8_t)(1u << bit);
            hry_status status = open_made(&copy, NULL, &file, &err);
            assert_true(status == HRY_OK || status == HRY_E_INPUT || status == HRY_E_UNSUPPORTED ||
                        status == HRY_E_LIMIT);
            for (uint64_t i = 0; !status && i < hry_file_count(file); i++) {
                hry_tensor *tensor = NULL;
                hry_file_tensor_at(file, i, &tensor, &err);
                hry_tensor_release(tensor);
            }
            hry_file_close(status ? NULL : file);
            copy.bytes[at] ^= (uint8_t)(1u << bit);
        }
    gguf_free(&m);
}

/* Files that others found to break their readers. */
static void bad_files(void **state)
{
    (void)state;
    static const char *const names[] = { "truncated_tensor.gguf",
                                         "gguf_fuzz/bad-version.bin",
                                         "gguf_fuzz/hdr-suppress-eos.gguf",
                                         "gguf_fuzz/hdr-wrap-first-offset.gguf",
                                         "gguf_fuzz/hdr-zero-first-dim.gguf",
                                         "gguf_fuzz/huge-counts.bin",
                                         "gguf_fuzz/kv-arr-huge-n.bin",
                                         "gguf_fuzz/kv-huge-strlen.bin",
                                         "gguf_fuzz/magic-only.bin" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[128];
        size_t nbytes;
        hry_file *file;
        hry_error err;
        snprintf(name, sizeof name, "data/bad/%s", names[i]);
        uint8_t *bytes = shared_read(name, &nbytes);
        assert_int_equal(hry_gguf_open_memory(bytes, nbytes, NULL, NULL, NULL, &file, &err), HRY_E_INPUT);
        assert_null(strchr(err.message, '\n'));
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),  cmocka_unit_test(versions),   cmocka_unit_test(keys),      cmocka_unit_test(values),
        cmocka_unit_test(nesting), cmocka_unit_test(alignments), cmocka_unit_test(names),     cmocka_unit_test(shapes),
        cmocka_unit_test(data),    cmocka_unit_test(damage),     cmocka_unit_test(bad_files),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
