/* What the writer writes, byte by byte and as readers see it. */
#include "base/bytes.h"
#include "file/assemble.h"
#include "file/kept.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* file-format, 11: the smallest file. */
static void smallest_file(void **state)
{
    (void)state;
    static const uint8_t expected[112] = {
        'H',  'R',  'R',  'Y',         'F',  'I',  'L',  'E',  1,    0,    0,         0,        4,
        0,    0,    0,    0,           0x10, 0,    0,    64,   0,    0,    0,         0,        0,
        0,    0,    0xFF, 0xFF,        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, [72] = 64, [80] = 8, [100] = 0x8A,
        0xB2, 0x28, 0x8C, [108] = 'H', 'R',  'R',  'Y'
    };
    kept k;
    hry_writer *w = writer_to(&k, &(hry_writer_options){ .no_kv = true });
    assert_int_equal(hry_writer_finish(w, NULL), HRY_OK);
    hry_writer_destroy(w);
    assert_int_equal(k.nbytes, sizeof expected);
    assert_memory_equal(k.bytes, expected, sizeof expected);
    free(k.bytes);
}

static const uint64_t shape22[] = { 2, 2 }, shape04[] = { 0, 4 };

static void add_metadata(hry_writer *w)
{
    uint8_t names[64];
    size_t used = 0;
    hry_kv_value one = { .type = HRY_KV_STRING, .as.string = { "\xC3\xA9", 2 } };
    hry_kv_value none = { .type = HRY_KV_STRING, .as.string = { NULL, 0 } };
    used += hry_kv_element_put(&one, names, sizeof names);
    used += hry_kv_element_put(&none, names + used, sizeof names - used);
    hry_kv_value list = { .type = HRY_KV_ARRAY,
                          .element_type = HRY_KV_STRING,
                          .as.array = { .count = 2, .nbytes = used, .encoded = names } };
    hry_kv_value numbers = { .type = HRY_KV_ARRAY,
                             .element_type = HRY_KV_BOOL,
                             .as.array = { .count = 2, .nbytes = 2, .encoded = "\1" } };
    hry_kv_value empty = { .type = HRY_KV_ARRAY, .element_type = HRY_KV_FLOAT64 };
    hry_kv_value bytes = { .type = HRY_KV_BYTES, .as.string = { "\xFF\0", 2 } };
    assert_int_equal(hry_writer_kv_string(w, "s", "text", NULL), HRY_OK);
    assert_int_equal(hry_writer_kv_int64(w, "i", INT64_MIN, NULL), HRY_OK);
    assert_int_equal(hry_writer_kv_uint64(w, "u", UINT64_MAX, NULL), HRY_OK);
    assert_int_equal(hry_writer_kv_float64(w, "f", -1.5, NULL), HRY_OK);
    assert_int_equal(hry_writer_kv_bool(w, "b", true, NULL), HRY_OK);
    assert_int_equal(hry_writer_kv(w, "y", 1, &bytes, NULL), HRY_OK);
    assert_int_equal(hry_writer_kv(w, "a", 1, &list, NULL), HRY_OK);
    assert_int_equal(hry_writer_kv(w, "n", 1, &numbers, NULL), HRY_OK);
    assert_int_equal(hry_writer_kv(w, "e", 1, &empty, NULL), HRY_OK);
}

#define METADATA_LINES                \
    "kv 's' 1 'text'\n"               \
    "kv 'i' 2 -9223372036854775808\n" \
    "kv 'u' 3 18446744073709551615\n" \
    "kv 'f' 4 -1.5\n"                 \
    "kv 'b' 5 True\n"                 \
    "kv 'y' 6 b'\\xff\\x00'\n"        \
    "kv 'a' 7 1 ['\\xe9', '']\n"      \
    "kv 'n' 7 5 [True, False]\n"      \
    "kv 'e' 7 4 []\n"

static void tensors_and_metadata(void **state)
{
    (void)state;
    kept k;
    hry_writer *w = writer_to(&k, NULL);
    add(w, "w", HRY_TYPE_UINT8, 2, shape22, four);
    add_metadata(w);
    add(w, "b", HRY_TYPE_INT8, 1, shape4, four);
    add(w, "scalar", HRY_TYPE_FLOAT32, 0, NULL, four);
    finish(w);
    assert_read_as(&k, "alignment 4096 flags 5\n" METADATA_LINES "order w b scalar\n"
                       "tensor w type 17 layout 1 shape [2, 2] data 01020304\n"
                       "tensor b type 16 layout 1 shape [4] data 01020304\n"
                       "tensor scalar type 3 layout 1 shape [] data 01020304\n");
    assert_readable(&k);
    free(k.bytes);
}

static void metadata_comes_back(void **state)
{
    (void)state;
    kept k;
    hry_writer *w = writer_to(&k, NULL);
    add_metadata(w);
    finish(w);
    hry_file *f;
    assert_int_equal(hry_file_open_memory(k.bytes, k.nbytes, NULL, NULL, NULL, &f, NULL), HRY_OK);
    assert_int_equal(hry_file_kv_count(f), 9);
    assert_int_equal(hry_file_kv(f, "i")->value.as.int64, INT64_MIN);
    assert_true(hry_file_kv(f, "u")->value.as.uint64 == UINT64_MAX);
    assert_true(hry_file_kv(f, "f")->value.as.float64 == -1.5);
    assert_true(hry_file_kv(f, "b")->value.as.boolean);
    assert_int_equal(hry_file_kv_at(f, 0)->value.as.string.len, 4);
    assert_null(hry_file_kv_at(f, 9));
    assert_null(hry_file_kv(f, "nothing"));
    const hry_kv_value *list = &hry_file_kv(f, "a")->value;
    hry_kv_value element;
    uint64_t cursor = 0;
    assert_int_equal(list->as.array.count, 2);
    assert_true(hry_kv_array_next(list, &cursor, &element));
    assert_memory_equal(element.as.string.ptr, "\xC3\xA9", 2);
    assert_true(hry_kv_array_next(list, &cursor, &element));
    assert_int_equal(element.as.string.len, 0);
    assert_false(hry_kv_array_next(list, &cursor, &element));
    hry_file_close(f);
    free(k.bytes);
}

/* Bytewise order, tensors where they were written. */
static void sorted_index(void **state)
{
    (void)state;
    kept k;
    hry_writer *w = writer_to(&k, &(hry_writer_options){ .sorted = true, .no_kv = true, .tensor_count = 6 });
    const char *names[] = { "z", "\xC3\xA9", "a", "ab", "aa", "Z" };
    for (size_t i = 0; i < 6; i++)
        add(w, names[i], HRY_TYPE_UINT8, 1, shape4, four);
    finish(w);
    assert_read_as(&k, "alignment 4096 flags 6\norder Z a aa ab z \xC3\xA9\n"
                       "tensor z type 17 layout 1 shape [4] data 01020304\n"
                       "tensor \xC3\xA9 type 17 layout 1 shape [4] data 01020304\n"
                       "tensor a type 17 layout 1 shape [4] data 01020304\n"
                       "tensor ab type 17 layout 1 shape [4] data 01020304\n"
                       "tensor aa type 17 layout 1 shape [4] data 01020304\n"
                       "tensor Z type 17 layout 1 shape [4] data 01020304\n");
    hry_file *f;
    assert_int_equal(hry_file_open_memory(k.bytes, k.nbytes, NULL, NULL, NULL, &f, NULL), HRY_OK);
    for (uint64_t i = 0, found; i < 6; i++) {
        hry_str name = hry_file_name(f, i);
        assert_true(hry_file_find(f, name.ptr, name.len, &found));
        assert_int_equal(found, i);
    }
    uint64_t found;
    assert_false(hry_file_find(f, "b", 1, &found));
    assert_false(hry_file_find(f, "", 0, &found));
    hry_file_close(f);
    free(k.bytes);
}

/* Empty tensors first, in the middle and last; no buffer has bytes where a reader would look for them. */
static void empty_tensors(void **state)
{
    (void)state;
    kept k;
    hry_writer *w = writer_to(&k, NULL);
    add(w, "e0", HRY_TYPE_FLOAT32, 2, shape04, NULL);
    add(w, "x", HRY_TYPE_UINT8, 1, shape4, four);
    add(w, "e1", HRY_TYPE_FLOAT32, 2, shape04, NULL);
    add(w, "y", HRY_TYPE_UINT8, 1, shape4, four);
    add(w, "e2", HRY_TYPE_FLOAT32, 2, shape04, NULL);
    finish(w);
    assert_read_as(&k, "alignment 4096 flags 5\norder e0 x e1 y e2\n"
                       "tensor e0 type 3 layout 1 shape [0, 4] data\n"
                       "tensor x type 17 layout 1 shape [4] data 01020304\n"
                       "tensor e1 type 3 layout 1 shape [0, 4] data\n"
                       "tensor y type 17 layout 1 shape [4] data 01020304\n"
                       "tensor e2 type 3 layout 1 shape [0, 4] data\n");
    assert_readable(&k);
    free(k.bytes);
}

/* CSR: values, column indices, row pointers. nnz 0 leaves the first two empty. */
static size_t csr(uint8_t *bytes, size_t room, uint64_t nnz, hry_desc *desc)
{
    hry_layout layout = { .tag = HRY_LAYOUT_CSR, .nnz = nnz };
    hry_desc_spec spec = { .type = HRY_TYPE_UINT8, .rank = 2, .shape = shape22, .layout = &layout };
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, room, desc, NULL), HRY_OK);
    return desc->length;
}

static void several_buffers(void **state)
{
    (void)state;
    kept k;
    uint8_t bytes[256];
    hry_desc desc;
    static const uint64_t pointers[] = { 0, HRY_LE64(1), HRY_LE64(1) }, columns[] = { HRY_LE64(1) },
                          no_rows[] = { 0, 0, 0 };
    hry_writer *w = writer_to(&k, &(hry_writer_options){ .alignment = 8192 });
    csr(bytes, sizeof bytes, 1, &desc);
    const void *buffers[] = { four, columns, pointers };
    hry_tensor *t;
    assert_int_equal(hry_writer_begin(w, "one", 3, &desc, NULL), HRY_OK);
    for (size_t i = 0; i < 3; i++)
        for (size_t b = 0; b < (size_t[]){ 1, 8, 24 }[i]; b++)
            assert_int_equal(hry_writer_data(w, (const uint8_t *)buffers[i] + b, 1, NULL), HRY_OK);
    assert_int_equal(hry_writer_end(w, NULL), HRY_OK);
    csr(bytes, sizeof bytes, 0, &desc);
    _Alignas(64) uint64_t aligned[8];
    memcpy(aligned, no_rows, sizeof no_rows);
    assert_int_equal(hry_tensor_create(&desc, (const void *[]){ NULL, NULL, aligned }, NULL, NULL, NULL, &t, NULL),
                     HRY_OK);
    assert_int_equal(hry_writer_add(w, "none", t, NULL), HRY_OK);
    hry_tensor_release(t);
    finish(w);
    assert_read_as(&k, "alignment 8192 flags 5\norder one none\n"
                       "tensor one type 17 layout 7 shape [2, 2] data 01 0100000000000000 "
                       "000000000000000001000000000000000100000000000000\n"
                       "tensor none type 17 layout 7 shape [2, 2] data   "
                       "000000000000000000000000000000000000000000000000\n");
    assert_readable(&k);
    free(k.bytes);
}

/* Larger than the writer's buffer, so that it goes out in more ways than one. */
static void large_data(void **state)
{
    (void)state;
    kept whole, pieces, from_file;
    size_t nbytes = ((size_t)5 << 20) + 3;
    uint8_t *data = malloc(nbytes);
    assert_non_null(data);
    for (size_t i = 0; i < nbytes; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 24);
    uint64_t shape[] = { nbytes };
    hry_writer *w = writer_to(&whole, NULL);
    add(w, "x", HRY_TYPE_UINT8, 1, shape, data);
    add(w, "y", HRY_TYPE_UINT8, 1, shape4, four);
    finish(w);
    assert_read_as(&whole, "alignment 4096 flags 5\norder x y\ntensor x type 17 layout 1 shape [5242883] data "
                           "(5242883)\ntensor y type 17 layout 1 shape [4] data 01020304\n");

    uint8_t bytes[128];
    hry_desc desc;
    hry_desc_spec spec = { .type = HRY_TYPE_UINT8, .rank = 1, .shape = shape };
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, NULL), HRY_OK);
    w = writer_to(&pieces, NULL);
    assert_int_equal(hry_writer_begin(w, "x", 1, &desc, NULL), HRY_OK);
    for (size_t done = 0, n = 1; done < nbytes; done += n, n = n * 3 + 1) {
        n = n < nbytes - done ? n : nbytes - done;
        assert_int_equal(hry_writer_data(w, data + done, n, NULL), HRY_OK);
    }
    assert_int_equal(hry_writer_end(w, NULL), HRY_OK);
    add(w, "y", HRY_TYPE_UINT8, 1, shape4, four);
    finish(w);
    assert_int_equal(pieces.nbytes, whole.nbytes);
    assert_memory_equal(pieces.bytes, whole.bytes, whole.nbytes);

    assert_true(scratch_write("data", data, nbytes));
    int fd = open(scratch_path("data"), O_RDONLY);
    w = writer_to(&from_file, NULL);
    assert_int_equal(hry_writer_begin(w, "x", 1, &desc, NULL), HRY_OK);
    assert_int_equal(hry_writer_data_fd(w, fd, 0, 1000, NULL), HRY_OK);
    assert_int_equal(hry_writer_data_fd(w, fd, 1000, nbytes - 1000, NULL), HRY_OK);
    assert_int_equal(hry_writer_end(w, NULL), HRY_OK);
    add(w, "y", HRY_TYPE_UINT8, 1, shape4, four);
    finish(w);
    close(fd);
    assert_int_equal(from_file.nbytes, whole.nbytes);
    assert_memory_equal(from_file.bytes, whole.bytes, whole.nbytes);
    free(from_file.bytes);
    free(pieces.bytes);
    free(whole.bytes);
    free(data);
}

/* A copy of every tensor, from a mapped file, from memory and from a source that can only be read. */
static hry_status read_source(void *ctx, uint64_t offset, void *dst, size_t nbytes, hry_error *err)
{
    (void)err;
    memcpy(dst, ((const kept *)ctx)->bytes + offset, nbytes);
    return HRY_OK;
}

static void copy_all(const kept *original, hry_file *from)
{
    kept copy;
    hry_writer *w = writer_to(&copy, &(hry_writer_options){ .no_kv = true });
    for (uint64_t i = 0; i < hry_file_count(from); i++) {
        hry_str name = hry_file_name(from, i);
        assert_int_equal(hry_writer_copy(w, name.ptr, name.len, from, i, NULL), HRY_OK);
    }
    hry_file_close(from);
    finish(w);
    assert_int_equal(copy.nbytes, original->nbytes);
    assert_memory_equal(copy.bytes, original->bytes, copy.nbytes);
    free(copy.bytes);
}

static void copies_of_stored_tensors(void **state)
{
    (void)state;
    kept k;
    static uint8_t data[300000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i % 251);
    hry_writer *w = writer_to(&k, &(hry_writer_options){ .no_kv = true });
    add(w, "x", HRY_TYPE_UINT8, 1, (uint64_t[]){ sizeof data }, data);
    add(w, "e", HRY_TYPE_UINT8, 2, shape04, NULL);
    add(w, "y", HRY_TYPE_UINT8, 1, shape4, four);
    finish(w);
    hry_file *f;
    assert_true(scratch_write("original.hrry", k.bytes, k.nbytes));
    assert_int_equal(hry_file_open(scratch_path("original.hrry"), NULL, &f, NULL), HRY_OK);
    copy_all(&k, f);
    assert_int_equal(hry_file_open_memory(k.bytes, k.nbytes, NULL, NULL, NULL, &f, NULL), HRY_OK);
    copy_all(&k, f);
    hry_source source = { .size = k.nbytes, .read = read_source, .ctx = &k };
    assert_int_equal(hry_file_open_source(&source, NULL, &f, NULL), HRY_OK);
    copy_all(&k, f);
    free(k.bytes);
}

/* A layout that nobody knows, its buffer table out of reach: carried as it is, by a permissive writer. */
static void opaque_tensors(void **state)
{
    (void)state;
    assembly a;
    kept copy;
    hry_file *f;
    uint8_t descriptor[128], data[5000];
    uint64_t size = sizeof data, shape[] = { sizeof data };
    size_t length = asm_dense(descriptor, 0x11, 1, shape, size);
    memset(data, 7, sizeof data);
    descriptor[15] = 0x20;
    descriptor[length - 1] = 1; /* no row of a buffer table ends so */
    asm_begin(&a, ASM_CRC, 8192);
    asm_floats(&a, "x", (float[]){ 1 }, 1, (uint64_t[]){ 1 });
    asm_tensor(&a, "o", descriptor, length, data, &size, 1);
    asm_end(&a);
    hry_file_options permissive = { .parse.permissive = true };
    for (uint32_t alignment = 4096; alignment <= 8192; alignment += 4096) {
        assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, &permissive, &f, NULL), HRY_OK);
        hry_writer *w =
            writer_to(&copy, &(hry_writer_options){ .alignment = alignment, .no_kv = true, .parse.permissive = true });
        assert_int_equal(hry_writer_copy(w, "x", 1, f, 0, NULL), HRY_OK);
        assert_int_equal(hry_writer_copy(w, "o", 1, f, 1, NULL), alignment == 8192 ? HRY_OK : HRY_E_UNSUPPORTED);
        finish(w);
        hry_file_close(f);
        if (alignment == 8192) {
            assert_int_equal(copy.nbytes, a.nbytes);
            assert_memory_equal(copy.bytes, a.bytes, a.nbytes);
        }
        free(copy.bytes);
    }
    asm_free(&a);
}

/* Through a pipe, where nothing can be taken back. */
static void to_a_pipe(void **state)
{
    (void)state;
    kept direct, piped = { 0 };
    hry_writer *w = writer_to(&direct, NULL);
    add(w, "x", HRY_TYPE_UINT8, 1, shape4, four);
    finish(w);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(hry_writer_create_fd(ends[1], NULL, &w, NULL), HRY_OK);
    add(w, "x", HRY_TYPE_UINT8, 1, shape4, four);
    finish(w);
    close(ends[1]);
    uint8_t buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        keep(&piped, buffer, (size_t)n, NULL);
    close(ends[0]);
    assert_int_equal(piped.nbytes, direct.nbytes);
    assert_memory_equal(piped.bytes, direct.bytes, direct.nbytes);
    free(piped.bytes);
    free(direct.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_file),       cmocka_unit_test(tensors_and_metadata),
        cmocka_unit_test(metadata_comes_back), cmocka_unit_test(sorted_index),
        cmocka_unit_test(empty_tensors),       cmocka_unit_test(several_buffers),
        cmocka_unit_test(large_data),          cmocka_unit_test(copies_of_stored_tensors),
        cmocka_unit_test(opaque_tensors),      cmocka_unit_test(to_a_pipe),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
