#include "layout/layouts.h"

enum { RULE = 0, OP = 1, RESERVED = 2, MEMBER_COUNT = 4, SIZE = 8 };
enum { PARTITION = 1, OVERLAY = 2, GROUP = 3 };

/* Private rules are the parser's matter: it knows what the caller allows. */
static hry_status parse(hry_draft *f, uint32_t *length)
{
    (void)length;
    uint32_t at = f->view.layout_offset;
    const uint8_t *fields = f->view.bytes + at;
    uint8_t rule = fields[RULE], op = fields[OP];
    bool is_private = rule >= 0xF0 && rule <= 0xFE;
    if ((rule < PARTITION || rule > GROUP) && !is_private)
        return hry_draft_fail(f, HRY_RULE_L_CMP_01, HRY_SECTION_LAYOUT, at + RULE, rule);
    if (!is_private && (rule == OVERLAY ? op < 1 || op > 2 : op != 0))
        return hry_draft_fail(f, HRY_RULE_L_CMP_03, HRY_SECTION_LAYOUT, at + OP, op);
    hry_status status = hry_draft_reserved(f, HRY_RULE_L_CMP_04, HRY_SECTION_LAYOUT, at + RESERVED, 2);
    if (status)
        return status;
    if (hry_load32(fields + MEMBER_COUNT) == UINT32_MAX)
        return hry_draft_fail(f, HRY_RULE_L_CMP_05, HRY_SECTION_LAYOUT, at + MEMBER_COUNT, UINT32_MAX);
    return HRY_OK;
}

static hry_status verify(hry_draft *f)
{
    const uint8_t *fields = f->view.bytes + f->view.layout_offset;
    if (fields[RULE] == OVERLAY && hry_load32(fields + MEMBER_COUNT) == 0)
        return hry_draft_fail(f, HRY_RULE_L_CMP_06, HRY_SECTION_LAYOUT, f->view.layout_offset + MEMBER_COUNT, 0);
    if (f->byte_offset != 0)
        return hry_draft_fail(f, HRY_RULE_L_CMP_08, HRY_SECTION_SHAPE, hry_draft_byte_offset_field(f), f->byte_offset);
    if (f->view.quantization_offset)
        return hry_draft_fail(f, HRY_RULE_L_CMP_09, HRY_SECTION_QUANTIZATION, f->view.quantization_offset,
                              hry_load32(f->view.bytes + f->view.quantization_offset));
    if (f->view.composite_member_offset)
        return hry_draft_fail(f, HRY_RULE_L_CMP_10, HRY_SECTION_COMPOSITE_MEMBER, f->view.composite_member_offset,
                              f->view.bytes[f->view.composite_member_offset]);
    if (f->view.state & HRY_DESC_HAS_DYNAMIC && (fields[RULE] == PARTITION || fields[RULE] == OVERLAY))
        return hry_draft_fail(f, HRY_RULE_L_CMP_11, HRY_SECTION_LAYOUT, f->view.layout_offset + RULE, fields[RULE]);
    return HRY_OK;
}

static bool get(const uint8_t *fields, uint32_t rank, hry_layout *layout, hry_layout_store *store)
{
    (void)rank, (void)store;
    layout->composition_rule = fields[RULE];
    layout->combine_op = fields[OP];
    layout->member_count = hry_load32(fields + MEMBER_COUNT);
    return true;
}

static void put(const hry_layout *layout, uint32_t rank, const uint64_t *shape, uint8_t *fields)
{
    (void)rank, (void)shape;
    fields[RULE] = layout->composition_rule;
    fields[OP] = layout->combine_op;
    fields[RESERVED] = fields[RESERVED + 1] = 0;
    hry_store32(fields + MEMBER_COUNT, layout->member_count);
}

const hry_layout_row hry_layout_composite = {
    .name = "composite",
    .tag = HRY_LAYOUT_COMPOSITE,
    .tier = 1,
    .category = HRY_VIRTUAL,
    .fields = SIZE,
    .parse = parse,
    .verify = verify,
    .get = get,
    .put = put,
};
