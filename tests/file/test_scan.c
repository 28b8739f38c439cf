/* Reading in one pass: the same tensors as by reading at random, and the same refusals. */
#include "file/assemble.h"
#include "file/kept.h"
#include "file/pipe_in.h"
#include "file/verdict.h"
#include "support/counting_alloc.h"
#include "support/rules_reached.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect_pieces(const uint8_t *bytes, size_t nbytes, size_t piece, size_t tensors)
{
    hry_error err = { 0 };
    scanned seen;
    if (scan_all(bytes, nbytes, piece, NULL, &seen, &err))
        fail_msg("%s at %zu: %s", hry_rule_id(err.rule), (size_t)err.offset, err.message);
    assert_int_equal(seen.tensors, tensors);
    assert_true(seen.same_as_at_random);
}

static void whole(const assembly *a, size_t tensors)
{
    static const size_t pieces[] = { 1, 7, 64, 4096, SIZE_MAX };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        expect_pieces(a->bytes, a->nbytes, pieces[i], tensors);
}

static void refused(const assembly *a, const char *rule, uint64_t offset)
{
    hry_error err = { 0 };
    scanned seen;
    hry_status status = scan_all(a->bytes, a->nbytes, 1000, NULL, &seen, &err);
    if (!status || strcmp(hry_rule_id(err.rule), rule) != 0 || err.offset != offset)
        fail_msg("%s at %zu expected, got %s at %zu: %s", rule, (size_t)offset, hry_rule_id(err.rule),
                 (size_t)err.offset, status ? err.message : "accepted");
    assert_int_equal(status, HRY_E_INPUT);
    rule_reached(err.rule);
}

enum { ALL = ASM_HAS_KV | ASM_CRC };

static void standard(void **state)
{
    (void)state;
    static const uint32_t flags[] = { 0, ASM_CRC, ASM_HAS_KV, ASM_SORTED, ALL, ALL | ASM_SORTED };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        assembly a;
        asm_standard(&a, flags[i]);
        whole(&a, 2);
        asm_free(&a);
    }
}

/* Files of nothing: zeros where a tensor could be, which belong to what follows. */
static void no_tensors(void **state)
{
    (void)state;
    assembly a;
    asm_begin(&a, ASM_CRC, 4096);
    asm_end(&a);
    whole(&a, 0);
    asm_free(&a);
    asm_begin(&a, ALL, 4096);
    asm_kv(&a, 0, NULL, 0);
    asm_end(&a);
    whole(&a, 0);
    asm_free(&a);
}

/* Data full of what descriptors start with, and padding of every kind that writers use. */
static void every_padding(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 8; kind++) {
        assembly a;
        uint8_t descriptor[128], data[256], head[64];
        uint64_t shape[] = { 256 }, size = 256, none[] = { 0, 4 }, zero = 0, one[] = { 1 };
        for (size_t i = 0; i < sizeof data; i += 4)
            memcpy(data + i, "HRRY", 4);
        size_t length = asm_dense(descriptor, 0x11, 1, shape, size);
        size_t head_length = asm_dense(head, 0x11, 1, one, 0);
        assembly h = { 0 };
        asm_bytes(&h, head, head_length - 17);
        asm_set(&h, 15, 0x0B, 1);
        asm_u64(&h, 3); /* a group of none */
        asm_set(&h, h.nbytes - 4, 0, 4);
        asm_u8(&h, 0);
        asm_set(&h, 6, h.nbytes, 4);
        asm_begin(&a, ASM_CRC, 4096);
        asm_tensor(&a, "a", descriptor, length, data, &size, 1);
        asm_pad(&a, kind & 1 ? 4096 : 8);
        asm_tensor(&a, "h", h.bytes, h.nbytes, NULL, NULL, 0);
        asm_pad(&a, kind & 2 ? 4096 : 8);
        size_t empty_length = asm_dense(descriptor, 0x03, 2, none, 0);
        asm_tensor(&a, "e", descriptor, empty_length, NULL, &zero, 1);
        length = asm_dense(descriptor, 0x11, 1, shape, size);
        asm_tensor(&a, "b", descriptor, length, data, &size, 1);
        asm_pad(&a, kind & 4 ? 4096 : 8);
        asm_end(&a);
        whole(&a, 4);
        asm_free(&a);
        asm_free(&h);
    }
}

/* F-31: what reading at random cannot see. */
static void index_and_tensors_differ(void **state)
{
    (void)state;
    assembly a;
    asm_begin(&a, ASM_CRC, 4096);
    for (size_t i = 0; i < 3; i++)
        asm_floats(&a, (const char *[]){ "a", "b", "c" }[i], (float[]){ 7, 8 }, 1, (uint64_t[]){ 2 });
    size_t last = a.descriptor[2];
    a.count = 2;
    asm_end(&a);
    refused(&a, "F-31", last); /* the last one is not listed */
    asm_free(&a);

    asm_begin(&a, ASM_CRC, 4096);
    for (size_t i = 0; i < 3; i++)
        asm_floats(&a, (const char *[]){ "a", "b", "c" }[i], (float[]){ 7, 8 }, 1, (uint64_t[]){ 2 });
    a.descriptor[1] = a.descriptor[2], a.data[1] = a.data[2];
    a.count = 2;
    asm_end(&a);
    refused(&a, "F-31", a.fixed[1]); /* one in the middle is not */
    asm_free(&a);

    asm_begin(&a, ASM_CRC, 4096);
    asm_floats(&a, "a", (float[]){ 7 }, 1, (uint64_t[]){ 1 });
    for (size_t i = 0; i < 1024; i++)
        asm_u64(&a, 0);
    asm_end(&a);
    refused(&a, "F-31", a.data[0] + 8); /* more zeros than padding explains */
    asm_free(&a);

    asm_begin(&a, ASM_CRC, 4096);
    asm_floats(&a, "a", (float[]){ 7 }, 1, (uint64_t[]){ 1 });
    asm_u64(&a, 0x0100000000000000);
    asm_end(&a);
    refused(&a, "F-31", a.data[0] + 8 + 7); /* and something that is not zero */
    asm_free(&a);
}

static void data_elsewhere(void **state)
{
    (void)state;
    assembly a;
    asm_begin(&a, ASM_CRC, 4096);
    asm_floats(&a, "a", (float[]){ 7 }, 1, (uint64_t[]){ 1 });
    for (size_t i = 0; i < 1024; i++)
        asm_u64(&a, 0);
    a.data[0] += 4096;
    asm_end(&a);
    refused(&a, "F-31", a.data[0] - 4096 + 8);
    asm_free(&a);
}

/* Every rule of the sections after the tensors is found from this side too; faults of tensors where they stand. */
static void damaged(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        size_t delta;
        unsigned nbytes;
        uint64_t value;
    } header[] = { { "F-02", 0, 1, 'h' }, { "F-03", 8, 1, 2 },   { "F-04", 12, 4, 0xD },
                   { "F-05", 16, 4, 0 },  { "F-06", 20, 8, 68 }, { "F-07", 10, 1, 1 } };
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) {
        assembly a;
        asm_standard(&a, ALL);
        asm_set(&a, header[i].delta, header[i].value, header[i].nbytes);
        refused(&a, header[i].rule, header[i].delta);
        asm_free(&a);
    }
    assembly a;
    asm_standard(&a, ALL);
    asm_set(&a, a.trailer + 36, 'Z', 1);
    refused(&a, "F-08", a.trailer + 36);
    asm_free(&a);
    asm_standard(&a, ALL);
    a.bytes[a.entry[0] + 2] ^= 1;
    refused(&a, "F-11", a.trailer + 28);
    asm_free(&a);
    asm_standard(&a, ALL);
    asm_set(&a, a.kv + 7, 0xF0, 1);
    refused(&a, "F-28", a.kv + 7);
    asm_free(&a);
    asm_standard(&a, ALL);
    asm_set(&a, a.descriptor[1] + 14, 0, 1);
    refused(&a, "D-08", a.descriptor[1] + 14);
    asm_free(&a);
    asm_standard(&a, ALL);
    asm_set(&a, a.descriptor[1] + 6, UINT32_MAX, 4);
    hry_error err;
    scanned seen;
    assert_int_equal(scan_all(a.bytes, a.nbytes, 1000, NULL, &seen, &err), HRY_E_LIMIT);
    assert_string_equal(hry_rule_id(err.rule), "D-18");
    asm_set(&a, a.descriptor[1] + 6, 1u << 20, 4);
    refused(&a, "F-08", a.nbytes - 4);
    asm_free(&a);
    asm_standard(&a, ALL);
    asm_set(&a, a.fixed[1] + 20, 8, 8);
    asm_seal(&a);
    refused(&a, "F-T02", a.fixed[1] + 20);
    asm_free(&a);
    asm_standard(&a, ALL);
    asm_set(&a, a.fixed[1] + 8, 52, 4);
    asm_seal(&a);
    refused(&a, "F-T01", a.descriptor[1] + 6);
    asm_free(&a);
}

/* Wherever it ends too early. */
static void truncated(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    size_t whole_size = a.nbytes;
    for (a.nbytes = 0; a.nbytes < whole_size; a.nbytes += a.nbytes < 200 || a.nbytes > 8100 ? 1 : 97)
        refused(&a, a.nbytes < 112 ? "F-01" : "F-08", a.nbytes < 112 ? a.nbytes : a.nbytes - 4);
    asm_free(&a);
}

/* The data themselves, by any sizes of steps, or passed over. */
static void data_in_steps(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    static const size_t steps[] = { 1, 5, 48, 1000 };
    for (size_t i = 0; i < 4; i++) {
        pipe_in pipe = { a.bytes, a.nbytes, 13 };
        hry_scan *s;
        hry_desc desc;
        bool more;
        float w[12] = { 0 };
        size_t got, done = 0;
        hry_pull pull = { pull_pipe, &pipe };
        assert_int_equal(hry_scan_open(&pull, NULL, &s, NULL), HRY_OK);
        assert_int_equal(hry_scan_data(s, w, 4, &got, NULL), HRY_E_USAGE);
        assert_null(hry_scan_directory(s));
        assert_int_equal(hry_scan_next(s, &more, &desc, NULL), HRY_OK);
        assert_true(more && hry_desc_rank(&desc) == 2);
        do {
            size_t room = sizeof w - done < steps[i] ? sizeof w - done : steps[i];
            assert_int_equal(hry_scan_data(s, (char *)w + done, room ? room : 1, &got, NULL), HRY_OK);
            done += got;
        } while (got);
        assert_int_equal(done, sizeof w);
        for (int k = 0; k < 12; k++)
            assert_true(w[k] == (float)k);
        assert_int_equal(hry_scan_next(s, &more, &desc, NULL), HRY_OK);
        assert_true(more && hry_desc_rank(&desc) == 1);
        assert_int_equal(hry_scan_next(s, &more, &desc, NULL), HRY_OK);
        assert_false(more);
        assert_int_equal(hry_scan_next(s, &more, &desc, NULL), HRY_OK);
        assert_false(more);
        hry_file *directory = hry_scan_directory(s);
        uint64_t position;
        hry_tensor *t;
        hry_file_entry entry;
        assert_int_equal(hry_file_count(directory), 2);
        assert_true(hry_scan_position(s, 1, &position));
        assert_false(hry_scan_position(s, 2, &position));
        assert_int_equal(hry_file_name(directory, position).ptr[0], 'b');
        assert_true(hry_file_entry_get(directory, position, &entry));
        assert_int_equal(entry.data_offset, a.data[1]);
        assert_int_equal(hry_file_kv(directory, "n")->value.as.int64, -5);
        assert_int_equal(hry_file_tensor_at(directory, 0, &t, NULL), HRY_E_UNSUPPORTED);
        hry_scan_close(s);
    }
    hry_scan_close(NULL);
    asm_free(&a);
}

static void dynamic(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    asm_set(&a, a.descriptor[0] + 28, UINT64_MAX, 8);
    pipe_in pipe = { a.bytes, a.nbytes, SIZE_MAX };
    hry_pull pull = { pull_pipe, &pipe };
    hry_scan *s;
    hry_desc desc;
    hry_error err;
    bool more;
    size_t got;
    assert_int_equal(hry_scan_open(&pull, NULL, &s, NULL), HRY_OK);
    assert_int_equal(hry_scan_next(s, &more, &desc, NULL), HRY_OK);
    assert_int_equal(hry_scan_data(s, &got, 1, &got, &err), HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), "F-T04");
    assert_int_equal(hry_scan_next(s, &more, &desc, NULL), HRY_OK);
    assert_int_equal(hry_scan_next(s, &more, &desc, NULL), HRY_OK);
    assert_false(more);
    hry_scan_close(s);
    asm_free(&a);
}

/* A real pipe, with a writer at its other end. */
typedef struct pusher {
    int fd;
    const assembly *a;
} pusher;

static void *push(void *arg)
{
    const pusher *p = arg;
    for (size_t done = 0; done < p->a->nbytes;) {
        size_t n = p->a->nbytes - done < 777 ? p->a->nbytes - done : 777;
        ssize_t wrote = write(p->fd, p->a->bytes + done, n);
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    close(p->fd);
    return NULL;
}

static void from_a_pipe(void **state)
{
    (void)state;
    assembly a;
    int ends[2];
    pthread_t thread;
    hry_scan *s;
    hry_desc desc;
    bool more = true;
    size_t tensors = 0;
    asm_standard(&a, ALL);
    assert_int_equal(pipe(ends), 0);
    pusher p = { ends[1], &a };
    assert_int_equal(pthread_create(&thread, NULL, push, &p), 0);
    assert_int_equal(hry_scan_open_fd(ends[0], NULL, &s, NULL), HRY_OK);
    while (hry_scan_next(s, &more, &desc, NULL) == HRY_OK && more)
        tensors++;
    assert_int_equal(tensors, 2);
    assert_non_null(hry_scan_directory(s));
    hry_scan_close(s);
    pthread_join(thread, NULL);
    close(ends[0]);
    hry_error err;
    assert_int_equal(hry_scan_open_fd(-1, NULL, &s, &err), HRY_E_IO);
    asm_free(&a);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    for (size_t n = 1;; n++) {
        counting_alloc heap;
        scanned seen;
        counting_alloc_init(&heap);
        heap.fail_at = n;
        hry_file_options o = { .allocator = &heap.allocator };
        hry_status status = scan_all(a.bytes, a.nbytes, 100, &o, &seen, NULL);
        assert_int_equal(heap.blocks, 0);
        if (!status) {
            assert_true(n > 6);
            break;
        }
        assert_int_equal(status, HRY_E_MEMORY);
    }
    asm_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard),
        cmocka_unit_test(no_tensors),
        cmocka_unit_test(every_padding),
        cmocka_unit_test(index_and_tensors_differ),
        cmocka_unit_test(data_elsewhere),
        cmocka_unit_test(damaged),
        cmocka_unit_test(truncated),
        cmocka_unit_test(data_in_steps),
        cmocka_unit_test(dynamic),
        cmocka_unit_test(from_a_pipe),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
