/* What GGUF tensors are read as. */
#include "interop/gguf_formulas.h"
#include "interop/gguf_model.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* Every range of a buffer, read alone, is that of the whole. */
static void assert_pieces(hry_file *file, uint64_t i, const hry_tensor *tensor)
{
    const hry_desc *desc = hry_tensor_desc(tensor);
    hry_buffer row;
    for (uint32_t k = 0; hry_desc_buffer(desc, k, &row); k++) {
        uint8_t *copy = malloc((size_t)row.byte_size + 1);
        assert_non_null(copy);
        assert_int_equal(hry_file_read_into(file, i, k, copy, row.byte_size, NULL, NULL), HRY_OK);
        assert_memory_equal(copy, hry_tensor_buffer(tensor, k, NULL), (size_t)row.byte_size);
        free(copy);
    }
}

static float value_here(const hry_tensor *tensor, uint64_t i)
{
    hry_quantization q;
    const void *codes = hry_tensor_buffer(tensor, 0, NULL);
    double code = hry_element_f64(hry_tensor_type(tensor), codes, i);
    if (!hry_desc_quantization(hry_tensor_desc(tensor), &q))
        return (float)code;
    const void *scales = hry_tensor_buffer(tensor, q.scale_buffer_index, NULL);
    uint8_t type = q.scheme == HRY_SCHEME_MXFP ? HRY_TYPE_FLOAT8_E8M0 : q.scale_type_tag;
    double zero = q.scheme == HRY_SCHEME_PER_BLOCK && !(q.flags & HRY_QUANT_SYMMETRIC)
                      ? hry_element_f64(HRY_TYPE_INT32, hry_tensor_buffer(tensor, 2, NULL), i / q.block_size)
                      : 0;
    return (float)hry_element_f64(type, scales, i / q.block_size) * (float)(code - zero);
}

/* Values by the descriptors that come with them, of files in both orders, mapped and read. */
static void all_values(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++)
        for (hry_access access = HRY_MAP; access <= HRY_READ; access++) {
            gguf_maker m, little;
            gguf_make_blocks(&m, big);
            gguf_make_blocks(&little, 0);
            const uint8_t *data = little.bytes + little.used;
            assert_true(scratch_write("v.gguf", m.bytes, m.used));
            hry_error err;
            hry_file *file;
            hry_import_options options = { .dequantize = HRY_DEQUANTIZE_NEEDED, .file.access = access };
            assert_int_equal(hry_gguf_open(scratch_path("v.gguf"), &options, &file, &err), HRY_OK);
            assert_int_equal(m.used, little.used);
            for (size_t k = gguf_formula_count; k-- > 0;) {
                const gguf_formula *f = &gguf_formulas[k];
                hry_tensor *tensor;
                data -= (GGUF_ROWS * f->bytes + 31) / 32 * 32;
                if (hry_file_tensor(file, f->name, &tensor, &err))
                    fail_msg("%s", err.message);
                assert_int_equal(hry_tensor_dim(tensor, 0), GGUF_ROWS);
                assert_int_equal(hry_tensor_dim(tensor, 1), f->elements);
                for (uint64_t i = 0; i < (uint64_t)GGUF_ROWS * f->elements; i++) {
                    float wanted = f->value(data + i / f->elements * f->bytes, (unsigned)(i % f->elements));
                    float got = value_here(tensor, i);
                    if (memcmp(&got, &wanted, 4) != 0 && !(got == 0 && wanted == 0))
                        fail_msg("%s: element %u is %a, not %a", f->name, (unsigned)i, (double)got, (double)wanted);
                }
                assert_pieces(file, k, tensor);
                hry_tensor_release(tensor);
            }
            hry_file_close(file);
            gguf_free(&m);
            gguf_free(&little);
        }
}

/* How each type is presented, by what is asked for. */
static void presentation(void **state)
{
    (void)state;
    /* By type: exact form in as many bytes, exact but wider, none. */
    static const char *const same_size = " Q4_0 Q8_0 MXFP4 ", *const none = " Q4_1 Q5_1 Q8_1 Q2_K Q4_K Q5_K ";
    gguf_maker m;
    gguf_make_blocks(&m, 0);
    for (int dequantize = 0; dequantize < 3; dequantize++)
        for (int allowed = 0; allowed < 3; allowed++) { /* no; yes; permissive */
            hry_import_options options = { .dequantize = (hry_dequantize)dequantize };
            options.file.parse.allow = allowed == 1 ? &gguf_all : NULL;
            options.file.parse.permissive = allowed == 2;
            hry_file *file = gguf_open_made(&m, &options);
            for (size_t k = 0; k < gguf_formula_count; k++) {
                hry_desc desc;
                hry_error err;
                char spaced[32];
                const char *type;
                uint64_t shape[4];
                snprintf(spaced, sizeof spaced, " %s ", gguf_formulas[k].name);
                bool is_same = strstr(same_size, spaced), has_form = !strstr(none, spaced);
                hry_status status = hry_file_desc(file, k, &desc, &err);
                bool carried = status == HRY_OK && hry_gguf_carried(&desc, &type, shape);
                bool decoded = status == HRY_OK && hry_desc_type(&desc) == HRY_TYPE_FLOAT32;
                assert_true(decoded == (dequantize == 2 || (dequantize == 1 && !has_form)));
                assert_true(carried ==
                            (!decoded && !is_same && allowed && (!has_form || (allowed == 1 && !dequantize))));
                assert_true(status == (!decoded && !carried && !has_form ? HRY_E_UNSUPPORTED : HRY_OK));
                if (status)
                    assert_non_null(strstr(err.message, "has no exact form here"));
                if (carried) {
                    assert_string_equal(type, gguf_formulas[k].name);
                    assert_int_equal(shape[0], GGUF_ROWS);
                    assert_int_equal(shape[1], gguf_formulas[k].elements);
                    assert_int_equal(hry_desc_type(&desc), HRY_TYPE_UINT8);
                    assert_int_equal(hry_desc_dim(&desc, 1), gguf_formulas[k].bytes);
                    assert_true(hry_desc_is_opaque(&desc) == (allowed == 2));
                }
            }
            hry_file_close(file);
        }
    gguf_free(&m);
}

/* Blocks that cannot be held are refused when they are read, by name and place, and dequantized when that is asked. */
static void bad_blocks(void **state)
{
    (void)state;
    gguf_maker m;
    hry_error err;
    gguf_begin(&m, 0, 3, 3, 0);
    gguf_info(&m, "half", 1, (uint64_t[]){ 96 }, 8, 0);
    gguf_info(&m, "e8m0", 1, (uint64_t[]){ 32 }, 39, 128);
    gguf_info(&m, "good", 1, (uint64_t[]){ 32 }, 8, 160);
    gguf_pad(&m, 32);
    size_t data = m.used;
    for (unsigned b = 0; b < 3; b++) {
        gguf_u16(&m, b == 1 ? 0x7C00 : 0x3C00);
        for (int i = 0; i < 32; i++)
            gguf_u8(&m, 1);
    }
    gguf_pad(&m, 32);
    gguf_u8(&m, 0);
    for (int i = 0; i < 16; i++)
        gguf_u8(&m, 1);
    gguf_pad(&m, 32);
    gguf_u16(&m, 0x3C00);
    for (int i = 0; i < 32; i++)
        gguf_u8(&m, 1);
    hry_file *file = gguf_open_made(&m, NULL);
    static const char *const words[] = {
        "tensor \"half\": block 1 of Q8_0 cannot be held exactly: the scale is infinite",
        "tensor \"e8m0\": block 0 of MXFP4 cannot be held exactly: the scale is no e8m0"
    };
    for (uint64_t i = 0; i < 2; i++) {
        hry_tensor *tensor;
        hry_desc desc;
        uint8_t piece[102];
        assert_int_equal(hry_file_desc(file, i, &desc, &err), HRY_OK);
        assert_int_equal(hry_file_tensor_at(file, i, &tensor, &err), HRY_E_UNSUPPORTED);
        assert_non_null(strstr(err.message, words[i]));
        assert_int_equal(err.offset, i == 0 ? data + 34 : data + 128);
        assert_string_equal(hry_rule_id(err.rule), i == 0 ? "Q-PB-06" : "Q-MX-04");
        for (uint32_t k = 0; k < 2; k++)
            assert_int_equal(hry_file_read_into(file, i, k, piece, k == 0 ? (i ? 16 : 96) : (i ? 1 : 6), NULL, &err),
                             HRY_E_UNSUPPORTED);
    }
    hry_file_close(file);
    for (int mode = HRY_DEQUANTIZE_NEEDED; mode <= HRY_DEQUANTIZE_ALL; mode++) {
        file = gguf_open_made(&m, &(hry_import_options){ .dequantize = (hry_dequantize)mode });
        for (uint64_t i = 0; i < 3; i++) {
            hry_tensor *tensor;
            assert_int_equal(hry_file_tensor_at(file, i, &tensor, &err), HRY_OK);
            uint8_t type = hry_desc_type(hry_tensor_desc(tensor));
            assert_int_equal(type, i == 2 && mode == HRY_DEQUANTIZE_NEEDED ? HRY_TYPE_INT8 : HRY_TYPE_FLOAT32);
            double x = hry_element_f64(type, hry_tensor_buffer(tensor, 0, NULL), i ? 0 : 32);
            assert_true(i == 0 ? isinf(x) && x > 0 : x == (i == 1 ? 0x1p-128 : 1));
            hry_tensor_release(tensor);
        }
        hry_file_close(file);
    }
    gguf_free(&m);
}

/* Grids: never decoded, carried where that is allowed; not from the other byte order, which hides in their bytes. */
static void grids(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        gguf_maker m;
        hry_error err;
        hry_desc desc;
        gguf_begin(&m, big, 3, 1, 0);
        gguf_info(&m, "g", 2, (uint64_t[]){ 512, 2 }, 16, 0);
        gguf_pad(&m, 32);
        for (unsigned i = 0; i < 4 * 66; i++)
            gguf_u8(&m, i);
        gguf_pad(&m, 32);
        hry_file *file = gguf_open_made(&m, &(hry_import_options){ .dequantize = HRY_DEQUANTIZE_ALL });
        assert_int_equal(hry_file_desc(file, 0, &desc, &err), HRY_E_UNSUPPORTED);
        assert_non_null(strstr(err.message, big ? "IQ2_XXS in big-endian order" : "IQ2_XXS cannot be decoded"));
        if (!big)
            gguf_assert_saved(file, &gguf_strict, &m);
        hry_file_close(file);
        file = gguf_open_made(&m, &(hry_import_options){ .file.parse.allow = &gguf_all });
        assert_int_equal(hry_file_desc(file, 0, &desc, &err), big ? HRY_E_UNSUPPORTED : HRY_OK);
        if (big)
            assert_int_equal(hry_gguf_save(file, scratch_path("no.gguf"), &gguf_quick, &err), HRY_E_UNSUPPORTED);
        else
            assert_int_equal(hry_desc_dim(&desc, 1), 132);
        hry_file_close(file);
        gguf_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_values),
        cmocka_unit_test(presentation),
        cmocka_unit_test(bad_blocks),
        cmocka_unit_test(grids),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
