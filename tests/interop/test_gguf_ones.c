/* Blocks of zeros: whether their scale was 1 or zero is the same in a container, and yet comes back. (gguf, 4.2) */
#include "interop/gguf_model.h"
#include "interop/st_model.h"
#include "interop/stingy.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

/* ---- Types whose zeros may have a scale of 1: the bytes of such blocks, by the format's formulas ---- */

typedef struct type {
    const char *name;
    uint32_t id, elements, bytes;
    uint32_t scale_at, scale_bytes, scales;
    uint32_t one, half; /* the bits of 1 and of another scale, 0.5 */
    bool bare;          /* a scale of zero: all of the block is zero, which is what ggml writes */
} type;

static const type types[] = {
    { "Q8_0", 8, 32, 34, 0, 2, 1, 0x3C00, 0x3800, true },
    { "Q4_0", 2, 32, 18, 0, 2, 1, 0x3C00, 0x3800, true },
    { "Q5_0", 6, 32, 22, 0, 2, 1, 0x3C00, 0x3800, true },
    { "MXFP4", 39, 32, 17, 0, 1, 1, 0x7F, 0x7E, true },
    { "Q2_0", 42, 64, 18, 0, 2, 1, 0x3C00, 0x3800, false },
    { "TQ1_0", 34, 256, 54, 52, 2, 1, 0x3C00, 0x3800, false },
    { "TQ2_0", 35, 256, 66, 64, 2, 1, 0x3C00, 0x3800, false },
    { "Q8_K", 15, 256, 292, 0, 4, 1, 0x3F800000, 0x3F000000, true },
    { "NVFP4", 40, 64, 36, 0, 1, 4, 0x40, 0x38, true },
};
enum { TYPES = sizeof types / sizeof *types };

/* The bytes around the scales that stand for nothing but zeros: nibbles of 8, of 0 with a fifth bit, digits of 1. */
static uint8_t zero_byte(const type *t, uint32_t at)
{
    switch (t->id) {
    case 2:
        return 0x88;
    case 6:
        return at < 6 ? 0xFF : 0;
    case 42:
    case 35:
        return 0x55;
    case 34:
        return at < 48 ? (121 * 256 + 242) / 243 : (120 * 256 + 242) / 243; /* 11111 and 11110 in base 3 */
    default:
        return 0;
    }
}

/* Blocks of zeros by a pattern: 0 and 1 for their scale, h for one half, - for a zero with a sign. */
static void put_blocks(gguf_maker *m, const type *t, const char *pattern, size_t count)
{
    size_t period = strlen(pattern);
    for (size_t b = 0; b < count; b++) {
        char kind = pattern[b % period];
        uint32_t sign = UINT32_C(1) << (8 * t->scale_bytes - 1);
        uint32_t scale = kind == '0' ? 0 : kind == '1' ? t->one : kind == 'h' ? t->half : sign;
        for (uint32_t at = 0; at < t->bytes;) {
            if (at < t->scale_at || at >= t->scale_at + t->scale_bytes * t->scales) {
                gguf_u8(m, t->bare && kind == '0' ? 0 : zero_byte(t, at));
                at++;
            } else if (t->scale_bytes == 1) {
                gguf_u8(m, scale);
                at++;
            } else if (t->scale_bytes == 2) {
                gguf_u16(m, scale);
                at += 2;
            } else {
                gguf_u32(m, scale);
                at += 4;
            }
        }
    }
}

/* A tensor of rows of one block for each type. */
static void make_file(gguf_maker *m, int big, const char *pattern, size_t count)
{
    uint64_t offset = 0;
    gguf_begin(m, big, 3, TYPES, 0);
    for (size_t k = 0; k < TYPES; k++) {
        gguf_info(m, types[k].name, 2, (uint64_t[]){ types[k].elements, count }, types[k].id, offset);
        offset += (count * types[k].bytes + 31) / 32 * 32;
    }
    for (size_t k = 0; k < TYPES; k++) {
        gguf_pad(m, 32);
        put_blocks(m, &types[k], pattern, count);
    }
    gguf_pad(m, 32);
}

static const hry_import_options whole = { .whole_record = true };

/* To a container and back gives wanted. */
static void assert_trip(const gguf_maker *from, const hry_import_options *options, const gguf_maker *wanted)
{
    hry_error err;
    hry_file *file = gguf_open_made(from, options), *container;
    if (gguf_to_container(file, scratch_path("t.hrry"), &err))
        fail_msg("%s", err.message);
    assert_int_equal(hry_file_open(scratch_path("t.hrry"), NULL, &container, &err), HRY_OK);
    gguf_assert_saved(container, &gguf_strict, wanted);
    hry_file_close(container);
    hry_file_close(file);
}

static uint64_t record_length(const gguf_maker *m, const hry_import_options *options)
{
    hry_file *file = gguf_open_made(m, options);
    uint64_t n = hry_file_kv(file, "gguf.metadata")->value.as.string.len;
    hry_file_close(file);
    return n;
}

static void patterns(void **state)
{
    (void)state;
    static const char *const all[] = { "0", "1", "h", "01", "10", "h1", "1h", "0h1h", "0001h110000h1111111111h01" };
    static const size_t counts[] = { 1, 2, 3, 127, 128, 129, 400, 3000 };
    for (size_t p = 0; p < sizeof all / sizeof *all; p++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            gguf_maker m, big;
            make_file(&m, 0, all[p], counts[c]);
            make_file(&big, 1, all[p], counts[c]);
            assert_trip(&m, &whole, &m);
            assert_trip(&big, &whole, &m);
            gguf_free(&m);
            gguf_free(&big);
        }
}

/* Blocks whose four scales are not all alike: every choice of 0, 1 and one half, in two orders. */
static void mixed_blocks(void **state)
{
    (void)state;
    static const uint8_t scales[] = { 0, 0x40, 0x38 };
    for (unsigned step = 1; step <= 40; step += 39) {
        gguf_maker m;
        gguf_begin(&m, 0, 3, 1, 0);
        gguf_info(&m, "a", 2, (uint64_t[]){ 64, 81 }, 40, 0);
        gguf_pad(&m, 32);
        for (unsigned b = 0; b < 81; b++) {
            unsigned choice = b * step % 81;
            for (unsigned part = 0; part < 4; part++, choice /= 3)
                gguf_u8(&m, scales[choice % 3]);
            gguf_raw(&m, (uint8_t[32]){ 0 }, 32);
        }
        gguf_pad(&m, 32);
        assert_trip(&m, &whole, &m);
        gguf_free(&m);
    }
}

/* Turns far apart, beyond what two bytes hold. */
static void far_apart(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t count;
    } runs[] = { { "0h", 200 }, { "1", 20000 }, { "h", 70000 }, { "0", 3 }, { "h1", 1000 } };
    const uint64_t blocks = 91203;
    gguf_maker m;
    gguf_begin(&m, 0, 3, 1, 0);
    gguf_info(&m, "a", 1, (uint64_t[]){ 32 * blocks }, 8, 0);
    gguf_pad(&m, 32);
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        put_blocks(&m, &types[0], runs[k].pattern, runs[k].count);
    gguf_pad(&m, 32);
    assert_trip(&m, &whole, &m);
    gguf_free(&m);
}

/* A zero with a sign is a zero; the sign is lost. */
static void negative_zeros(void **state)
{
    (void)state;
    static const size_t with_sign[] = { 0, 7 };
    for (size_t k = 0; k < 2; k++) {
        const type *t = &types[with_sign[k]];
        gguf_maker m[2];
        for (int w = 0; w < 2; w++) {
            gguf_begin(&m[w], 0, 3, 1, 0);
            gguf_info(&m[w], "a", 2, (uint64_t[]){ t->elements, 60 }, t->id, 0);
            gguf_pad(&m[w], 32);
            put_blocks(&m[w], t, w ? "01h010" : "-1h-1-", 60);
            gguf_pad(&m[w], 32);
        }
        assert_trip(&m[0], &whole, &m[1]);
        gguf_free(&m[0]);
        gguf_free(&m[1]);
    }
}

/* What a record takes: nothing where all zeros had a scale of zero, one turn where none had. */
static void lengths(void **state)
{
    (void)state;
    gguf_maker m;
    make_file(&m, 0, "0h", 300);
    uint64_t plain = record_length(&m, NULL), names = 0;
    assert_int_equal(record_length(&m, &whole), plain);
    gguf_free(&m);
    /* Nor where a scale of 1 stands over other codes. */
    gguf_begin(&m, 0, 3, 1, 0);
    gguf_info(&m, "a", 2, (uint64_t[]){ 32, 2 }, 39, 0);
    gguf_pad(&m, 32);
    gguf_raw(&m, (uint8_t[34]){ 0x7F, [16] = 0x10, [17] = 0x7F, [18] = 1 }, 34);
    gguf_pad(&m, 32);
    assert_int_equal(record_length(&m, &whole), record_length(&m, NULL));
    gguf_free(&m);
    for (size_t k = 0; k < TYPES; k++)
        names += strlen(types[k].name);
    make_file(&m, 0, "h1", 300);
    assert_int_equal(record_length(&m, NULL), plain);
    /* A count; for each its name, its type, its blocks, the length of its turns, and a byte of them. */
    assert_int_equal(record_length(&m, &whole), plain + 8 + names + TYPES * (8 + 4 + 8 + 8 + 1));
    gguf_free(&m);
}

/* Without being asked, nothing looks at the blocks: the values come back, the scales as ggml writes them. */
static void unasked(void **state)
{
    (void)state;
    gguf_maker m, wanted;
    make_file(&m, 0, "0h1h", 50);
    make_file(&wanted, 0, "0h0h", 50);
    assert_trip(&m, NULL, &wanted);
    gguf_free(&m);
    gguf_free(&wanted);
}

/* A tensor that turns more often than a MiB of turns holds comes back as if unasked; the others do not suffer. */
static void too_many_turns(void **state)
{
    (void)state;
    enum { MANY = 1 << 20 };
    gguf_maker m = { 0 }, wanted = { 0 };
    for (int w = 0; w < 2; w++) {
        gguf_maker *to = w ? &wanted : &m;
        uint64_t next = (17 * (uint64_t)MANY + 31) / 32 * 32;
        gguf_begin(to, 0, 3, 2, 0);
        gguf_info(to, "many", 1, (uint64_t[]){ 32 * MANY }, 39, 0);
        gguf_info(to, "few", 1, (uint64_t[]){ 32 * 5 }, 8, next);
        gguf_pad(to, 32);
        put_blocks(to, &types[3], w ? "0" : "10", MANY);
        gguf_pad(to, 32);
        put_blocks(to, &types[0], "10h01", 5);
        gguf_pad(to, 32);
    }
    assert_trip(&m, &whole, &wanted);
    gguf_free(&m);
    gguf_free(&wanted);
}

/* A tensor with its blocks, under a name, beside a record. */
static hry_file *container_of(const char *name, uint64_t rows, const hry_kv_value *record)
{
    static const uint8_t codes[32 * 8];
    uint8_t scales[16], bytes[512];
    hry_error err;
    hry_writer *writer;
    hry_file *file;
    hry_desc desc;
    hry_quantization q = { .scheme = HRY_SCHEME_PER_BLOCK,
                           .flags = HRY_QUANT_SYMMETRIC,
                           .axis = 1,
                           .block_size = 32,
                           .scale_buffer_index = 1,
                           .zero_point_buffer_index = HRY_NO_BUFFER,
                           .scale_type_tag = HRY_TYPE_FLOAT16 };
    hry_desc_spec spec = { .type = HRY_TYPE_INT8, .rank = 2, .shape = (uint64_t[]){ rows, 32 }, .quantization = &q };
    for (size_t i = 0; i < 16; i += 2)
        scales[i] = 0, scales[i + 1] = 0x3C;
    assert_int_equal(hry_writer_create(scratch_path("c.hrry"),
                                       &(hry_writer_options){ .replace = true, .no_sync = true }, &writer, &err),
                     HRY_OK);
    assert_int_equal(hry_writer_kv(writer, "gguf.metadata", 13, record, &err), HRY_OK);
    if (hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err) ||
        hry_writer_begin(writer, name, strlen(name), &desc, &err) ||
        hry_writer_data(writer, codes, (size_t)rows * 32, &err) ||
        hry_writer_data(writer, scales, (size_t)rows * 2, &err) || hry_writer_end(writer, &err) ||
        hry_writer_finish(writer, &err))
        fail_msg("%s", err.message);
    hry_writer_destroy(writer);
    assert_int_equal(hry_file_open(scratch_path("c.hrry"), NULL, &file, &err), HRY_OK);
    return file;
}

static void one_tensor(gguf_maker *m, const char *name, const char *pattern, uint64_t rows)
{
    gguf_begin(m, 0, 3, 1, 0);
    gguf_info(m, name, 2, (uint64_t[]){ 32, rows }, 8, 0);
    gguf_pad(m, 32);
    put_blocks(m, &types[0], pattern, rows);
    gguf_pad(m, 32);
}

static void assert_recorded(const hry_kv_value *record, const char *name, uint64_t rows, const char *pattern)
{
    gguf_maker wanted;
    hry_file *file = container_of(name, rows, record);
    one_tensor(&wanted, name, pattern, rows);
    gguf_assert_saved(file, &gguf_strict, &wanted);
    gguf_free(&wanted);
    hry_file_close(file);
}

/* The record is of a tensor by that name with as many blocks of that type, and says nothing of any other. */
static void of_another(void **state)
{
    (void)state;
    gguf_maker m;
    one_tensor(&m, "a", "0110h1h0", 8);
    hry_file *file = gguf_open_made(&m, &whole);
    const hry_kv_value *record = &hry_file_kv(file, "gguf.metadata")->value;
    /* Zeros with a scale of 1 where there was another scale: either kind has these values. */
    assert_recorded(record, "a", 8, "01100110");
    assert_recorded(record, "b", 8, "0");
    assert_recorded(record, "a", 7, "0");
    hry_file_close(file);
    gguf_free(&m);
    /* As Q5_0 it had as many blocks, too. */
    gguf_begin(&m, 0, 3, 1, 0);
    gguf_info(&m, "a", 2, (uint64_t[]){ 32, 8 }, 6, 0);
    gguf_pad(&m, 32);
    put_blocks(&m, &types[2], "1", 8);
    gguf_pad(&m, 32);
    file = gguf_open_made(&m, &whole);
    hry_kv_value other = hry_file_kv(file, "gguf.metadata")->value;
    size_t n = other.as.string.len;
    uint8_t *bytes = malloc(n);
    assert_non_null(bytes);
    memcpy(bytes, other.as.string.ptr, n);
    /* u32, u32, u64, u64 of no metadata, u64 of one tensor, its name and its type: it is no Q5_0 any more. */
    bytes[4 + 4 + 8 + 8 + 8 + 8 + 1] = 7;
    other.as.string.ptr = (const char *)bytes;
    assert_recorded(&other, "a", 8, "0");
    free(bytes);
    hry_file_close(file);
    gguf_free(&m);
}

/* Whatever stands in a record: a file comes out, with blocks of zeros, each with a scale of 1 or zero. */
static void damaged(void **state)
{
    (void)state;
    gguf_maker m;
    one_tensor(&m, "a", "01101001", 8);
    hry_file *file = gguf_open_made(&m, &whole);
    hry_kv_value record = hry_file_kv(file, "gguf.metadata")->value;
    size_t n = record.as.string.len, nbytes;
    uint8_t *copy = malloc(n);
    assert_non_null(copy);
    for (size_t at = 0; at < n; at++)
        for (int bit = 0; bit < 8; bit++) {
            hry_error err;
            memcpy(copy, record.as.string.ptr, n);
            copy[at] ^= (uint8_t)(1 << bit);
            hry_kv_value changed = record;
            changed.as.string.ptr = (const char *)copy;
            hry_file *container = container_of("a", 8, &changed);
            if (hry_gguf_save(container, scratch_path("out.gguf"), &gguf_quick, &err))
                fail_msg("%s", err.message);
            uint8_t *bytes = read_file(scratch_path("out.gguf"), &nbytes);
            assert_true(nbytes >= 8 * 34);
            uint64_t data = (nbytes - 8 * 34) / 32 * 32;
            for (size_t k = 0; k < 8 * 34; k++) {
                unsigned x = bytes[data + k];
                assert_true(x == 0 || (x == 0x3C && k % 34 == 1));
            }
            free(bytes);
            hry_file_close(container);
        }
    free(copy);
    hry_file_close(file);
    gguf_free(&m);
}

/* Read a piece at a time it is the same; and when memory ends, nothing is left behind. */
static void ways_in(void **state)
{
    (void)state;
    gguf_maker m;
    hry_error err;
    hry_file *file;
    make_file(&m, 0, "0h11h01", 1000);
    scratch_write("in.gguf", m.bytes, m.used);
    hry_import_options options = whole;
    options.file.access = HRY_READ;
    assert_int_equal(hry_gguf_open(scratch_path("in.gguf"), &options, &file, &err), HRY_OK);
    hry_file *mapped = gguf_open_made(&m, &whole);
    hry_str a = hry_file_kv(file, "gguf.metadata")->value.as.string,
            b = hry_file_kv(mapped, "gguf.metadata")->value.as.string;
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.ptr, b.ptr, a.len);
    hry_file_close(mapped);
    hry_file_close(file);
    for (size_t fail_at = 1;; fail_at++) {
        stingy s;
        stingy_init(&s, fail_at);
        options.file.allocator = &s.allocator;
        hry_status status = hry_gguf_open(scratch_path("in.gguf"), &options, &file, NULL);
        if (!status) {
            hry_file_close(file);
            assert_int_equal(s.live, 0);
            assert_true(fail_at > 5);
            break;
        }
        assert_int_equal(s.live, 0);
        assert_int_equal(status, HRY_E_MEMORY);
    }
    gguf_free(&m);
}

/* A block that cannot be held is no matter of opening. */
static void infinite(void **state)
{
    (void)state;
    gguf_maker m;
    hry_error err;
    hry_tensor *tensor;
    one_tensor(&m, "a", "01", 8);
    m.bytes[m.used - 8 * 34 - (m.used - 8 * 34) % 32 + 3 * 34 + 1] = 0x7C;
    hry_file *file = gguf_open_made(&m, &whole);
    assert_int_equal(hry_file_tensor_at(file, 0, &tensor, &err), HRY_E_UNSUPPORTED);
    hry_file_close(file);
    gguf_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),       cmocka_unit_test(mixed_blocks), cmocka_unit_test(far_apart),
        cmocka_unit_test(lengths),        cmocka_unit_test(unasked),      cmocka_unit_test(too_many_turns),
        cmocka_unit_test(of_another),     cmocka_unit_test(damaged),      cmocka_unit_test(ways_in),
        cmocka_unit_test(negative_zeros), cmocka_unit_test(infinite),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
