/*
 * Quantized values. The conformance tables give floats bit for bit; the rest is compared with the formulas of the
 * format's text, an element at a time (quantization, sections 7 to 9).
 */
#include "base/bytes.h"
#include "support/naive_layout.h"
#include "support/rules_reached.h"
#include "support/shared_data.h"

#include <hurray/hurray.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- The tables ---- */

static uint8_t *from_hex(const char *hex, size_t *n)
{
    *n = strlen(hex) / 2;
    uint8_t *bytes = NULL;
    assert_int_equal(posix_memalign((void **)&bytes, 64, *n + 64), 0);
    for (size_t i = 0; i < *n; i++) {
        char pair[3] = { hex[2 * i], hex[2 * i + 1], 0 };
        bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return bytes;
}

static yajl_val find(yajl_val object, const char *key)
{
    return yajl_tree_get(object, (const char *[]){ key, NULL }, yajl_t_any);
}

static uint32_t number(yajl_val object, const char *key, uint32_t missing)
{
    yajl_val value = find(object, key);
    return YAJL_IS_INTEGER(value) ? (uint32_t)json_u64(value) : missing;
}

static void check_entry(const char *name, yajl_val entry)
{
    const char *scheme = YAJL_GET_STRING(json_at(entry, "scheme")), *type = YAJL_GET_STRING(json_at(entry, "type"));
    yajl_val dims = json_at(entry, "shape"), zero_points = find(entry, "zero_points"), list;
    yajl_val scales_hex = find(entry, "scales"), scale_type = find(entry, "scale_type");
    uint64_t shape[HRY_RANK_MAX];
    size_t nbytes[3] = { 0 }, buffers = 1;
    void *memory[3] = { from_hex(YAJL_GET_STRING(json_at(entry, "data")), &nbytes[0]), NULL, NULL };
    hry_quantization q = { .scheme = hry_scheme_by_name(scheme, strlen(scheme)),
                           .axis = number(entry, "axis", 0),
                           .block_size = number(entry, "block_size", 0),
                           .zero_point_buffer_index = HRY_NO_BUFFER };
    for (size_t k = 0; k < dims->u.array.len; k++)
        shape[k] = json_u64(dims->u.array.values[k]);
    if (find(entry, "scale_bits")) {
        q.scale = hry_f32_from_bits((uint32_t)json_hex(find(entry, "scale_bits")));
        q.zero_point = YAJL_IS_INTEGER(find(entry, "zero_point")) ? (int32_t)json_i64(find(entry, "zero_point")) : 0;
    }
    if (scales_hex) {
        q.scale_buffer_index = 1;
        memory[buffers] = from_hex(YAJL_GET_STRING(scales_hex), &nbytes[buffers]);
        buffers++;
        const char *text = scale_type ? YAJL_GET_STRING(scale_type) : NULL;
        q.scale_type_tag = text ? hry_type_by_name(text, strlen(text)) : 0;
        bool affine = q.scheme == HRY_SCHEME_PER_CHANNEL || q.scheme == HRY_SCHEME_PER_BLOCK;
        q.flags = affine && !YAJL_IS_ARRAY(zero_points) ? HRY_QUANT_SYMMETRIC : 0;
    }
    if (YAJL_IS_ARRAY(zero_points)) {
        size_t n = zero_points->u.array.len;
        q.zero_point_buffer_index = 2;
        nbytes[2] = 4 * n;
        assert_int_equal(posix_memalign(&memory[2], 64, 4 * n + 64), 0);
        for (size_t i = 0; i < n; i++)
            hry_store32((uint8_t *)memory[2] + 4 * i, (uint32_t)json_i64(zero_points->u.array.values[i]));
        buffers = 3;
    }
    hry_buffer rows[3] = { { .byte_size = nbytes[0] }, { .byte_size = nbytes[1] }, { .byte_size = nbytes[2] } };
    hry_desc_spec spec = { .type = hry_type_by_name(type, strlen(type)),
                           .rank = (uint32_t)dims->u.array.len,
                           .shape = shape,
                           .quantization = &q,
                           .buffers = rows,
                           .buffer_count = (uint32_t)buffers };
    uint8_t bytes[1024];
    hry_desc desc;
    hry_tensor *t;
    hry_error err = { 0 };
    if (hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err) ||
        hry_tensor_create(&desc, (const void *const *)memory, NULL, NULL, NULL, &t, &err))
        fail_msg("%s: %s", name, err.message);
    list = json_at(entry, "expect_float32_bits");
    float *got = calloc(list->u.array.len + 1, sizeof *got);
    if (hry_tensor_read(t, NULL, HRY_TYPE_FLOAT32, NULL, got, &err))
        fail_msg("%s: %s", name, err.message);
    for (size_t i = 0; i < list->u.array.len; i++) {
        const char *text = YAJL_GET_STRING(list->u.array.values[i]);
        if (strcmp(text, "nan") == 0 ? !isnan(got[i]) : hry_f32_bits(got[i]) != strtoul(text, NULL, 16))
            fail_msg("%s: element %zu is %08X, not %s", name, i, hry_f32_bits(got[i]), text);
    }
    free(got);
    hry_tensor_release(t);
    for (int i = 0; i < 3; i++)
        free(memory[i]);
}

static void test_table(void **state)
{
    (void)state;
    yajl_val table = shared_json("conformance/values/dequant.json");
    for (size_t i = 0; i < table->u.object.len; i++)
        check_entry(table->u.object.keys[i], table->u.object.values[i]);
    assert_true(table->u.object.len > 40);
    yajl_tree_free(table);
}

/* ---- The formulas ---- */

typedef struct quantized {
    uint8_t type;
    uint32_t rank;
    uint64_t shape[4];
    hry_quantization q;
    hry_tensor *t;
    void *buffers[3];
} quantized;

static const uint8_t affine_types[] = {
    HRY_TYPE_INT8,  HRY_TYPE_UINT8, HRY_TYPE_INT4,   HRY_TYPE_UINT4, HRY_TYPE_INT2,
    HRY_TYPE_UINT2, HRY_TYPE_INT16, HRY_TYPE_UINT16, HRY_TYPE_INT32, HRY_TYPE_UINT32
};
static const uint8_t mx_types[] = { HRY_TYPE_FLOAT8_E4M3, HRY_TYPE_FLOAT8_E5M2, HRY_TYPE_FLOAT4_E2M1,
                                    HRY_TYPE_FLOAT6_E2M3, HRY_TYPE_FLOAT6_E3M2, HRY_TYPE_INT8,
                                    HRY_TYPE_INT4 };

static void put_scale(uint8_t type, void *at, uint64_t i, uint64_t *seed)
{
    float scale = ldexpf(1.0f + (float)naive_below(seed, 1000) / 1000.0f, (int)naive_below(seed, 12) - 8);
    if (type == HRY_TYPE_FLOAT8_E8M0)
        ((uint8_t *)at)[i] = (uint8_t)(1 + naive_below(seed, 254));
    else
        hry_element_set_f64(type, at, i, naive_below(seed, 2) && type != HRY_TYPE_FLOAT64 ? scale : scale / 3);
}

static uint8_t scale_type_of(const quantized *z)
{
    return z->q.scheme == HRY_SCHEME_MXFP  ? HRY_TYPE_FLOAT8_E8M0
           : z->q.scheme == HRY_SCHEME_NF4 ? HRY_TYPE_FLOAT32
                                           : z->q.scale_type_tag;
}

static uint64_t parameter_count(const quantized *z)
{
    uint64_t n = 1;
    if (z->q.scheme == HRY_SCHEME_PER_TENSOR)
        return 0;
    if (z->q.scheme == HRY_SCHEME_PER_CHANNEL)
        return z->shape[z->q.axis];
    for (uint32_t k = 0; k < z->rank; k++)
        n *= k == z->q.axis ? (z->shape[k] + z->q.block_size - 1) / z->q.block_size : z->shape[k];
    return n;
}

static void fill(quantized *z, const hry_desc *desc, uint64_t *seed)
{
    hry_buffer row;
    uint64_t n = parameter_count(z);
    hry_desc_buffer(desc, 0, &row);
    for (uint64_t i = 0; i < row.byte_size; i++)
        ((uint8_t *)z->buffers[0])[i] = (uint8_t)naive_random(seed);
    for (uint64_t i = 0; i < n; i++)
        put_scale(scale_type_of(z), z->buffers[1], i, seed);
    if (z->q.zero_point_buffer_index == HRY_NO_BUFFER)
        return;
    uint8_t *zp = z->buffers[z->q.zero_point_buffer_index];
    if (z->q.zero_point_buffer_index == z->q.scale_buffer_index)
        zp += n * (hry_type_find(scale_type_of(z))->bits / 8u);
    for (uint64_t i = 0; i < n; i++)
        hry_store32(zp + 4 * i, (uint32_t)naive_below(seed, 2));
}

static void make(quantized *z, uint64_t *seed)
{
    static const uint8_t scale_types[] = { HRY_TYPE_FLOAT16, HRY_TYPE_BFLOAT16, HRY_TYPE_FLOAT32 };
    memset(z, 0, sizeof *z);
    z->q.scheme = (uint8_t)(1 + naive_below(seed, 5));
    z->rank = 1 + (uint32_t)naive_below(seed, 3);
    z->q.axis = (uint32_t)naive_below(seed, z->rank);
    for (uint32_t k = 0; k < z->rank; k++)
        z->shape[k] = 1 + naive_below(seed, 12);
    z->type = affine_types[naive_below(seed, z->q.scheme == HRY_SCHEME_PER_BLOCK ? 6 : 10)];
    z->q.zero_point_buffer_index = HRY_NO_BUFFER;
    bool affine = z->q.scheme == HRY_SCHEME_PER_CHANNEL || z->q.scheme == HRY_SCHEME_PER_BLOCK;
    if (z->q.scheme == HRY_SCHEME_PER_TENSOR) {
        z->q.scale = 0.37f;
        z->q.zero_point = (int32_t)naive_below(seed, 2);
    } else
        z->q.scale_buffer_index = 1;
    if (affine) {
        z->q.scale_type_tag =
            z->q.scheme == HRY_SCHEME_PER_CHANNEL ? HRY_TYPE_FLOAT32 : scale_types[naive_below(seed, 3)];
        z->q.flags = naive_below(seed, 2) ? HRY_QUANT_SYMMETRIC : 0;
        if (!z->q.flags)
            z->q.zero_point_buffer_index = 1 + (uint32_t)naive_below(seed, 2);
    }
    z->q.block_size = 2u << naive_below(seed, 3);
    if (z->q.scheme == HRY_SCHEME_NF4) {
        z->type = HRY_TYPE_UINT4;
        z->q.block_size = 8u << naive_below(seed, 2);
    }
    if (z->q.scheme == HRY_SCHEME_MXFP) {
        z->type = mx_types[naive_below(seed, sizeof mx_types)];
        z->q.block_size = 16u << naive_below(seed, 2);
        z->shape[z->q.axis] = z->q.block_size * (1 + naive_below(seed, 3));
    } else if (z->q.scheme >= HRY_SCHEME_PER_BLOCK)
        z->shape[z->q.axis] = z->q.block_size * (1 + naive_below(seed, 4)) + naive_below(seed, 3);
    hry_desc_spec spec = { .type = z->type, .rank = z->rank, .shape = z->shape, .quantization = &z->q };
    uint8_t bytes[512];
    hry_desc desc;
    hry_error err = { 0 };
    if (hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err) ||
        hry_tensor_alloc(&desc, NULL, &z->t, z->buffers, &err))
        fail_msg("%s", err.message);
    fill(z, &desc, seed);
}

/* An element by the format's words: the block from the logical index, integers exact, one product of float32. */
static float formula(const quantized *z, const uint64_t *index)
{
    static const uint32_t levels[] = { 0xBF800000, 0xBF3239B1, 0xBF066B30, 0xBECA32A0, 0xBE91A24D, 0xBE3D353F,
                                       0xBDBA7871, 0x00000000, 0x3DA2FAFF, 0x3E24CAE3, 0x3E7C04DD, 0x3EAD033A,
                                       0x3EE1A4B8, 0x3F1007AB, 0x3F3913B3, 0x3F800000 };
    uint64_t place = 0, outer = 0, nb = 1, number;
    for (uint32_t k = 0; k < z->rank; k++)
        place = place * z->shape[k] + index[k];
    for (uint32_t k = 0; k < z->rank; k++)
        outer = k == z->q.axis ? outer : outer * z->shape[k] + index[k];
    if (z->q.scheme >= HRY_SCHEME_PER_BLOCK)
        nb = (z->shape[z->q.axis] + z->q.block_size - 1) / z->q.block_size;
    number = z->q.scheme == HRY_SCHEME_PER_CHANNEL ? index[z->q.axis] : outer * nb + index[z->q.axis] / z->q.block_size;
    double code = hry_element_f64(z->type, z->buffers[0], place);
    if (z->q.scheme == HRY_SCHEME_PER_TENSOR)
        return z->q.scale * (float)(int64_t)(code - z->q.zero_point);
    float scale = (float)hry_element_f64(scale_type_of(z), z->buffers[1], number);
    if (z->q.scheme == HRY_SCHEME_NF4)
        return scale * hry_f32_from_bits(levels[(int)code]);
    if (z->q.scheme == HRY_SCHEME_MXFP)
        return scale * (float)code;
    int32_t zp = 0;
    if (z->q.zero_point_buffer_index != HRY_NO_BUFFER) {
        const uint8_t *at = z->buffers[z->q.zero_point_buffer_index];
        if (z->q.zero_point_buffer_index == 1)
            at += parameter_count(z) * (hry_type_find(scale_type_of(z))->bits / 8u);
        zp = (int32_t)hry_load32(at + 4 * number);
    }
    return scale * (float)((int64_t)code - zp);
}

static bool same(float a, float b)
{
    return isnan(a) ? isnan(b) : hry_f32_bits(a) == hry_f32_bits(b);
}

static void check_box(const quantized *z, const hry_box *box)
{
    uint64_t at[4] = { 0 }, n = 1, i = 0;
    hry_error err = { 0 };
    for (uint32_t k = 0; k < z->rank; k++)
        n *= box->count[k];
    float *got = malloc(n * sizeof *got);
    double *wide = malloc(n * sizeof *wide);
    uint16_t *half = malloc(n * sizeof *half);
    if (hry_tensor_read(z->t, box, HRY_TYPE_FLOAT32, NULL, got, &err) ||
        hry_tensor_read(z->t, box, HRY_TYPE_FLOAT64, NULL, wide, &err) ||
        hry_tensor_read(z->t, box, HRY_TYPE_BFLOAT16, NULL, half, &err))
        fail_msg("%s", err.message);
    do {
        uint64_t index[4];
        for (uint32_t k = 0; k < z->rank; k++)
            index[k] = box->start[k] + at[k] * (uint64_t)box->step[k];
        float want = formula(z, index);
        if (!same(got[i], want))
            fail_msg("scheme %u type %s axis %u of %u: %a, not %a", z->q.scheme, hry_type_name(z->type), z->q.axis,
                     z->rank, (double)got[i], (double)want);
        assert_true(isnan(want) ? isnan(wide[i]) : wide[i] == (double)want);
        assert_true(isnan(want) ? isnan(hry_bf16_to_f32(half[i])) : half[i] == hry_f32_to_bf16(want));
        i++;
    } while (naive_next(z->rank, box->count, at));
    free(got);
    free(wide);
    free(half);
}

static void some_box(const quantized *z, uint64_t *seed, hry_box *box)
{
    for (uint32_t k = 0; k < z->rank; k++) {
        bool back = naive_below(seed, 3) == 0;
        box->start[k] = naive_below(seed, z->shape[k]);
        uint64_t step = 1 + naive_below(seed, 3), room = back ? box->start[k] : z->shape[k] - 1 - box->start[k];
        box->step[k] = back ? -(int64_t)step : (int64_t)step;
        box->count[k] = 1 + naive_below(seed, room / step + 1);
    }
}

static void test_formulas(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 3000; i++) {
        uint64_t seed = i;
        quantized z;
        hry_box box = { .start = { 0 } };
        make(&z, &seed);
        for (uint32_t k = 0; k < z.rank; k++) {
            box.count[k] = z.shape[k];
            box.step[k] = 1;
        }
        check_box(&z, &box);
        some_box(&z, &seed, &box);
        check_box(&z, &box);
        hry_tensor_release(z.t);
    }
}

/* Whatever the layout, the block follows from the logical index. */
static void test_other_layouts(void **state)
{
    (void)state;
    unsigned seen[9] = { 0 };
    for (uint64_t i = 1; i <= 600; i++) {
        uint64_t seed = i, n = 1;
        quantized z;
        make(&z, &seed);
        int64_t strides[3], step = 4;
        for (uint32_t k = 0; k < z.rank; k++) { /* the first dimension is the fastest, with gaps */
            strides[k] = step;
            step *= (int64_t)z.shape[k] + 1;
        }
        hry_layout layouts[] = { { .tag = HRY_LAYOUT_COLUMN_MAJOR },
                                 { .tag = HRY_LAYOUT_MORTON },
                                 { .tag = HRY_LAYOUT_TILED, .tile_shape = (uint64_t[]){ 3, 2, 4 } },
                                 { .tag = HRY_LAYOUT_HILBERT },
                                 { .tag = HRY_LAYOUT_STRIDED, .strides = strides },
                                 { .tag = HRY_LAYOUT_COO },
                                 { .tag = HRY_LAYOUT_CSR },
                                 { .tag = HRY_LAYOUT_CSC },
                                 { .tag = HRY_LAYOUT_CSF } };
        for (uint32_t k = 0; k < z.rank; k++)
            n *= z.shape[k];
        float *want = malloc(n * sizeof *want), *got = malloc(n * sizeof *got);
        assert_int_equal(hry_tensor_read(z.t, NULL, HRY_TYPE_FLOAT32, NULL, want, NULL), HRY_OK);
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
            hry_tensor *t = NULL;
            hry_error err = { 0 };
            hry_status status = hry_tensor_relayout(z.t, &layouts[l], NULL, &t, &err);
            bool no_cube = layouts[l].tag == HRY_LAYOUT_HILBERT && status == HRY_E_INPUT;
            if (status == HRY_E_UNSUPPORTED || no_cube)
                continue;
            seen[l]++;
            if (status || hry_tensor_read(t, NULL, HRY_TYPE_FLOAT32, NULL, got, &err))
                fail_msg("%s: %s", hry_layout_name(layouts[l].tag), err.message);
            for (uint64_t j = 0; j < n; j++)
                assert_true(same(got[j], want[j]) || (got[j] == 0 && want[j] == 0));
            hry_tensor_release(t);
        }
        free(want);
        free(got);
        hry_tensor_release(z.t);
    }
    for (size_t l = 0; l < sizeof seen / sizeof *seen; l++)
        assert_true(seen[l] > 0);
}

/* A tensor whose last blocks are partial, with room for whole ones: elements lie by the strides of the larger shape,
 * which the size of the data tells (quantization, section 8.3). */
static hry_tensor *with_padding(const quantized *z, uint8_t tag)
{
    uint64_t padded[4], at[4] = { 0 }, place, bytes_plain, bytes_padded, elements = 1, count = 1, code, i = 0;
    hry_layout layout = { .tag = tag };
    hry_buffer rows[3];
    void *buffers[3];
    uint8_t bytes[512];
    hry_desc desc;
    hry_tensor *t = NULL;
    hry_error err = { 0 };
    for (uint32_t k = 0; k < z->rank; k++) {
        padded[k] =
            k == z->q.axis ? (z->shape[k] + z->q.block_size - 1) / z->q.block_size * z->q.block_size : z->shape[k];
        elements *= padded[k];
        count *= z->shape[k];
    }
    assert_true(hry_type_size(hry_type_find(z->type)->bits, elements, &bytes_padded));
    assert_true(hry_type_size(hry_type_find(z->type)->bits, count, &bytes_plain));
    if (bytes_plain == bytes_padded)
        return NULL;
    const hry_desc *own = hry_tensor_desc(z->t);
    for (uint32_t b = 0; b < own->buffer_count; b++)
        hry_desc_buffer(own, b, &rows[b]);
    rows[0].byte_size = bytes_padded;
    hry_desc_spec spec = { .type = z->type,
                           .rank = z->rank,
                           .shape = z->shape,
                           .layout = &layout,
                           .quantization = &z->q,
                           .buffers = rows,
                           .buffer_count = own->buffer_count };
    if (hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err) ||
        hry_tensor_alloc(&desc, NULL, &t, buffers, &err))
        fail_msg("%s", err.message);
    for (uint32_t b = 1; b < own->buffer_count; b++)
        memcpy(buffers[b], z->buffers[b], (size_t)rows[b].byte_size);
    memset(buffers[0], 0xA5, (size_t)bytes_padded); /* what pads is not looked at */
    do {
        place = 0;
        for (uint32_t k = 0; k < z->rank; k++) {
            uint32_t dim = tag == HRY_LAYOUT_ROW_MAJOR ? k : z->rank - 1 - k;
            place = place * padded[dim] + at[dim];
        }
        hry_element_bits(z->type, z->buffers[0], i++, &code, NULL);
        hry_element_set_bits(z->type, buffers[0], place, code, 0);
    } while (naive_next(z->rank, z->shape, at));
    return t;
}

static void test_padded(void **state)
{
    (void)state;
    static const uint8_t tags[] = { HRY_LAYOUT_ROW_MAJOR, HRY_LAYOUT_COLUMN_MAJOR };
    unsigned seen[2] = { 0 };
    for (uint64_t i = 1; i <= 1500; i++) {
        uint64_t seed = i;
        quantized z;
        make(&z, &seed);
        bool partial =
            (z.q.scheme == HRY_SCHEME_PER_BLOCK || z.q.scheme == HRY_SCHEME_NF4) && z.shape[z.q.axis] % z.q.block_size;
        for (size_t k = 0; partial && k < 2; k++) {
            hry_tensor *plain = z.t;
            if (!(z.t = with_padding(&z, tags[k]))) {
                z.t = plain;
                continue;
            }
            hry_box box = { .start = { 0 } };
            for (uint32_t d = 0; d < z.rank; d++) {
                box.count[d] = z.shape[d];
                box.step[d] = 1;
            }
            check_box(&z, &box);
            some_box(&z, &seed, &box);
            check_box(&z, &box);
            hry_tensor_release(z.t);
            z.t = plain;
            seen[k]++;
        }
        hry_tensor_release(z.t);
    }
    assert_true(seen[0] > 50 && seen[1] > 50);
}

/* Parameters that no scheme allows are found before the first value is given. */
static void test_bad_parameters(void **state)
{
    (void)state;
    static const struct {
        uint8_t scheme, type;
        uint32_t bits;
        const char *rule;
    } cases[] = {
        { HRY_SCHEME_PER_CHANNEL, HRY_TYPE_INT8, 0x00000000, "Q-PC-05" },
        { HRY_SCHEME_PER_CHANNEL, HRY_TYPE_INT8, 0x7F800000, "Q-PC-05" },
        { HRY_SCHEME_PER_BLOCK, HRY_TYPE_INT8, 0x80000000, "Q-PB-06" },
        { HRY_SCHEME_PER_BLOCK, HRY_TYPE_INT4, 0x7FC00000, "Q-PB-06" },
        { HRY_SCHEME_NF4, HRY_TYPE_UINT4, 0xBF800000, "Q-NF4-04" },
        { HRY_SCHEME_MXFP, HRY_TYPE_FLOAT8_E4M3, 0x000000FF, "Q-MX-04" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hry_quantization q = { .scheme = cases[i].scheme,
                               .axis = 1,
                               .block_size = 16,
                               .scale_buffer_index = 1,
                               .zero_point_buffer_index = HRY_NO_BUFFER };
        bool affine = q.scheme == HRY_SCHEME_PER_CHANNEL || q.scheme == HRY_SCHEME_PER_BLOCK;
        q.flags = affine ? HRY_QUANT_SYMMETRIC : 0;
        hry_desc_spec spec = { .type = cases[i].type, .rank = 2, .shape = (uint64_t[]){ 3, 32 }, .quantization = &q };
        uint8_t bytes[512];
        hry_desc desc;
        hry_tensor *t = NULL;
        void *buffers[2];
        hry_buffer row;
        hry_error err = { 0 };
        float values[96];
        assert_int_equal(hry_desc_encode(&spec, NULL, bytes, sizeof bytes, &desc, &err), HRY_OK);
        assert_int_equal(hry_tensor_alloc(&desc, NULL, &t, buffers, &err), HRY_OK);
        hry_desc_buffer(&desc, 0, &row);
        memset(buffers[0], 0, row.byte_size);
        hry_desc_buffer(&desc, 1, &row);
        bool mx = q.scheme == HRY_SCHEME_MXFP;
        for (uint64_t j = 0; j < row.byte_size / (mx ? 1 : 4); j++) {
            if (mx)
                ((uint8_t *)buffers[1])[j] = j == 5 ? (uint8_t)cases[i].bits : 127;
            else
                hry_store32((uint8_t *)buffers[1] + 4 * j, j == 5 ? cases[i].bits : 0x3F800000);
        }
        hry_status status = hry_tensor_read(t, NULL, HRY_TYPE_FLOAT32, NULL, values, &err);
        assert_rule(cases[i].rule, status, &err, cases[i].rule, mx ? 5 : 20);
        assert_int_equal(hry_tensor_read_with(t, NULL, 0, NULL, &(hry_read_options){ .stored = true }, values, &err),
                         HRY_OK);
        hry_tensor_release(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),  cmocka_unit_test(test_formulas),       cmocka_unit_test(test_other_layouts),
        cmocka_unit_test(test_padded), cmocka_unit_test(test_bad_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
