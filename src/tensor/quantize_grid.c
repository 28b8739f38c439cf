/* The policies by which parameters are made. (quantization, section 11.1) */
#include "base/bytes.h"
#include "kern/kern.h"
#include "quant/schemes.h"
#include "tensor/convert.h"
#include "tensor/quantizing.h"

#include <hurray/type.h>
#include <math.h>
#include <string.h>

static hry_quant_fn *encoder(const struct hry_kern *k, uint8_t type)
{
    switch (type) {
    case HRY_TYPE_INT8:
        return k->quant_i8;
    case HRY_TYPE_UINT8:
        return k->quant_u8;
    case HRY_TYPE_INT16:
        return k->quant_i16;
    case HRY_TYPE_UINT16:
        return k->quant_u16;
    case HRY_TYPE_INT32:
        return k->quant_i32;
    case HRY_TYPE_UINT32:
        return k->quant_u32;
    case HRY_TYPE_INT4:
        return k->quant_i4;
    case HRY_TYPE_UINT4:
        return k->quant_u4;
    case HRY_TYPE_INT2:
        return k->quant_i2;
    case HRY_TYPE_UINT2:
        return k->quant_u2;
    case HRY_TYPE_FLOAT8_E4M3:
        return k->quant_e4m3;
    case HRY_TYPE_FLOAT8_E5M2:
        return k->quant_e5m2;
    case HRY_TYPE_FLOAT4_E2M1:
        return k->quant_e2m1;
    case HRY_TYPE_FLOAT6_E2M3:
        return k->quant_e2m3;
    default:
        return k->quant_e3m2;
    }
}

static void init_mx(hry_grid *g)
{
    static const struct {
        uint8_t type;
        int emax;
        double largest;
    } rows[] = {
        { HRY_TYPE_FLOAT8_E4M3, 8, 448 }, { HRY_TYPE_FLOAT8_E5M2, 15, 57344 }, { HRY_TYPE_FLOAT4_E2M1, 2, 6 },
        { HRY_TYPE_FLOAT6_E2M3, 2, 7.5 }, { HRY_TYPE_FLOAT6_E3M2, 4, 28 },     { HRY_TYPE_INT8, 6, 127 },
        { HRY_TYPE_INT4, 2, 7 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == g->storage) {
            g->emax = rows[i].emax;
            g->largest = rows[i].largest;
        }
    g->lo = -(int64_t)g->largest; /* for the integers: symmetric */
    g->hi = (int64_t)g->largest;
    g->scale_type = HRY_TYPE_FLOAT8_E8M0;
}

hry_status hry_grid_init(hry_grid *g, const hry_quantizer *how, hry_error *err)
{
    const hry_scheme_row *row = hry_scheme_row_of(how->scheme);
    const struct hry_kern *k = hry_kern();
    uint8_t usual = how->scheme == HRY_SCHEME_NF4    ? (uint8_t)HRY_TYPE_UINT4
                    : how->scheme == HRY_SCHEME_MXFP ? (uint8_t)HRY_TYPE_FLOAT4_E2M1
                                                     : (uint8_t)HRY_TYPE_INT8;
    *g = (hry_grid){ .scheme = how->scheme, .symmetric = how->symmetric, .ceil = how->ceil };
    g->storage = how->storage ? how->storage : usual;
    if (!row)
        return hry_fail_usage(err, "scheme 0x%02x cannot be made", how->scheme);
    if (!hry_scheme_takes(row, g->storage))
        return hry_fail_rule_because(err, HRY_RULE_Q_08, HRY_SECTION_HEADER, 14, g->storage,
                                     "the %s scheme does not take %s", row->name, hry_type_name(g->storage));
    g->bits = hry_type_find(g->storage)->bits;
    bool per_block = how->scheme == HRY_SCHEME_PER_BLOCK && how->scale_type;
    g->scale_type = per_block ? how->scale_type : (uint8_t)HRY_TYPE_FLOAT32;
    if (how->scheme == HRY_SCHEME_NF4) {
        g->encode = k->quant_nf4;
        g->decode = k->dequant_nf4;
        return HRY_OK;
    }
    g->encode = encoder(k, g->storage);
    g->decode = g->bits <= 8 ? hry_dequant_kernel(k, g->storage) : NULL; /* wider codes are not searched for */
    if (how->scheme == HRY_SCHEME_MXFP) {
        init_mx(g);
        return HRY_OK;
    }
    hry_storage_range(g->storage, &g->zero_lo, &g->zero_hi);
    g->lo = g->zero_lo;
    g->hi = g->zero_hi;
    if (g->zero_hi > INT32_MAX)
        g->zero_hi = INT32_MAX; /* the field's, not uint32's */
    if (g->symmetric && g->lo < 0)
        g->lo = -g->hi;
    return HRY_OK;
}

/*
 * t, 0 or more, rounded up to the scale's type, and to its smallest normal; infinity where it has no such number. By
 * bits: those of positive floats ascend with them, and what a narrower type has is floats whose last bits are 0.
 */
static inline float round_up(uint8_t type, double t)
{
    const uint32_t last = type == HRY_TYPE_FLOAT16 ? 0x1FFF : type == HRY_TYPE_BFLOAT16 ? 0xFFFF : 0;
    const uint32_t least = type == HRY_TYPE_FLOAT16 ? 0x38800000 : 0x00800000; /* 2^-14, 2^-126 */
    const uint32_t most = type == HRY_TYPE_FLOAT16 ? 0x477FE000 : 0x7F7FFFFF;  /* 65504 */
    float f = (float)t;
    uint32_t bits = hry_f32_bits(f) + ((double)f < t);
    bits = (bits + last) & ~last;
    bits = bits < least ? least : bits;
    return hry_f32_from_bits(bits > most ? 0x7F800000 : bits);
}

static const char beyond_type[] = "a scale is beyond its type";

static const char *affine(const hry_grid *g, double lo, double hi, float *scale, int32_t *zp)
{
    double span = (double)(g->hi - g->lo);
    float s = hi > lo ? round_up(g->scale_type, (hi - lo) / span) : 1.0f;
    *scale = s;
    if (!isfinite(s))
        return beyond_type;
    double zero = hi > lo ? rint((double)g->lo - lo / (double)s) : 0.0;
    if (zero > (double)g->zero_hi && g->zero_hi < g->hi)
        return "a zero point is beyond 2^31 - 1";
    zero = zero < (double)g->zero_lo ? (double)g->zero_lo : zero > (double)g->zero_hi ? (double)g->zero_hi : zero;
    *zp = (int32_t)zero;
    return NULL;
}

/* All of them without a branch, so that the compiler makes vectors of them; type is constant where this is used. */
static inline bool symmetric(uint8_t type, double largest_code, const float *absmax, size_t n, float *scale)
{
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = hry_f32_bits(round_up(type, (double)absmax[i] / largest_code));
        bits = absmax[i] > 0 ? bits : 0x3F800000;
        scale[i] = hry_f32_from_bits(bits);
        most = bits > most ? bits : most;
    }
    return most < 0x7F800000;
}

/*
 * 2^(floor(log2(absmax)) - emax), in 2^-126 .. 2^127, by the exponent's bits: that of a subnormal is below the bound in
 * any case. Rounding up instead, the next power where the largest value of the type is not enough.
 */
static void powers_of_two(const hry_grid *g, const float *absmax, size_t n, float *scale)
{
    for (size_t i = 0; i < n; i++) {
        int32_t exponent = (int32_t)(hry_f32_bits(absmax[i]) >> 23) - g->emax;
        exponent = absmax[i] > 0 ? exponent : 127;
        scale[i] = hry_f32_from_bits((uint32_t)(exponent < 1 ? 1 : exponent) << 23);
    }
    for (size_t i = 0; g->ceil && i < n; i++)
        if ((double)absmax[i] > g->largest * (double)scale[i])
            scale[i] *= 2;
}

const char *hry_grid_parameters(const hry_grid *g, const float *lo, const float *hi, size_t n, float *scale,
                                int32_t *zp)
{
    const char *why = NULL;
    double largest = (double)g->hi;
    if (g->scheme == HRY_SCHEME_NF4)
        memcpy(scale, hi, n * sizeof *scale);
    else if (g->scheme == HRY_SCHEME_MXFP)
        powers_of_two(g, hi, n, scale);
    else if (!g->symmetric)
        for (size_t i = 0; i < n && !why; i++)
            why = affine(g, (double)lo[i], (double)hi[i], &scale[i], &zp[i]);
    else if (!(g->scale_type == HRY_TYPE_FLOAT16    ? symmetric(HRY_TYPE_FLOAT16, largest, hi, n, scale)
               : g->scale_type == HRY_TYPE_BFLOAT16 ? symmetric(HRY_TYPE_BFLOAT16, largest, hi, n, scale)
                                                    : symmetric(HRY_TYPE_FLOAT32, largest, hi, n, scale)))
        why = beyond_type;
    return why;
}

/* One after the other, by the kernels of conversions. */
static bool store_row(const hry_grid *g, const float *scale, size_t n, uint8_t *to)
{
    const struct hry_kern *k = hry_kern();
    if (g->scale_type == HRY_TYPE_FLOAT16)
        k->f32_f16(scale, n, to, false);
    else if (g->scale_type == HRY_TYPE_BFLOAT16)
        k->f32_bf16(scale, n, to, false);
    else if (g->scale_type == HRY_TYPE_FLOAT32 && !HRY_HOST_SWAPS)
        memcpy(to, scale, n * sizeof *scale);
    else
        return false;
    return true;
}

void hry_grid_store_scales(const hry_grid *g, const float *scale, size_t n, uint64_t apart, uint8_t *to)
{
    if (n > 0 && apart == 1 && store_row(g, scale, n, to))
        return;
    for (size_t i = 0; i < n; i++) {
        uint64_t at = i * apart;
        if (g->scale_type == HRY_TYPE_FLOAT8_E8M0)
            to[at] = (uint8_t)(hry_f32_bits(scale[i]) >> 23);
        else if (g->scale_type == HRY_TYPE_FLOAT16)
            hry_store16(to + 2 * at, hry_f32_to_f16(scale[i]));
        else if (g->scale_type == HRY_TYPE_BFLOAT16)
            hry_store16(to + 2 * at, hry_f32_to_bf16(scale[i]));
        else
            hry_store_f32(to + 4 * at, scale[i]);
    }
}

/* ---- The search ---- */

enum { TRIED = 64 }; /* values at a time */

static double squared_error(const hry_grid *g, const float *x, size_t n, float scale)
{
    uint8_t codes[TRIED];
    float back[TRIED];
    double error = 0;
    for (size_t done = 0; done < n; done += TRIED) {
        size_t part = n - done < TRIED ? n - done : TRIED;
        g->encode(x + done, part, part, &scale, NULL, g->lo, g->hi, codes);
        g->decode(codes, part, part, &scale, NULL, back, false);
        for (size_t i = 0; i < part; i++) {
            double away = (double)x[done + i] - (double)back[i];
            error += away * away;
        }
    }
    return error;
}

void hry_grid_search(const hry_grid *g, const float *x, size_t n, float *scale)
{
    enum { STEPS = 24 };
    float first = *scale;
    double least = squared_error(g, x, n, first);
    for (int i = 1; i <= STEPS && least > 0; i++) {
        /* Below the first: what is clamped then may cost less than what the finer grid gains. */
        float tried = g->scheme == HRY_SCHEME_MXFP ? ldexpf(first, i < 3 ? -i : 1)
                                                   : round_up(g->scale_type, (double)first * (1.0 - i / 48.0));
        if (g->scheme == HRY_SCHEME_MXFP && (i > 3 || tried < 0x1p-126f || !isfinite(tried)))
            continue;
        double error = squared_error(g, x, n, tried);
        if (error < least) {
            least = error;
            *scale = tried;
        }
    }
}
