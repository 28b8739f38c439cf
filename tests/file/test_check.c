/* Advice on containers of our own: each piece of it, where it points, and silence on what is in order. */
#include "file/assemble.h"
#include "support/rules_reached.h"

#include <hurray/file.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static uint16_t taken[64];
static size_t taken_count;

/* "RULE@offset[ tensor]" for each finding, a line each. */
static void take(void *ctx, const hry_finding *f)
{
    char *text = ctx;
    size_t used = strlen(text);
    assert_true(used < 900);
    snprintf(text + used, 100, "%s@%zu %.*s\n", hry_rule_id(f->rule), (size_t)f->offset,
             f->tensor.ptr ? (int)f->tensor.len : 1, f->tensor.ptr ? f->tensor.ptr : "-");
    assert_int_equal(f->status == HRY_OK, f->lint);
    assert_in_range(taken_count, 0, 63);
    taken[taken_count++] = f->rule;
    assert_true(strlen(f->message) > 0);
}

static void check(const assembly *a, hry_access access, uint64_t violations, const char *expected)
{
    char text[1024] = "";
    uint64_t counted = 99;
    taken_count = 0;
    hry_file *file;
    hry_error err = { 0 };
    if (hry_file_open_memory(a->bytes, a->nbytes, NULL, NULL, &(hry_file_options){ .access = access }, &file, &err))
        fail_msg("%s: %s", hry_rule_id(err.rule), err.message);
    assert_int_equal(hry_file_check(file, &(hry_check_options){ .lint = true }, take, text, &counted, &err), HRY_OK);
    assert_string_equal(text, expected);
    while (taken_count > 0)
        rule_reached(taken[--taken_count]);
    assert_int_equal(counted, violations);
    hry_file_close(file);
}

static void expect(const assembly *a, uint64_t violations, const char *format, ...)
{
    char expected[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(expected, sizeof expected, format, args);
    va_end(args);
    check(a, HRY_MAP, violations, expected);
    check(a, HRY_READ, violations, expected);
}

enum { ALL = ASM_HAS_KV | ASM_CRC };

static void nothing_to_say(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    expect(&a, 0, "");
    asm_set(&a, 28, 2, 8); /* a hint that is right */
    expect(&a, 0, "");
    asm_free(&a);
}

static void header_fields(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    asm_set(&a, 28, 3, 8);
    asm_set(&a, 12, ASM_CRC, 4);
    expect(&a, 0, "FL-02@28 -\nFL-06@12 -\n");
    asm_free(&a);
}

static void names_and_keys(void **state)
{
    (void)state;
    assembly a;
    asm_begin(&a, ALL, 4096);
    asm_floats(&a, "a\nb", (float[]){ 1 }, 1, (uint64_t[]){ 1 });
    asm_floats(&a, "\x7F", (float[]){ 1 }, 1, (uint64_t[]){ 1 });
    asm_floats(&a, "\xC2\x85", (float[]){ 1 }, 1, (uint64_t[]){ 1 });
    asm_floats(&a, "\xC2\xA0\xC3\x80", (float[]){ 1 }, 1, (uint64_t[]){ 1 });
    asm_kv(&a, 1, "\1\0\t\5\1", 5);
    asm_end(&a);
    expect(&a, 0, "FL-09@%zu a\nb\nFL-09@%zu \x7F\nFL-09@%zu \xC2\x85\nFL-09@%zu -\n", a.entry[0] + 2, a.entry[1] + 2,
           a.entry[2] + 2, a.kv + 6);
    asm_free(&a);
}

static void padding(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    size_t places[] = { a.data[0] - 1, a.descriptor[1] + a.descriptor_length[1], a.kv - 1, a.index - 1 };
    const char *names[] = { "w", "b", "b", "-" };
    for (size_t i = 0; i < 4; i++) {
        asm_set(&a, places[i], 1, 1);
        expect(&a, 0, "FL-01@%zu %s\n", places[i], names[i]);
        asm_set(&a, places[i], 0, 1);
    }
    asm_free(&a);
}

/* Between buffers; what looks like a descriptor there is none. */
/* A file with the sparse tensor "s" [2,2] whose one element is at [0,0]. */
static void csr(assembly *a)
{
    uint8_t descriptor[256], data[33] = { [17] = 1, [25] = 1 }; /* value, column 0, rows 0 1 1 */
    uint64_t shape[] = { 2, 2 }, sizes[] = { 1, 8, 24 };
    size_t plain = asm_dense(descriptor, 0x11, 2, shape, 1);
    assembly d = { 0 };
    asm_bytes(&d, descriptor, plain - 17);
    asm_set(&d, 15, 0x07, 1); /* CSR: nnz, reserved, three buffers */
    asm_u64(&d, 1);
    asm_u64(&d, 0);
    asm_u8(&d, 3);
    for (size_t k = 0; k < 3; k++) {
        asm_u64(&d, sizes[k]);
        asm_u64(&d, 64);
    }
    asm_set(&d, 6, d.nbytes, 4);
    asm_begin(a, ASM_CRC, 4096);
    asm_tensor(a, "s", d.bytes, d.nbytes, data, sizes, 3);
    asm_end(a);
    asm_free(&d);
}

static void padding_between_buffers(void **state)
{
    (void)state;
    assembly a;
    uint8_t descriptor[256];
    uint64_t shape[] = { 2, 2 };
    size_t plain = asm_dense(descriptor, 0x11, 2, shape, 1);
    csr(&a);
    expect(&a, 0, "");
    memcpy(a.bytes + a.data[0] + 8, descriptor, plain);
    expect(&a, 0, "FL-01@%zu s\n", a.data[0] + 8);
    asm_free(&a);
}

/* Each fault of what buffers hold, where it lies in the file, unless headers are all that counts. */
static void contents(void **state)
{
    (void)state;
    assembly a;
    csr(&a);
    size_t columns = a.data[0] + 4096, rows = columns + 4096;
    asm_set(&a, rows + 16, 2, 8);
    expect(&a, 1, "L-CSR-20@%zu s\n", rows + 16);
    asm_set(&a, rows + 16, 1, 8);
    asm_set(&a, columns, 2, 8);
    expect(&a, 1, "L-CSR-23@%zu s\n", columns);
    hry_file *file;
    uint64_t violations = 99;
    assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, NULL, &file, NULL), HRY_OK);
    assert_int_equal(hry_file_check(file, &(hry_check_options){ .headers_only = true }, NULL, NULL, &violations, NULL),
                     HRY_OK);
    assert_int_equal(violations, 0);
    hry_file_close(file);
    asm_free(&a);
}

static void bits_behind_the_last(void **state)
{
    (void)state;
    assembly a;
    uint8_t descriptor[256], codes[] = { 0x21, 0x03 };
    uint64_t shape[] = { 3 }, size = 2;
    size_t length = asm_dense(descriptor, 0x49, 1, shape, size);
    asm_begin(&a, ASM_CRC, 4096);
    asm_tensor(&a, "u", descriptor, length, codes, &size, 1);
    asm_end(&a);
    expect(&a, 0, "");
    asm_set(&a, a.data[0] + 1, 0x13, 1);
    expect(&a, 0, "E-01@%zu u\n", a.data[0] + 1);
    asm_free(&a);
}

/* Everything from at on moves by n bytes, in the file and in what the index and trailer say. */
static void move(assembly *a, size_t at, size_t n)
{
    asm_insert(a, at, n);
    for (size_t i = 0; i < a->count; i++) {
        size_t fixed = a->fixed[i] + n;
        if (asm_get(a, fixed, 8) >= at)
            asm_set(a, fixed, asm_get(a, fixed, 8) + n, 8);
        if (asm_get(a, fixed + 12, 8) >= at)
            asm_set(a, fixed + 12, asm_get(a, fixed + 12, 8) + n, 8);
        a->fixed[i] = fixed;
    }
    a->trailer += n;
    asm_set(a, a->trailer, asm_get(a, a->trailer, 8) + n, 8);
    if (a->kv >= at)
        asm_set(a, a->trailer + 16, a->kv + n, 8);
    asm_seal(a);
}

static void gaps_between_sections(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    size_t end = a.data[1] + a.data_length[1];
    move(&a, a.kv, 8);
    expect(&a, 0, "FL-03@%zu b\n", end);
    asm_free(&a);
    asm_standard(&a, ALL);
    end = a.kv + a.kv_length;
    move(&a, a.index, 8);
    expect(&a, 0, "FL-03@%zu -\n", end);
    asm_free(&a);
    asm_standard(&a, ALL);
    asm_insert(&a, a.trailer, 1);
    expect(&a, 0, "FL-03@%zu -\n", a.trailer);
    asm_free(&a);
    asm_begin(&a, ASM_CRC, 4096); /* no tensors */
    asm_u64(&a, 0);
    asm_end(&a);
    expect(&a, 0, "FL-03@64 -\n");
    asm_free(&a);
}

static void data_farther_than_need_be(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    move(&a, a.data[0], 4096);
    expect(&a, 0, "FL-04@%zu w\n", a.data[0] + 4096);
    asm_free(&a);
}

/* Seven bytes are padding, a whole alignment may be; anything between needs an explanation. */
static void gaps_between_tensors(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ASM_CRC);
    size_t end = a.data[0] + a.data_length[0];
    /* The next descriptor moves on by 8 bytes, its data stay where they are. */
    memmove(a.bytes + a.descriptor[1] + 8, a.bytes + a.descriptor[1], a.descriptor_length[1]);
    asm_set(&a, a.descriptor[1], 0, 8);
    asm_set(&a, a.fixed[1], a.descriptor[1] + 8, 8);
    asm_seal(&a);
    expect(&a, 0, "FL-11@%zu w\n", end);
    asm_free(&a);
}

static void padded_to_the_alignment(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ASM_CRC);
    size_t n = 4096 - a.descriptor[1] % 4096;
    move(&a, a.descriptor[1], n); /* data_offset is no multiple any more: move it on */
    size_t data = a.data[1] + n, up = (4096 - data % 4096) % 4096;
    move(&a, data, up);
    a.data[1] = data + up;
    asm_set(&a, a.fixed[1] + 12, a.data[1], 8);
    asm_seal(&a);
    expect(&a, 0, "");
    asm_free(&a);
}

/* A head has no data, so that nothing asks for the alignment behind it. */
static void padded_head(void **state)
{
    (void)state;
    static const uint8_t head[45] = { 'H', 'R', 'R', 'Y', 1,    0, 45, 0, 0, 0, 0,
                                      0,   0,   0,   3,   0x0B, 1, 0,  0, 0, 2, [36] = 3 }; /* a group of nothing */
    assembly a;
    asm_begin(&a, ASM_CRC, 4096);
    asm_tensor(&a, "head", head, sizeof head, NULL, NULL, 0);
    asm_floats(&a, "t", (float[]){ 7, 8 }, 1, (uint64_t[]){ 2 });
    asm_end(&a);
    expect(&a, 0, "");
    size_t n = 4096 - a.descriptor[1] % 4096;
    move(&a, a.descriptor[1], n);
    size_t data = a.data[1] + n, up = (4096 - data % 4096) % 4096;
    move(&a, data, up);
    asm_set(&a, a.fixed[1] + 12, data + up, 8);
    asm_seal(&a);
    expect(&a, 0, "FL-05@%zu head\n", a.descriptor[0] + sizeof head);
    asm_free(&a);
}

/* A tensor that is there and not listed: first, in the middle, last; its own padding is no fault. */
static void unlisted(void **state)
{
    (void)state;
    assembly a;
    asm_begin(&a, ASM_CRC, 4096);
    for (size_t i = 0; i < 4; i++)
        asm_floats(&a, (const char *[]){ "a", "b", "c", "d" }[i], (float[]){ 7, 8 }, 1, (uint64_t[]){ 2 });
    size_t second = a.descriptor[1], last = a.descriptor[3];
    a.count = 1;
    a.descriptor[1] = a.descriptor[2], a.data[1] = a.data[2];
    a.name[1] = "c";
    a.count = 2;
    asm_end(&a);
    expect(&a, 0, "FL-10@%zu -\nFL-10@%zu -\n", second, last);
    a.bytes[second + 14] = 0; /* not a descriptor after all */
    expect(&a, 0, "FL-01@%zu a\nFL-11@%zu a\nFL-10@%zu -\n", second, a.data[0] + 8, last);
    asm_free(&a);
}

static void handles(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    size_t handle = a.descriptor[1] + 28 + 8 + 1;
    asm_set(&a, handle + 8, 8192, 4);
    asm_set(&a, handle + 12, 0x01, 1); /* CUDA */
    expect(&a, 0, "FL-07@%zu b\nFL-08@%zu b\n", handle + 8, handle + 12);
    asm_free(&a);
}

static void dynamic(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    asm_set(&a, a.descriptor[0] + 28, UINT64_MAX, 8);
    expect(&a, 0, "F-T04@%zu w\n", a.descriptor[0] + 28);
    asm_free(&a);
}

/* One fault does not hide the next: every tensor has its own verdict. */
static void faults_of_tensors(void **state)
{
    (void)state;
    assembly a;
    asm_standard(&a, ALL);
    asm_set(&a, a.descriptor[0] + 14, 0, 1);
    asm_set(&a, a.descriptor[1] + 15, 0, 1);
    expect(&a, 2, "D-08@%zu w\nD-12@%zu b\n", a.descriptor[0] + 14, a.descriptor[1] + 15);
    asm_free(&a);
}

/* Without lint only violations are reported. */
static void no_advice_unasked(void **state)
{
    (void)state;
    char text[1024] = "";
    uint64_t violations;
    hry_file *file;
    assembly a;
    asm_standard(&a, ALL);
    asm_set(&a, 28, 3, 8);
    asm_set(&a, a.descriptor[0] + 14, 0, 1);
    assert_int_equal(hry_file_open_memory(a.bytes, a.nbytes, NULL, NULL, NULL, &file, NULL), HRY_OK);
    assert_int_equal(hry_file_check(file, NULL, take, text, &violations, NULL), HRY_OK);
    assert_string_equal(text, "D-08@78 w\n");
    assert_int_equal(violations, 1);
    hry_file_close(file);
    asm_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_say),
        cmocka_unit_test(header_fields),
        cmocka_unit_test(names_and_keys),
        cmocka_unit_test(padding),
        cmocka_unit_test(padding_between_buffers),
        cmocka_unit_test(contents),
        cmocka_unit_test(bits_behind_the_last),
        cmocka_unit_test(gaps_between_sections),
        cmocka_unit_test(data_farther_than_need_be),
        cmocka_unit_test(gaps_between_tensors),
        cmocka_unit_test(padded_to_the_alignment),
        cmocka_unit_test(padded_head),
        cmocka_unit_test(unlisted),
        cmocka_unit_test(handles),
        cmocka_unit_test(dynamic),
        cmocka_unit_test(faults_of_tensors),
        cmocka_unit_test(no_advice_unasked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
