#include "base/frame.h"

hry_status hry_frame_fail(const hry_frame *f, enum hry_rule rule, enum hry_section section, uint64_t offset,
                          uint64_t value)
{
    return hry_fail_rule(f->err, rule, section, offset, value);
}

hry_status hry_frame_soft_fail(hry_frame *f, enum hry_rule rule, enum hry_section section, uint64_t offset,
                               uint64_t value)
{
    if (!f->permissive)
        return hry_fail_rule(f->err, rule, section, offset, value);
    f->opaque = true;
    return HRY_OK;
}

hry_status hry_frame_reserved(const hry_frame *f, enum hry_rule rule, enum hry_section section, uint32_t offset,
                              uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (f->bytes[offset + i] != 0)
            return hry_frame_fail(f, rule, section, offset + i, f->bytes[offset + i]);
    return HRY_OK;
}
