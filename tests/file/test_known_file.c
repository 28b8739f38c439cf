/* The container that the format's own tables spell out byte by byte (file-format, 11): our reader has all of it. */
#include "file/assemble.h"

#include <hurray/file.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

/* Put together by the table; its size and CRC-32C are known, so that a slip of the hand shows. */
static void assemble_basic(assembly *a)
{
    static const char entries[] = "\x08\0producer\x01\x12\0\0\0hurray-conformance"
                                  "\x0C\0tensor_count\x02\x02\0\0\0\0\0\0";
    static const float zeros[4];
    uint8_t bias[64];
    uint64_t three = 3;
    asm_begin(a, ASM_CRC, 4096); /* HAS_KV_METADATA is not set though metadata are there */
    asm_floats(a, "weights", zeros, 2, (uint64_t[]){ 2, 2 });
    asm_tensor(a, "bias", bias, asm_dense(bias, 0x10, 1, &three, 3), zeros, &three, 1);
    asm_kv(a, 2, entries, sizeof entries);
    asm_end(a);
    assert_int_equal(a->nbytes, 8391);
    assert_int_equal(a->kv, 0x2008);
    assert_int_equal(a->index, 0x2048);
    assert_int_equal(a->trailer, 0x209F);
    assert_int_equal(asm_get(a, a->trailer + 28, 4), 0x51349F72);
}

static void assert_entry(const hry_file *f, uint64_t i, hry_file_entry expected)
{
    hry_file_entry e;
    uint64_t found;
    assert_true(hry_file_entry_get(f, i, &e));
    assert_int_equal(e.name.len, expected.name.len);
    assert_memory_equal(e.name.ptr, expected.name.ptr, e.name.len);
    assert_int_equal(e.descriptor_offset, expected.descriptor_offset);
    assert_int_equal(e.descriptor_length, expected.descriptor_length);
    assert_int_equal(e.data_offset, expected.data_offset);
    assert_int_equal(e.data_length, expected.data_length);
    assert_true(hry_file_find(f, expected.name.ptr, expected.name.len, &found));
    assert_int_equal(found, i);
}

static void assert_tensor(hry_file *f, const char *name, uint8_t type, uint32_t rank, uint64_t dim, uint64_t nbytes)
{
    hry_tensor *t;
    uint64_t size;
    assert_int_equal(hry_file_tensor(f, name, &t, NULL), HRY_OK);
    assert_int_equal(hry_tensor_type(t), type);
    assert_int_equal(hry_tensor_rank(t), rank);
    assert_int_equal(hry_tensor_dim(t, 0), dim);
    const uint8_t *p = hry_tensor_buffer(t, 0, &size);
    assert_int_equal(size, nbytes);
    for (uint64_t i = 0; i < nbytes; i++)
        assert_int_equal(p[i], 0);
    hry_tensor_release(t);
}

static void reads_exactly(void **state)
{
    (void)state;
    assembly a;
    hry_file *f;
    hry_file_info info;
    assemble_basic(&a);
    assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, NULL, &f, NULL), HRY_OK);
    assert_string_equal(hry_file_format(f), "hurray");
    hry_file_info_get(f, &info);
    assert_int_equal(info.version_major, 1);
    assert_int_equal(info.version_minor, 0);
    assert_int_equal(info.flags, HRY_FILE_HAS_INDEX_CRC);
    assert_int_equal(info.alignment, 4096);
    assert_int_equal(info.first_descriptor_offset, 64);
    assert_true(info.tensor_count_hint == UINT64_MAX);
    assert_int_equal(info.kv_offset, 0x2008);
    assert_int_equal(info.kv_length, 60);
    assert_int_equal(info.index_offset, 0x2048);
    assert_int_equal(info.index_length, 87);
    assert_int_equal(hry_file_count(f), 2);
    assert_entry(f, 0, (hry_file_entry){ { "weights", 7 }, 0x40, 61, 0x1000, 16 });
    assert_entry(f, 1, (hry_file_entry){ { "bias", 4 }, 0x1010, 53, 0x2000, 3 });
    assert_tensor(f, "weights", HRY_TYPE_FLOAT32, 2, 2, 16);
    assert_tensor(f, "bias", HRY_TYPE_INT8, 1, 3, 3);
    const hry_kv *producer = hry_file_kv(f, "producer"), *count = hry_file_kv(f, "tensor_count");
    assert_int_equal(producer->value.type, HRY_KV_STRING);
    assert_int_equal(producer->value.as.string.len, 18);
    assert_memory_equal(producer->value.as.string.ptr, "hurray-conformance", 18);
    assert_int_equal(count->value.type, HRY_KV_INT64);
    assert_int_equal(count->value.as.int64, 2);
    hry_file_close(f);
    asm_free(&a);
}

/* Positions and names that are not there. */
static void out_of_range(void **state)
{
    (void)state;
    assembly a;
    hry_file *f;
    hry_file_entry e;
    hry_desc d;
    hry_tensor *t;
    uint64_t i;
    assemble_basic(&a);
    assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, NULL, &f, NULL), HRY_OK);
    assert_int_equal(hry_file_name(f, 2).len, 0);
    assert_false(hry_file_entry_get(f, 2, &e));
    assert_int_equal(hry_file_desc(f, 2, &d, NULL), HRY_E_USAGE);
    assert_int_equal(hry_file_tensor_at(f, UINT64_MAX, &t, NULL), HRY_E_USAGE);
    assert_int_equal(hry_file_tensor(f, "weight", &t, NULL), HRY_E_ABSENT);
    assert_false(hry_file_find(f, "weights ", 8, &i));
    assert_int_equal(hry_file_read_into(f, 0, 1, &a, 1, NULL, NULL), HRY_E_USAGE);
    assert_int_equal(hry_file_read_into(f, 0, 0, &a, 15, NULL, NULL), HRY_E_USAGE);
    hry_file_close(f);
    hry_file_close(NULL);
    asm_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(reads_exactly), cmocka_unit_test(out_of_range) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
