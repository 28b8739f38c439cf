#include "base/draft.h"

#undef hry_draft_fail
hry_status hry_draft_fail(const hry_draft *f, enum hry_rule rule, enum hry_section section, uint64_t offset,
                          uint64_t value)
{
    return hry_fail_rule(f->err, rule, section, offset, value);
}

hry_status hry_draft_soft_fail(hry_draft *f, enum hry_rule rule, enum hry_section section, uint64_t offset,
                               uint64_t value)
{
    if (!f->options->permissive)
        return hry_fail_rule(f->err, rule, section, offset, value);
    f->view.state |= HRY_DESC_OPAQUE;
    return HRY_OK;
}

hry_status hry_draft_reserved(const hry_draft *f, enum hry_rule rule, enum hry_section section, uint32_t offset,
                              uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (f->view.bytes[offset + i] != 0)
            return hry_draft_fail(f, rule, section, offset + i, f->view.bytes[offset + i]);
    return HRY_OK;
}
