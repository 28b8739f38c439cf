/* What becomes of tensors on their way to and from GGUF. */
#include "interop/gguf_formulas.h"
#include "interop/gguf_model.h"
#include "interop/st_model.h"
#include "interop/stingy.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

/* ---- Containers made for the occasion ---- */

typedef struct given {
    const char *name;
    hry_desc_spec spec;
    const void *buffers[3];
} given;

static hry_file *container_of(const given *tensors, size_t count)
{
    hry_error err;
    hry_writer *writer;
    hry_file *file;
    hry_writer_options options = { .replace = true, .no_sync = true };
    assert_int_equal(hry_writer_create(scratch_path("t.hrry"), &options, &writer, &err), HRY_OK);
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[1024];
        hry_desc desc;
        hry_buffer row;
        if (hry_desc_encode(&tensors[i].spec, NULL, bytes, sizeof bytes, &desc, &err) ||
            hry_writer_begin(writer, tensors[i].name, strlen(tensors[i].name), &desc, &err))
            fail_msg("%s: %s", tensors[i].name, err.message);
        for (uint32_t k = 0; hry_desc_buffer(&desc, k, &row); k++)
            if (row.byte_size)
                assert_int_equal(hry_writer_data(writer, tensors[i].buffers[k], (size_t)row.byte_size, &err), HRY_OK);
        assert_int_equal(hry_writer_end(writer, &err), HRY_OK);
    }
    assert_int_equal(hry_writer_finish(writer, &err), HRY_OK);
    hry_writer_destroy(writer);
    assert_int_equal(hry_file_open(scratch_path("t.hrry"), NULL, &file, &err), HRY_OK);
    return file;
}

static hry_quantization blocks_of(uint32_t axis, uint32_t size, uint8_t scale_type, bool symmetric)
{
    return (hry_quantization){ .scheme = HRY_SCHEME_PER_BLOCK,
                               .flags = symmetric ? HRY_QUANT_SYMMETRIC : 0,
                               .axis = axis,
                               .block_size = size,
                               .scale_buffer_index = 1,
                               .zero_point_buffer_index = symmetric ? HRY_NO_BUFFER : 2,
                               .scale_type_tag = scale_type };
}

/* The worked file of the format's description, section 5.1, byte for byte; but for the version of quantization, which
 * readers expect and that file leaves out. */
static void worked_file(void **state)
{
    (void)state;
    int8_t codes[64];
    const uint8_t scales[] = { 0x00, 0x3C, 0x66, 0xAE };
    gguf_maker m;
    for (int i = 0; i < 64; i++)
        codes[i] = (int8_t)(i * 5 - 128);
    hry_quantization q = blocks_of(1, 32, HRY_TYPE_FLOAT16, true);
    given a = { "a",
                { .type = HRY_TYPE_INT8, .rank = 2, .shape = (uint64_t[]){ 2, 32 }, .quantization = &q },
                { codes, scales } };
    hry_file *file = container_of(&a, 1);
    gguf_begin(&m, 0, 3, 1, 1);
    gguf_key(&m, "general.quantization_version", 4);
    gguf_u32(&m, 2);
    gguf_info(&m, "a", 2, (uint64_t[]){ 32, 2 }, 8, 0);
    gguf_pad(&m, 32);
    gguf_raw(&m, scales, 2), gguf_raw(&m, codes, 32);
    gguf_raw(&m, scales + 2, 2), gguf_raw(&m, codes + 32, 32);
    gguf_pad(&m, 32);
    gguf_assert_saved(file, &gguf_strict, &m);
    hry_file_close(file);
    gguf_free(&m);
    /* A file that was GGUF without that key comes back without it: 192 bytes. */
    gguf_begin(&m, 0, 3, 1, 0);
    gguf_info(&m, "a", 2, (uint64_t[]){ 32, 2 }, 8, 0);
    gguf_pad(&m, 32);
    gguf_raw(&m, scales, 2), gguf_raw(&m, codes, 32);
    gguf_raw(&m, scales + 2, 2), gguf_raw(&m, codes + 32, 32);
    gguf_pad(&m, 32);
    assert_int_equal(m.used, 192);
    hry_error err;
    hry_file *source = gguf_open_made(&m, NULL), *back;
    assert_int_equal(gguf_to_container(source, scratch_path("w.hrry"), &err), HRY_OK);
    assert_int_equal(hry_file_open(scratch_path("w.hrry"), NULL, &back, &err), HRY_OK);
    gguf_assert_saved(back, &gguf_strict, &m);
    hry_file_close(back);
    hry_file_close(source);
    gguf_free(&m);
}

static void plain_types(void **state)
{
    (void)state;
    static const uint8_t data[96] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    static const struct {
        uint8_t type;
        uint32_t id, rank;
        uint64_t shape[4], dims[4];
        size_t nbytes;
    } cases[] = { { HRY_TYPE_FLOAT32, 0, 0, { 0 }, { 0 }, 4 },
                  { HRY_TYPE_FLOAT16, 1, 1, { 3 }, { 3 }, 6 },
                  { HRY_TYPE_BFLOAT16, 30, 2, { 2, 3 }, { 3, 2 }, 12 },
                  { HRY_TYPE_FLOAT64, 28, 3, { 1, 2, 3 }, { 3, 2, 1 }, 48 },
                  { HRY_TYPE_INT8, 24, 4, { 2, 1, 3, 1 }, { 1, 3, 1, 2 }, 6 },
                  { HRY_TYPE_INT16, 25, 2, { 0, 5 }, { 5, 0 }, 0 },
                  { HRY_TYPE_INT32, 26, 1, { 1 }, { 1 }, 4 },
                  { HRY_TYPE_INT64, 27, 1, { 12 }, { 12 }, 96 } };
    enum { N = sizeof cases / sizeof *cases };
    given tensors[N];
    gguf_maker m;
    uint64_t offset = 0;
    char names[N][2];
    gguf_begin(&m, 0, 3, N, 0);
    for (size_t i = 0; i < N; i++) {
        snprintf(names[i], 2, "%c", 'a' + (int)i);
        tensors[i] =
            (given){ names[i], { .type = cases[i].type, .rank = cases[i].rank, .shape = cases[i].shape }, { data } };
        gguf_info(&m, names[i], cases[i].rank, cases[i].dims, cases[i].id, offset);
        offset += (cases[i].nbytes + 31) / 32 * 32;
    }
    for (size_t i = 0; i < N; i++) {
        gguf_pad(&m, 32);
        gguf_raw(&m, data, cases[i].nbytes);
    }
    gguf_pad(&m, 32);
    hry_file *file = container_of(tensors, N);
    gguf_assert_saved(file, &gguf_strict, &m);
    hry_file_close(file);
    gguf_free(&m);
}

/* Other ways to say the same: float32 and bfloat16 scales, zero points, codes without a sign. */
static void other_forms(void **state)
{
    (void)state;
    uint8_t codes[32];
    /* -0.75 and 1 in three types, 0.1 and 1, and zero points, as they are stored. */
    static const uint8_t scale32[] = { 0, 0, 0x40, 0xBF, 0, 0, 0x80, 0x3F },
                         odd_scale[] = { 0xCD, 0xCC, 0xCC, 0x3D, 0, 0, 0x80, 0x3F },
                         bf16[] = { 0x40, 0xBF, 0x80, 0x3F }, halves[] = { 0x00, 0xBA, 0x00, 0x3C },
                         eights[] = { 8, 0, 0, 0, 8, 0, 0, 0 }, mixed[] = { 8, 0, 0, 0, 7, 0, 0, 0 }, zeros[8] = { 0 };
    for (unsigned i = 0; i < 32; i++)
        codes[i] = (uint8_t)(i * 37 + 11);
    memset(codes + 16, 0, 16); /* a second block of zeros */
    uint8_t unsigned_codes[32];
    for (unsigned i = 0; i < 32; i++)
        unsigned_codes[i] = codes[i] ^ 0x88;
    hry_quantization as_f32 = blocks_of(0, 32, HRY_TYPE_FLOAT32, true),
                     as_bf16 = blocks_of(0, 32, HRY_TYPE_BFLOAT16, true),
                     with_eights = blocks_of(0, 32, HRY_TYPE_FLOAT16, false),
                     with_zeros = blocks_of(0, 32, HRY_TYPE_FLOAT32, false);
    const uint64_t shape[] = { 64 };
    const given tensors[] = {
        { "f32", { .type = HRY_TYPE_INT4, .rank = 1, .shape = shape, .quantization = &as_f32 }, { codes, scale32 } },
        { "bf16", { .type = HRY_TYPE_INT4, .rank = 1, .shape = shape, .quantization = &as_bf16 }, { codes, bf16 } },
        { "unsigned",
          { .type = HRY_TYPE_UINT4, .rank = 1, .shape = shape, .quantization = &with_eights },
          { unsigned_codes, halves, eights } },
        { "zeros",
          { .type = HRY_TYPE_INT4, .rank = 1, .shape = shape, .quantization = &with_zeros },
          { codes, scale32, zeros } },
        { "odd", { .type = HRY_TYPE_INT4, .rank = 1, .shape = shape, .quantization = &as_f32 }, { codes, odd_scale } },
        { "mixed",
          { .type = HRY_TYPE_UINT4, .rank = 1, .shape = shape, .quantization = &with_eights },
          { unsigned_codes, halves, mixed } },
    };
    gguf_maker m;
    gguf_begin(&m, 0, 3, 4, 1);
    gguf_key(&m, "general.quantization_version", 4);
    gguf_u32(&m, 2);
    for (size_t i = 0; i < 4; i++)
        gguf_info(&m, tensors[i].name, 1, shape, 2, 64 * i);
    for (size_t i = 0; i < 4; i++) {
        gguf_pad(&m, 32);
        gguf_u16(&m, 0xBA00);
        for (unsigned j = 0; j < 16; j++) { /* j below, j + 16 above; the sign turned */
            unsigned low = codes[j / 2] >> (4 * (j % 2)) & 15u, high = codes[8 + j / 2] >> (4 * (j % 2)) & 15u;
            gguf_u8(&m, (low | high << 4) ^ 0x88);
        }
        gguf_raw(&m, (uint8_t[18]){ 0 }, 18); /* what ggml makes of zeros */
    }
    gguf_pad(&m, 32);
    hry_file *file = container_of(tensors, 6);
    gguf_assert_saved(file, &gguf_quick, &m);
    hry_error err;
    assert_int_equal(hry_gguf_save(file, scratch_path("no.gguf"), &gguf_strict, &err), HRY_E_UNSUPPORTED);
    assert_int_equal(err.value, 2);
    assert_non_null(strstr(err.message, "tensor \"odd\": quantization per-block-affine of int4 is no block type"));
    hry_file_close(file);
    gguf_free(&m);
}

typedef struct heard {
    size_t count;
    char text[16][256];
} heard;

static void hear(void *ctx, const hry_note *note)
{
    heard *h = ctx;
    assert_in_range(h->count, 0, 15);
    snprintf(h->text[h->count++], 256, "%.*s: %s", (int)note->name.len, note->name.ptr, note->reason);
}

static void left_out(void **state)
{
    (void)state;
    static const uint8_t data[4096];
    static const uint64_t ones[] = { 1, 1, 1, 1, 32 };
    static const float scale = 1;
    char long_name[65] = { 0 };
    memset(long_name, 'n', 64);
    const hry_layout column = { .tag = HRY_LAYOUT_COLUMN_MAJOR };
    hry_quantization tensor_wide = { .scheme = HRY_SCHEME_PER_TENSOR, .scale = 1 },
                     other_axis = blocks_of(0, 32, HRY_TYPE_FLOAT32, true),
                     sixteen = blocks_of(0, 16, HRY_TYPE_FLOAT32, true);
    const uint64_t tall[] = { 32, 1 }, flat[] = { 32 };
    (void)scale;
    const hry_statistics statistics = { .computed_mask = HRY_STATS_NNZ };
    const given tensors[] = {
        { "uint8", { .type = HRY_TYPE_UINT8, .rank = 1, .shape = flat }, { data } },
        { "bool", { .type = HRY_TYPE_BOOL, .rank = 1, .shape = flat }, { data } },
        { "five", { .type = HRY_TYPE_FLOAT32, .rank = 5, .shape = ones }, { data } },
        { "column", { .type = HRY_TYPE_FLOAT32, .rank = 2, .shape = tall, .layout = &column }, { data } },
        { "tensor", { .type = HRY_TYPE_INT8, .rank = 1, .shape = flat, .quantization = &tensor_wide }, { data } },
        { "axis", { .type = HRY_TYPE_INT8, .rank = 2, .shape = tall, .quantization = &other_axis }, { data, &scale } },
        { "sixteen",
          { .type = HRY_TYPE_INT8, .rank = 1, .shape = flat, .quantization = &sixteen },
          { data, (float[]){ 1, 1 } } },
        { "int4", { .type = HRY_TYPE_INT4, .rank = 1, .shape = flat }, { data } },
        { long_name, { .type = HRY_TYPE_FLOAT32, .rank = 1, .shape = flat }, { data } },
        { "kept", { .type = HRY_TYPE_FLOAT32, .rank = 1, .shape = flat, .statistics = &statistics }, { data } },
    };
    heard h = { 0 };
    hry_error err;
    hry_export_options options = gguf_quick;
    options.note = hear;
    options.note_ctx = &h;
    hry_file *file = container_of(tensors, sizeof tensors / sizeof *tensors), *back;
    assert_int_equal(hry_gguf_save(file, scratch_path("out.gguf"), &options, &err), HRY_OK);
    assert_int_equal(h.count, 10);
    assert_string_equal(h.text[0], "uint8: type uint8 is not representable");
    assert_string_equal(h.text[1], "bool: type bool is not representable");
    assert_string_equal(h.text[2], "five: 5 dimensions, more than 4");
    assert_string_equal(h.text[3], "column: layout column-major is not representable");
    assert_string_equal(h.text[4], "tensor: quantization per-tensor-affine of int8 is no block type");
    assert_string_equal(h.text[5], "axis: quantization per-block-affine of int8 is no block type");
    assert_string_equal(h.text[6], "sixteen: quantization per-block-affine of int8 is no block type");
    assert_string_equal(h.text[7], "int4: type int4 is not representable");
    assert_non_null(strstr(h.text[8], "a name of 64 bytes, more than the 63"));
    assert_string_equal(h.text[9], "kept: its statistics are dropped");
    assert_int_equal(hry_gguf_open(scratch_path("out.gguf"), NULL, &back, &err), HRY_OK);
    assert_int_equal(hry_file_count(back), 1);
    hry_file_close(back);
    hry_file_close(file);
}

/* Everything, carried in a container, comes back; and so do the types whose form says all. */
static void round_trips(void **state)
{
    (void)state;
    gguf_maker m;
    hry_error err;
    hry_file *container;
    gguf_make_blocks(&m, 0);
    hry_file *file = gguf_open_made(&m, &(hry_import_options){ .file.parse.allow = &gguf_all });
    assert_int_equal(gguf_to_container(file, scratch_path("all.hrry"), &err), HRY_OK);
    assert_int_equal(gguf_open_container(scratch_path("all.hrry"), &container, &err), HRY_OK);
    gguf_assert_saved(container, &gguf_strict, &m);
    hry_file_close(container);
    /* Permissive readers carry it as well, without looking at it. */
    assert_int_equal(
        hry_file_open(scratch_path("all.hrry"), &(hry_file_options){ .parse.permissive = true }, &container, &err),
        HRY_OK);
    gguf_assert_saved(container, &gguf_strict, &m);
    hry_file_close(container);
    hry_file_close(file);
    gguf_free(&m);
}

/* Types that share their form with others come back by name, and only while they are still what they were. */
static void types_by_record(void **state)
{
    (void)state;
    static const uint8_t ids[] = { 6, 20, 8, 41, 42, 35 }; /* Q5_0, IQ4_NL, Q8_0, Q1_0, Q2_0, TQ2_0 */
    gguf_maker m;
    hry_error err;
    hry_file *container;
    uint64_t offset = 0;
    gguf_begin(&m, 0, 3, sizeof ids, 0);
    for (size_t t = 0; t < sizeof ids; t++)
        for (size_t k = 0; k < gguf_formula_count; k++)
            if (gguf_formulas[k].id == ids[t]) {
                gguf_info(&m, gguf_formulas[k].name, 1, (uint64_t[]){ gguf_formulas[k].elements }, ids[t], offset);
                offset += (gguf_formulas[k].bytes + 31) / 32 * 32;
            }
    for (size_t t = 0; t < sizeof ids; t++)
        for (size_t k = 0; k < gguf_formula_count; k++)
            if (gguf_formulas[k].id == ids[t]) {
                gguf_pad(&m, 32);
                for (unsigned at = 0; at < gguf_formulas[k].bytes; at++)
                    gguf_u8(&m, at == gguf_formulas[k].scale_at[0] + 1 ? 0x2E : at * 31 + 7);
            }
    gguf_pad(&m, 32);
    heard h = { 0 };
    hry_import_options options = { .strict = true, .note = hear, .note_ctx = &h };
    hry_file *file = gguf_open_made(&m, &options);
    assert_int_equal(h.count, 5); /* all but Q8_0 grow, and nothing else is said, even under strict */
    assert_string_equal(h.text[0], "Q5_0: Q5_0 is kept exactly: 22 bytes become 34, 1.55 times as many");
    assert_int_equal(gguf_to_container(file, scratch_path("all.hrry"), &err), HRY_OK);
    assert_int_equal(hry_file_open(scratch_path("all.hrry"), NULL, &container, &err), HRY_OK);
    gguf_assert_saved(container, &gguf_strict, &m);
    hry_file_close(container);
    hry_file_close(file);
    gguf_free(&m);
}

static hry_status collect(void *ctx, const void *bytes, size_t nbytes, hry_error *err)
{
    (void)err;
    gguf_raw(ctx, bytes, nbytes);
    return HRY_OK;
}

/* The same bytes by all ways out, and nothing half done when memory ends. */
static void ways_out(void **state)
{
    (void)state;
    gguf_maker m, gathered = { 0 };
    hry_error err;
    hry_file *container;
    gguf_make_blocks(&m, 0);
    hry_file *file = gguf_open_made(&m, &(hry_import_options){ .file.parse.allow = &gguf_all });
    assert_int_equal(gguf_to_container(file, scratch_path("all.hrry"), &err), HRY_OK);
    hry_file_close(file);
    assert_int_equal(gguf_open_container(scratch_path("all.hrry"), &container, &err), HRY_OK);
    hry_sink sink = { .write = collect, .ctx = &gathered };
    assert_int_equal(hry_gguf_save_sink(container, &sink, &gguf_strict, &err), HRY_OK);
    assert_int_equal(gathered.used, m.used);
    assert_memory_equal(gathered.bytes, m.bytes, m.used);
    FILE *out = fopen(scratch_path("fd.gguf"), "wb");
    assert_non_null(out);
    assert_int_equal(hry_gguf_save_fd(container, fileno(out), &gguf_strict, &err), HRY_OK);
    fclose(out);
    assert_true(scratch_is("fd.gguf", m.bytes, m.used));
    assert_int_equal(hry_gguf_save(container, scratch_path("fd.gguf"), &(hry_export_options){ .no_sync = true }, &err),
                     HRY_E_BUSY);
    size_t files = scratch_count();
    for (size_t fail_at = 1;; fail_at++) {
        stingy s;
        stingy_init(&s, fail_at);
        hry_export_options options = gguf_strict;
        options.allocator = &s.allocator;
        hry_status status = hry_gguf_save(container, scratch_path("fd.gguf"), &options, NULL);
        assert_int_equal(s.live, 0);
        assert_int_equal(scratch_count(), files);
        if (!status) {
            assert_true(fail_at > 5);
            break;
        }
        assert_int_equal(status, HRY_E_MEMORY);
    }
    assert_true(scratch_is("fd.gguf", m.bytes, m.used));
    hry_file_close(container);
    gguf_free(&m);
    gguf_free(&gathered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_file), cmocka_unit_test(plain_types), cmocka_unit_test(other_forms),
        cmocka_unit_test(left_out),    cmocka_unit_test(round_trips), cmocka_unit_test(types_by_record),
        cmocka_unit_test(ways_out),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
