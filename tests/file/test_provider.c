/* Tensors that lie in no container, read through the same calls; sources of the caller's own; many threads at once. */
#include "file/assemble.h"
#include "file/kept.h"
#include "support/counting_alloc.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Two tensors in memory; the second hands its buffer out for a while only. */
typedef struct shelf {
    uint8_t bytes[2][64];
    hry_desc desc[2];
    hry_str names[2];
    hry_kv kvs[1];
    size_t handed_out, taken_back, closed;
} shelf;

static hry_status shelf_desc(void *ctx, uint64_t i, hry_desc *desc, hry_error *err)
{
    (void)err;
    *desc = ((const shelf *)ctx)->desc[i];
    return HRY_OK;
}

static void take_back(void *ctx)
{
    ((shelf *)ctx)->taken_back++;
}

static hry_status shelf_buffers(void *ctx, uint64_t i, const void **buffers, hry_release_fn **release,
                                void **release_ctx, hry_error *err)
{
    shelf *s = ctx;
    (void)err;
    buffers[0] = four;
    if (i == 1) {
        *release = take_back;
        *release_ctx = s;
        s->handed_out++;
    }
    return HRY_OK;
}

static void shelf_close(void *ctx)
{
    ((shelf *)ctx)->closed++;
}

static hry_provider provide(shelf *s)
{
    hry_desc_spec spec = { .type = HRY_TYPE_UINT8, .rank = 1, .shape = shape4 };
    *s = (shelf){ .names = { { "x", 1 }, { "y", 1 } },
                  .kvs = { { .key = { "k", 1 }, .value = { .type = HRY_KV_BOOL, .as.boolean = true } } } };
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(hry_desc_encode(&spec, NULL, s->bytes[i], sizeof s->bytes[i], &s->desc[i], NULL), HRY_OK);
    return (hry_provider){ .format = "shelf",
                           .count = 2,
                           .names = s->names,
                           .kv_count = 1,
                           .kvs = s->kvs,
                           .desc = shelf_desc,
                           .buffers = shelf_buffers,
                           .close = shelf_close,
                           .ctx = s };
}

static void read_like_a_container(void **state)
{
    (void)state;
    shelf s;
    counting_alloc heap;
    hry_file *f;
    hry_tensor *t, *u;
    hry_file_entry entry;
    uint64_t i, nbytes;
    uint8_t copy[4];
    counting_alloc_init(&heap);
    hry_provider p = provide(&s);
    assert_int_equal(hry_file_open_provider(&p, &heap.allocator, &f, NULL), HRY_OK);
    assert_string_equal(hry_file_format(f), "shelf");
    assert_int_equal(hry_file_count(f), 2);
    assert_true(hry_file_find(f, "y", 1, &i));
    assert_int_equal(i, 1);
    assert_false(hry_file_find(f, "z", 1, &i));
    assert_true(hry_file_kv(f, "k")->value.as.boolean);
    assert_false(hry_file_entry_get(f, 0, &entry));
    assert_false(hry_file_buffer_offset(f, 0, 0, &i, &nbytes));
    assert_int_equal(hry_file_read_into(f, 1, 0, copy, 4, NULL, NULL), HRY_OK);
    assert_memory_equal(copy, four, 4);
    assert_int_equal(s.handed_out, 1);
    assert_int_equal(s.taken_back, 1);
    assert_int_equal(hry_file_tensor(f, "x", &t, NULL), HRY_OK);
    assert_int_equal(hry_file_tensor(f, "y", &u, NULL), HRY_OK);
    assert_ptr_equal(hry_tensor_buffer(t, 0, NULL), four);
    hry_file_close(f);
    assert_int_equal(s.closed, 0);
    hry_tensor_release(u);
    assert_int_equal(s.taken_back, 2);
    hry_tensor_release(t);
    assert_int_equal(s.closed, 1);
    assert_int_equal(heap.blocks, 0);
}

static void copied_into_a_container(void **state)
{
    (void)state;
    shelf s;
    kept k;
    hry_file *f;
    hry_provider p = provide(&s);
    assert_int_equal(hry_file_open_provider(&p, NULL, &f, NULL), HRY_OK);
    hry_writer *w = writer_to(&k, NULL);
    assert_int_equal(hry_writer_copy(w, "a", 1, f, 1, NULL), HRY_OK);
    finish(w);
    assert_int_equal(s.handed_out, s.taken_back);
    hry_file_close(f);
    assert_int_equal(s.closed, 1);
    assert_readable(&k);
    assert_memory_equal(k.bytes + 4096, four, 4);
    free(k.bytes);
}

/* What does not open stays the caller's. */
static void refused_providers(void **state)
{
    (void)state;
    shelf s;
    hry_file *f;
    hry_error err = { 0 };
    hry_provider p = provide(&s);
    s.names[1] = s.names[0];
    assert_int_equal(hry_file_open_provider(&p, NULL, &f, &err), HRY_E_INPUT);
    assert_non_null(strstr(err.message, "\"x\""));
    p = provide(&s);
    hry_kv twice[2] = { s.kvs[0], s.kvs[0] };
    p.kvs = twice;
    p.kv_count = 2;
    assert_int_equal(hry_file_open_provider(&p, NULL, &f, &err), HRY_E_INPUT);
    p = provide(&s);
    for (size_t n = 1;; n++) {
        counting_alloc heap;
        counting_alloc_init(&heap);
        heap.fail_at = n;
        hry_status status = hry_file_open_provider(&p, &heap.allocator, &f, &err);
        if (status == HRY_OK) {
            hry_tensor *t;
            heap.fail_at = heap.calls + 1;
            assert_int_equal(hry_file_tensor_at(f, 1, &t, &err), HRY_E_MEMORY);
            heap.fail_at = heap.calls + 2;
            assert_int_equal(hry_file_tensor_at(f, 1, &t, &err), HRY_E_MEMORY);
            assert_int_equal(s.handed_out, s.taken_back);
            hry_file_close(f);
        }
        assert_int_equal(heap.blocks, 0);
        if (status == HRY_OK)
            break;
        assert_int_equal(status, HRY_E_MEMORY);
        assert_int_equal(s.closed, 0);
    }
    assert_int_equal(s.closed, 1);
}

/* ---- A source that counts, shows what it is asked to, and fails at will ---- */

typedef struct counted {
    const assembly *a;
    size_t reads, shown, closed, fail_at;
} counted;

static hry_status counted_read(void *ctx, uint64_t offset, void *dst, size_t nbytes, hry_error *err)
{
    counted *c = ctx;
    if (++c->reads == c->fail_at) {
        if (err)
            *err = (hry_error){ .status = HRY_E_PEER, .message = "gone" };
        return HRY_E_PEER;
    }
    assert_true(offset <= c->a->nbytes && nbytes <= c->a->nbytes - offset);
    memcpy(dst, c->a->bytes + offset, nbytes);
    return HRY_OK;
}

static const void *counted_at(void *ctx, uint64_t offset, uint64_t nbytes)
{
    counted *c = ctx;
    assert_true(offset <= c->a->nbytes && nbytes <= c->a->nbytes - offset);
    c->shown++;
    return c->a->bytes + offset;
}

static void counted_close(void *ctx)
{
    ((counted *)ctx)->closed++;
}

static void sources(void **state)
{
    (void)state;
    assembly a;
    hry_file *f;
    hry_tensor *t;
    asm_standard(&a, ASM_CRC | ASM_HAS_KV);
    uint8_t *aligned = aligned_alloc(4096, (a.nbytes + 4095) & ~(size_t)4095);
    assert_non_null(aligned);
    memcpy(aligned, a.bytes, a.nbytes);
    free(a.bytes);
    a.bytes = aligned;
    counted c = { .a = &a };
    hry_source source = { a.nbytes, counted_read, counted_at, counted_close, &c };
    assert_int_equal(hry_file_open_source(&source, NULL, &f, NULL), HRY_OK);
    size_t reads = c.reads;
    assert_int_equal(hry_file_tensor(f, "w", &t, NULL), HRY_OK);
    assert_int_equal(c.reads, reads); /* shown in place: not read */
    assert_true(c.shown >= 2);
    assert_int_equal(((const float *)hry_tensor_buffer(t, 0, NULL))[11], 11);
    hry_file_close(f);
    assert_int_equal(c.closed, 0);
    hry_tensor_release(t);
    assert_int_equal(c.closed, 1);
    for (source.at = NULL, c.fail_at = 1;; c.fail_at++) {
        hry_error err = { 0 };
        c.reads = c.closed = 0;
        hry_status status = hry_file_open_source(&source, NULL, &f, &err);
        if (!status) {
            status = hry_file_tensor(f, "w", &t, &err);
            if (!status)
                hry_tensor_release(t);
            hry_file_close(f);
            assert_int_equal(c.closed, 1);
        } else {
            assert_int_equal(c.closed, 0);
        }
        if (!status)
            break;
        assert_int_equal(status, HRY_E_PEER);
        assert_string_equal(err.message, "gone");
    }
    assert_true(c.fail_at > 3);
    asm_free(&a);
}

/* ---- Allowances are kept beyond the call that gave them ---- */

static void allowances_are_copied(void **state)
{
    (void)state;
    assembly a;
    hry_file *f;
    hry_desc desc;
    asm_standard(&a, ASM_CRC);
    asm_set(&a, a.descriptor[0] + 28 + 16 + 1 + 12, 0xF7, 1); /* a private device */
    uint8_t *devices = malloc(2);
    devices[0] = 0xF1, devices[1] = 0xF7;
    hry_allow *allow = calloc(1, sizeof *allow);
    *allow =
        (hry_allow){ .devices = devices, .device_count = 2, .layout_ids = (uint64_t[]){ 7 }, .layout_id_count = 1 };
    hry_limits *limits = calloc(1, sizeof *limits);
    hry_file_options o = { .parse = { .allow = allow, .limits = limits } };
    assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, &o, &f, NULL), HRY_OK);
    memset(devices, 0, 2);
    free(devices);
    free(allow);
    free(limits);
    assert_int_equal(hry_file_desc(f, 0, &desc, NULL), HRY_OK);
    hry_file_close(f);
    assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, NULL, &f, NULL), HRY_OK);
    assert_int_equal(hry_file_desc(f, 0, &desc, NULL), HRY_E_INPUT);
    hry_file_close(f);
    asm_free(&a);
}

/* ---- Many at once ---- */

typedef struct crowd {
    hry_file *file;
    size_t wrong;
} crowd;

static void *read_everything(void *arg)
{
    crowd *c = arg;
    for (size_t n = 0; n < 200; n++) {
        hry_desc desc;
        hry_tensor *t;
        float w[12];
        uint64_t i;
        bool right = hry_file_find(c->file, "w", 1, &i) && hry_file_desc(c->file, i, &desc, NULL) == HRY_OK &&
                     hry_file_tensor_at(c->file, i, &t, NULL) == HRY_OK;
        if (right) {
            right = ((const float *)hry_tensor_buffer(t, 0, NULL))[5] == 5 &&
                    hry_file_read_into(c->file, i, 0, w, sizeof w, NULL, NULL) == HRY_OK && w[7] == 7;
            hry_tensor_release(t);
        }
        if (!right)
            __atomic_fetch_add(&c->wrong, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void many_threads(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ASM_CRC | ASM_HAS_KV);
    for (hry_access way = HRY_MAP; way <= HRY_READ; way++)
        for (size_t round = 0; round < 20; round++) {
            pthread_t threads[4];
            crowd c = { 0 };
            hry_file_options o = { .access = way };
            assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, &o, &c.file, NULL), HRY_OK);
            for (size_t k = 0; k < 4; k++)
                assert_int_equal(pthread_create(&threads[k], NULL, read_everything, &c), 0);
            for (size_t k = 0; k < 4; k++)
                pthread_join(threads[k], NULL);
            hry_file_close(c.file);
            assert_int_equal(c.wrong, 0);
        }
    asm_free(&a);
}

/* ---- Pieces of a buffer, in any order ---- */

static void backwards(void *ctx, size_t count, void (*task)(void *arg, size_t i), void *arg)
{
    *(size_t *)ctx += count;
    while (count-- > 0)
        task(arg, count);
}

static void read_in_pieces(void **state)
{
    (void)state;
    kept k;
    size_t n = ((size_t)20 << 20) + 5, tasks = 0;
    uint8_t *data = malloc(n), *copy = calloc(1, n);
    for (size_t i = 0; i < n; i++)
        data[i] = (uint8_t)(i * 2246822519u >> 23);
    hry_writer *w = writer_to(&k, NULL);
    add(w, "x", HRY_TYPE_UINT8, 1, (uint64_t[]){ n }, data);
    finish(w);
    assembly a = { .bytes = k.bytes, .nbytes = k.nbytes };
    counted c = { .a = &a };
    hry_source source = { .size = k.nbytes, .read = counted_read, .ctx = &c };
    hry_executor executor = { backwards, &tasks, 3 };
    hry_file *f;
    hry_error err = { 0 };
    assert_int_equal(hry_file_open_source(&source, NULL, &f, NULL), HRY_OK);
    assert_int_equal(hry_file_read_into(f, 0, 0, copy, n, &executor, NULL), HRY_OK);
    assert_memory_equal(copy, data, n);
    assert_int_equal(tasks, 3);
    memset(copy, 0, n);
    assert_int_equal(hry_file_read_into(f, 0, 0, copy, n, NULL, NULL), HRY_OK);
    assert_memory_equal(copy, data, n);
    c.fail_at = c.reads + 3; /* one piece of several */
    assert_int_equal(hry_file_read_into(f, 0, 0, copy, n, &executor, &err), HRY_E_PEER);
    assert_string_equal(err.message, "gone");
    hry_file_close(f);
    free(k.bytes);
    free(data);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_like_a_container), cmocka_unit_test(copied_into_a_container),
        cmocka_unit_test(refused_providers),     cmocka_unit_test(sources),
        cmocka_unit_test(allowances_are_copied), cmocka_unit_test(many_threads),
        cmocka_unit_test(read_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
