/* Tens of thousands of tensors: every name is found, memory stays within its bound, and no order makes it slow. */
#include "file/kept.h"
#include "support/counting_alloc.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 30000 };

static size_t name_of(char name[32], uint32_t i)
{
    return (size_t)snprintf(name, 32, "layer.%u.%u", i % 97, i);
}

/* Heads of groups without members: 48 bytes each. In descending order of names when sorted, so that offsets and names
 * never run together. */
static void write_many(kept *k, bool sorted)
{
    uint8_t bytes[64];
    hry_desc desc;
    hry_layout layout = { .tag = HRY_LAYOUT_COMPOSITE, .composition_rule = 3 };
    hry_desc_spec spec = { .type = HRY_TYPE_UINT8, .rank = 1, .shape = shape4, .layout = &layout };
    assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, NULL), HRY_OK);
    hry_writer *w = writer_to(k, &(hry_writer_options){ .sorted = sorted });
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[32];
        size_t len = name_of(name, COUNT - 1 - i);
        assert_int_equal(hry_writer_begin(w, name, len, &desc, NULL), HRY_OK);
        assert_int_equal(hry_writer_end(w, NULL), HRY_OK);
    }
    finish(w);
}

static void open_and_find(bool sorted)
{
    kept k;
    counting_alloc heap;
    hry_file *f;
    counting_alloc_init(&heap);
    write_many(&k, sorted);
    hry_file_options o = { .allocator = &heap.allocator };
    assert_int_equal(hry_file_open_memory(k.bytes, k.nbytes, NULL, NULL, &o, &f, NULL), HRY_OK);
    assert_int_equal(hry_file_count(f), COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[32];
        uint64_t found;
        size_t len = name_of(name, i);
        assert_true(hry_file_find(f, name, len, &found));
        hry_str stored = hry_file_name(f, found);
        assert_int_equal(stored.len, len);
        assert_memory_equal(stored.ptr, name, len);
        assert_false(hry_file_find(f, name, len - 1, &found) && hry_file_name(f, found).len == len);
    }
    hry_tensor *t; /* a head: its place in write order is looked up */
    assert_int_equal(hry_file_tensor_at(f, COUNT / 2, &t, NULL), HRY_OK);
    hry_tensor_release(t);
    hry_file_close(f);
    assert_int_equal(heap.blocks, 0);
    assert_in_range(heap.most, COUNT * 4, COUNT * 64);
    free(k.bytes);
}

static void unsorted(void **state)
{
    (void)state;
    open_and_find(false);
}

static void sorted(void **state)
{
    (void)state;
    open_and_find(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(unsorted), cmocka_unit_test(sorted) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
