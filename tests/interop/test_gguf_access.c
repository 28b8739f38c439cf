/* What GGUF files may cost, and whose their bytes are. */
#include "interop/gguf_model.h"
#include "interop/stingy.h"
#include "support/scratch.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <string.h>

enum { U8, I8, U16, I16, U32, I32, F32_KV, BOOL, STRING, ARRAY, U64, I64, F64_KV };
enum { F32 = 0, Q8_0 = 8 };

static hry_status open_made(const gguf_maker *m, const hry_import_options *options, hry_file **file, hry_error *err)
{
    return hry_gguf_open_memory(m->bytes, m->used, NULL, NULL, options, file, err);
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

static void limits(void **state)
{
    (void)state;
    gguf_maker m;
    hry_file *file;
    hry_error err;
    gguf_begin(&m, 0, 3, 3, 1);
    gguf_key(&m, "k", ARRAY);
    gguf_u32(&m, U16);
    gguf_u64(&m, 1000);
    for (int i = 0; i < 1000; i++)
        gguf_u16(&m, (unsigned)i);
    for (int i = 0; i < 3; i++)
        gguf_info(&m, (char[]){ (char)('a' + i), 0 }, 1, (uint64_t[]){ 0 }, F32, 0);
    assert_true(scratch_write("made.gguf", m.bytes, m.used));
    static const struct {
        hry_limits limits;
        const char *words;
    } cases[] = { { { .tensor_count = 2 }, "limit of 2" },
                  { { .header_length = 1000 }, "limit of 1000 bytes" },
                  { { .header_length = 2100 }, "limit of 2100 bytes" },
                  { { .kv_length = 7999 }, "limit of 7999 bytes" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (hry_access access = HRY_MAP; access <= HRY_READ; access++) {
            hry_import_options options = { .file = { .parse.limits = &cases[i].limits, .access = access } };
            assert_int_equal(hry_gguf_open(scratch_path("made.gguf"), &options, &file, &err), HRY_E_LIMIT);
            assert_non_null(strstr(err.message, cases[i].words));
        }
    hry_limits enough = { .tensor_count = 3, .header_length = m.used, .kv_length = 8000 };
    hry_import_options options = { .file.parse.limits = &enough };
    assert_int_equal(hry_gguf_open(scratch_path("made.gguf"), &options, &file, &err), HRY_OK);
    hry_file_close(file);
    gguf_free(&m);
}

/* Counts that lie do not cost memory. (RPT-03) */
static void thrift(void **state)
{
    (void)state;
    static const uint64_t lies[] = { UINT64_MAX, UINT64_C(1) << 61, UINT32_MAX, 100000 };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        for (int what = 0; what < 4; what++) {
            gguf_maker m;
            stingy s;
            stingy_init(&s, 0);
            hry_file *file;
            hry_import_options options = { .file.allocator = &s.allocator };
            gguf_begin(&m, 0, 3, what == 0 ? lies[i] : 0, what == 1 ? lies[i] : 1);
            gguf_key(&m, "k", what == 2 ? STRING : ARRAY);
            if (what != 2)
                gguf_u32(&m, what == 3 ? ARRAY : U8);
            gguf_u64(&m, lies[i]);
            gguf_u64(&m, 0);
            assert_int_equal(open_made(&m, &options, &file, NULL), HRY_E_INPUT);
            assert_true(s.peak < 65536);
            assert_int_equal(s.live, 0);
            gguf_free(&m);
        }
}

static void no_memory(void **state)
{
    (void)state;
    gguf_maker m;
    gguf_begin(&m, 0, 3, 2, 3);
    gguf_key(&m, "s", ARRAY);
    gguf_u32(&m, STRING);
    gguf_u64(&m, 1);
    gguf_string(&m, "x");
    gguf_key(&m, "n", ARRAY);
    gguf_u32(&m, ARRAY);
    gguf_u64(&m, 0);
    gguf_key(&m, "b", BOOL);
    gguf_u8(&m, 7);
    gguf_info(&m, "w", 1, (uint64_t[]){ 32 }, 6, 32); /* out of order, and of a type that the record names */
    gguf_info(&m, "v", 1, two, F32, 0);
    gguf_pad(&m, 32);
    for (size_t i = 0; i < 54; i++)
        gguf_u8(&m, 1);
    assert_true(scratch_write("made.gguf", m.bytes, m.used));
    for (int way = 0; way < 2; way++)
        for (size_t fail_at = 1;; fail_at++) {
            stingy s;
            stingy_init(&s, fail_at);
            hry_file *file = NULL;
            hry_tensor *tensor = NULL;
            hry_import_options options = { .file = { .allocator = &s.allocator, .access = HRY_READ } };
            hry_status status = way ? hry_gguf_open(scratch_path("made.gguf"), &options, &file, NULL)
                                    : open_made(&m, &options, &file, NULL);
            if (!status)
                status = hry_file_tensor(file, "w", &tensor, NULL);
            hry_tensor_release(tensor);
            hry_file_close(file);
            assert_int_equal(s.live, 0);
            if (!status) {
                assert_true(fail_at > 10);
                break;
            }
            assert_int_equal(status, HRY_E_MEMORY);
        }
    gguf_free(&m);
}

static void count_release(void *ctx)
{
    ++*(int *)ctx;
}

/* Memory of the caller's goes back once, when all is gone, and stays his when nothing comes of it. */
static void release(void **state)
{
    (void)state;
    gguf_maker m;
    hry_file *file;
    hry_tensor *tensor;
    int released = 0;
    gguf_begin(&m, 0, 3, 1, 0);
    end_with_tensor(&m, "w", 1, two, F32, 0, 8);
    assert_int_equal(hry_gguf_open_memory(m.bytes, m.used, count_release, &released, NULL, &file, NULL), HRY_OK);
    assert_int_equal(hry_file_tensor(file, "w", &tensor, NULL), HRY_OK);
    assert_ptr_equal(hry_tensor_buffer(tensor, 0, NULL), m.bytes + 64); /* in place */
    hry_file_close(file);
    assert_int_equal(released, 0);
    hry_tensor_release(tensor);
    assert_int_equal(released, 1);
    for (size_t cut = 0; cut < m.used; cut++)
        assert_int_equal(hry_gguf_open_memory(m.bytes, cut, count_release, &released, NULL, &file, NULL), HRY_E_INPUT);
    gguf_free(&m);
    gguf_begin(&m, 0, 3, 0, 2); /* a part of a set, found out late */
    gguf_key(&m, "split.count", U16);
    gguf_u16(&m, 2);
    gguf_key(&m, "split.no", U16);
    gguf_u16(&m, 0);
    assert_int_equal(hry_gguf_open_memory(m.bytes, m.used, count_release, &released, NULL, &file, NULL),
                     HRY_E_UNSUPPORTED);
    assert_int_equal(released, 1);
    gguf_free(&m);
}

static void by_descriptor(void **state)
{
    (void)state;
    gguf_maker m;
    hry_file *file;
    hry_error err;
    hry_tensor *tensor;
    int pipes[2];
    gguf_begin(&m, 0, 3, 1, 0);
    end_with_tensor(&m, "w", 1, two, F32, 0, 8);
    assert_true(scratch_write("made.gguf", m.bytes, m.used));
    FILE *open = fopen(scratch_path("made.gguf"), "rb");
    assert_non_null(open);
    assert_int_equal(hry_gguf_open_fd(fileno(open), NULL, &file, &err), HRY_OK);
    fclose(open);
    assert_int_equal(hry_file_tensor(file, "w", &tensor, NULL), HRY_OK);
    assert_memory_equal(hry_tensor_buffer(tensor, 0, NULL), m.bytes + 64, 8);
    hry_tensor_release(tensor);
    hry_file_close(file);
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(hry_gguf_open_fd(pipes[0], NULL, &file, &err), HRY_E_USAGE);
    close(pipes[0]);
    close(pipes[1]);
    assert_int_equal(hry_gguf_open(scratch_path("nothing.gguf"), NULL, &file, &err), HRY_E_ABSENT);
    assert_int_equal(hry_foreign_open(scratch_path("made.gguf"), NULL, &file, &err), HRY_OK);
    assert_string_equal(hry_file_format(file), "gguf");
    hry_file_close(file);
    gguf_free(&m);
}

static void shrinks(void **state)
{
    (void)state;
    gguf_maker m;
    hry_file *file;
    hry_tensor *tensor;
    hry_error err;
    gguf_begin(&m, 0, 3, 2, 0);
    gguf_info(&m, "w", 1, (uint64_t[]){ 16384 }, F32, 0);
    gguf_info(&m, "q", 1, (uint64_t[]){ 32 }, Q8_0, 65536);
    gguf_pad(&m, 32);
    for (size_t i = 0; i < 65536 + 34; i++)
        gguf_u8(&m, 0);
    assert_true(scratch_write("made.gguf", m.bytes, m.used));
    assert_int_equal(hry_gguf_open(scratch_path("made.gguf"), NULL, &file, NULL), HRY_OK);
    assert_int_equal(truncate(scratch_path("made.gguf"), 5000), 0);
    for (uint64_t i = 0; i < 2; i++) {
        assert_int_equal(hry_file_tensor_at(file, i, &tensor, &err), HRY_E_IO);
        assert_non_null(strstr(err.message, "shrunk to 5000 bytes"));
    }
    hry_file_close(file);
    gguf_free(&m);
}

/* Data beyond 4 GiB, in a file with a hole. (RPT-22) */
static void far_data(void **state)
{
    (void)state;
    gguf_maker m;
    hry_file *file;
    hry_tensor *tensor;
    hry_error err;
    const uint64_t far = UINT64_C(5) << 30;
    if (sizeof(size_t) < 8)
        skip();
    gguf_begin(&m, 0, 3, 2, 0);
    gguf_info(&m, "near", 1, two, F32, 0);
    gguf_info(&m, "far", 1, (uint64_t[]){ 32 }, Q8_0, far);
    gguf_pad(&m, 32);
    size_t data = m.used;
    gguf_u64(&m, 7);
    assert_true(scratch_write("far.gguf", m.bytes, m.used));
    FILE *end = fopen(scratch_path("far.gguf"), "r+b");
    assert_non_null(end);
    uint8_t block[34] = { 0, 0x3C };
    memset(block + 2, 5, 32);
    assert_int_equal(fseeko(end, (off_t)(data + far), SEEK_SET), 0);
    assert_int_equal(fwrite(block, 1, sizeof block, end), sizeof block);
    fclose(end);
    for (hry_access access = HRY_MAP; access <= HRY_READ; access++) {
        hry_import_options options = { .file.access = access };
        if (hry_gguf_open(scratch_path("far.gguf"), &options, &file, &err) ||
            hry_file_tensor(file, "far", &tensor, &err))
            fail_msg("%s", err.message);
        assert_memory_equal(hry_tensor_buffer(tensor, 0, NULL), block + 2, 32);
        hry_tensor_release(tensor);
        hry_file_close(file);
    }
    gguf_free(&m);
}

static void *look(void *ctx)
{
    hry_file *file = ctx;
    size_t bad = 0;
    for (int round = 0; round < 20; round++)
        for (uint64_t i = 0; i < hry_file_count(file); i++) {
            hry_desc desc;
            hry_tensor *tensor;
            bad += hry_file_desc(file, i, &desc, NULL) || hry_file_tensor_at(file, i, &tensor, NULL);
            if (bad)
                return (void *)file;
            bad += hry_tensor_dim(tensor, 1) != hry_desc_dim(&desc, 1);
            hry_tensor_release(tensor);
        }
    return bad ? (void *)file : NULL;
}

/* Descriptors are made when they are asked for, whoever asks first. */
static void threads(void **state)
{
    (void)state;
    gguf_maker m;
    pthread_t thread[4];
    gguf_make_blocks(&m, 0);
    hry_file *file = gguf_open_made(&m, &(hry_import_options){ .dequantize = HRY_DEQUANTIZE_NEEDED });
    for (int t = 0; t < 4; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, look, file), 0);
    for (int t = 0; t < 4; t++) {
        void *result;
        assert_int_equal(pthread_join(thread[t], &result), 0);
        assert_null(result);
    }
    hry_file_close(file);
    gguf_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),    cmocka_unit_test(thrift),        cmocka_unit_test(release),
        cmocka_unit_test(no_memory), cmocka_unit_test(by_descriptor), cmocka_unit_test(shrinks),
        cmocka_unit_test(far_data),  cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
