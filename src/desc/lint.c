/* Advice: what a reader accepts and a writer should not make (D-57, D-68). */
#include "layout/layouts.h"

#include <hurray/desc.h>
#include <math.h>

typedef struct reporter {
    hry_lint_fn *report;
    void *ctx;
} reporter;

enum { NNZ = 8, RATIO = 16, ABS_MAX = 40, STDDEV = 56, NM = 64, HAS_NAN = 66, HAS_INF = 67 };

static void lint_statistics(const hry_desc *desc, const hry_statistics *s, const reporter *r)
{
    uint64_t at = desc->statistics_offset;
    const hry_layout_row *row = hry_layout_row_of(desc->layout);
    hry_layout layout;
    hry_layout_store store;
    if (s->computed_mask & HRY_STATS_NNZ && row && row->category == HRY_SPARSE &&
        hry_desc_layout_get(desc, &layout, &store) && layout.nnz != s->nnz)
        r->report(r->ctx, HRY_RULE_D_57, at + NNZ, "nnz of the statistics is not the layout's");
    if (s->computed_mask & HRY_STATS_SPARSITY && !(s->sparsity_ratio >= 0.0 && s->sparsity_ratio <= 1.0))
        r->report(r->ctx, HRY_RULE_D_57, at + RATIO, "sparsity_ratio is outside 0..1");
    double abs_max = fmax(fabs(s->value_min), fabs(s->value_max));
    if (s->computed_mask & HRY_STATS_RANGE && !(s->value_abs_max == abs_max))
        r->report(r->ctx, HRY_RULE_D_57, at + ABS_MAX, "value_abs_max is not that of value_min and value_max");
    if (s->computed_mask & HRY_STATS_VALUES && !(s->value_stddev >= 0.0))
        r->report(r->ctx, HRY_RULE_D_57, at + STDDEV, "value_stddev is negative");
    if (s->computed_mask & HRY_STATS_NM && s->nm_n > s->nm_m)
        r->report(r->ctx, HRY_RULE_D_57, at + NM, "nm_n is above nm_m");
    if (s->computed_mask & HRY_STATS_NAN_INF && s->has_nan > 1)
        r->report(r->ctx, HRY_RULE_D_57, at + HAS_NAN, "has_nan is not 0 or 1");
    if (s->computed_mask & HRY_STATS_NAN_INF && s->has_inf > 1)
        r->report(r->ctx, HRY_RULE_D_57, at + HAS_INF, "has_inf is not 0 or 1");
}

static void lint_extension_type(const hry_desc *desc, const hry_extension_type *e, const reporter *r)
{
    uint64_t at = desc->extension_type_offset;
    if (!e->is_float && (e->has_nan || e->has_inf))
        r->report(r->ctx, HRY_RULE_D_68, at + 16, "an integer type with NaN or infinity");
    if (e->is_float && (uint32_t)e->sign_bits + e->exponent_bits + e->mantissa_bits != e->bit_width)
        r->report(r->ctx, HRY_RULE_D_68, at + 7, "sign, exponent and mantissa do not add up to bit_width");
}

void hry_desc_lint(const hry_desc *desc, hry_lint_fn *report, void *ctx)
{
    reporter r = { report, ctx };
    hry_statistics statistics;
    hry_extension_type extension_type;
    if (hry_desc_statistics(desc, &statistics))
        lint_statistics(desc, &statistics, &r);
    if (hry_desc_extension_type(desc, &extension_type))
        lint_extension_type(desc, &extension_type, &r);
}
