#include "tensor/naive_quantize.h"

#include <float.h>
#include <hurray/type.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct extent {
    double lo, hi;
} extent;

static extent *extents(const naive_quantized *z)
{
    extent *e = calloc(z->parameters + 1, sizeof *e); /* 0 belongs to every range */
    for (uint64_t i = 0; i < z->n; i++) {
        assert_true(z->number[i] < z->parameters);
        extent *at = &e[z->number[i]];
        at->lo = fmin(at->lo, z->x[i]);
        at->hi = fmax(at->hi, z->x[i]);
    }
    return e;
}

static double absmax(const extent *e)
{
    return fmax(-e->lo, e->hi);
}

/* The smallest normal number of the type that is not below t, by trying them. */
static double value_up(uint8_t type, double t)
{
    if (type == HRY_TYPE_FLOAT32) {
        float f = (float)t;
        while ((double)f < t)
            f = nextafterf(f, INFINITY);
        return fmax(f, FLT_MIN);
    }
    for (uint32_t code = 1; code < (type == HRY_TYPE_BFLOAT16 ? 0x7F80u : 0x7C00u); code++) {
        double v = hry_element_f64(type, (const uint8_t[]){ (uint8_t)code, (uint8_t)(code >> 8) }, 0);
        if (v >= t && v >= (type == HRY_TYPE_FLOAT16 ? 0x1p-14 : 0x1p-126))
            return v;
    }
    return INFINITY;
}

/* ---- Affine ---- */

static void range_of(uint8_t type, double *lo, double *hi)
{
    const hry_type_info *info = hry_type_find(type);
    bool is_signed = info->kind == HRY_KIND_INT;
    *hi = exp2(info->bits - is_signed) - 1;
    *lo = is_signed ? -*hi - 1 : 0;
}

static void check_affine(const naive_quantized *z, const extent *e)
{
    const hry_quantizer *q = z->q;
    double qmin, qmax;
    bool typed = q->scheme == HRY_SCHEME_PER_BLOCK && q->scale_type;
    range_of(q->storage, &qmin, &qmax);
    double low = q->symmetric && qmin < 0 ? -qmax : qmin;
    for (uint64_t p = 0; p < z->parameters; p++) {
        double span = q->symmetric ? absmax(&e[p]) / qmax : (e[p].hi - e[p].lo) / (qmax - qmin);
        double want = span > 0 ? value_up(typed ? q->scale_type : HRY_TYPE_FLOAT32, span) : 1.0;
        double zero = q->symmetric ? 0 : span > 0 ? rint(qmin - e[p].lo / want) : 0;
        assert_true((double)z->scale[p] == want);
        assert_true(z->zp[p] == fmin(fmax(zero, qmin), qmax));
    }
    for (uint64_t i = 0; i < z->n; i++) {
        uint64_t p = z->number[i];
        double bound = 0.5 * (double)z->scale[p] * (1 + 0x1p-20) + 0x1p-22 * absmax(&e[p]);
        if (!(fabs((double)z->x[i] - (double)z->back[i]) <= bound))
            fail_msg("scheme %u type %s symmetric %d scale type %s: %a became %a by %a, %d (range %a %a)", q->scheme,
                     hry_type_name(q->storage), q->symmetric, hry_type_name(q->scale_type), (double)z->x[i],
                     (double)z->back[i], (double)z->scale[p], z->zp[p], e[p].lo, e[p].hi);
        assert_true(z->x[i] != 0 || z->back[i] == 0);
        if (!z->code)
            continue;
        assert_true(z->code[i] >= low && z->code[i] <= qmax);
        if (hry_type_find(q->storage)->bits <= 16) /* the formula itself */
            assert_true(z->code[i] == fmin(fmax(rint((double)(z->x[i] / z->scale[p])) + z->zp[p], low), qmax));
    }
}

/* ---- NF4 ---- */

static void check_nf4(const naive_quantized *z, const extent *e)
{
    for (uint64_t p = 0; p < z->parameters; p++)
        assert_true((double)z->scale[p] == absmax(&e[p]));
    for (uint64_t i = 0; i < z->n; i++) {
        double most = absmax(&e[z->number[i]]);
        assert_true(fabs((double)z->x[i] - (double)z->back[i]) <= (0.151904 + 0x1p-22) * most);
        assert_true(fabs((double)z->x[i]) != most || z->back[i] == z->x[i]);
        assert_true(z->x[i] != 0 || z->back[i] == 0);
    }
}

/* ---- MXFP ---- */

static const struct mx_row {
    uint8_t type;
    double delta, u, r, max;
    int emax;
} mx_rows[] = {
    { HRY_TYPE_FLOAT8_E4M3, 0x1p-9, 1.0 / 17, 1.0 / 8, 448, 8 },
    { HRY_TYPE_FLOAT8_E5M2, 0x1p-16, 1.0 / 9, 1.0 / 8, 57344, 15 },
    { HRY_TYPE_FLOAT4_E2M1, 0.5, 1.0 / 5, 1.0 / 4, 6, 2 },
    { HRY_TYPE_FLOAT6_E2M3, 0.125, 1.0 / 17, 1.0 / 16, 7.5, 2 },
    { HRY_TYPE_FLOAT6_E3M2, 0.0625, 1.0 / 9, 1.0 / 8, 28, 4 },
    { HRY_TYPE_INT8, 1, 0, 1.0 / 128, 127, 6 },
    { HRY_TYPE_INT4, 1, 0, 1.0 / 8, 7, 2 },
};

/* The exponent of the scale, by exact comparisons: 2^k is doubled or halved until it fits. */
static int exponent_of(const struct mx_row *row, double most, bool ceil)
{
    int k = 0;
    double base =
        ceil ? row->max : ldexp(1, row->emax); /* ceil: least k with most <= base 2^k; else greatest with >= */
    if (most == 0)
        return 0;
    while (ceil ? most > ldexp(base, k) : most >= ldexp(base, k + 1))
        k++;
    while (ceil ? most <= ldexp(base, k - 1) : most < ldexp(base, k))
        k--;
    return k < -126 ? -126 : k > 127 ? 127 : k;
}

static void check_mx(const naive_quantized *z, const extent *e)
{
    const struct mx_row *row = mx_rows;
    while (row->type != z->q->storage)
        row++;
    for (uint64_t p = 0; p < z->parameters; p++)
        assert_true((double)z->scale[p] == ldexp(1, exponent_of(row, absmax(&e[p]), z->q->ceil)));
    for (uint64_t i = 0; i < z->n; i++) {
        double size = fabs((double)z->x[i]), r = z->q->ceil ? 0 : row->r;
        double bound = fmax(fmax(r, row->u) * size, 0.5 * row->delta * (double)z->scale[z->number[i]]);
        assert_true(fabs((double)z->x[i] - (double)z->back[i]) <= bound * (1 + 0x1p-40));
    }
}

void naive_check_quantized(const naive_quantized *z)
{
    extent *e = extents(z);
    if (z->q->scheme == HRY_SCHEME_NF4)
        check_nf4(z, e);
    else if (z->q->scheme == HRY_SCHEME_MXFP)
        check_mx(z, e);
    else
        check_affine(z, e);
    free(e);
}
