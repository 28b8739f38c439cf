/* Advice on contents (E-01). */
#include "base/status.h"
#include "layout/layouts.h"
#include "tensor/access.h"
#include "type/pack.h"

/* The elements that lie one behind the other from the first on, the last of which ends what is stored. */
static bool stored_elements(const hry_tensor *tensor, uint64_t *count)
{
    const hry_desc *desc = &tensor->desc;
    const hry_layout_row *row = hry_layout_row_of(desc->layout);
    hry_layout layout;
    hry_layout_store store;
    uint64_t shape[HRY_RANK_MAX];
    hry_desc_shape(desc, shape);
    /* Elements of 8 bits take as many bytes as there are elements. */
    return row && row->buffer_size && row->category != HRY_PRIVATE && hry_desc_layout_get(desc, &layout, &store) &&
           row->buffer_size(&layout, desc->rank, shape, 8, 0, count);
}

void hry_tensor_lint(const hry_tensor *tensor, hry_lint_fn *report, void *ctx)
{
    uint32_t bits = hry_desc_bits(&tensor->desc);
    uint64_t count, size, nbytes, offset = hry_desc_byte_offset(&tensor->desc);
    const uint8_t *data = hry_tensor_buffer(tensor, 0, &size);
    if (hry_tensor_check_readable(tensor, NULL) || bits >= 8 || !data || !stored_elements(tensor, &count) || !count ||
        !hry_type_size(bits, count, &nbytes) || size - offset < nbytes)
        return;
    /* In the last byte, or the last group of three. */
    unsigned unit = bits == 6 ? 3 : 1, per_unit = bits == 6 ? 4 : 8 / bits, used = (unsigned)(count % per_unit) * bits;
    const uint8_t *last = data + offset + nbytes - unit;
    uint32_t word = unit == 3 ? hry_load24(last) : last[0];
    if (used && word >> used)
        report(ctx, HRY_RULE_E_01, offset + nbytes - unit, hry_rule_text(HRY_RULE_E_01));
}
