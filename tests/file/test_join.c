/* Several files as one model. */
#include "file/assemble.h"
#include "file/kept.h"
#include "support/counting_alloc.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static hry_file *part(const char *name, const char *first, const char *second, const char *key, bool mapped)
{
    kept k;
    hry_file *f;
    hry_writer *w = writer_to(&k, NULL);
    add(w, first, HRY_TYPE_UINT8, 1, shape4, four);
    if (second)
        add(w, second, HRY_TYPE_INT8, 1, shape4, four);
    hry_writer_kv_string(w, "common", name, NULL);
    hry_writer_kv_bool(w, key, true, NULL);
    finish(w);
    assert_true(scratch_write(name, k.bytes, k.nbytes));
    free(k.bytes);
    hry_file_options o = { .access = mapped ? HRY_MAP : HRY_READ };
    assert_int_equal(hry_file_open(scratch_path(name), &o, &f, NULL), HRY_OK);
    return f;
}

static void one_model(void **state)
{
    (void)state;
    kept k;
    hry_file *parts[2] = { part("p1", "a", "b", "x", true), part("p2", "c", NULL, "y", false) }, *f;
    hry_tensor *t, *u;
    uint64_t i, offset, nbytes;
    uint8_t copy[4];
    assert_int_equal(hry_file_join(parts, 2, NULL, &f, NULL), HRY_OK);
    hry_file_close(parts[0]);
    hry_file_close(parts[1]);
    assert_string_equal(hry_file_format(f), "hurray");
    assert_int_equal(hry_file_count(f), 3);
    assert_true(hry_file_find(f, "c", 1, &i));
    assert_int_equal(i, 2);
    assert_int_equal(hry_file_kv_count(f), 3);
    assert_memory_equal(hry_file_kv(f, "common")->value.as.string.ptr, "p1", 2);
    assert_true(hry_file_kv(f, "y")->value.as.boolean);
    assert_int_equal(hry_file_tensor(f, "b", &t, NULL), HRY_OK);
    assert_int_equal(hry_tensor_type(t), HRY_TYPE_INT8);
    assert_int_equal(hry_file_tensor(f, "c", &u, NULL), HRY_OK);
    assert_int_equal(hry_file_read_into(f, 2, 0, copy, 4, NULL, NULL), HRY_OK);
    assert_memory_equal(copy, four, 4);
    assert_true(hry_file_buffer_offset(f, 1, 0, &offset, &nbytes));
    assert_int_equal(offset, 8192);
    hry_writer *w = writer_to(&k, NULL);
    for (i = 0; i < 3; i++) {
        hry_str name = hry_file_name(f, i);
        assert_int_equal(hry_writer_copy(w, name.ptr, name.len, f, i, NULL), HRY_OK);
    }
    finish(w);
    hry_file_close(f);
    assert_memory_equal(hry_tensor_buffer(t, 0, NULL), four, 4); /* keeps its file */
    hry_tensor_release(t);
    hry_tensor_release(u);
    assert_read_as(&k, "alignment 4096 flags 5\norder a b c\n"
                       "tensor a type 17 layout 1 shape [4] data 01020304\n"
                       "tensor b type 16 layout 1 shape [4] data 01020304\n"
                       "tensor c type 17 layout 1 shape [4] data 01020304\n");
    free(k.bytes);
}

static void one_name_twice(void **state)
{
    (void)state;
    hry_error err = { 0 };
    hry_file *parts[2] = { part("p1", "a", "twice", "x", true), part("p2", "twice", NULL, "y", true) }, *f;
    assert_int_equal(hry_file_join(parts, 2, NULL, &f, &err), HRY_E_INPUT);
    assert_non_null(strstr(err.message, "twice"));
    assert_int_equal(hry_file_join(parts, 0, NULL, &f, &err), HRY_E_USAGE);
    hry_file_close(parts[0]);
    hry_file_close(parts[1]);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    hry_file *parts[2] = { part("p1", "a", "b", "x", true), part("p2", "c", NULL, "y", false) }, *f;
    for (size_t n = 1;; n++) {
        counting_alloc heap;
        counting_alloc_init(&heap);
        heap.fail_at = n;
        hry_status status = hry_file_join(parts, 2, &heap.allocator, &f, NULL);
        if (!status)
            hry_file_close(f);
        assert_int_equal(heap.blocks, 0);
        if (!status)
            break;
        assert_int_equal(status, HRY_E_MEMORY);
    }
    hry_file_close(parts[0]);
    hry_file_close(parts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_model), cmocka_unit_test(one_name_twice),
                                        cmocka_unit_test(every_allocation_fails_once) };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
