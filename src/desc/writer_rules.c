#include "desc/writer_rules.h"

/* The first finding, if any. */
typedef struct finding {
    uint16_t rule;
    uint64_t offset;
    const char *message;
} finding;

static void keep_first(void *ctx, uint16_t rule, uint64_t offset, const char *message)
{
    finding *first = ctx;
    if (!first->rule)
        *first = (finding){ rule, offset, message };
}

hry_status hry_writer_check_advice(const hry_desc *view, hry_error *err)
{
    finding first = { 0 };
    hry_desc_lint(view, keep_first, &first);
    if (!first.rule)
        return HRY_OK;
    enum hry_section section = first.rule == HRY_RULE_D_57 ? HRY_SECTION_STATISTICS : HRY_SECTION_EXTENSION_TYPE;
    return hry_fail_rule_because(err, first.rule, section, first.offset, 0, "%s", first.message);
}

static bool uses_in_buffers(const hry_desc *view, const hry_registry_row *row)
{
    hry_buffer b;
    for (uint32_t i = 0; hry_desc_buffer(view, i, &b); i++)
        if ((row->space == HRY_SPACE_DEVICE && b.device_tag == row->value) ||
            (row->space == HRY_SPACE_MEMORY_CLASS && b.memory_class == row->value) ||
            (row->space == HRY_SPACE_SYNC_MODE && b.sync_mode == row->value))
            return true;
    return false;
}

static bool uses(const hry_desc *view, const hry_registry_row *row)
{
    hry_quantization q;
    switch (row->space) {
    case HRY_SPACE_TYPE:
        return view->type == row->value;
    case HRY_SPACE_LAYOUT:
        return view->layout == row->value;
    case HRY_SPACE_SCHEME:
        return hry_desc_quantization(view, &q) && q.scheme == row->value;
    case HRY_SPACE_DESCRIPTOR_FLAG:
        return row->value < 32 && view->flags >> row->value & 1;
    default:
        return uses_in_buffers(view, row);
    }
}

hry_status hry_writer_set_version(const hry_desc *view, const hry_profile *profile, uint8_t *bytes, hry_error *err)
{
    uint8_t minor = 0;
    for (size_t i = 0; i < profile->extra_count; i++) {
        const hry_registry_row *row = &profile->extra[i];
        if (!uses(view, row))
            continue;
        if (row->deprecated_minor && row->deprecated_minor <= profile->descriptor_minor && row->replacement)
            return hry_fail_usage(err, "%s is deprecated: write 0x%02x instead", row->name, row->replacement);
        minor = row->since_minor > minor ? row->since_minor : minor;
    }
    bytes[5] = minor;
    return HRY_OK;
}
