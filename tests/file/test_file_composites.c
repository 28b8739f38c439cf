/* Composites in containers: what is written comes back as the tree it was, whatever the order of the index. */
#include "file/assemble.h"
#include "file/kept.h"
#include "file/verdict.h"
#include "support/composites.h"
#include "support/counting_alloc.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t shape44[] = { 4, 4 }, shape24[] = { 2, 4 }, shape22[] = { 2, 2 };
static const uint64_t at00[] = { 0, 0 }, at20[] = { 2, 0 }, at02[] = { 0, 2 };

static member_spec box(const uint64_t *shape, const uint64_t *parent, const uint64_t *offset)
{
    return (member_spec){
        .spec = { .type = HRY_TYPE_UINT8, .rank = 2, .shape = shape, .parent_shape = parent, .shard_offset = offset }
    };
}

/* [4,4] = { [2,4] = { [2,2] [2,2] }, [2,4] } */
static hry_tensor *make_tree(void)
{
    member_spec quarters[2] = { box(shape22, shape24, at00), box(shape22, shape24, at02) };
    hry_tensor *upper = composite_shard_of(HRY_TYPE_UINT8, 2, shape24, shape44, at00, quarters, 2, NULL);
    assert_non_null(upper);
    member_spec halves[2] = { { .tensor = upper }, box(shape24, shape44, at20) };
    hry_tensor *tree = composite_of(HRY_TYPE_UINT8, 2, shape44, 1, 0, halves, 2, 2, NULL);
    assert_non_null(tree);
    hry_tensor_release(upper);
    return tree;
}

static void assert_tree(const hry_tensor *t)
{
    assert_int_equal(hry_tensor_member_count(t), 2);
    const hry_tensor *upper = hry_tensor_member(t, 0), *lower = hry_tensor_member(t, 1);
    assert_int_equal(hry_tensor_member_count(upper), 2);
    assert_int_equal(hry_tensor_member_count(lower), 0);
    uint64_t parent[2], offset[2];
    assert_true(hry_desc_shard(hry_tensor_desc(hry_tensor_member(upper, 1)), parent, offset));
    assert_memory_equal(offset, at02, sizeof offset);
    assert_int_equal(hry_tensor_dim(lower, 0), 2);
}

static hry_file *open_kept(const kept *k, hry_access access)
{
    hry_file *f;
    hry_error err = { 0 };
    if (hry_file_open_memory(k->bytes, k->nbytes, NULL, NULL, &(hry_file_options){ .access = access }, &f, &err))
        fail_msg("%s", err.message);
    return f;
}

static void round_trip(bool sorted)
{
    kept k;
    hry_tensor *tree = make_tree(), *back;
    hry_writer *w = writer_to(&k, &(hry_writer_options){ .sorted = sorted });
    add(w, "zzz", HRY_TYPE_UINT8, 1, shape4, four);
    assert_int_equal(hry_writer_add(w, "t", tree, NULL), HRY_OK);
    add(w, "a", HRY_TYPE_UINT8, 1, shape4, four);
    finish(w);
    hry_tensor_release(tree);
    assert_read_as(&k, sorted ? "alignment 4096 flags 7\norder a t t#0 t#0#0 t#0#1 t#1 zzz\n"
                                "tensor zzz type 17 layout 1 shape [4] data 01020304\n"
                                "tensor t type 17 layout 11 shape [4, 4] data\n"
                                "tensor t#0 type 17 layout 11 shape [2, 4] data\n"
                                "tensor t#0#0 type 17 layout 1 shape [2, 2] data 00000000\n"
                                "tensor t#0#1 type 17 layout 1 shape [2, 2] data 00000000\n"
                                "tensor t#1 type 17 layout 1 shape [2, 4] data 0000000000000000\n"
                                "tensor a type 17 layout 1 shape [4] data 01020304\n"
                              : "alignment 4096 flags 5\norder zzz t t#0 t#0#0 t#0#1 t#1 a\n"
                                "tensor zzz type 17 layout 1 shape [4] data 01020304\n"
                                "tensor t type 17 layout 11 shape [4, 4] data\n"
                                "tensor t#0 type 17 layout 11 shape [2, 4] data\n"
                                "tensor t#0#0 type 17 layout 1 shape [2, 2] data 00000000\n"
                                "tensor t#0#1 type 17 layout 1 shape [2, 2] data 00000000\n"
                                "tensor t#1 type 17 layout 1 shape [2, 4] data 0000000000000000\n"
                                "tensor a type 17 layout 1 shape [4] data 01020304\n");
    for (hry_access way = HRY_MAP; way <= HRY_READ; way++) {
        hry_file *f = open_kept(&k, way);
        assert_int_equal(hry_file_tensor(f, "t", &back, NULL), HRY_OK);
        assert_tree(back);
        hry_tensor_release(back);
        assert_int_equal(hry_file_tensor(f, "t#0", &back, NULL), HRY_OK);
        assert_int_equal(hry_tensor_member_count(back), 2);
        hry_tensor_release(back);
        assert_int_equal(hry_file_tensor(f, "t#1", &back, NULL), HRY_OK);
        assert_int_equal(hry_tensor_member_count(back), 0);
        hry_file_close(f);
        hry_tensor_release(back); /* lives on without the file */
    }
    free(k.bytes);
}

static void comes_back(void **state)
{
    (void)state;
    round_trip(false);
}

static void comes_back_from_a_sorted_index(void **state)
{
    (void)state;
    round_trip(true);
}

/* Nothing of a tree is written when one of its names is taken. */
static void all_or_nothing(void **state)
{
    (void)state;
    kept k;
    hry_error err = { 0 };
    hry_tensor *tree = make_tree();
    hry_writer *w = writer_to(&k, NULL);
    add(w, "t#0#1", HRY_TYPE_UINT8, 1, shape4, four);
    assert_int_equal(hry_writer_add(w, "t", tree, &err), HRY_E_INPUT);
    assert_string_equal(hry_rule_id(err.rule), "F-17");
    finish(w);
    hry_tensor_release(tree);
    assert_read_as(&k, "alignment 4096 flags 5\norder t#0#1\n"
                       "tensor t#0#1 type 17 layout 1 shape [4] data 01020304\n");
    free(k.bytes);
}

/* The first tensor is a head without buffers: the file's alignment follows its members. */
static void alignment_of_members(void **state)
{
    (void)state;
    kept k;
    hry_buffer buffer = { .byte_size = 16, .alignment = 4096 };
    member_spec m = box(shape44, shape44, at00);
    m.spec.buffer_count = 1;
    m.spec.buffers = &buffer;
    hry_tensor *t = composite_of(HRY_TYPE_UINT8, 2, shape44, 1, 0, &m, 1, 1, NULL);
    hry_writer *w = writer_to(&k, NULL);
    assert_int_equal(hry_writer_add(w, "t", t, NULL), HRY_OK);
    finish(w);
    hry_tensor_release(t);
    assert_int_equal(k.bytes[17], 0x10);
    assert_readable(&k);
    free(k.bytes);
}

/* ---- Broken ones, assembled by hand ---- */

static size_t head(uint8_t *dst, uint8_t rule, uint32_t members, const uint64_t *shape)
{
    assembly d = { 0 };
    uint8_t dense[128];
    size_t length = asm_dense(dense, 0x03, 2, shape, 0);
    asm_bytes(&d, dense, length - 17);
    asm_set(&d, 15, 0x0B, 1);
    asm_u8(&d, rule);
    asm_u8(&d, 0);
    asm_u16(&d, 0);
    asm_u32(&d, members);
    asm_u8(&d, 0); /* no buffers */
    asm_set(&d, 6, d.nbytes, 4);
    memcpy(dst, d.bytes, d.nbytes);
    length = d.nbytes;
    asm_free(&d);
    return length;
}

static size_t shard(uint8_t *dst, const uint64_t *shape, const uint64_t *parent, const uint64_t *offset)
{
    assembly d = { 0 };
    uint8_t dense[128];
    size_t length = asm_dense(dense, 0x03, 2, shape, shape[0] * shape[1] * 4);
    asm_bytes(&d, dense, length);
    for (size_t k = 0; k < 2; k++)
        asm_u64(&d, parent[k]);
    for (size_t k = 0; k < 2; k++)
        asm_u64(&d, offset[k]);
    asm_set(&d, 10, 2, 4); /* HAS_SHARD */
    asm_set(&d, 6, d.nbytes, 4);
    memcpy(dst, d.bytes, d.nbytes);
    length = d.nbytes;
    asm_free(&d);
    return length;
}

static void add_head(assembly *a, const char *name, uint8_t rule, uint32_t members)
{
    uint8_t bytes[128];
    asm_tensor(a, name, bytes, head(bytes, rule, members, shape44), NULL, NULL, 0);
}

static void add_shard(assembly *a, const char *name, const uint64_t *offset)
{
    static const uint8_t zeros[32];
    uint8_t bytes[128];
    uint64_t size = 32;
    asm_tensor(a, name, bytes, shard(bytes, shape24, shape44, offset), zeros, &size, 1);
}

/* The head is refused at that rule and offset; its members can be had all the same. */
static void expect(assembly *a, const char *rule, size_t offset)
{
    hry_file *f;
    hry_tensor *t;
    hry_error err = { 0 };
    assert_int_equal(hry_file_open_memory(a->bytes, a->nbytes, NULL, NULL, NULL, &f, &err), HRY_OK);
    hry_status status = hry_file_tensor_at(f, 0, &t, &err);
    if (rule) {
        assert_int_equal(status, HRY_E_INPUT);
        assert_string_equal(hry_rule_id(err.rule), rule);
        assert_int_equal(err.offset, offset);
    } else {
        assert_int_equal(status, HRY_OK);
        hry_tensor_release(t);
    }
    for (uint64_t i = 1; i < hry_file_count(f); i++) {
        hry_desc desc;
        assert_int_equal(hry_file_desc(f, i, &desc, NULL), HRY_OK);
        if (hry_desc_layout(&desc) == HRY_LAYOUT_COMPOSITE)
            continue;
        assert_int_equal(hry_file_tensor_at(f, i, &t, NULL), HRY_OK);
        hry_tensor_release(t);
    }
    hry_file_close(f);
}

static void torn_and_wrong(void **state)
{
    (void)state;
    static const uint64_t at10[] = { 1, 0 };
    assembly a;
    asm_begin(&a, ASM_CRC, 4096);
    add_head(&a, "h", 1, 2);
    add_shard(&a, "m0", at00);
    asm_end(&a);
    expect(&a, "L-CMP-29", 64 + 28 + 16 + 4);
    asm_free(&a);

    asm_begin(&a, ASM_CRC, 4096);
    add_head(&a, "h", 1, 2);
    add_shard(&a, "m0", at00);
    add_shard(&a, "m1", at20);
    asm_end(&a);
    expect(&a, NULL, 0);
    /* The same members under a head that knows them not, or not so many. */
    asm_set(&a, a.descriptor[0] + 20, 5, 8);
    expect(&a, "L-CMP-21", a.descriptor[1] + 61);
    asm_set(&a, a.descriptor[0] + 20, 4, 8);
    asm_set(&a, a.descriptor[0] + 48, 1, 4);
    expect(&a, "L-CMP-28", 84);
    asm_set(&a, a.descriptor[0] + 48, UINT32_MAX - 1, 4);
    hry_file *f;
    hry_tensor *t;
    hry_error err;
    assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, NULL, &f, &err), HRY_OK);
    assert_int_equal(hry_file_tensor_at(f, 0, &t, &err), HRY_E_LIMIT);
    hry_file_close(f);
    asm_free(&a);

    asm_begin(&a, ASM_CRC, 4096);
    add_head(&a, "h", 1, 2);
    add_shard(&a, "m0", at00);
    add_shard(&a, "m1", at10);
    asm_end(&a);
    expect(&a, "L-CMP-27", a.descriptor[2] + 61 + 16);
    asm_free(&a);

    asm_begin(&a, ASM_CRC, 4096);
    add_head(&a, "h", 1, 2);
    add_shard(&a, "m0", at00);
    asm_floats(&a, "m1", (float[8]){ 0 }, 2, shape24);
    asm_end(&a);
    expect(&a, "L-CMP-20", a.descriptor[2] + 10);
    asm_free(&a);
}

/* Heads inside heads: eight are read, the ninth is refused where it stands; a limit of the caller's comes first. */
static void too_deep(void **state)
{
    (void)state;
    static const char *const names[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9" };
    for (size_t depth = 8; depth <= 9; depth++) {
        assembly a;
        asm_begin(&a, ASM_CRC, 4096);
        for (size_t i = 0; i < depth; i++)
            add_head(&a, names[i], 3, i + 1 < depth);
        asm_end(&a);
        expect(&a, depth == 8 ? NULL : "L-CMP-30", depth == 8 ? 0 : a.descriptor[8] + 15);
        hry_file *f;
        hry_tensor *t;
        hry_error err;
        hry_file_options shallow = { .parse.limits = &(hry_limits){ .composite_depth = 3 } };
        assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, &shallow, &f, &err), HRY_OK);
        assert_int_equal(hry_file_tensor_at(f, 0, &t, &err), HRY_E_INPUT);
        assert_int_equal(err.offset, a.descriptor[3] + 15);
        hry_file_close(f);
        asm_free(&a);
    }
}

/* A check names the head once, and not what it holds. */
static void report(void *ctx, const hry_finding *f)
{
    char *text = ctx;
    strcat(strcat(text, hry_rule_id(f->rule)), ":");
    strncat(text, f->tensor.ptr, f->tensor.len);
    strcat(text, " ");
}

static void checked_once(void **state)
{
    (void)state;
    assembly a;
    asm_begin(&a, ASM_CRC, 4096);
    add_head(&a, "outer", 3, 2);
    add_head(&a, "inner", 1, 2);
    add_shard(&a, "m0", at00);
    add_shard(&a, "m1", at00);
    add_head(&a, "torn", 1, 2);
    add_shard(&a, "m2", at00);
    asm_end(&a);
    hry_file *f;
    char text[256] = "";
    uint64_t violations;
    assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, NULL, &f, NULL), HRY_OK);
    assert_int_equal(hry_file_check(f, NULL, report, text, &violations, NULL), HRY_OK);
    assert_string_equal(text, "L-CMP-27:outer L-CMP-29:torn ");
    assert_int_equal(violations, 2);
    hry_file_close(f);
    asm_set(&a, a.descriptor[3] + 14, 0, 1); /* a member that is broken itself */
    text[0] = 0;
    assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, NULL, &f, NULL), HRY_OK);
    assert_int_equal(hry_file_check(f, NULL, report, text, &violations, NULL), HRY_OK);
    assert_string_equal(text, "D-08:m1 L-CMP-29:torn ");
    hry_file_close(f);
    asm_free(&a);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    kept k;
    hry_tensor *tree = make_tree();
    hry_writer *w = writer_to(&k, &(hry_writer_options){ .sorted = true });
    add(w, "zzz", HRY_TYPE_UINT8, 1, shape4, four);
    assert_int_equal(hry_writer_add(w, "t", tree, NULL), HRY_OK);
    finish(w);
    for (size_t n = 1;; n++) {
        counting_alloc heap;
        hry_file *f;
        hry_error err = { 0 };
        counting_alloc_init(&heap);
        heap.fail_at = n;
        hry_file_options o = { .allocator = &heap.allocator, .access = n % 2 ? HRY_MAP : HRY_READ };
        hry_status status = hry_file_open_memory(k.bytes, k.nbytes, NULL, NULL, &o, &f, &err);
        if (!status) {
            status = touch_all(f, &err);
            hry_file_close(f);
        }
        assert_int_equal(heap.blocks, 0);
        if (!status && n % 2 == 0)
            break;
        assert_true(status == HRY_OK || status == HRY_E_MEMORY);
    }
    for (size_t n = 1;; n++) { /* the writer's side */
        counting_alloc heap;
        kept out;
        counting_alloc_init(&heap);
        heap.fail_at = n;
        hry_sink sink = { .write = keep, .ctx = &out };
        out = (kept){ 0 };
        hry_status status =
            hry_writer_create_sink(&sink, &(hry_writer_options){ .allocator = &heap.allocator }, &w, NULL);
        if (!status) {
            status = hry_writer_add(w, "t", tree, NULL);
            if (!status)
                status = hry_writer_finish(w, NULL);
            hry_writer_destroy(w);
        }
        free(out.bytes);
        assert_int_equal(heap.blocks, 0);
        if (!status)
            break;
        assert_int_equal(status, HRY_E_MEMORY);
    }
    hry_tensor_release(tree);
    free(k.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),     cmocka_unit_test(comes_back_from_a_sorted_index),
        cmocka_unit_test(all_or_nothing), cmocka_unit_test(alignment_of_members),
        cmocka_unit_test(torn_and_wrong), cmocka_unit_test(too_deep),
        cmocka_unit_test(checked_once),   cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
