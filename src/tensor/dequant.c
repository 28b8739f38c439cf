#include "tensor/dequant.h"

#include "base/bytes.h"
#include "base/status.h"
#include "kern/kern.h"
#include "tensor/access.h"
#include "tensor/convert.h"
#include "tensor/verify.h"
#include "type/types.h"
#include "type/widen.h"

#include <string.h>

enum { SCALES = 512 }; /* parameters that are widened or collected at a time */

static hry_dequant_fn *affine_kernel(const struct hry_kern *k, uint8_t type)
{
    switch (type) {
    case HRY_TYPE_INT8:
        return k->dequant_i8;
    case HRY_TYPE_UINT8:
        return k->dequant_u8;
    case HRY_TYPE_INT16:
        return k->dequant_i16;
    case HRY_TYPE_UINT16:
        return k->dequant_u16;
    case HRY_TYPE_INT32:
        return k->dequant_i32;
    case HRY_TYPE_UINT32:
        return k->dequant_u32;
    case HRY_TYPE_INT4:
        return k->dequant_i4;
    case HRY_TYPE_UINT4:
        return k->dequant_u4;
    case HRY_TYPE_INT2:
        return k->dequant_i2;
    case HRY_TYPE_UINT2:
        return k->dequant_u2;
    default:
        return NULL;
    }
}

hry_dequant_fn *hry_dequant_kernel(const struct hry_kern *k, uint8_t type)
{
    switch (type) {
    case HRY_TYPE_FLOAT8_E4M3:
        return k->dequant_e4m3;
    case HRY_TYPE_FLOAT8_E5M2:
        return k->dequant_e5m2;
    case HRY_TYPE_FLOAT4_E2M1:
        return k->dequant_e2m1;
    case HRY_TYPE_FLOAT6_E2M3:
        return k->dequant_e2m3;
    case HRY_TYPE_FLOAT6_E3M2:
        return k->dequant_e3m2;
    default:
        return affine_kernel(k, type);
    }
}

/* Blocks are numbered in row-major order of the other dimensions, those along axis last. How many there are. */
static uint64_t block_steps(hry_dequant *d, const hry_desc *desc, const hry_quantization *q)
{
    uint64_t step = hry_ceil_div(hry_desc_dim(desc, q->axis), q->block_size);
    d->block = q->block_size;
    for (uint32_t k = desc->rank; k-- > 0;)
        if (k != q->axis) {
            d->step[k] = step;
            step *= hry_desc_dim(desc, k);
        }
    return step;
}

/* Channels and token slots have a parameter for each index along axis. */
static uint64_t number_parameters(hry_dequant *d, const hry_desc *desc, const hry_quantization *q)
{
    hry_layout layout;
    hry_layout_store store;
    d->block = 1;
    if (q->scheme == HRY_SCHEME_PER_CHANNEL)
        return hry_desc_dim(desc, q->axis);
    if (desc->layout == HRY_LAYOUT_BLOCK_PAGED && hry_desc_layout_get(desc, &layout, &store))
        return layout.num_pages * layout.page_size;
    return block_steps(d, desc, q);
}

static void find_parameters(hry_dequant *d, const hry_tensor *t, const hry_quantization *q)
{
    d->axis = q->axis;
    d->scales = hry_tensor_buffer(t, q->scale_buffer_index, NULL);
    d->scale_type = q->scheme == HRY_SCHEME_MXFP  ? (uint8_t)HRY_TYPE_FLOAT8_E8M0
                    : q->scheme == HRY_SCHEME_NF4 ? (uint8_t)HRY_TYPE_FLOAT32
                                                  : q->scale_type_tag;
    d->count = number_parameters(d, &t->desc, q);
    bool affine = q->scheme == HRY_SCHEME_PER_CHANNEL || q->scheme == HRY_SCHEME_PER_BLOCK;
    if (!affine || q->flags & HRY_QUANT_SYMMETRIC)
        return;
    d->zero_points = hry_tensor_buffer(t, q->zero_point_buffer_index, NULL);
    if (d->zero_points && q->zero_point_buffer_index == q->scale_buffer_index)
        d->zero_points += d->count * (hry_type_table[d->scale_type].bits / 8u); /* they share a buffer */
}

hry_status hry_dequant_init(hry_dequant *d, const hry_tensor *t, hry_error *err)
{
    hry_quantization q;
    const struct hry_kern *k = hry_kern();
    hry_desc_quantization(&t->desc, &q);
    *d = (hry_dequant){
        .bits = hry_desc_bits(&t->desc), .rank = t->desc.rank, .count = 1, .scale = q.scale, .zero_point = q.zero_point
    };
    if (q.scheme == HRY_SCHEME_NF4)
        d->kernel = k->dequant_nf4;
    else if (q.scheme == HRY_SCHEME_MXFP)
        d->kernel = hry_dequant_kernel(k, t->desc.type);
    else if (q.scheme >= HRY_SCHEME_PER_TENSOR && q.scheme <= HRY_SCHEME_PER_BLOCK)
        d->kernel = affine_kernel(k, t->desc.type);
    if (!d->kernel)
        return hry_fail(err, HRY_E_UNSUPPORTED, HRY_SECTION_QUANTIZATION, 0, q.scheme,
                        "what the %s scheme means is not known", hry_scheme_name(q.scheme));
    if (q.scheme == HRY_SCHEME_PER_TENSOR)
        return HRY_OK;
    find_parameters(d, t, &q);
    return hry_verify_parameters_once(t, err);
}

static float scale_at(const hry_dequant *d, uint64_t i)
{
    switch (d->scale_type) {
    case HRY_TYPE_FLOAT16:
        return hry_f32_from_bits(hry_widen_float16(hry_load16(d->scales + 2 * i)));
    case HRY_TYPE_BFLOAT16:
        return hry_f32_from_bits(hry_widen_bfloat16(hry_load16(d->scales + 2 * i)));
    case HRY_TYPE_FLOAT8_E8M0:
        return hry_e8m0_to_f32(d->scales[i]);
    default:
        return hry_load_f32(d->scales + 4 * i);
    }
}

void hry_dequant_scales(const hry_dequant *d, uint64_t first, uint64_t apart, size_t count, float *scales)
{
    const struct hry_kern *k = hry_kern();
    if (apart != 1) {
        for (size_t i = 0; i < count; i++)
            scales[i] = scale_at(d, first + i * apart);
        return;
    }
    switch (d->scale_type) {
    case HRY_TYPE_FLOAT16:
        k->f16_f32(d->scales + 2 * first, count, scales, false);
        break;
    case HRY_TYPE_BFLOAT16:
        k->bf16_f32(d->scales + 2 * first, count, scales, false);
        break;
    case HRY_TYPE_FLOAT8_E8M0:
        k->e8m0_f32(d->scales + first, count, scales, false);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            scales[i] = hry_load_f32(d->scales + 4 * (first + i));
    }
}

void hry_dequant_zero_points(const hry_dequant *d, uint64_t first, uint64_t apart, size_t count, int32_t *zp)
{
    for (size_t i = 0; i < count; i++)
        zp[i] = (int32_t)hry_load32(d->zero_points + 4 * (first + i * apart));
}

static const void *codes_after(const hry_dequant *d, const void *codes, size_t n)
{
    return (const uint8_t *)codes + n * d->bits / 8;
}

static bool are_host_words(const uint8_t *p)
{
    return !HRY_HOST_SWAPS && (uintptr_t)p % 4 == 0;
}

/* The block as kernels count; one of more than n elements covers them all. */
static size_t block_for(const hry_dequant *d, size_t n)
{
    return n > 0 && d->block > n ? n : (size_t)d->block;
}

/* float32 scales that lie as the kernels want them need no copy: all blocks at once. */
static bool run_in_place(const hry_dequant *d, const void *codes, size_t n, uint64_t first, float *dst)
{
    const uint8_t *scales = d->scales + 4 * first, *zp = d->zero_points ? d->zero_points + 4 * first : NULL;
    if (d->scale_type != HRY_TYPE_FLOAT32 || !are_host_words(scales) || (zp && !are_host_words(zp)))
        return false;
    d->kernel(codes, n, block_for(d, n), (const float *)(const void *)scales, (const int32_t *)(const void *)zp, dst,
              d->stream);
    return true;
}

/* n codes of blocks that start at their first element, each block with the next parameter. */
static void run_blocks(const hry_dequant *d, const void *codes, size_t n, uint64_t first, float *dst)
{
    float scales[SCALES];
    int32_t zp[SCALES];
    if (run_in_place(d, codes, n, first, dst))
        return;
    while (n > 0) {
        size_t block = block_for(d, n), blocks = (n - 1) / block + 1;
        size_t taken = blocks < SCALES ? blocks : SCALES, part = taken * block < n ? taken * block : n;
        hry_dequant_scales(d, first, 1, taken, scales);
        if (d->zero_points)
            hry_dequant_zero_points(d, first, 1, taken, zp);
        d->kernel(codes, part, block, scales, d->zero_points ? zp : NULL, dst, d->stream);
        codes = codes_after(d, codes, part);
        dst += part;
        first += taken;
        n -= part;
    }
}

/* n codes, element i with parameter first + (at + i * step) / block * 1, or first + i * apart. */
static void run_each(const hry_dequant *d, const void *codes, size_t n, uint64_t first, uint64_t at, int64_t step,
                     uint64_t apart, bool along, float *dst)
{
    float scales[SCALES];
    int32_t zp[SCALES];
    for (size_t done = 0; done < n;) { /* SCALES codes fill whole bytes, whatever their width */
        size_t part = n - done < SCALES ? n - done : SCALES;
        if (along)
            for (size_t i = 0; i < part; i++) {
                uint64_t number = first + (at + (uint64_t)(int64_t)(done + i) * (uint64_t)step) / d->block;
                scales[i] = scale_at(d, number);
                if (d->zero_points)
                    hry_dequant_zero_points(d, number, 1, 1, &zp[i]);
            }
        else {
            hry_dequant_scales(d, first + done * apart, apart, part, scales);
            if (d->zero_points)
                hry_dequant_zero_points(d, first + done * apart, apart, part, zp);
        }
        d->kernel(codes, part, 1, scales, d->zero_points ? zp : NULL, dst, d->stream);
        codes = codes_after(d, codes, part);
        dst += part;
        done += part;
    }
}

void hry_dequant_each(const hry_dequant *d, const void *codes, size_t n, const uint64_t *numbers, float *dst)
{
    float scales[SCALES];
    int32_t zp[SCALES];
    for (size_t done = 0, part; done < n; done += part, codes = codes_after(d, codes, part)) {
        part = n - done < SCALES ? n - done : SCALES;
        for (size_t i = 0; i < part; i++)
            scales[i] = scale_at(d, numbers[done + i]);
        for (size_t i = 0; i < part && d->zero_points; i++)
            hry_dequant_zero_points(d, numbers[done + i], 1, 1, &zp[i]);
        d->kernel(codes, part, 1, scales, d->zero_points ? zp : NULL, dst + done, d->stream);
    }
}

static void run_one(const hry_dequant *d, const void *codes, size_t n, uint64_t number, float *dst)
{
    float scale = scale_at(d, number);
    int32_t zp = 0;
    if (d->zero_points)
        hry_dequant_zero_points(d, number, 1, 1, &zp);
    d->kernel(codes, n, n, &scale, d->zero_points ? &zp : NULL, dst, d->stream);
}

void hry_dequant_run(const hry_dequant *d, const void *codes, size_t n, const uint64_t *index, uint32_t axis,
                     int64_t step, float *dst)
{
    if (n == 0)
        return;
    if (!d->scales) {
        d->kernel(codes, n, n, &d->scale, d->zero_point ? &d->zero_point : NULL, dst, d->stream);
        return;
    }
    uint64_t others = 0, at = index[d->axis];
    for (uint32_t k = 0; k < d->rank; k++)
        others += k == d->axis ? 0 : d->step[k] * index[k];
    if (axis != d->axis) {
        uint64_t apart = d->step[axis] * (uint64_t)step, number = others + at / d->block;
        if (apart == 0)
            run_one(d, codes, n, number, dst);
        else
            run_each(d, codes, n, number, 0, 0, apart, false, dst);
        return;
    }
    uint64_t room = d->block - at % d->block; /* to the end of the first block */
    if (step == 1 && n <= room)
        run_one(d, codes, n, others + at / d->block, dst);
    else if (step == 1 && room == d->block)
        run_blocks(d, codes, n, others + at / d->block, dst);
    else if (step == 1 && room * d->bits % 8 == 0 && (d->bits != 6 || room % 4 == 0)) {
        run_one(d, codes, (size_t)room, others + at / d->block, dst);
        run_blocks(d, codes_after(d, codes, (size_t)room), n - (size_t)room, others + at / d->block + 1, dst + room);
    } else
        run_each(d, codes, n, others, at, step, 0, true, dst);
}
